"""Words that mean the same to the people who ask: of one service, or of all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from psycopg import Connection
from psycopg.rows import class_row

EVERYWHERE = ""
"""The service of synonyms that hold for all."""


@dataclass(frozen=True, slots=True)
class Synonym:
    """`key` is the word as it is looked up: its stems in order. `origin` is "person", or "index"
    for a short form that was learnt."""

    service: str
    word: str
    synonym: str
    key: str
    origin: str = "person"


def add_synonyms(conn: Connection, given: Iterable[Synonym]) -> int:
    """How many are new."""
    added = 0
    with conn.transaction():
        for entry in given:
            added += conn.execute(
                "INSERT INTO synonyms (service, word, synonym, key) VALUES (%s, %s, %s, %s)"
                " ON CONFLICT DO NOTHING",
                (entry.service, entry.word, entry.synonym, entry.key),
            ).rowcount
    return added


def replace_learnt(conn: Connection, service: str, given: Sequence[Synonym]) -> None:
    """What people named stays, also where the index learnt the same."""
    conn.execute("DELETE FROM synonyms WHERE service = %s AND origin = 'index'", (service,))
    rows = [(entry.service, entry.word, entry.synonym, entry.key) for entry in given]
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO synonyms (service, word, synonym, key, origin)"
            " VALUES (%s, %s, %s, %s, 'index') ON CONFLICT DO NOTHING",
            rows,
        )


def remove_synonyms(conn: Connection, service: str, word: str, synonyms: Sequence[str]) -> int:
    """How many are gone; all of the word when none is named."""
    return conn.execute(
        """
        DELETE FROM synonyms WHERE service = %(service)s AND lower(word) = lower(%(word)s)
          AND (%(synonyms)s::text[] = '{}' OR synonym = ANY(%(synonyms)s::text[]))
        """,
        {"service": service, "word": word, "synonyms": list(synonyms)},
    ).rowcount


def list_synonyms(conn: Connection, service: str | None = None) -> list[Synonym]:
    with conn.cursor(row_factory=class_row(Synonym)) as cursor:
        return cursor.execute(
            "SELECT service, word, synonym, key, origin FROM synonyms"
            " WHERE %(service)s::text IS NULL OR service = %(service)s"
            " ORDER BY service, word, synonym",
            {"service": service},
        ).fetchall()


@dataclass(frozen=True, slots=True)
class Widening:
    """A synonym of something in a query; `service_id` is None where it holds for all tools, as
    every learnt short form does: it is no word that could mean something else."""

    key: str
    synonym: str
    service_id: int | None
    learnt: bool


def widenings(
    conn: Connection, keys: Sequence[str], services: Sequence[int] | None
) -> list[Widening]:
    """The synonyms of these keys that hold for the services searched; removed ones are none."""
    with conn.cursor(row_factory=class_row(Widening)) as cursor:
        return cursor.execute(
            """
            SELECT DISTINCT y.key, y.synonym, y.origin = 'index' AS learnt,
              CASE WHEN y.origin = 'person' THEN s.service_id END AS service_id
            FROM synonyms y
            LEFT JOIN services s ON s.name = y.service
            WHERE y.key = ANY(%(keys)s) AND (y.service = '' OR s.service_id IS NOT NULL)
              AND (y.service = '' OR %(services)s::bigint[] IS NULL
                   OR s.service_id = ANY(%(services)s))
            ORDER BY y.key, y.synonym
            """,
            {"keys": list(keys), "services": None if services is None else list(services)},
        ).fetchall()
