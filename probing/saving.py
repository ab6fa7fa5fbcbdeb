"""Results into the store: outcomes and shapes, never a value."""

from __future__ import annotations

from uuid import UUID

from psycopg import Connection

from probing.engine import Result
from probing.personal import kind_of
from probing.plan import Left
from store.samples import Sample, save_sample


def save_result(connection: Connection, result: Result, keep_values: bool, run_id: UUID) -> None:
    """One outcome; a call that the run did not come to leaves no trace."""
    if not result.reached:
        return
    answer, call = result.answer, result.call
    save_sample(
        connection,
        Sample(
            service_id=call.service_id,
            tool=call.operation.name,
            origin="probe",
            outcome=answer.outcome,
            content_hash=call.content_hash,
            detail=answer.detail,
            status_code=answer.status_code,
            media_type=harmless(answer.media_type),
            shape=result.shape,
            values_kept=keep_values and result.shape is not None,
            elapsed_ms=result.elapsed_ms,
            size_bytes=answer.size_bytes if result.sent else None,
            run_id=run_id,
            contradictions=result.contradictions,
            retry_after_s=answer.retry_after_s,
        ),
    )


def save_left(connection: Connection, left: Left, run_id: UUID) -> None:
    """Why an operation was left alone; one that has its sample already keeps just that."""
    if not left.settled and not left.known:
        sample = Sample(
            service_id=left.service_id,
            tool=left.operation.name,
            origin="probe",
            outcome="skipped",
            content_hash=left.content_hash,
            detail=left.reason,
            run_id=run_id,
        )
        save_sample(connection, sample)


def harmless(media_type: str) -> str:
    return "" if kind_of(media_type) else media_type
