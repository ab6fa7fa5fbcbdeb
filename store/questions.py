"""Questions drafted for tools, by the evidence they were drafted from: paid for once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

import psycopg

from catalog.text import storable
from store.connection import translated


@dataclass(frozen=True, slots=True)
class Drafted:
    """`questions` are empty where the model wrote none that could be used."""

    service_id: int
    tool: str
    model: str
    fingerprint: str
    questions: tuple[str, ...]
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    run_id: UUID | None = None


def questions_for(
    conn: psycopg.Connection, fingerprints: Iterable[str], model: str
) -> dict[str, tuple[str, ...]]:
    """Fingerprint → what this model asked from that evidence, in whatever service."""
    query = (
        "SELECT fingerprint, questions FROM questions WHERE model = %s AND fingerprint = ANY(%s)"
    )
    with translated():
        rows = conn.execute(query, (model, list(fingerprints))).fetchall()
    return {fingerprint: tuple(questions) for fingerprint, questions in rows}


def save_questions(conn: psycopg.Connection, drafted: Drafted) -> None:
    """In place of what the model asked about the tool before."""
    with translated():
        conn.execute(
            "INSERT INTO questions (service_id, tool, model, fingerprint, questions, input_tokens,"
            " output_tokens, cost_usd, run_id) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (service_id, tool, model) DO UPDATE SET"
            " fingerprint = excluded.fingerprint, questions = excluded.questions,"
            " input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,"
            " cost_usd = excluded.cost_usd, run_id = excluded.run_id, created_at = now()",
            (
                drafted.service_id, drafted.tool, drafted.model, drafted.fingerprint,
                [str(storable(question)[0]) for question in drafted.questions],
                drafted.input_tokens, drafted.output_tokens, drafted.cost_usd, drafted.run_id,
            ),
        )  # fmt: skip
