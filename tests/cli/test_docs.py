"""A command without help, example or documentation is not finished."""

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@cache
def help_of(*path: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "cli", *path, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
    )
    return done.stdout


def commands_below(*path: str) -> list[tuple[str, ...]]:
    _, _, listed = help_of(*path).partition("\nCommands:\n")
    names = [line.split()[0] for line in listed.splitlines() if line[:3].strip()]
    return [(*path, name) for name in names]


TOP = commands_below()
COMMANDS = [command for command in TOP if command != ("db",)] + commands_below("db")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_shows_an_example(command):
    assert f"\n    gloss {' '.join(command)}" in help_of(*command)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_speaks_no_python(command):
    shown = help_of(*command)

    assert not any(word in shown for word in ("<str>", "list[", "Path]", "None"))
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_list_of_commands_cuts_no_sentence(command):
    listing = help_of(*command[:-1])

    assert "..." not in listing.partition("Commands:")[2]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_reference_is_what_help_prints(command):
    reference = (ROOT / "docs" / "reference.md").read_text("utf-8")

    assert help_of(*command).strip() in reference, "run `make reference`"


@pytest.mark.parametrize("command", TOP, ids=" ".join)
def test_the_readme_names_the_command(command):
    readme = (ROOT / "README.md").read_text("utf-8")

    assert f"gloss {' '.join(command)}" in readme


def test_every_page_of_docs_is_linked():
    linking = "".join(
        file.read_text("utf-8") for file in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
    )
    for page in (ROOT / "docs").glob("*.md"):
        assert f"({page.name})" in linking or f"(docs/{page.name})" in linking, page.name


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.name
)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    inside = [link for link in links if "://" not in link]

    assert [link for link in inside if not (page.parent / link).exists()] == []
