"""Live texts whose operations changed: kept where they still fit, taken out where not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from psycopg import Connection

from catalog.enrichment import Enrichment, Ground
from catalog.spec import Problem
from enrichment.checker import Surroundings, misfits
from enrichment.collecting import evidence_of, surroundings
from enrichment.evidence import Evidence
from enrichment.planning import fingerprint
from store.catalog import find_service
from store.decisions import still_right, withdraw
from store.enrichments import EnrichmentRow, apply, enrichments

_STANDING = ("applied", "proposed", "withdrawn")


def refit(connection: Connection, service: str, changed: Collection[str]) -> list[Problem]:
    """After an ingest: what became of the texts of changed tools, as far as it is worth a word.

    Where nothing changed that a writer sees, the text counts as written for the new operation.
    """
    owner = find_service(connection, service)
    standing = enrichments(connection, _STANDING, services=[owner.service_id])
    rows = [row for row in standing if row.tool in changed]
    if not rows:
        return []
    tools = {tool.name: (tool, hash_) for tool, hash_ in evidence_of(connection, owner)}
    around = surroundings(connection, owner, [tool for tool, _ in tools.values()])
    around = replace(around, siblings=around.siblings | {row.name for row in standing})
    live = {row.tool for row in rows if row.state == "applied"}
    found: list[Problem] = []
    for row in rows:
        tool, content_hash = tools[row.tool]
        same = not row.stale or row.fingerprint == fingerprint(tool)
        if same and row.stale:
            still_right(connection, row, content_hash)
        if not same and row.state == "applied":
            found += _judged(connection, row, tool, around)
        elif same and row.state == "withdrawn" and row.tool not in live:
            live.add(row.tool)
            apply(connection, [row], "ingest")
            found.append(Problem("note", row.tool_id, "is as it was: its text is live again"))
    return found


def _judged(
    connection: Connection, row: EnrichmentRow, tool: Evidence, around: Surroundings
) -> list[Problem]:
    grounds = tuple(Ground(ground["claim"], ground["evidence"]) for ground in row.evidence)
    text = Enrichment(row.name, row.description, tuple(row.aliases), row.limits, grounds)
    faults = misfits(text, tool, around)
    if not faults:
        return []
    reason = "; ".join(fault.message for fault in faults)
    withdraw(connection, row, reason)
    anew = f"gloss edit {row.tool_id}" if row.by_hand else "gloss enrich"
    message = f"its text fits no more and is taken out of discovery ({reason}); anew: {anew}"
    return [Problem("warning", row.tool_id, message)]
