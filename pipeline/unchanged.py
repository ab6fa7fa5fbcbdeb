"""Which documents are as they were when the catalog last took them in, with all they include."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from psycopg import Connection

from catalog.spec import Kind, ParsedSpec
from catalog.text import storable
from parsers.document import Document
from parsers.sandbox import Outcome
from parsers.sources import STDIN
from parsers.traces import Checker, setting
from store.saving import KeptReading, readings_of


@dataclass(frozen=True, slots=True)
class Summary:
    """What a report says of a spec beside its problems."""

    service: str
    kind: Kind
    version: str
    operations: int
    not_tools: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, parsed: ParsedSpec) -> Summary:
        count = len(parsed.operations)
        return cls(parsed.service, parsed.kind, parsed.version, count, dict(parsed.not_tools))


def reading_of(outcome: Outcome) -> dict[str, Any] | None:
    """What the catalog keeps beside a service, to know it again; None where it cannot be known."""
    trace, parsed = outcome.trace, outcome.parsed
    if trace is None or parsed is None or not trace.repeatable:
        return None
    return {
        "setting": setting(outcome.document),
        "operations": len(parsed.operations),
        "not_tools": dict(parsed.not_tools),
        **trace.as_json(),
    }


def summary_of(kept: KeptReading) -> Summary:
    not_tools = kept.reading["not_tools"]
    return Summary(kept.service, kept.kind, kept.version, len(kept.tools), not_tools)


def unchanged(
    connection: Connection, documents: Sequence[Document], by_name: bool
) -> dict[str, KeptReading]:
    """By location the readings that still hold; `by_name` where the name of the service is fixed.

    A service that was removed, or that another source was read into since, has none.
    """
    known: dict[str, list[KeptReading]] = defaultdict(list)
    for kept in readings_of(connection, [document.location for document in documents]):
        known[kept.source].append(kept)
    checker = Checker()
    found: dict[str, KeptReading] = {}
    for document in documents:
        choice = _choice(document, known[storable(document.location)[0]], by_name)
        if choice is not None and _holds(checker, document, choice):
            found[document.location] = choice
    return found


def _choice(document: Document, known: list[KeptReading], by_name: bool) -> KeptReading | None:
    """The service that a reading of the document would be saved as."""
    if document.location == STDIN:
        return None
    named = next((kept for kept in known if kept.service == document.service), None)
    return named if named is not None or by_name or not known else known[0]


def _holds(checker: Checker, document: Document, kept: KeptReading) -> bool:
    return (
        kept.reading["setting"] == setting(document)
        and kept.reading["operations"] == len(kept.tools)
        and checker.holds(document, kept.reading)
    )
