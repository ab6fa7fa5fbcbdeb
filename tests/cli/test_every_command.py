"""All commands, walked through: in a bare environment with secrets planted, as JSON, on a wide
terminal, and with nobody who reads. A new command without its step fails the first test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import psycopg
import pytest

from tests.cli.conftest import Gloss, bare_environment
from tests.cli.exchanging import LEGACY
from tests.cli.terminal import on_terminal
from tests.cli.walking import WALK, command_of, commands, furnish, with_json
from tests.fakes import model

SECRETS = {
    "DSN": "dsn-word-1a2b3c",
    "key file": "key-in-a-file-1a2b3c",
    "header": "header-word-1a2b3c",
    "server address": "address-word-1a2b3c",
    "parameter of an address": "parameter-word-1a2b3c",
}
SERVERS = f"""
servers:
- url: https://bob:{SECRETS["server address"]}@legacy.test/v1
- url: https://legacy.test/v2?api_key={SECRETS["parameter of an address"]}
"""
WIDE = ["show crm/getProcInfo3", "diff", "stats", "doctor", "sync --plan", "probe --plan"]
UNREAD = ["services", "search invoices", "stats", "doctor"]
IDS = [str(step) for step in WALK]


def test_every_command_has_a_step():
    assert {command_of(step) for step in WALK} == {name for name, _ in commands()}


@pytest.fixture(scope="module")
def walked(password_server, tmp_path_factory):
    """The walk in processes of their own: hardly an environment, ASCII, a pipe, 80 columns; on a
    server that wants a password, and with all the other secrets there can be."""
    with psycopg.connect(password_server.admin_url, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE walker SUPERUSER LOGIN PASSWORD '{SECRETS['DSN']}'")
        admin.execute("CREATE DATABASE walk OWNER walker")
    folder = tmp_path_factory.mktemp("walk")
    kept = {"PATH", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"}
    bare = {key: value for key, value in bare_environment(folder).items() if key in kept}
    hostile = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "COLUMNS": "80"}
    planted = {
        "GLOSS_DATABASE_URL": password_server.url("walker", SECRETS["DSN"], "walk"),
        "LEGACY_TOKEN": SECRETS["header"],
        "GLOSS_DEBUG": "1",
    }
    gloss = Gloss(folder, {**bare, **hostile, **planted})
    with model() as served:
        furnish(gloss, served.url, _with_servers())
        done = {str(step): gloss.process(*str(step).split()) for step in WALK}
    assert any(SECRETS["key file"] in str(asked.headers) for asked in served.requests)
    return gloss, done


def _with_servers():
    return LEGACY.read_text("utf-8") + SERVERS


@pytest.mark.parametrize("step", WALK, ids=IDS)
def test_a_command_in_a_bare_environment(walked, step):
    done = walked[1][str(step)]

    assert done.exit_code == step.exit_code, done.stderr
    assert "Traceback" not in done + done.stderr
    assert "\x1b" not in done + done.stderr
    assert "…" not in done
    assert done.isascii()


@pytest.mark.parametrize("step", WALK, ids=IDS)
def test_a_secret_is_in_no_output(walked, step):
    done = walked[1][str(step)]

    assert [name for name, secret in SECRETS.items() if secret in done + done.stderr] == []


def test_a_secret_is_in_no_file_that_is_written(walked):
    folder = walked[0].folder
    own = {folder / name for name in ("key", "legacy.yaml")}
    written = {file for file in folder.rglob("*") if file.is_file()} - own

    assert {"gloss.jsonl", "catalog.dump"} < {file.name for file in written}
    for file in written:
        assert not [one for one in SECRETS.values() if one.encode() in file.read_bytes()], file


@pytest.fixture(scope="module")
def told(server_url, template_database, tmp_path_factory):
    """The same walk with --json where there is one; in this process, which is quicker."""
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE gloss_told TEMPLATE {template_database}")
    folder = tmp_path_factory.mktemp("told")
    address = server_url.replace("/postgres?", "/gloss_told?")
    gloss = Gloss(folder, {**bare_environment(folder), "GLOSS_DATABASE_URL": address})
    gloss.environment["LEGACY_TOKEN"] = "t"
    done = {}
    with model() as served:
        furnish(gloss, served.url)
        for step in WALK:
            wanted = ("--json",) if command_of(step) in with_json() else ()
            done[str(step)] = gloss(*str(step).split(), *wanted)
    return gloss, done


@pytest.mark.parametrize(
    "step", [step for step in WALK if command_of(step) in with_json()], ids=str
)
def test_json_is_json_with_its_schema(told, step):
    done = told[1][str(step)]

    assert done.exit_code == step.exit_code, done.stderr
    assert not done or done.json["schema"] == 1


@pytest.mark.parametrize("words", WIDE)
def test_a_wide_terminal_shows_no_line_that_is_too_long(told, words):
    shown, code = on_terminal(told[0], *words.split(), columns=200, NO_COLOR="1")

    assert code == 0, shown
    assert "Traceback" not in shown
    assert max(map(len, shown.splitlines())) <= 200


@pytest.mark.parametrize("words", UNREAD)
def test_nobody_reads(told, words):
    gloss = told[0]
    started = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m cli {words} >&-"],
        cwd=gloss.folder,
        env=gloss.environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert started.returncode in (0, 141)
    assert "Traceback" not in started.stderr
    assert "fault of gloss" not in started.stderr


def as_nobody(words, environment):
    """The command by an account without a home; it may look everywhere and write nowhere."""
    account = "setpriv --reuid 65534 --regid 65534 --clear-groups"
    sight = "--inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search"
    return subprocess.run(
        [*account.split(), *sight.split(), sys.executable, "-m", "cli", *words.split()],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"), reason="root becomes nobody with setpriv"
)
@pytest.mark.parametrize(
    ("home", "code", "said"),
    [
        (
            "/nonexistent",
            1,
            "error: cannot use the data folder /nonexistent/.local/share/apigloss: Permission "
            "denied\n  try: choose another with GLOSS_DATA_DIR\n",
        ),
        ("", 2, "error: no HOME to keep the catalog in\n  try: export GLOSS_DATA_DIR=…\n"),
    ],
    ids=["no such home", "no home"],
)
def test_an_account_without_a_home_is_told_what_to_set(tmp_path, home, code, said):
    environment = {**bare_environment(tmp_path), "HOME": home, "XDG_DATA_HOME": ""}

    done = as_nobody("services", environment)

    assert (done.returncode, done.stdout, done.stderr) == (code, "", said)
