"""What the pages on cron and make say, done as written."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.week import spec_of

DOCS = Path(__file__).parent.parent.parent / "docs"
DECLARED = '[[services]]\nname = "desk"\nspec = "specs/desk.yaml"\n'


def block(page, language, number=0):
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text("utf-8"), re.S)[number]


@pytest.fixture
def place(gloss):
    gloss.write("specs/desk.yaml", spec_of(["getProcInfo3"]))
    gloss.write("gloss.toml", DECLARED)
    bins = f"{Path(sys.executable).parent}:{gloss.environment['PATH']}"
    gloss.environment["PATH"] = bins
    return gloss


def shell(place, line, **more):
    return subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=place.folder,
        env={**place.environment, **more},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_makefile_runs_only_when_a_spec_changed(place):
    place.write("Makefile", block("makefile.md", "make"))
    ran = []
    for change in ("", "", "openapi: [", spec_of(["getProcInfo4"])):
        if change:
            place.write("specs/desk.yaml", change)
        done = shell(place, "make catalog")
        ran.append((done.returncode, "desk\t" in done.stdout))

    assert ran == [(0, True), (0, False), (2, True), (0, True)], (
        "make ends with 2 where a rule fails"
    )


def test_the_cron_line_needs_nothing_from_the_environment(place):
    line = block("cron.md", "cron").strip().split("  ", 1)[1]
    line = re.sub(r"/(srv|var)/(\w+/)*", f"{place.folder}/", line.replace("/srv/gloss", "."))
    done = shell(place, line, LC_ALL="C")

    assert (done.returncode, done.stderr) == (0, ""), (line, done.stderr)
    assert done.stdout == "desk\tchanged\t1 tools: 1 added; 1 indexed\n"
    assert " INFO " in (place.folder / "gloss.log").read_text()
    assert "gloss_sync_exit_code 0\n" in (place.folder / "gloss.prom").read_text()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd on this machine")
def test_systemd_finds_no_fault_in_the_units(tmp_path):
    units = [block("cron.md", "ini", number) for number in (0, 1)]
    names = [re.match(r"# /etc/systemd/system/(\S+)", unit)[1] for unit in units]
    for name, unit in zip(names, units, strict=True):
        (tmp_path / name).write_text(unit.replace("/usr/local/bin/gloss", sys.executable))

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(tmp_path / name for name in names)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert names == ["gloss-sync.service", "gloss-sync.timer"]


def test_the_settings_shown_are_settings(gloss):
    gloss.write("gloss.toml", block("cron.md", "toml"))

    done = gloss("sync", "--only", "none")

    assert "declares no service none" in done.stderr
