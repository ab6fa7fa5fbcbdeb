"""The questions of scripts/triples."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from catalog.words import split_identifier

from .pairs import Pair
from .suites import Suites, operation_text

FOLDER = Path(__file__).resolve().parent.parent / "triples"
COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """One operation of a made-up service; `place` is its file and line."""

    place: str
    service: str
    operation: str
    text: str
    questions: tuple[str, ...]


def triple_pairs(entries: Iterable[Entry]) -> list[Pair]:
    """Operations of a service are each other's negatives, but not for a question that stands under
    several of them."""
    asked: dict[tuple[str, str], list[str]] = defaultdict(list)
    for entry in entries:
        for question in entry.questions:
            asked[entry.service, question].append(_text(entry))
    return [
        Pair("triples", question, text, frozenset(texts), f"our/{service}")
        for (service, question), texts in asked.items()
        for text in texts
    ]


def _text(entry: Entry) -> str:
    """The operation is a name, or a method and a path."""
    method, _, path = entry.operation.partition(" ")
    name = "" if path else entry.operation
    return operation_text(name, method if path else "post", path, "", _spelled(entry.text))


def _spelled(text: str) -> str:
    """Fields of parameters and responses as words, as the index spells them."""
    return re.sub(r"\w*[a-z][A-Z_]\w*", lambda found: " ".join(split_identifier(found[0])), text)


def read_entries(folder: Path = FOLDER) -> list[Entry]:
    return [entry for file in sorted(folder.glob("*.tsv")) for entry in _file_entries(file)]


def _file_entries(file: Path) -> Iterator[Entry]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != COLUMNS or not all(cells):
            raise SystemExit(f"{file.name}:{number}: {COLUMNS} filled columns are needed")
        questions = tuple(part.strip() for part in cells[3].split(" | "))
        yield Entry(f"{file.name}:{number}", cells[0], cells[1], cells[2], questions)


def faults(entries: Iterable[Entry], suites: Suites) -> Iterator[str]:
    """Repeated operations, and services or questions that a suite holds as well."""
    theirs = {_plain(query.text) for query in suites.queries}
    services = {_plain(name) for name in suites.services}
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        if (entry.service, entry.operation) in seen:
            yield f"{entry.place}: {entry.service} {entry.operation} stands there twice"
        seen.add((entry.service, entry.operation))
        if _plain(entry.service) in services:
            yield f"{entry.place}: a suite has a service {entry.service}"
        for question in entry.questions:
            if _plain(question) in theirs:
                yield f"{entry.place}: a suite asks this as well: {question}"


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
