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


@dataclass(frozen=True, slots=True)
class Change:
    """A proposal beside what is live for its tool, if anything is."""

    proposal: EnrichmentRow
    live: EnrichmentRow | None


def changes(connection: Connection, names: Sequence[str]) -> list[Change]:
    """Open proposals of the services or tools named, or of all."""
    live = {row.tool_id: row for row in chosen(connection, LIVE, names)}
    return [Change(row, live.get(row.tool_id)) for row in chosen(connection, OPEN, names)]


def apply_proposals(connection: Connection, names: Sequence[str], decided_by: str) -> int:
    """Make open proposals live. A tool named that has none gets back its last rejected or
    reverted text. Proposals whose tool changed since are left: the next run writes them anew."""
    found = chosen(connection, OPEN, names)
    rows = [row for row in found if not row.stale]
    if found and not rows:
        raise GlossError(
            f"{found[0].tool_id}: changed since its text was proposed"
            + (f", and {len(found) - 1} others" if len(found) > 1 else ""),
            hint="gloss enrich writes what changed anew",
        )
    open_tools = {row.tool_id for row in found}
    named = _tools_of(names)
    undone = {row.tool_id: row for row in chosen(connection, UNDONE, named)} if named else {}
    again = [row for tool, row in undone.items() if tool not in open_tools]
    return apply(connection, [*rows, *again], decided_by)


def reject_proposals(connection: Connection, names: Sequence[str], decided_by: str) -> int:
    return reject(connection, chosen(connection, OPEN, names), decided_by)


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
