"""The suites: catalogues of texts as the product embeds them, and questions about them."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catalog.binding import HttpBinding
from catalog.spec import Operation
from catalog.words import safe_name, split_identifier
from search.text import embedding_text, tool_text

SUITES = (
    "restbench-tmdb",
    "wapiibench",
    "toolalpaca-real",
    "toolalpaca-simulated",
    "socbench-d",
    "metatool",
    "seal-tools",
    "sawsdl-tc3",
)
HELD_OUT = 8


@dataclass(frozen=True, slots=True)
class Query:
    """`catalogue` names the pool that is searched; `relevant` are positions of texts in it."""

    suite: str
    text: str
    catalogue: str
    relevant: tuple[int, ...]
    source_id: str

    @property
    def hash(self) -> int:
        return int(digest(self.source_id), 16)

    @property
    def trains(self) -> bool:
        return self.hash % 2 == 1


@dataclass(slots=True)
class Suites:
    """The texts of every catalogue, what its services and tools are called, and all queries."""

    catalogues: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    services: set[str] = field(default_factory=set)
    queries: list[Query] = field(default_factory=list)

    def is_held_out(self, query: Query) -> bool:
        """By tool, so that no query about a tool trains while another chooses; by instance and
        domain where each has a catalogue of its own."""
        key = query.catalogue
        if query.suite != "socbench-d":
            key = self.catalogues[query.catalogue][query.relevant[0]]
        return int(digest(f"held out {key}"), 16) % HELD_OUT == 0


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_suites(folder: Path) -> Suites:
    suites = Suites()
    for name in SUITES:
        if (folder / name).is_dir():
            _read_suite(suites, folder / name)
    return suites


def _read_suite(suites: Suites, folder: Path) -> None:
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for item in _lines(folder / "operations.jsonl"):
        catalogue = _catalogue(folder.name, item["id"])
        places[catalogue, item["id"]].append(len(suites.catalogues[catalogue]))
        suites.catalogues[catalogue].append(_suite_text(folder.name, item))
        suites.services.add(item.get("service") or _service(item))
    for file in sorted(folder.glob("queries*.jsonl")):
        for line in _lines(file):
            catalogue = _catalogue(folder.name, line["relevant"][0])
            found = tuple(p for name in line["relevant"] for p in places[catalogue, name])
            query = Query(folder.name, line["query"], catalogue, found, line["source_id"])
            suites.queries.append(query)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _catalogue(suite: str, identity: str) -> str:
    return f"{suite}/{identity.partition('#')[0]}" if suite == "socbench-d" else suite


def _service(item: dict[str, Any]) -> str:
    """Of a spec "12-weather"; a catalogue without specs is a list of tools."""
    return str(item["spec"] or item["operation_id"] or "").rpartition("/")[2].lstrip("0123456789-")


def _suite_text(suite: str, item: dict[str, Any]) -> str:
    """What the product embeds for it; WSDL parts are named too, for want of anything else."""
    if suite == "sawsdl-tc3":
        names = (item["service"], item["operation_id"], *item["inputs"], *item["outputs"])
        words = dict.fromkeys(word for name in names for word in split_identifier(name))
        return ". ".join(filter(None, (" ".join(words), item["description"])))
    return operation_text(
        item["operation_id"] or "",
        item["method"],
        item["path"],
        item["summary"] or "",
        item["description"] or "",
    )


def operation_text(name: str, method: str, path: str, summary: str, description: str) -> str:
    binding = HttpBinding(method=method.upper(), path=path, operation_id=name)
    operation = Operation(
        service="",
        name=safe_name(name or f"{method.lower()}_{path}"),
        protocol="rest",
        binding=binding,
        summary=summary,
        description=description,
    )
    return embedding_text(tool_text(operation, {}))


def first_by_hash(queries: Iterable[Query], limit: int) -> list[Query]:
    """At most so many a suite: the same whenever the file is the same."""
    by_suite: dict[str, list[Query]] = defaultdict(list)
    for query in queries:
        by_suite[query.suite].append(query)
    return [
        query
        for found in by_suite.values()
        for query in sorted(found, key=lambda query: query.hash)[:limit]
    ]
