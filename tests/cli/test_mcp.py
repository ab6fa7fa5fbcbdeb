"""`gloss mcp` asked by the SDK's own client, as real processes over both transports."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import psycopg
import pytest

pytest.importorskip("mcp")

from tests.cli.agents import COMMAND, ask, started_by_a_client

ROOT = Path(__file__).parents[2]


@pytest.fixture
def stdio(samples):
    return started_by_a_client(samples)


def test_search_and_get_as_an_agent_does(stdio, samples):
    async def loop(client):
        listed = await client.list_tools()
        found = await client.call_tool("search_tools", {"query": "which invoices are overdue"})
        first = found.structured_content["tools"][0]["id"]
        whole = await client.call_tool("get_tool", {"id": first})
        return listed.tools, found, whole

    tools, found, whole = ask(stdio, loop)

    assert [tool.name for tool in tools] == ["search_tools", "get_tool"]
    for tool in tools:
        assert tool.annotations.read_only_hint
        assert tool.annotations.idempotent_hint
        assert tool.annotations.open_world_hint is False
    assert not found.is_error
    assert found.structured_content["tools"][0]["id"] == "billing/list_open_invoices"
    assert len(found.structured_content["tools"]) == 4
    assert "\n" not in found.content[0].text, "blanks are no help to an agent"
    assert len(found.content[0].text) <= 4 * 150, "150 tokens of about four letters"
    scores = [tool["score"] for tool in found.structured_content["tools"]]
    assert scores == sorted(scores, reverse=True)
    assert scores == [round(score, 2) for score in scores]
    told = json.loads(whole.content[0].text)
    assert told["name"] == "list_open_invoices"
    assert told["binding"]["method"] == "GET"
    assert told["input_schema"]["type"] == "object"


def test_a_tool_says_how_it_differs_from_each_look_alike(stdio, samples):
    async def told(client):
        answers = [await client.call_tool("get_tool", {"id": name}) for name in both]
        return [answer.structured_content.get("differs") for answer in answers]

    both = ("billing/get_customer", "billing/issue_invoice")

    assert ask(stdio, told) == [
        [
            "unlike get_customer_full: returns no tax_id, billing_address, direct_debit_mandate "
            "and 3 more; GET /customers/{customer_id}",
            "unlike get_customer_balance: returns name, billing_email, currency and 1 more; "
            "GET /customers/{customer_id}",
        ],
        None,
    ]


def test_a_service_a_limit_and_nothing_that_fits(stdio):
    async def loop(client):
        one = {"query": "what is overdue", "limit": 1, "service": "billing"}
        none = {"query": "walk the dog in the park at night"}
        return [await client.call_tool("search_tools", words) for words in (one, none)]

    one, none = ask(stdio, loop)

    assert [tool["id"].split("/")[0] for tool in one.structured_content["tools"]] == ["billing"]
    assert none.structured_content["nothing_fits"] is True
    assert none.structured_content["tools"], "the nearest are there to see"


def test_what_is_wrong_is_an_error_of_the_tool_with_what_to_do(stdio):
    async def loop(client):
        wrong = await client.call_tool("get_tool", {"id": "crm/getCusst"})
        service = await client.call_tool("search_tools", {"query": "x", "service": "crn"})
        after = await client.call_tool("search_tools", {"query": "open invoices"})
        return wrong, service, after

    wrong, service, after = ask(stdio, loop)

    assert wrong.is_error
    assert "crm/getCust" in wrong.content[0].text
    assert service.is_error
    assert "crn" in service.content[0].text
    assert "Traceback" not in wrong.content[0].text + service.content[0].text
    assert not after.is_error


def test_only_the_services_named_are_served(samples):
    server = started_by_a_client(samples, "--service", "crm")

    async def loop(client):
        found = await client.call_tool("search_tools", {"query": "which invoices are overdue"})
        asked = {"query": "invoices", "service": "billing"}
        other = await client.call_tool("search_tools", asked)
        tool = await client.call_tool("get_tool", {"id": "billing/list_open_invoices"})
        return found, other, tool

    found, other, tool = ask(server, loop)

    assert {hit["id"].split("/")[0] for hit in found.structured_content["tools"]} == {"crm"}
    for refused in (other, tool):
        assert refused.is_error
        assert "billing is not served here" in refused.content[0].text


def test_signs_that_hide_are_shown_to_the_agent(gloss):
    gloss.write(
        "s.yaml",
        "openapi: 3.0.0\ninfo: {title: odd, version: '1'}\npaths:\n  /a:\n    get:\n"
        '      operationId: getA\n      description: "Reads \\u202Eone\\u202C bin."\n'
        "      responses: {'200': {description: ok}}\n",
    )
    assert gloss("ingest", "s.yaml", "--service", "odd").exit_code == 0
    server = started_by_a_client(gloss)

    async def loop(client):
        return await client.call_tool("get_tool", {"id": "odd/getA"})

    whole = ask(server, loop)

    assert "\u202e" not in json.loads(whole.content[0].text)["description"]


def test_searches_are_logged_as_the_agents(stdio, samples):
    async def loop(client):
        await client.call_tool("search_tools", {"query": "a question only an agent asks"})

    ask(stdio, loop)

    with psycopg.connect(samples.environment["GLOSS_DATABASE_URL"]) as connection:
        rows = connection.execute(
            "SELECT origin FROM search_log WHERE query = 'a question only an agent asks'"
        ).fetchall()
    assert rows == [("mcp",)]


@pytest.mark.parametrize("address", ["0.0.0.0:8321", "example.org:80", "noport", "70000"])
def test_other_addresses_are_refused_by_name(gloss, address):
    done = gloss("mcp", "--http", address)

    assert done.exit_code == 2
    assert address.rpartition(":")[0] in done.stderr
    assert "gloss mcp --http" in done.stderr


def test_without_the_sdk_it_says_what_to_install(samples, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, importlib.abc\n"
        "class Gone(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'mcp': raise ModuleNotFoundError(name)\n"
        "import importlib.util as u\n"
        "found = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'mcp' else found(name, *a)\n"
    )
    env = {**samples.environment, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}

    done = subprocess.run(COMMAND, env=env, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "pip install 'apigloss[mcp]'" in done.stderr
