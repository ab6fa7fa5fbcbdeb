"""Secrets where a command fails, and in what other users of the machine see: its processes."""

from __future__ import annotations

import sys

import psycopg
import pytest

from tests.cli.exchanging import LEGACY
from tests.fakes import Response, model

PASSWORD = "dsn-word-1a2b3c"
KEY = "key-word-1a2b3c"
LLM = '[llm]\nbase_url = "{url}"\nmodel = "m"\n{key}\n'


@pytest.fixture(scope="module")
def started():
    """The arguments of every process that is started from now on."""
    noted: list[str] = []

    def note(event, arguments):
        if event == "subprocess.Popen":
            noted.append(repr(arguments[1]))

    sys.addaudithook(note)
    return noted


@pytest.fixture
def guarded(gloss, password_server):
    """A catalog on a server that wants a password."""
    with psycopg.connect(password_server.admin_url, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE keeper SUPERUSER LOGIN PASSWORD '{PASSWORD}'")
        admin.execute("CREATE DATABASE guarded OWNER keeper")
        gloss.environment["GLOSS_DATABASE_URL"] = password_server.url("keeper", PASSWORD, "guarded")
        gloss.write("legacy.yaml", LEGACY.read_text("utf-8"))
        yield gloss
        admin.execute("DROP DATABASE guarded WITH (FORCE)")
        admin.execute("DROP ROLE keeper")


def test_a_password_is_in_no_list_of_processes(guarded, started):
    for words in ("ingest legacy.yaml", "db dump a.dump", "db restore a.dump --replace"):
        done = guarded(*words.split())
        assert done.exit_code == 0, done.stderr

    programs = " ".join(started)
    assert "pg_dump" in programs
    assert "psql" in programs
    assert PASSWORD not in programs


@pytest.mark.parametrize("words", ["services", "doctor", "db status", "db dump a.dump"])
def test_a_password_that_is_refused_is_not_shown(guarded, words):
    wrong = guarded.environment["GLOSS_DATABASE_URL"].replace(PASSWORD, "wrong-word-1a2b3c")

    done = guarded.process(*words.split(), env={"GLOSS_DATABASE_URL": wrong, "GLOSS_DEBUG": "1"})

    assert done.exit_code != 0
    assert "password" in done + done.stderr
    assert "wrong-word-1a2b3c" not in done + done.stderr


@pytest.mark.parametrize("place", ["environment", "file"])
def test_a_key_that_the_endpoint_repeats_is_not_shown(gloss, place):
    gloss.write("legacy.yaml", LEGACY.read_text("utf-8"))
    gloss.write("key", KEY + "\n")
    refusal = Response(
        status=401, error=f"Incorrect API key provided: {KEY}", code="invalid_api_key"
    )
    with model(lambda _request, _number: refusal) as served:
        key = (
            'api_key_env = "OUR_KEY"'
            if place == "environment"
            else f'api_key_file = "{gloss.folder}/key"'
        )
        gloss.write("gloss.toml", LLM.format(url=served.url, key=key))
        for words in ("ingest legacy.yaml", "opt-in legacy"):
            assert gloss(*words.split()).exit_code == 0

        done = gloss.process("enrich", env={"OUR_KEY": KEY, "GLOSS_DEBUG": "1"})

    assert f"Bearer {KEY}" in str(served.requests[0].headers)
    assert done.exit_code == 4
    assert "Incorrect API key" in done.stderr
    assert KEY not in done + done.stderr


@pytest.mark.parametrize("scheme", ["http", "grpc"])
def test_user_and_password_in_an_address_are_not_shown(gloss, scheme):
    address = f"{scheme}://bob:address-word-1a2b3c@127.0.0.1:9/spec?token=query-word-1a2b3c"

    done = gloss.process("ingest", address, "--json", env={"GLOSS_DEBUG": "1"})

    assert done.exit_code != 0
    assert "127.0.0.1:9" in done.stderr
    assert "-word-1a2b3c" not in done + done.stderr
