"""Results into the store: outcomes and shapes, never a value."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from psycopg import Connection

from probing.engine import Result
from probing.personal import kind_of
from probing.plan import Left
from store.samples import Sample, save_sample, save_samples


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


def save_left(connection: Connection, left: Iterable[Left], run_id: UUID) -> None:
    """Why operations were left alone; one that has its sample already keeps just that."""
    save_samples(
        connection,
        [
            Sample(
                service_id=one.service_id,
                tool=one.operation.name,
                origin="probe",
                outcome="skipped",
                content_hash=one.content_hash,
                detail=one.reason,
                run_id=run_id,
            )
            for one in left
            if not one.settled and not one.known
        ],
    )


def harmless(media_type: str) -> str:
    return "" if kind_of(media_type) else media_type
