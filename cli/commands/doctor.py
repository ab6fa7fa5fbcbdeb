"""`gloss doctor`: what is wrong, and the command that mends it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from catalog.errors import Exit
from catalog.text import printable
from cli import checks, console, output, settings
from cli.checks import Finding
from cli.output import Format, FormatOption, JsonOption

HELP = """Say what is wrong and how to mend it.

Checks everything gloss needs, changes nothing, and prints the command that mends what is wrong.
Exits 1 when a check fails, 0 when there is only advice.

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
    _show(findings, output.chosen(form, as_json))
    failed = sum(finding.state == "failed" for finding in findings)
    if failed:
        console.log(f"{failed} of {len(findings)} checks failed")
    return Exit.FAILED if failed else Exit.OK


def _show(findings: list[Finding], form: Format) -> None:
    if form is Format.text and console.on_terminal():
        for finding in findings:
            _show_one(finding)
        return
    rows: list[dict[str, Any]] = [
        {"check": f.check, "state": f.state, "found": f.found, "mend": f.mend} for f in findings
    ]
    output.records("checks", rows, form, ("state", "check", "found", "mend"))


def _show_one(finding: Finding) -> None:
    """What mends it on a line of its own, whole, to be copied."""
    console.out(f"{finding.state:<8} {printable(f'{finding.check}: {finding.found}')}")
    if finding.mend:
        console.out(console.bold(f"{'try:':>12} {printable(finding.mend)}"))
