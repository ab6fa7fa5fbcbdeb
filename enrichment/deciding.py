"""What stands beside the original, and the decisions on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import Connection

from catalog.errors import GlossError
from store.catalog import find_service, find_tool
from store.enrichments import EnrichmentRow, apply, enrichments, reject, revert

OPEN = ("proposed",)
LIVE = ("applied",)
UNDONE = ("rejected", "reverted")
ALL = (*OPEN, *LIVE, *UNDONE, "replaced", "withdrawn", "failed")


@dataclass(frozen=True, slots=True)
class Change:
    """A proposal beside what is live for its tool, if anything is."""

    proposal: EnrichmentRow
    live: EnrichmentRow | None


def changes(connection: Connection, names: Sequence[str]) -> list[Change]:
    """Open proposals of the services or tools named, or of all."""
    live = {row.tool_id: row for row in chosen(connection, LIVE, names)}
    return [Change(row, live.get(row.tool_id)) for row in chosen(connection, OPEN, names)]


@dataclass(frozen=True, slots=True)
class Applicable:
    """What an apply would make live, and what it would leave: `stale` tools changed since their
    text was proposed, `by_hand` ones have a person's text live and were not named themselves."""

    rows: tuple[EnrichmentRow, ...]
    stale: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()


def applicable(connection: Connection, names: Sequence[str]) -> Applicable:
    """Open proposals; a tool named that has none gets back its last text that was taken away."""
    named = _tools_of(names)
    found = chosen(connection, OPEN, names)
    hand = {row.tool_id for row in chosen(connection, LIVE, names) if row.by_hand}
    kept = {r.tool_id for r in found if r.tool_id in hand and not r.by_hand} - set(named)
    undone = {row.tool_id: row for row in chosen(connection, UNDONE, named)} if named else {}
    open_tools = {row.tool_id for row in found}
    again = [row for tool, row in undone.items() if tool not in open_tools]
    fresh = [row for row in found if not row.stale and row.tool_id not in kept]
    return Applicable(
        rows=(*fresh, *again),
        stale=tuple(row.tool_id for row in found if row.stale),
        by_hand=tuple(sorted(kept)),
    )


def apply_proposals(connection: Connection, names: Sequence[str], decided_by: str) -> int:
    """Make open proposals live, and what was taken away from tools that are named. Proposals whose
    tool changed since are left: the next run writes them anew."""
    found = applicable(connection, names)
    if found.stale and not found.rows:
        raise GlossError(
            f"{found.stale[0]}: changed since its text was proposed"
            + (f", and {len(found.stale) - 1} others" if len(found.stale) > 1 else ""),
            hint="gloss enrich writes what changed anew",
        )
    if found.by_hand and not found.rows:
        raise GlossError(
            f"{found.by_hand[0]}: a person wrote what is live",
            hint=f"gloss apply {found.by_hand[0]} replaces it all the same",
        )
    return apply(connection, found.rows, decided_by)


def reject_proposals(
    connection: Connection, names: Sequence[str], decided_by: str, reason: str = ""
) -> int:
    return reject(connection, chosen(connection, OPEN, names), decided_by, reason)


def revert_live(connection: Connection, names: Sequence[str], decided_by: str) -> int:
    return revert(connection, chosen(connection, LIVE, names), decided_by)


def chosen(
    connection: Connection, states: Sequence[str], names: Sequence[str]
) -> list[EnrichmentRow]:
    """Texts in one of the states, of the services and tools named; of all when none is named."""
    if not names:
        return enrichments(connection, states)
    services = [find_service(connection, n).service_id for n in names if "/" not in n]
    tools = [find_tool(connection, name).id for name in _tools_of(names)]
    found = enrichments(connection, states, services=services) if services else []
    found += enrichments(connection, states, tools=tools) if tools else []
    return list({(row.service_id, row.enrichment_id): row for row in found}.values())


def _tools_of(names: Sequence[str]) -> list[str]:
    return [name for name in names if "/" in name]
