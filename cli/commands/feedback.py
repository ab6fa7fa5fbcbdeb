"""`gloss feedback`: which tool was used for a search, and searches with that as cases."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import Exit, UsageError
from catalog.text import json_safe, printable
from cli import completing, console, files, output, periods, settings, wiring
from cli.commands.search import context_text
from cli.output import Format, FormatOption, JsonOption

if TYPE_CHECKING:
    from datetime import datetime

    from psycopg import Connection

    from store.searches import Choice, ChosenCase

HELP = """Say which tool was used for a search.

SEARCH_ID is printed by gloss search --json and --explain; its first letters are enough. A later
choice replaces an earlier one; a tool that was not among the hits is noted as missed. --none says
that no tool fits. With --export the labelled searches become cases for gloss eval and gloss train.

\b
  gloss feedback 0b7c9a52 crm/getProcInfo3
  gloss feedback 0b7c9a52 --none
  gloss feedback --export cases.jsonl
"""


def register(app: typer.Typer) -> None:
    app.command("feedback", help=HELP)(feedback)


def feedback(
    search_id: Annotated[
        str | None, typer.Argument(hidden=True, metavar="SEARCH_ID", show_default=False)
    ] = None,
    tool: Annotated[
        str | None,
        typer.Argument(
            hidden=True, metavar="TOOL", show_default=False, autocompletion=completing.tools
        ),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="No tool fits what was asked.")] = False,
    context: Annotated[
        str,
        typer.Option(metavar="TEXT|@FILE", help="Keep this context with it, for the case."),
    ] = "",
    export: Annotated[
        str, typer.Option(metavar="FILE|-", help="Write labelled searches as cases.")
    ] = "",
    since: Annotated[
        str, typer.Option(metavar="PERIOD", help="With --export: 7d, 36h, a date, or all.")
    ] = "all",
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    if export:
        _refuse_both(search_id)
        return _export(export, periods.since(since, "--since"))
    written, used = _labels(search_id, tool, none)
    with wiring.open_catalog(settings.load()) as connection:
        choice = _choose(connection, written, used, context)
    _show(choice, output.chosen(form, as_json))
    return Exit.OK


def _refuse_both(search_id: str | None) -> None:
    if search_id is not None:
        raise UsageError("--export goes without a search", hint="gloss feedback --export FILE")


def _labels(search_id: str | None, tool: str | None, none: bool) -> tuple[str, str]:
    """Id and tool, the tool empty for --none."""
    hint = "gloss feedback SEARCH_ID TOOL, or SEARCH_ID --none, or --export FILE"
    if search_id is None:
        raise UsageError("which search?", hint=hint)
    if none == (tool is not None):
        raise UsageError("a tool, or --none where none fits", hint=hint)
    return search_id, tool or ""


def _choose(connection: Connection, written: str, tool: str, context: str) -> Choice:
    from store.catalog import find_tool
    from store.searches import choose, find_search

    search_id = find_search(connection, written)
    used = find_tool(connection, tool).id if tool else ""
    return choose(connection, search_id, used, context_text(context))


def _as_json(choice: Choice) -> dict[str, Any]:
    return {
        "search_id": str(choice.search_id),
        "query": choice.query,
        "tool": choice.tool or None,
        "rank": choice.rank,
        "missed": bool(choice.tool) and choice.rank is None,
        "replaced": choice.before or None,
    }


def sentence(choice: Choice) -> str:
    where = f"hit {choice.rank}" if choice.rank else "missed: it was not among the hits"
    label = f"{choice.tool} ({where})" if choice.tool else "no tool fits"
    before = "" if choice.before is None else f", in place of {choice.before or 'no tool fits'}"
    return printable(f"noted: {label}{before}")


def _show(choice: Choice, form: Format) -> None:
    if form is Format.text:
        console.out(sentence(choice))
    else:
        output.record(_as_json(choice), form)


def _export(target: str, since: datetime | None) -> int:
    from store.searches import chosen_cases, count_choices

    with wiring.open_catalog(settings.load()) as connection:
        cases = list(chosen_cases(connection, since))
        left_out = count_choices(connection, since) - sum(case.times for case in cases)
    _write(target, [_line(case) for case in cases])
    if left_out:
        console.warning(
            f"{left_out} choices of tools that have left the catalog are not among them"
        )
    console.log(f"{len(cases)} cases; next: gloss eval {'FILE' if target == '-' else target}")
    return Exit.OK


def _write(target: str, lines: list[str]) -> None:
    if target != "-":
        text = "".join(f"{line}\n" for line in lines)
        files.write(Path(target), text, "gloss feedback --export FILE")
        return
    for line in lines:
        console.out(line)


def _line(case: ChosenCase) -> str:
    value: dict[str, Any] = {"query": case.query, "relevant": list(case.relevant)}
    if case.context:
        value["context"] = case.context
    value["source_id"] = str(case.source_id)
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    return json_safe(json.dumps(value, ensure_ascii=ascii_only))
