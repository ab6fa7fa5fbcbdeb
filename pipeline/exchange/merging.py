"""Three ways to one: what the file says, what the catalog says, and what both began with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from catalog.enrichment import Enrichment
from pipeline.exchange.entry import Entry, mark
from store.rows import ToolRow

Side = Literal["", "theirs", "ours"]
"""Who wins where both changed: the file (theirs), the catalog (ours), or nobody."""
Choice = Literal["same", "take", "kept", "conflict"]

BOTH_CHANGED = "changed in the file and in the catalog since it was exported"
NO_BASE = "the file does not say what it was exported from, and the catalog has another text"
SPEC_CHANGED = "edited in the file, and its operation has changed since it was exported"


@dataclass(frozen=True, slots=True)
class Decision:
    choice: Choice
    reason: str = ""


def decide(
    entry: Entry, tool: ToolRow, live: Enrichment | None, ever_live: bool, side: Side
) -> Decision:
    """What to do about one tool. `ever_live`: the catalog has, or once had, a text for it."""
    theirs, ours = mark(entry.text), mark(live)
    if theirs == ours:
        return Decision("same")
    against = _against(entry, tool, ours, ever_live)
    if side == "theirs" and (entry.text is not None or entry.base):
        return Decision("take")
    if side == "ours" and against.choice == "conflict":
        return Decision("kept")
    return against


def _against(entry: Entry, tool: ToolRow, ours: str, ever_live: bool) -> Decision:
    theirs = mark(entry.text)
    if entry.base is None:
        return Decision("take") if not ours else Decision("conflict", NO_BASE)
    restored = not ours and not ever_live  # a catalog that never had a text has nothing against it
    if theirs == entry.base:
        return Decision("take") if restored and theirs else Decision("kept")
    if ours != entry.base and not restored:
        return Decision("conflict", BOTH_CHANGED)
    if entry.edited and spec_changed(entry, tool):
        return Decision("conflict", SPEC_CHANGED)
    return Decision("take")


def spec_changed(entry: Entry, tool: ToolRow) -> bool:
    """The file may have the beginning of the hash only."""
    return bool(entry.content_hash) and not tool.content_hash.startswith(entry.content_hash)
