"""The tutorial's commands in order at a terminal, and all that the page says they print."""

import re
import shlex
import subprocess
from pathlib import Path

from tests.cli.conftest import bare_environment
from tests.cli.talking import talking

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^\$ (.+)\n((?:(?!\$ |```).*\n)*)", PAGE, re.MULTILINE)


def printed(place, command):
    """What stands on the terminal in the end: bars are wiped out."""
    env = {**bare_environment(place), "GLOSS_DATA_DIR": str(place / "build" / "tutorial")}
    with talking(place, env, *shlex.split(command)[1:], NO_COLOR="1") as talk:
        code = talk.end()
    return talk.shown.rpartition("\x1b[2K")[2], code


def as_pattern(shown):
    """`…` stands for anything; seconds and scores differ from one machine to the next."""
    pattern = ".*".join(re.escape(part) for part in shown.removeprefix("…\n").split("…"))
    pattern = re.sub(r"\d+\\\.\d\\ s", r"\\d+\\.\\d s", pattern)
    return re.sub(r"\d\\\.\d\d(?!\d)", r"\\d\\.\\d\\d", pattern)


def test_each_command_prints_what_the_page_shows(tmp_path):
    (tmp_path / "sample_specs").symlink_to(ROOT / "sample_specs")
    assert SHOWN[0] == ('export GLOSS_DATA_DIR="$PWD/build/tutorial"', "")

    for command, shown in SHOWN[1:]:
        if not command.startswith("gloss "):
            subprocess.run(command, shell=True, cwd=tmp_path, check=True)
            continue
        said, code = printed(tmp_path, command)
        assert code == 0, (command, said)
        assert re.fullmatch(as_pattern(shown), said, re.DOTALL), (command, said)
