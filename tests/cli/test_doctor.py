"""`gloss doctor`: each thing that can go wrong is made to go wrong, and is found with its cure."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import psycopg
import pytest

import search
from store import leases, runs
from store.catalog import find_tool
from store.enrichments import Written, save_proposal
from store.holders import Holder, this_process
from tests.cli.conftest import ROOT, Gloss, bare_environment
from tests.poolers import old_server, pooler

SPEC = """openapi: 3.0.3
info: {title: toys, version: "1"}
paths:
  /kites: {get: {operationId: listKites, summary: List all kites, responses: {}}}
  /boats: {get: {operationId: listBoats, summary: List all boats, responses: {}}}
"""
BUILTIN = Path(search.__file__).parent / "models" / "builtin"


@pytest.fixture(scope="module")
def healthy_database(server_url, template_database, tmp_path_factory):
    """The name of a database in which nothing is wrong, to be copied."""
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE gloss_healthy TEMPLATE {template_database}")
    folder = tmp_path_factory.mktemp("healthy")
    address = server_url.replace("/postgres?", "/gloss_healthy?")
    run = Gloss(folder, {**bare_environment(folder), "GLOSS_DATABASE_URL": address})
    run.write("toys.yaml", SPEC)
    assert run("ingest", "toys.yaml").exit_code == run("index").exit_code == 0
    return "gloss_healthy"


@pytest.fixture
def well(server_url, healthy_database, tmp_path):
    """For what is wrong outside the database."""
    return at(server_url.replace("/postgres?", f"/{healthy_database}?"), tmp_path)


def at(address, folder):
    work = folder / "work"
    work.mkdir()
    return Gloss(work, {**bare_environment(folder), "GLOSS_DATABASE_URL": address})


@pytest.fixture
def toys(server_url, healthy_database, tmp_path):
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute("DROP DATABASE IF EXISTS gloss_sick WITH (FORCE)")
        admin.execute(f"CREATE DATABASE gloss_sick TEMPLATE {healthy_database}")
    return at(server_url.replace("/postgres?", "/gloss_sick?"), tmp_path)


def sql(gloss, query, *values):
    with psycopg.connect(gloss.environment["GLOSS_DATABASE_URL"], autocommit=True) as conn:
        conn.execute(query, values)


def examined(gloss, check, *words, code=0, env=None):
    """What was found for a check, and the command that mends it."""
    done = gloss("doctor", "--json", *words, env=env)

    findings = [row for row in done.json["checks"] if row["check"] == check]
    assert findings, [row["check"] for row in done.json["checks"]]
    bad = [row for row in done.json["checks"] if row["state"] != "ok"]
    assert all(row["mend"] for row in bad), bad
    assert done.exit_code == code, bad
    told = next((row for row in findings if row["state"] != "ok"), findings[0])
    return told["state"], told["found"], told["mend"]


def test_nothing_is_wrong_with_what_is_well(well):
    done = well("doctor", "--json")

    assert done.exit_code == 0
    assert {row["state"] for row in done.json["checks"]} == {"ok"}


# the settings and the machine


def test_a_key_that_is_misspelt(well):
    well.write("gloss.toml", '[llm]\nmodle = "x"\n')

    state, found, mend = examined(well, "settings", code=1)

    assert (state, mend) == ("failed", f"mend {well.folder}/gloss.toml")
    assert "llm.modle: no such key (do you mean model?)" in found


def test_a_spec_that_is_not_there(well):
    well.write("gloss.toml", '[[services]]\nname = "crm"\nspec = "specs/*.wsdl"\n')

    state, found, mend = examined(well, "service crm", code=1)

    assert state == "failed"
    assert "specs/*.wsdl: matches no file" in found
    assert "mend spec in gloss.toml" in mend


SECRETS = """
[llm]
base_url = "http://127.0.0.1:9/v1"
model = "m"
api_key_env = "NOBODY_SET_THIS"
[[services]]
name = "crm"
spec = "toys.yaml"
headers = { Authorization = "file:token", Cookie = "env:CRM_COOKIE" }
"""


def test_secrets_that_cannot_be_read(well):
    well.write("toys.yaml", SPEC)
    well.write("gloss.toml", SECRETS)

    assert examined(well, "[llm] key", code=1)[2] == "export NOBODY_SET_THIS=…"
    assert "token: No such file" in examined(well, "service crm, Authorization", code=1)[1]
    assert examined(well, "service crm, Cookie", code=1)[2] == "export CRM_COOKIE=…"


def test_secrets_that_others_can_read_too_are_advised_about_and_never_shown(well):
    well.write("toys.yaml", SPEC)
    file = well.write("token", "Bearer planted-secret")
    file.chmod(0o644)
    well.write("gloss.toml", SECRETS.replace("file:token", f"file:{file}"))
    env = {"NOBODY_SET_THIS": "planted-key", "CRM_COOKIE": "planted-cookie"}

    state, found, mend = examined(well, "service crm, Authorization", env=env)

    assert (state, mend) == ("warning", f"chmod 600 {file}")
    assert "0644" in found
    assert "planted" not in well("doctor", env=env)
    file.chmod(0o600)
    assert "chmod" not in well("doctor", env=env)


def test_a_password_in_a_gloss_toml_that_others_can_read(well):
    file = well.write("gloss.toml", '[database]\nurl = "postgresql://u:planted@h/d"\n')
    file.chmod(0o640)

    state, _, mend = examined(well, "secrets in gloss.toml")

    assert (state, mend) == ("warning", f"chmod 600 {file}")
    assert "planted" not in well("doctor")


def test_a_variable_with_a_typing_error(well):
    found = examined(well, "environment", env={"GLOSS_DATABSE_URL": "x"})

    assert found == (
        "warning",
        "nothing reads GLOSS_DATABSE_URL",
        "unset GLOSS_DATABSE_URL, or did you mean GLOSS_DATABASE_URL?",
    )


def test_every_variable_that_is_read_is_known():
    from cli.checks.machine import VARIABLES

    texts = (file.read_text("utf-8") for file in (ROOT / "cli").rglob("*.py"))
    read = {name for text in texts for name in re.findall(r'"(GLOSS_[A-Z_]+)"', text)}

    assert read <= set(VARIABLES)


def test_a_disk_that_is_nearly_full(well, monkeypatch):
    usage = shutil.disk_usage("/")._replace(free=100 * 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)

    state, found, mend = examined(well, "disk")

    assert (state, "100 MB free" in found) == ("warning", True)
    assert "GLOSS_DATA_DIR" in mend


def test_an_output_that_carries_only_ascii(well):
    done = well.process("doctor", env={"PYTHONIOENCODING": "ascii"})

    assert "the output carries only ascii" in done
    assert "export LC_ALL=C.UTF-8" in done


def test_another_package_with_one_of_our_names(well, tmp_path):
    other = tmp_path / "site" / "evaluation"
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    path = f"{other.parent}{os.pathsep}{well.environment['PYTHONPATH']}"

    done = well.process("doctor", env={"PYTHONPATH": path, "PYTHONSAFEPATH": "1"})

    assert done.exit_code == 1
    assert f"evaluation is read from {other}" in done
    assert "unset PYTHONPATH" in done


# the database


def test_a_database_that_does_not_answer(toys):
    address = "postgresql://gloss@127.0.0.1:9/gloss?connect_timeout=2"

    state, found, mend = examined(toys, "database", code=1, env={"GLOSS_DATABASE_URL": address})
    toys.write("gloss.toml", f'[database]\nurl = "{address}"\n')
    in_file = examined(toys, "database", code=1, env={"GLOSS_DATABASE_URL": ""})[2]

    assert (state, "does not answer" in found) == ("failed", True)
    assert mend.startswith("check that it runs and that GLOSS_DATABASE_URL names it")
    assert f"that [database] url in {toys.folder / 'gloss.toml'} names it" in in_file


def test_a_server_that_is_too_old(toys):
    with old_server("14.9") as port:
        address = f"postgresql://gloss@127.0.0.1:{port}/gloss?sslmode=disable&gssencmode=disable"
        done = toys("doctor", "--json", env={"GLOSS_DATABASE_URL": address})

    told = next(row for row in done.json["checks"] if row["check"] == "database")
    assert done.exit_code == 1
    assert "PostgreSQL 14, gloss needs 15 or newer" in told["found"]
    assert told["mend"]


def test_a_pgvector_that_is_too_old(toys):
    sql(toys, "UPDATE pg_extension SET extversion = '0.7.0' WHERE extname = 'vector'")

    state, found, mend = examined(toys, "pgvector", code=1)

    assert (state, found) == ("failed", "0.7.0, gloss needs 0.8.4")
    assert mend == "gloss db upgrade"


def test_a_pgvector_older_than_the_server_s_is_updated(toys):
    newest = examined(toys, "pgvector")[1]
    sql(toys, "UPDATE pg_extension SET extversion = '0.8.4' WHERE extname = 'vector'")

    found = examined(toys, "pgvector")
    done = toys("db", "upgrade")

    assert found == ("warning", f"0.8.4, the server has {newest}", "gloss db upgrade")
    assert done.endswith(f"and pgvector {newest}\n")
    assert examined(toys, "pgvector")[:2] == ("ok", newest)


def test_a_database_that_nothing_has_used_yet(gloss, empty_database_url):
    env = {"GLOSS_DATABASE_URL": empty_database_url}

    state, found, _ = examined(gloss, "pgvector", env=env)

    assert (state, "the first command takes it into this database" in found) == ("ok", True)
    assert examined(gloss, "catalog", env=env) == ("warning", "empty", "gloss ingest specs/")


def test_a_pgvector_that_our_role_may_not_bring_in(gloss, empty_database_url, server_url):
    env = {"GLOSS_DATABASE_URL": empty_database_url.replace("//gloss@", "//guest@")}
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute("CREATE ROLE guest LOGIN")
        state, found, mend = examined(gloss, "pgvector", env=env, code=1)
        admin.execute("DROP ROLE guest")

    assert (state, "our role may not create it" in found) == ("failed", True)
    assert mend == "ask an administrator for: CREATE EXTENSION vector"


@pytest.fixture
def through(toys, server_url):
    """The address of the catalog through a port."""
    parts = urlparse(server_url)
    folder = parse_qs(parts.query)["host"][0]

    def address(port):
        words = "sslmode=disable&gssencmode=disable"
        return f"postgresql://{parts.username}@127.0.0.1:{port}/gloss_sick?{words}"

    return f"{folder}/.s.PGSQL.5432", address


def test_a_pooler_in_between_is_told(toys, through):
    path, address = through
    with pooler(path) as port:
        state, found, _ = examined(toys, "pooler", env={"GLOSS_DATABASE_URL": address(port)})

    assert (state, "one in between" in found) == ("ok", True)


def test_a_pooler_of_statements(toys, through):
    path, address = through
    with pooler(path, statements=True) as port:
        done = toys("doctor", "--json", env={"GLOSS_DATABASE_URL": address(port)})

    told = next(row for row in done.json["checks"] if row["check"] == "pooler")
    assert (done.exit_code, told["state"]) == (1, "failed")
    assert told["mend"] == "pool_mode = transaction, then reload the pooler"


def test_tables_of_an_older_and_of_a_newer_gloss(toys):
    sql(toys, "DELETE FROM gloss_schema WHERE version = (SELECT max(version) FROM gloss_schema)")
    assert examined(toys, "tables")[2] == "gloss services"

    sql(toys, "INSERT INTO gloss_schema (version, name) VALUES (9999, 'x')")
    state, found, mend = examined(toys, "tables", code=1)
    assert (state, mend) == ("failed", "pip install --upgrade apigloss")
    assert "schema 9999" in found


def test_a_database_that_takes_no_writes(toys):
    sql(toys, "ALTER DATABASE gloss_sick SET default_transaction_read_only = on")

    _, found, mend = examined(toys, "writes")

    assert "searches are not logged" in found
    assert mend == (
        'PGOPTIONS="-c default_transaction_read_only=off" psql "$(gloss db url)"'
        """ -c 'ALTER DATABASE "gloss_sick" SET default_transaction_read_only = off'"""
    )
    answer = toys("search", "list kites", "--json")
    assert answer.exit_code == 0
    assert "not logged" in answer.stderr


def test_a_system_that_sorts_otherwise_than_it_did(toys):
    sql(toys, "UPDATE pg_database SET datcollversion = '0' WHERE datname = 'gloss_sick'")

    assert examined(toys, "database locale")[2] == (
        'psql "$(gloss db url)" -c \'REINDEX DATABASE "gloss_sick"\''
        " -c 'ALTER DATABASE \"gloss_sick\" REFRESH COLLATION VERSION'"
    )


def test_clocks_that_differ(toys, monkeypatch):
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - 600)

    state, found, mend = examined(toys, "clock")

    assert (state, mend) == ("warning", "timedatectl set-ntp true, on both machines")
    assert "s ahead of ours" in found


# the models and the index


def test_an_index_older_than_the_catalog(toys):
    sql(toys, "UPDATE operations SET content_hash = 'other' WHERE name = 'listKites'")

    found = examined(toys, "index")

    assert found == ("warning", "1 tools are newer than the index", "gloss index")


def test_vectors_of_another_width(toys):
    sql(toys, "UPDATE embeddings SET mixed = subvector(mixed::vector, 1, 8)::halfvec")

    state, found, mend = examined(toys, "index", code=1)

    assert (state, mend) == ("failed", "gloss index --rebuild")
    assert "vectors 8 wide" in found


def test_an_index_made_with_another_model(toys):
    sql(toys, "UPDATE index_state SET model = 'other@0'")
    sql(toys, "UPDATE embeddings SET model = 'other@0'")

    assert examined(toys, "index", code=1) == ("failed", "made with other@0", "gloss index")


def test_a_model_that_is_cut_off_or_missing(toys):
    folder = toys.folder / "model"
    shutil.copytree(BUILTIN, folder)
    (folder / "model.onnx").write_bytes(b"cut off")
    env = {"GLOSS_EMBEDDING_MODEL": str(folder)}

    state, _, mend = examined(toys, "embedding model", code=1, env=env)
    assert (state, "gloss index --embedding-model" in mend) == ("failed", True)

    (folder / "tokenizer.json").unlink()
    assert "lacks tokenizer.json" in examined(toys, "embedding model", code=1, env=env)[1]


def test_a_reranker_trained_beside_another_model(toys):
    sql(toys, "INSERT INTO reranker (id, model, weights, card) VALUES (1, 'other@0', '{}', '{}')")

    found = examined(toys, "reranker")

    assert found == ("warning", "trained beside other, so it is not used", "gloss train CASES")


# work that waits


def test_proposals_that_wait_and_texts_that_are_stale(toys):
    with psycopg.connect(toys.environment["GLOSS_DATABASE_URL"], autocommit=True) as conn:
        for name in ("listKites", "listBoats"):
            tool = find_tool(conn, f"toys/{name}")
            text = {"name": f"my_{name}", "description": "Lists them."}
            save_proposal(conn, Written(tool.service_id, name, tool.content_hash, "f", **text))
        conn.execute("UPDATE enrichments SET created_at = now() - interval '5 days 1 hour'")
    assert examined(toys, "proposals") == (
        "warning",
        "toys: 2 wait, the oldest for 5 days",
        "gloss diff toys",
    )

    toys("apply", "toys/listKites")
    sql(toys, "UPDATE operations SET content_hash = 'other'")

    found = {row["found"]: row["mend"] for row in toys("doctor", "--json").json["checks"]}
    assert found["toys: 1 are for tools that changed since"] == "gloss enrich toys"
    assert found["toys: 1 live ones are for tools that changed since"] == "gloss enrich toys"


@pytest.fixture(scope="module")
def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_run_that_died_and_the_lease_it_left(toys, dead_pid):
    here = this_process()
    holder = Holder(here.host, dead_pid, "1", here.machine)
    with psycopg.connect(toys.environment["GLOSS_DATABASE_URL"], autocommit=True) as conn:
        runs.start_run(conn, "sync", host=os.uname().nodename, pid=dead_pid)
        runs.start_run(conn, "sync", host="elsewhere", pid=dead_pid)
        assert leases.acquire(conn, "sync", "x", 600, holder.as_json())

    state, found, mend = examined(toys, "runs")
    assert (state, mend) == ("warning", "gloss sync")
    assert f"(process {dead_pid}) died" in found
    state, found, mend = examined(toys, "lease")
    assert (state, mend) == ("warning", "gloss sync")
    assert "has died" in found


def test_a_lease_of_a_process_that_lives_is_no_fault(toys):
    with psycopg.connect(toys.environment["GLOSS_DATABASE_URL"], autocommit=True) as conn:
        assert leases.acquire(conn, "sync", "x", 600, this_process().as_json())

    assert examined(toys, "lease")[0] == "ok"


def test_a_log_that_has_grown_long(toys):
    sql(toys, "UPDATE pg_class SET reltuples = 3e6 WHERE relname = 'search_log'")

    assert examined(toys, "search log")[2] == "gloss stats --forget 90d"
