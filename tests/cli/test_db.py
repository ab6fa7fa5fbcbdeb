"""`gloss db …`: the embedded server, and the catalog as a file."""

import json
import os
import signal

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.cli.test_ingest import GOOD


@pytest.fixture
def embedded(gloss):
    """A gloss that has only the embedded server; stopped at the end, whatever happens."""
    del gloss.environment["GLOSS_DATABASE_URL"]
    yield gloss
    gloss("db", "stop")


def state_of(gloss):
    return gloss("db", "status", "--json").json


def test_before_the_first_start(embedded):
    assert state_of(embedded)["running"] is False
    assert embedded("db", "url").exit_code == 2
    assert embedded("db", "stop") == "stopped\n"
    assert embedded("db", "upgrade").exit_code == 2


def test_kept_until_stopped_and_back_after_a_kill(embedded):
    embedded.write("bins.yaml", GOOD)
    assert embedded("db", "start").exit_code == 0
    embedded("ingest", "bins.yaml")
    assert embedded("db", "url").strip() == state_of(embedded)["url"]

    os.kill(state_of(embedded)["pid"], signal.SIGKILL)

    assert "bins" in embedded("services")
    assert embedded("db", "stop") == "stopped\n"
    assert state_of(embedded)["running"] is False


def test_the_catalog_as_a_file_and_back(gloss):
    gloss.write("bins.yaml", GOOD)
    gloss("ingest", "bins.yaml")

    dumped = gloss("db", "dump", "catalog.dump")
    gloss.write("bins.yaml", GOOD.replace("listBins", "allBins"))
    gloss("ingest", "bins.yaml")
    refused = gloss("db", "restore", "catalog.dump")
    restored = gloss("db", "restore", "catalog.dump", "--replace")

    assert (dumped, dumped.stderr) == ("", "wrote catalog.dump\n")
    assert (refused.exit_code, restored.exit_code) == (2, 0)
    assert "--replace" in refused.stderr
    assert "bins/listBins" in gloss("tools")


def test_the_address_for_psql_has_no_password(gloss):
    address = "postgresql://u:s3cr3t-pass@db.internal/gloss"

    done = gloss("db", "url", env={"GLOSS_DATABASE_URL": address})

    assert done == "postgresql://u@db.internal/gloss\n"


def test_a_password_in_keywords_is_masked_everywhere(gloss):
    words = conninfo_to_dict(gloss.environment["GLOSS_DATABASE_URL"])
    address = make_conninfo("", **words, password="s3cr3t pass")

    done = gloss("show", "s3cr3t pass", env={"GLOSS_DATABASE_URL": address})

    assert "no tool named ***" in done.stderr


def test_status_as_records(gloss):
    state = json.loads(gloss("db", "status", "--format", "jsonl"))

    assert (state["schema"], state["kind"], state["running"]) == (1, "server", True)
