"""What an import did or would do, in words and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from catalog.errors import Exit
from catalog.text import printable
from cli import console, output
from cli.output import Format

if TYPE_CHECKING:
    from catalog.enrichment import Enrichment
    from pipeline.exchange.importing import Step
    from pipeline.exchange.reading import Unread

_DONE = {"apply": "applied", "revert": "reverted"}
_FAILED = ("conflict", "refused")
_COUNTED = {
    "apply": "live now",
    "revert": "taken out",
    "conflict": "in conflict",
    "refused": "refused",
    "kept": "kept: the catalog's is newer",
    "same": "unchanged",
}
_PLANNED = {**_COUNTED, "apply": "would be live", "revert": "would be taken out"}


def show(
    file: str, steps: Sequence[Step], unread: Sequence[Unread], form: Format, *, plan: bool
) -> int:
    for fault in unread:
        console.error(f"{file}: {fault.place}: {fault.message}")
    hints = dict.fromkeys(_said(file, step) for step in steps if step.outcome in _FAILED)
    for hint in filter(None, hints):
        console.log(f"  {'' if hint.endswith('?') else 'try: '}{printable(hint)}")
    words = {} if plan else _DONE
    if form is Format.text:
        rows = [_row(step, words) for step in steps if step.outcome != "same"]
        output.records("tools", rows, form, ("outcome", "tool", "name"))
    else:
        output.record(_as_json(file, steps, unread, words), form)
    _sum_up(steps, plan)
    return _exit_code(steps, unread)


def _row(step: Step, words: Mapping[str, str]) -> dict[str, Any]:
    text = step.live_text if step.outcome == "kept" else step.entry.text
    name = text.name if text else ""
    return {"outcome": words.get(step.outcome, step.outcome), "tool": step.entry.tool, "name": name}


def _said(file: str, step: Step) -> str:
    """Says why nothing was done about a tool; the hint, which is often the same, is for later."""
    console.error(f"{file}: {step.entry.place}: {step.entry.tool}: {step.reason}")
    if step.outcome == "conflict":
        console.log(f"  in the file     {_short(step.entry.text)}")
        console.log(f"  in the catalog  {_short(step.live_text)}")
    return step.hint


def _short(text: Enrichment | None) -> str:
    if text is None:
        return "(no text)"
    also = f" Also: {'; '.join(text.aliases)}." if text.aliases else ""
    limits = f" Not for {text.not_for}" if text.not_for else ""
    return printable(f"{text.name}: {text.description}{also}{limits}")


def _sum_up(steps: Sequence[Step], plan: bool) -> None:
    counts: Counter[str] = Counter(step.outcome for step in steps)
    if plan:
        said = [f"{counts[key]} {words}" for key, words in _PLANNED.items() if counts[key]]
        console.log(f"plan, nothing was changed: {', '.join(said) or 'no tools in the file'}")
        return
    said = [f"{counts[key]} {words}" for key, words in _COUNTED.items() if counts[key]]
    changed = counts["apply"] + counts["revert"]
    then = "; next: gloss index" if changed else "; nothing to do" if [*counts] == ["same"] else ""
    console.log((", ".join(said) or "no tools in the file") + then)


def _exit_code(steps: Sequence[Step], unread: Sequence[Unread]) -> int:
    if unread and not steps:
        return Exit.FAILED
    failed = any(step.outcome in _FAILED for step in steps)
    return Exit.PARTIAL if failed or unread else Exit.OK


def _as_json(
    file: str, steps: Sequence[Step], unread: Sequence[Unread], words: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "file": file,
        "unchanged": sum(step.outcome == "same" for step in steps),
        "tools": [_step(step, words) for step in steps if step.outcome != "same"],
        "unread": [{"line": _line(one.place), "message": one.message} for one in unread],
    }


def _step(step: Step, words: Mapping[str, str]) -> dict[str, Any]:
    return {
        "tool": step.entry.tool,
        "line": _line(step.entry.place),
        "outcome": words.get(step.outcome, step.outcome),
        "reason": step.reason,
        "file": _text(step.entry.text),
        "catalog": _text(step.live_text),
    }


def _line(place: str) -> int:
    return int(place.removeprefix("line "))


def _text(text: Enrichment | None) -> dict[str, Any] | None:
    return (
        None
        if text is None
        else {
            "name": text.name,
            "description": text.description,
            "aliases": list(text.aliases),
            "not_for": text.not_for,
        }
    )
