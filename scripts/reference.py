"""docs/reference.md from the help of every command, as a person would read it at 80 columns."""

from __future__ import annotations

import os
import re
import subprocess
import sys

COMMAND = (sys.executable, "-m", "cli")


def main() -> None:
    print("# Reference\n\nWritten by `make reference` from `--help`; do not edit by hand.")
    page([])


def page(path: list[str]) -> None:
    text = help_of(path)
    print(f"\n{'#' * (2 + len(path))} {' '.join(['gloss', *path])}\n\n```text\n{text}\n```")
    for name in subcommands(text):
        page([*path, name])


def help_of(path: list[str]) -> str:
    env = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(
        [*COMMAND, *path, "--help"], capture_output=True, text=True, check=True, env=env
    )
    return done.stdout.strip().replace("python -m cli", "gloss")


def subcommands(text: str) -> list[str]:
    """The names under "Commands:"."""
    _, _, commands = text.partition("\nCommands:\n")
    return re.findall(r"^  ([a-z][a-z-]*)", commands, re.MULTILINE)


if __name__ == "__main__":
    main()
