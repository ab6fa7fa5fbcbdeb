"""`gloss mcp` while things come and go: clients, sessions, signals, the database under it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path

import psycopg
import pytest

pytest.importorskip("mcp")

import httpx2
from mcp import Client

from store import server
from tests.cli.agents import COMMAND, ask, found, over_http, started_by_a_client
from tests.cli.conftest import Gloss, bare_environment

TOYS = """openapi: 3.0.3
info: {title: toys, version: "1"}
paths:
  /kites: {get: {operationId: listKites, summary: List all kites, responses: {}}}
  /boats: {post: {operationId: buildBoat, summary: Build a boat, responses: {}}}
"""
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
HEADERS = {"Accept": "application/json, text/event-stream"}


def with_toys(gloss):
    gloss.write("toys.yaml", TOYS)
    assert gloss("ingest", "toys.yaml").exit_code == gloss("index").exit_code == 0
    return gloss


def psql(gloss, query):
    with psycopg.connect(gloss.environment["GLOSS_DATABASE_URL"], autocommit=True) as connection:
        return connection.execute(query)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it_while_the_client_holds_the_stream(samples, number, code):
    with subprocess.Popen(
        COMMAND,
        env=samples.environment,
        cwd=samples.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        started.stdin.write(json.dumps(BEGIN) + "\n")
        started.stdin.flush()
        answer = json.loads(started.stdout.readline())
        assert answer["result"]["serverInfo"]["name"] == "apigloss"

        for _ in range(3):
            started.send_signal(number)

        assert started.wait(timeout=60) == code
        assert started.stderr.read() == ""


def test_the_embedded_server_is_started_again_when_it_was_killed(tmp_path):
    (tmp_path / "work").mkdir()
    gloss = with_toys(Gloss(tmp_path / "work", bare_environment(tmp_path)))
    data_dir = Path(gloss.environment["XDG_DATA_HOME"]) / "apigloss"

    async def killed(client):
        first = await found(client, "list the kites")
        before = server.status(data_dir).pid
        os.kill(before, signal.SIGKILL)
        return first, await found(client, "list the kites"), before, server.status(data_dir).pid

    first, second, before, after = ask(started_by_a_client(gloss), killed)

    assert first == second
    assert first[0] == "toys/listKites"
    assert after not in (None, before)
    assert not server.status(data_dir).running, "the last user stops it"


def test_a_connection_that_was_cut_is_opened_again(gloss):
    with_toys(gloss)
    cut = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    async def questions(client):
        first = await found(client, "list the kites")
        assert psql(gloss, cut).rowcount == 1
        return first, await found(client, "list the kites")

    first, second = ask(started_by_a_client(gloss), questions)

    assert first == second


def test_a_database_that_is_away_is_an_error_until_it_is_back(gloss, server_url):
    with_toys(gloss)
    name = psql(gloss, "SELECT current_database()").fetchone()[0]

    def let_in(allowed):
        with psycopg.connect(server_url, autocommit=True) as admin:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}")
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )

    async def questions(client):
        let_in(False)
        away = [await client.call_tool("search_tools", {"query": "kites"}) for _ in range(2)]
        let_in(True)
        return away, await found(client, "list the kites")

    away, back = ask(started_by_a_client(gloss), questions)

    for answer in away:
        assert answer.is_error
        assert "is not currently accepting connections; try: " in answer.content[0].text
    assert back[0] == "toys/listKites"


def test_eight_questions_at_once_each_get_their_answer(samples):
    asked = {
        "which invoices are overdue": "billing/list_open_invoices",
        "get a customer": "billing/get_customer",
    }

    async def questions(client):
        return await asyncio.gather(*(found(client, query) for query in [*asked] * 4))

    answers = ask(started_by_a_client(samples), questions)

    assert [ids[0] for ids in answers] == [*asked.values()] * 4


@pytest.fixture(scope="module")
def address(samples):
    with over_http(samples) as url:
        yield url


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_each_client_over_http_is_a_session_of_its_own(address, samples, mode):
    queries = [f"{mode} kites", f"{mode} kites again", f"{mode} kites in red", f"{mode} boats"]

    async def two():
        async with Client(address, mode=mode) as one, Client(address, mode=mode) as other:
            for client, query in zip((one, other, one, other), queries, strict=True):
                await found(client, query)
        async with Client(address, mode=mode) as third:
            await found(third, f"{mode} kites in blue")

    asyncio.run(two())

    rows = psql(
        samples,
        "SELECT l.query, l.session, again.query FROM search_log l"
        " LEFT JOIN search_log again ON again.search_id = l.again_of"
        f" WHERE l.query LIKE '{mode} %' ORDER BY l.searched_at",
    ).fetchall()
    (one, other, again, different, later) = rows
    assert [row[2] for row in rows] == [None, None, queries[0], queries[1], None]
    assert one[1] == again[1]
    assert other[1] == different[1]
    assert len({one[1], other[1], later[1]}) == 3


def test_a_session_that_has_ended_is_unknown(address):
    with httpx2.Client(headers=HEADERS) as http:
        begun = http.post(address, json=BEGIN)
        session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
        ended = http.delete(address, headers=session)
        after = http.post(
            address, json={"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, headers=session
        )

    assert (begun.status_code, ended.status_code, after.status_code) == (200, 200, 404)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 400),
        ({}, 200),
    ],
)
def test_only_pages_and_programs_of_this_machine_are_answered(address, headers, status):
    answer = httpx2.post(address, json=BEGIN, headers={**HEADERS, **headers})

    assert answer.status_code == status
