"""examples/ci/check.sh as a forge runs it: an almost empty environment, a fresh clone."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import ROOT
from tests.cli.exchanging import LEGACY, NOTE, PROGRESS, STATUS, enriched

CI = ROOT / "examples" / "ci"
CASES = (
    {"query": "how far has the order of a customer come", "relevant": [PROGRESS]},
    {"query": "delete a note about a customer", "relevant": [NOTE]},
)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    if shutil.which("jq") is None:
        pytest.skip("the recipe needs jq")
    (tmp_path / "specs").mkdir()
    shutil.copy(LEGACY, tmp_path / "specs" / "legacy.yaml")
    lines = [{"schema": 1, "tool": tool, "enriched": enriched(tool)} for tool in (PROGRESS, NOTE)]
    write_lines(tmp_path / "gloss.jsonl", lines)
    write_lines(tmp_path / "intents.jsonl", CASES)
    (tmp_path / "bin").mkdir()
    gloss = f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m cli "$@"\n'
    (tmp_path / "bin" / "gloss").write_text(gloss)
    (tmp_path / "bin" / "gloss").chmod(0o755)
    return tmp_path


def write_lines(file: Path, values) -> None:
    file.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")


def check(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder}/bin:/usr/local/bin:/usr/bin:/bin"
    return subprocess.run(
        ["sh", CI / "check.sh", "specs"],
        cwd=folder,
        env={"PATH": path, "TMPDIR": str(folder), **env},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_a_good_change_passes_and_leaves_nothing_behind(clone):
    before = {file.name for file in clone.iterdir()}
    done = check(clone, MIN_HIT1="0.5")

    assert done.returncode == 0, done.stderr
    assert "notice: intents.jsonl: hit@1 is 1 over 2 cases" in done.stdout
    assert {file.name for file in clone.iterdir()} - {
        ".ses"
    } == before  # onnxruntime leaves that one


def test_faults_are_shown_where_they_stand(clone):
    bad = {"schema": 1, "tool": STATUS, "enriched": {**enriched(STATUS), "name": "x"}}
    lines = (clone / "gloss.jsonl").read_text() + json.dumps(bad) + "\n"
    (clone / "gloss.jsonl").write_text(lines)
    (clone / "specs" / "broken.json").write_text('{"openapi": "3.0.3", "info": {"title": ')
    write_lines(clone / "intents.jsonl", [{"query": "block an account", "relevant": [NOTE]}])
    done = check(clone, GITHUB_ACTIONS="true", MIN_HIT1="0.9")

    assert done.returncode == 5
    assert "::error file=specs/broken.json,line=1::not valid JSON" in done.stdout
    assert f"::error file=gloss.jsonl,line=3::{STATUS}: refused: " in done.stdout
    assert "::warning file=intents.jsonl,line=1::block an account: " in done.stdout
    assert str(clone) not in done.stdout
    for gate in ("a spec cannot be read", "was refused", "hit@1 is below 0.9"):
        assert f"failed: {gate}" in done.stderr.replace("text of gloss.jsonl ", "")


def test_the_action_hands_over_all_that_the_script_reads():
    action = yaml.safe_load((CI / "action.yml").read_text("utf-8"))
    step = action["runs"]["steps"][-1]

    assert set(step["env"]) == {"SPECS", "TEXT", "SUITE", "MIN_HIT1", "ENRICH", "STRICT"}
    for name, value in step["env"].items():
        assert value == f"${{{{ inputs.{name.lower().replace('_', '-')} }}}}"
        assert name.lower().replace("_", "-") in action["inputs"]
