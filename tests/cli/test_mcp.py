"""`gloss mcp` asked by the SDK's own client, as real processes over both transports."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "cli", "mcp"]


def ask(server, question):
    async def asked():
        async with Client(server) as client:
            return await question(client)

    return asyncio.run(asked())


@pytest.fixture
def stdio(samples):
    return StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env=samples.environment, cwd=str(samples.folder)
    )


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
    assert len(found.content[0].text) <= 4 * 250, "250 tokens of about four letters"
    told = json.loads(whole.content[0].text)
    assert told["name"] == "list_open_invoices"
    assert told["binding"]["method"] == "GET"
    assert told["input_schema"]["type"] == "object"


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
    server = StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "--service", "crm"],
        env=samples.environment,
        cwd=str(samples.folder),
    )

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
    server = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env=gloss.environment, cwd=str(gloss.folder)
    )

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


@contextmanager
def over_http(samples):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [*COMMAND, "--http", str(port)],
        env=samples.environment,
        cwd=samples.folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        await_port(port, server)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.send_signal(signal.SIGTERM)
        server.stderr.read()
        server.wait()


def test_the_same_over_http_for_this_machine_only(samples):
    import httpx2

    async def loop(client):
        return await client.call_tool("search_tools", {"query": "which invoices are overdue"})

    with over_http(samples) as url:
        found = ask(url, loop)
        led_astray = httpx2.post(url, json={}, headers={"Host": "evil.example"})

    assert found.structured_content["tools"][0]["id"] == "billing/list_open_invoices"
    assert led_astray.status_code == 421


def await_port(port, server):
    pause = threading.Event()
    while server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            pause.wait(0.05)
    pytest.fail(server.stderr.read())


BEGIN = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it_while_the_client_holds_the_stream(samples, number, code):
    server = subprocess.Popen(
        COMMAND,
        env=samples.environment,
        cwd=samples.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    server.stdin.write(json.dumps(BEGIN) + "\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "apigloss"

    server.send_signal(number)

    assert server.wait(timeout=60) == code
    assert server.stderr.read() == ""
    server.stdin.close()
    server.stdout.close()
    server.stderr.close()


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
