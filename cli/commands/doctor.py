"""`gloss doctor`: what is wrong, and the command that mends it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from catalog.errors import Exit
from cli import checks, console, output, settings
from cli.output import Format, FormatOption, JsonOption

HELP = """Say what is wrong and how to mend it.

Checks everything gloss needs and prints the command that mends what is wrong.
Exits 1 when a check fails.

\b
  gloss doctor
  gloss doctor --llm
"""


def register(app: typer.Typer) -> None:
    app.command("doctor", help=HELP)(doctor)


def doctor(
    llm: Annotated[
        bool, typer.Option("--llm", help="Also ask the endpoint a tiny question.")
    ] = False,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    findings = list(checks.run(settings.load, llm))
    rows: list[dict[str, Any]] = [
        {"check": f.check, "state": f.state, "found": f.found, "mend": f.mend} for f in findings
    ]
    output.records(
        "checks", rows, output.chosen(form, as_json), ("state", "check", "found", "mend")
    )
    failed = [finding for finding in findings if finding.state == "failed"]
    if failed:
        console.log(f"{len(failed)} of {len(findings)} checks failed")
    return Exit.FAILED if failed else Exit.OK
