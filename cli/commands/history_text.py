"""Every text that was written about a tool, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from catalog.text import printable
from cli.commands.diff_text import remarks

if TYPE_CHECKING:
    from store.enrichments import EnrichmentRow

_SAID = {"applied": "live", "failed": "not accepted"}


def history_lines(rows: Sequence[EnrichmentRow]) -> Iterator[str]:
    """The newest first; a text that was refused, rejected or taken out with the reason."""
    for row in reversed(rows):
        state = _SAID.get(row.state, row.state)
        yield f"{row.created_at:%Y-%m-%d %H:%M}  {state:<12} {printable(row.name)}".rstrip()
        for line in (_about(row), row.description, row.reason and f"because: {row.reason}"):
            if line:
                yield f"{'':<18}{printable(line)}"


def _about(row: EnrichmentRow) -> str:
    parts = list(remarks(row))
    if row.input_tokens:
        parts.append(f"{row.input_tokens} tokens in, {row.output_tokens} out, ${row.cost_usd:.4f}")
    if row.decided_at:
        parts.append(f"decided by {row.decided_by or 'somebody'}, {row.decided_at:%Y-%m-%d %H:%M}")
    return ", ".join(parts)


def history_json(rows: Sequence[EnrichmentRow]) -> list[dict[str, Any]]:
    return [
        {
            "state": row.state,
            "name": row.name,
            "description": row.description,
            "aliases": list(row.aliases),
            "not_for": row.limits,
            "reason": row.reason,
            "evidence": row.evidence,
            "evidence_hash": row.fingerprint,
            "provider": row.provider,
            "model": row.model,
            "prompt_version": row.prompt_version,
            "author": row.author,
            "input_tokens": row.input_tokens,
            "output_tokens": row.output_tokens,
            "cost_usd": float(row.cost_usd),
            "gain": row.gain,
            "gate": row.gate,
            "questions": row.gate_cases,
            "rank_before": row.rank_before,
            "rank_after": row.rank_after,
            "created_at": row.created_at.isoformat(),
            "decided_at": row.decided_at.isoformat() if row.decided_at else None,
            "decided_by": row.decided_by,
        }
        for row in reversed(rows)
    ]
