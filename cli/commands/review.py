"""`gloss diff`, `apply`, `reject`, `revert`: look at proposals and decide."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import Exit, GlossError, UsageError
from cli import completing, console, output, settings, wiring
from cli.output import Format, FormatOption, JsonOption

if TYPE_CHECKING:
    from psycopg import Connection

    from enrichment.deciding import Change
    from store.decisions import Spent
    from store.enrichments import EnrichmentRow

DIFF_HELP = """Show proposals against what is there now.

Look-alikes stand together; what a proposal rests on stands beside it. Side by side from 120 columns
on, with - and + below that; in a pipe every text on one line. With --exit-code, exits 3 when there
are any.

\b
  gloss diff crm
  gloss diff --exit-code > proposals.diff
"""
APPLY_HELP = """Make proposals live.

Discovery reads them from the next gloss index on; calls keep the original name and schema. A tool
whose text was rejected or reverted gets it back when it is named. What a person wrote is replaced
only where the tool itself is named.

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
    from enrichment.families import families
    from store.decisions import spent

    config = settings.load()
    with wiring.open_catalog(config) as connection:
        found = changes(connection, names or ())
        grouped = families(connection, found, config.llm.tools_per_request)
        runs = spent(connection, list({c.proposal.run_id for c in found if c.proposal.run_id}))
    chosen = output.chosen(form, as_json)
    if chosen is Format.text:
        _show(grouped, runs)
    else:
        _print(grouped, runs, chosen)
    return Exit.PENDING if exit_code and found else Exit.OK


def _show(grouped: Sequence[Sequence[Change]], runs: Sequence[Spent]) -> None:
    from cli.commands.diff_text import family_line, page

    for family in grouped:
        if len(family) > 1:
            console.out(family_line(family) + "\n")
        for change in family:
            console.out("\n".join(page(change)) + "\n")
    count = sum(len(family) for family in grouped)
    console.log(_counted_text(count) + ("; decide: gloss review, or gloss apply" if count else ""))
    for run in runs:
        console.log(run_sentence(run))


def _counted_text(count: int) -> str:
    return f"{count} proposal{'' if count == 1 else 's'}"


def run_sentence(run: Spent) -> str:
    """What a run took, failures included."""
    texts = f"run of {run.texts} text{'' if run.texts == 1 else 's'}"
    if not run.input_tokens:
        return f"{texts}: no model, no cost"
    cost = f"${run.cost_usd:.4f}" if run.cost_usd else "cost not known"
    failed = f" ({run.failed} failed)" if run.failed else ""
    return f"{texts}{failed}: {run.input_tokens:,} tokens in, {run.output_tokens:,} out, {cost}"


def _print(grouped: Sequence[Sequence[Change]], runs: Sequence[Spent], form: Format) -> None:
    rows = [
        _as_json(change) | {"look_alikes": [c.proposal.tool_id for c in family if c is not change]}
        for family in grouped
        for change in family
    ]
    if form is Format.jsonl:
        output.records("proposals", rows, form, ())
        return
    costs = [
        asdict(run) | {"run_id": str(run.run_id), "cost_usd": float(run.cost_usd)} for run in runs
    ]
    console.out_json({"schema": output.SCHEMA, "proposals": rows, "runs": costs})


def apply(names: Names = None, yes: Yes = False) -> None:
    from enrichment.deciding import apply_proposals

    _decide("apply", "live now; next: gloss index", names or [], yes, apply_proposals)


def reject(
    names: Names = None,
    yes: Yes = False,
    reason: Annotated[
        str, typer.Option(metavar="TEXT", show_default=False, help="Kept in the history.")
    ] = "",
) -> None:
    from functools import partial

    from enrichment.deciding import reject_proposals

    _decide("reject", "rejected", names or [], yes, partial(reject_proposals, reason=reason))


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
    _require_names(verb, names, yes)
    with wiring.open_catalog(settings.load()) as connection:
        count, left = _counted(connection, verb, names)
        if count and not yes:
            _require_consent(verb, names, count)
        count = decide(connection, names, settings.user_name())
    for line in left if count else ():
        console.warning(line)
    console.out(f"{count} {done}" if count else "nothing to do")


def _require_names(verb: str, names: list[str], yes: bool) -> None:
    if not (yes or names or _asks()):
        raise UsageError(f"{verb} what?", hint=f"gloss {verb} SERVICE, or gloss {verb} --yes")


def _asks() -> bool:
    """Whether there is somebody to ask; elsewhere a named service or tool is consent enough."""
    return sys.stdin is not None and sys.stdin.isatty()


def _counted(connection: Connection, verb: str, names: list[str]) -> tuple[int, list[str]]:
    """How many texts the decision is on, and a word about those that it leaves."""
    from enrichment.deciding import LIVE, OPEN, applicable, chosen

    if verb != "apply":
        return len(chosen(connection, LIVE if verb == "revert" else OPEN, names)), []
    found = applicable(connection, names)
    left = [f"{tool}: changed since; gloss enrich writes it anew" for tool in found.stale]
    left += [
        f"{tool}: a person wrote what is live; name it to replace it" for tool in found.by_hand
    ]
    return len(found.rows), left


def _require_consent(verb: str, names: list[str], count: int) -> None:
    things = f"{count} live text{'' if count == 1 else 's'}"
    things = things if verb == "revert" else _counted_text(count)
    where = f" in {', '.join(names)}" if names else " in all services"
    asked = f"{verb.capitalize()} {things}{where}?"
    if _asks() and not typer.confirm(asked, err=True):
        raise GlossError("nothing was changed")


def _as_json(change: Change) -> dict[str, Any]:
    new, live = change.proposal, change.live
    return {
        "tool": new.tool_id,
        "provider": new.provider,
        "model": new.model,
        "author": new.author,
        "stale": new.stale,
        "gain": new.gain,
        "gate": new.gate,
        "questions": new.gate_cases,
        "rank_before": new.rank_before,
        "rank_after": new.rank_after,
        "mended": new.checks,
        "original": {
            "name": new.tool,
            "description": new.original_description or new.original_summary,
            "summary": new.original_summary,
        },
        "live": _text(live) if live else None,
        "proposal": _text(new),
        "evidence": new.evidence,
        "prompt_version": new.prompt_version,
        "input_tokens": new.input_tokens,
        "output_tokens": new.output_tokens,
        "cost_usd": float(new.cost_usd),
        "run_id": str(new.run_id) if new.run_id else None,
        "created_at": new.created_at.isoformat(),
    }


def _text(row: EnrichmentRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "description": row.description,
        "aliases": list(row.aliases),
        "not_for": row.limits,
        "by_hand": row.by_hand,
    }
