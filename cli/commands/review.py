"""`gloss diff`, `apply`, `reject`, `revert`: look at proposals and decide."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import Exit, GlossError, UsageError
from catalog.text import printable
from cli import completing, console, output, settings, wiring
from cli.output import Format, FormatOption, JsonOption

if TYPE_CHECKING:
    from psycopg import Connection

    from enrichment.deciding import Change

DIFF_HELP = """Show proposals against what is there now.

Original and live text with -, the proposal with +. With --exit-code, exits 3 when there are any.

\b
  gloss diff crm
  gloss diff --exit-code > proposals.diff
"""
APPLY_HELP = """Make proposals live.

Discovery reads them from the next gloss index on; calls keep the original name and schema. A tool
whose text was rejected or reverted gets it back when it is named.

\b
  gloss apply crm
  gloss apply crm/getProcInfo3
"""
REJECT_HELP = """Decline proposals.

The same evidence is not sent again.

\b
  gloss reject crm/getProcInfo3
"""
REVERT_HELP = """Take live text back.

What was live before it, if anything, is live again.

\b
  gloss revert crm
"""

Names = Annotated[
    list[str] | None,
    typer.Argument(
        hidden=True,
        metavar="SERVICE|TOOL",
        show_default=False,
        autocompletion=completing.services_and_tools,
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def register(app: typer.Typer) -> None:
    app.command("diff", help=DIFF_HELP)(diff)
    app.command("apply", help=APPLY_HELP)(apply)
    app.command("reject", help=REJECT_HELP)(reject)
    app.command("revert", help=REVERT_HELP)(revert)


def diff(
    names: Names = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 3 when there are proposals.")
    ] = False,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    from enrichment.deciding import changes

    with wiring.open_catalog(settings.load()) as connection:
        found = changes(connection, names or ())
    chosen = output.chosen(form, as_json)
    if chosen is Format.text:
        for change in found:
            console.out("\n".join(_diff(change)) + "\n")
        console.log(f"{len(found)} proposals" + ("; decide: gloss apply" if found else ""))
    else:
        output.records("proposals", [_as_json(change) for change in found], chosen, ())
    return Exit.PENDING if exit_code and found else Exit.OK


def apply(names: Names = None, yes: Yes = False) -> None:
    from enrichment.deciding import apply_proposals

    _decide("apply", "live now; next: gloss index", names or [], yes, apply_proposals)


def reject(names: Names = None, yes: Yes = False) -> None:
    from enrichment.deciding import reject_proposals

    _decide("reject", "rejected", names or [], yes, reject_proposals)


def revert(names: Names = None, yes: Yes = False) -> None:
    from enrichment.deciding import revert_live

    _decide("revert", "reverted; next: gloss index", names or [], yes, revert_live)


def _decide(
    verb: str,
    done: str,
    names: list[str],
    yes: bool,
    decide: Callable[[Connection, list[str], str], int],
) -> None:
    _require_consent(verb, names, yes)
    with wiring.open_catalog(settings.load()) as connection:
        count = decide(connection, names, settings.user_name())
    console.out(f"{count} {done}" if count else "nothing to do")


def _require_consent(verb: str, names: list[str], yes: bool) -> None:
    """On a terminal a question; elsewhere a named service or tool is consent enough."""
    what = ", ".join(names) or "everything"
    if yes:
        return
    if sys.stdin is not None and sys.stdin.isatty():
        if not typer.confirm(f"{verb} {what}?", err=True):
            raise GlossError("nothing was changed")
    elif not names:
        raise UsageError(f"{verb} what?", hint=f"gloss {verb} SERVICE, or gloss {verb} --yes")


def _diff(change: Change) -> Iterator[str]:
    new, live = change.proposal, change.live
    by = "drafted without a model" if new.provider == "shapes" else f"by {printable(new.model)}"
    gain = "" if new.gain is None else f", gain {new.gain:+.3f}"
    yield console.bold(f"{printable(new.tool_id)}  ({by}{gain})") + (" STALE" if new.stale else "")
    old_name = live.name if live else new.tool
    old_text = live.description if live else (new.original_description or new.original_summary)
    yield from _lines("-", "name", old_name)
    yield from _lines("-", "text", old_text or "(nothing)")
    if live:
        yield from _lines("-", "also", "; ".join(live.aliases))
    yield from _lines("+", "name", new.name)
    yield from _lines("+", "text", new.description)
    yield from _lines("+", "also", "; ".join(new.aliases))
    if new.limits:
        yield from _lines("+", "not", new.limits)
    yield from _lines(" ", "why", "; ".join(_ground(ground) for ground in new.evidence))


def _ground(ground: dict[str, str]) -> str:
    claim, evidence = ground["claim"], ground["evidence"]
    return evidence if claim == evidence else f"{claim} = {evidence}"


def _lines(sign: str, label: str, text: str) -> Iterator[str]:
    """One labelled text, folded; the sign stands on every line of it."""
    folded = textwrap.wrap(printable(" ".join(text.split())), output.page_width(96) - 8) or [""]
    for at, line in enumerate(folded):
        yield console.signed(sign, f"{sign} {label if not at else '':<5} {line}")


def _as_json(change: Change) -> dict[str, Any]:
    new, live = change.proposal, change.live
    return {
        "tool": new.tool_id,
        "provider": new.provider,
        "model": new.model,
        "stale": new.stale,
        "gain": new.gain,
        "original": {
            "name": new.tool,
            "description": new.original_description or new.original_summary,
        },
        "live": _text(live) if live else None,
        "proposal": _text(new),
        "evidence": new.evidence,
    }


def _text(row: Any) -> dict[str, Any]:
    return {
        "name": row.name,
        "description": row.description,
        "aliases": list(row.aliases),
        "not_for": row.limits,
    }
