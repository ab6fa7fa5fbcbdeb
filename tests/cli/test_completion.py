"""The tab key: names from the catalog, and never a word of anything else; in real shells."""

import os
import shutil
import sys

import pytest

from tests.cli.terminal import read_until, started


def completed(gloss, words, env=None):
    """What a shell is offered for the last of `words`."""
    asked = {
        "_GLOSS_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": f"gloss {words}",
    }
    done = gloss.process(env={**asked, **(env or {})})
    assert done.stderr == ""
    return done.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("tools ", ["billing", "crm", "hr", "inventory"]),
        ("search x --service i", ["inventory"]),
        ("search x --service=i", ["inventory"]),
        ("index c", ["crm"]),
        ("opt-in b", ["billing"]),
        ("show ", ["billing/", "crm/", "hr/", "inventory/"]),
        ("show crm/getProcInfo", [f"crm/getProcInfo{n}" for n in "3457"]),
        ("apply crm/getProcInfo3", ["crm/getProcInfo3"]),
        ("show nope", []),
        ("tools %", []),
    ],
)
def test_names_come_from_the_catalog(samples, words, offered):
    assert completed(samples, words) == offered


def test_the_tools_of_the_only_service_left(samples):
    assert set(completed(samples, "diff h")) > {"hr", "hr/x17"}


@pytest.mark.parametrize(
    "env",
    [
        {"GLOSS_DATABASE_URL": "postgresql://gloss@127.0.0.1:9/gloss"},
        {"GLOSS_DATABASE_URL": "garbage"},
        {"GLOSS_CONFIG": "/no/such/file"},
    ],
    ids=["down", "garbage", "no settings"],
)
def test_what_is_wrong_is_kept_from_the_shell(gloss, env):
    assert completed(gloss, "tools ", env) == []


def test_no_database_is_made_for_it(gloss, tmp_path):
    place = tmp_path / "nothing"

    assert (
        completed(gloss, "tools ", {"GLOSS_DATABASE_URL": "", "GLOSS_DATA_DIR": str(place)}) == []
    )
    assert not place.exists()


def test_an_unknown_shell_is_a_usage_error(gloss):
    assert gloss("--show-completion", "ksh").exit_code == 2


STARTS = {
    "bash": ["bash", "--noprofile", "-i"],
    "zsh": ["zsh", "-d", "-i"],
    "fish": ["fish", "--interactive"],
}
needs = {
    name: pytest.mark.skipif(shutil.which(name) is None, reason=f"needs {name}: apt install {name}")
    for name in STARTS
}
SHELLS = [pytest.param(name, marks=needs[name], id=name) for name in STARTS]


@pytest.fixture(params=SHELLS)
def shell(request, samples, tmp_path):
    """A shell on a terminal, with the completion installed by the command and nothing else."""
    name = request.param
    environment = {**samples.environment, "HOME": str(tmp_path), "PS1": "> "}
    installed = samples.process("--install-completion", name, env=environment)
    assert installed.exit_code == 0, installed.stderr
    program = tmp_path / "programs" / "gloss"
    program.parent.mkdir()
    program.write_text(
        f"#!/bin/sh\n[ $_GLOSS_COMPLETE ] && exec {sys.executable} -m cli\necho [ran: $*]\n"
    )
    program.chmod(0o755)
    (tmp_path / "bins.yaml").touch()
    environment["PATH"] = f"{program.parent}:{environment['PATH']}"
    ours, running = started(STARTS[name], tmp_path, environment)
    yield ours
    running.kill()
    running.wait()
    os.close(ours)


def test_the_tab_key_of_a_shell(shell):
    for typed, run in (
        ("gloss show inventory/Ad", "show inventory/AdjustStock"),
        ("gloss search x --service=inv", "search x --service=inventory"),
        ("gloss edi", "edit"),
        ("gloss ingest bi", "ingest bins.yaml"),
    ):
        os.write(shell, f"{typed}\t\n".encode())

        assert read_until(shell, rb"\[ran: (.*?)\]") == run


@pytest.mark.parametrize("name", STARTS)
def test_the_script_can_be_sourced(gloss, name):
    assert "_TYPER_COMPLETE_ARGS=" in gloss("--show-completion", name)


def test_installing_twice_adds_one_line_and_keeps_the_rest(gloss, tmp_path):
    start = tmp_path / ".bashrc"
    start.write_text("alias ll='ls -l'")

    for _ in range(2):
        assert gloss("--install-completion", "bash").exit_code == 0

    source = f"source '{tmp_path}/.bash_completions/gloss.sh'"
    assert start.read_text() == f"alias ll='ls -l'\n{source}\n"


def test_without_a_home_it_says_what_to_do(gloss):
    done = gloss("--install-completion", "zsh", env={"HOME": ""})

    assert done.exit_code == 2
    assert done.stderr == "error: no HOME to write it to\n  try: gloss --show-completion zsh\n"
