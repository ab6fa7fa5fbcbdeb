"""Texts written about tools, and every decision on them. Nothing is deleted here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Json

from catalog.text import storable
from store.connection import translated

HAND = "hand"
"""The provider of texts that a person wrote."""


@dataclass(frozen=True, slots=True)
class Written:
    """A text to keep, with what it took to make it. `cost_usd` is 0 where prices are not known."""

    service_id: int
    tool: str
    content_hash: str
    fingerprint: str
    name: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    limits: str = ""
    evidence: tuple[dict[str, str], ...] = ()
    checks: tuple[str, ...] = ()
    reason: str = ""
    provider: str = ""
    model: str = ""
    prompt_version: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    run_id: UUID | None = None
    author: str = ""


@dataclass(frozen=True, slots=True)
class EnrichmentRow:
    """One text in the history of a tool. `stale`: the tool changed since it was written.

    `gate` names the questions that gave `gain`, `gate_cases` says how many; the ranks are in their
    middle, None where the tool was not among the hits.
    """

    service_id: int
    enrichment_id: int
    service: str
    tool: str
    state: str
    name: str
    description: str
    aliases: tuple[str, ...]
    limits: str
    evidence: list[dict[str, str]]
    reason: str
    fingerprint: str
    provider: str
    model: str
    cost_usd: Decimal
    gain: float | None
    created_at: datetime
    decided_at: datetime | None
    stale: bool
    original_summary: str = ""
    original_description: str = ""
    checks: list[str] = field(default_factory=list)
    author: str = ""
    decided_by: str = ""
    gate: str = ""
    gate_cases: int = 0
    rank_before: int | None = None
    rank_after: int | None = None
    prompt_version: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    run_id: UUID | None = None

    @property
    def tool_id(self) -> str:
        return f"{self.service}/{self.tool}"

    @property
    def by_hand(self) -> bool:
        return self.provider == HAND


_ROWS = """
SELECT e.service_id, e.enrichment_id, s.name AS service, e.tool, e.state, e.name, e.description,
       e.aliases, e.limits, e.evidence, e.reason, e.fingerprint, e.provider, e.model, e.cost_usd,
       e.gain, e.created_at, e.decided_at, o.content_hash <> e.content_hash AS stale,
       o.summary AS original_summary, o.description AS original_description, e.checks,
       e.author, e.decided_by, e.gate, e.gate_cases, e.rank_before, e.rank_after,
       e.prompt_version, e.input_tokens, e.output_tokens, e.run_id
FROM enrichments e
JOIN services s ON s.service_id = e.service_id
JOIN operations o ON o.service_id = e.service_id AND o.name = e.tool
WHERE e.state = ANY(%(states)s)
  AND (%(services)s::bigint[] IS NULL OR e.service_id = ANY(%(services)s))
  AND (%(tools)s::text[] IS NULL OR s.name || '/' || e.tool = ANY(%(tools)s))
ORDER BY s.name, e.tool, e.enrichment_id
"""


def enrichments(
    conn: psycopg.Connection,
    states: Sequence[str],
    services: Sequence[int] | None = None,
    tools: Sequence[str] | None = None,
) -> list[EnrichmentRow]:
    """Texts in one of the states, of the services or tool ids named, by service, tool and age."""
    wanted = {"states": list(states), "services": services, "tools": tools}
    with translated(), conn.cursor(row_factory=class_row(EnrichmentRow)) as cursor:
        return cursor.execute(_ROWS, wanted).fetchall()


def last_fingerprints(conn: psycopg.Connection, service_id: int) -> dict[str, tuple[str, str, str]]:
    """Tool → (fingerprint, state, model) of the newest text that a writer wrote about it."""
    query = (
        "SELECT DISTINCT ON (tool) tool, fingerprint, state, model FROM enrichments"
        " WHERE service_id = %s AND provider <> %s ORDER BY tool, enrichment_id DESC"
    )
    with translated():
        rows = conn.execute(query, (service_id, HAND)).fetchall()
    return {tool: (fingerprint, state, model) for tool, fingerprint, state, model in rows}


def written_before(
    conn: psycopg.Connection, fingerprints: Sequence[str], model: str
) -> dict[str, EnrichmentRow]:
    """Texts that this model already wrote for the same evidence, in whatever service."""
    query = _ROWS.replace(
        "ORDER BY", "AND e.fingerprint = ANY(%(prints)s) AND e.model = %(model)s ORDER BY"
    )
    wanted = {
        "states": ["proposed", "applied", "replaced"],
        "services": None,
        "tools": None,
        "prints": list(fingerprints),
        "model": model,
    }
    with translated(), conn.cursor(row_factory=class_row(EnrichmentRow)) as cursor:
        return {row.fingerprint: row for row in cursor.execute(query, wanted)}


_INSERT = """
INSERT INTO enrichments (service_id, tool, state, name, description, aliases, limits, evidence,
  checks, reason, content_hash, fingerprint, provider, model, prompt_version, input_tokens,
  output_tokens, cost_usd, run_id, author)
VALUES (%(service_id)s, %(tool)s, %(state)s, %(name)s, %(description)s, %(aliases)s, %(limits)s,
  %(evidence)s, %(checks)s, %(reason)s, %(content_hash)s, %(fingerprint)s, %(provider)s, %(model)s,
  %(prompt_version)s, %(input_tokens)s, %(output_tokens)s, %(cost_usd)s, %(run_id)s,
  %(author)s)
RETURNING enrichment_id
"""


def save_proposal(conn: psycopg.Connection, text: Written) -> int | None:
    """The text becomes the tool's open proposal; one that was open before is replaced.

    None, and nothing is saved, where a person's proposal is open and the text is not a person's.
    """
    with translated(), conn.transaction():
        if text.provider != HAND and _open_by_hand(conn, text):
            return None
        conn.execute(
            "UPDATE enrichments SET state = 'replaced' WHERE service_id = %s AND tool = %s"
            " AND state = 'proposed'",
            (text.service_id, text.tool),
        )
        row = conn.execute(_INSERT, _values(text, "proposed")).fetchone()
    assert row is not None
    return int(row[0])


def _open_by_hand(conn: psycopg.Connection, text: Written) -> bool:
    found = conn.execute(
        "SELECT 1 FROM enrichments WHERE service_id = %s AND tool = %s AND state = 'proposed'"
        " AND provider = %s",
        (text.service_id, text.tool, HAND),
    )
    return found.fetchone() is not None


def save_failure(conn: psycopg.Connection, text: Written) -> None:
    """What was tried and why it came to nothing; the original stays as it is."""
    with translated():
        conn.execute(_INSERT, _values(text, "failed"))


def apply(conn: psycopg.Connection, rows: Iterable[EnrichmentRow], decided_by: str) -> int:
    """Make texts live, each in place of the one that was; how many.

    A text on which somebody else decided meanwhile is left as it is.
    """
    count = 0
    for row in rows:
        with translated(), conn.transaction() as deciding:
            _decide(conn, row.service_id, row.tool, "applied", "replaced", decided_by)
            if not set_state(conn, row, "applied", decided_by):
                raise psycopg.Rollback(deciding)
            count += 1
    return count


def reject(
    conn: psycopg.Connection, rows: Iterable[EnrichmentRow], decided_by: str, reason: str = ""
) -> int:
    with translated():
        return sum(set_state(conn, row, "rejected", decided_by, reason) for row in rows)


_BEFORE = """
UPDATE enrichments SET state = 'applied', decided_at = now(), decided_by = %s
WHERE (service_id, enrichment_id) = (
  SELECT service_id, enrichment_id FROM enrichments
  WHERE service_id = %s AND tool = %s AND state = 'replaced' AND decided_at IS NOT NULL
  ORDER BY decided_at DESC LIMIT 1)
"""


def revert(conn: psycopg.Connection, rows: Iterable[EnrichmentRow], decided_by: str) -> int:
    """Take live texts back; what was live before them, if anything, is live again."""
    count = 0
    for row in rows:
        with translated(), conn.transaction():
            count += set_state(conn, row, "reverted", decided_by)
            conn.execute(_BEFORE, (decided_by, row.service_id, row.tool))
    return count


def _decide(
    conn: psycopg.Connection, service_id: int, tool: str, now: str, then: str, decided_by: str
) -> None:
    conn.execute(
        "UPDATE enrichments SET state = %s, decided_at = now(), decided_by = %s"
        " WHERE service_id = %s AND tool = %s AND state = %s",
        (then, decided_by, service_id, tool, now),
    )


def set_state(
    conn: psycopg.Connection, row: EnrichmentRow, state: str, decided_by: str, reason: str = ""
) -> int:
    """0 where the text is not in the state any more that the row says."""
    return conn.execute(
        "UPDATE enrichments SET state = %s, decided_at = now(), decided_by = %s,"
        " reason = CASE WHEN %s = '' THEN reason ELSE %s END"
        " WHERE service_id = %s AND enrichment_id = %s AND state = %s",
        (state, decided_by, reason, _kept(reason), row.service_id, row.enrichment_id, row.state),
    ).rowcount


def _values(text: Written, state: str) -> dict[str, Any]:
    return {
        "service_id": text.service_id,
        "tool": text.tool,
        "state": state,
        "name": _kept(text.name),
        "description": _kept(text.description),
        "aliases": [_kept(alias) for alias in text.aliases],
        "limits": _kept(text.limits),
        "evidence": Json(storable(list(text.evidence))[0]),
        "checks": Json(list(text.checks)),
        "reason": _kept(text.reason),
        "content_hash": text.content_hash,
        "fingerprint": text.fingerprint,
        "provider": text.provider,
        "model": text.model,
        "prompt_version": text.prompt_version,
        "input_tokens": text.input_tokens,
        "output_tokens": text.output_tokens,
        "cost_usd": text.cost_usd,
        "run_id": text.run_id,
        "author": _kept(text.author),
    }


def _kept(text: str) -> str:
    return str(storable(text)[0])
