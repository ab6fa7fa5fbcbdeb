"""The evaluation sets as catalogs and cases: specs through our parsers, gold ids to tools."""

from __future__ import annotations

import json
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from catalog.binding import HttpBinding, SoapBinding
from catalog.errors import SpecError
from catalog.spec import Operation, ParsedSpec
from parsers import parse
from parsers.document import Document

SAMPLED = {"metatool": 500, "seal-tools": 500}
"""Suites of which only the queries with the lowest hashes are asked."""

_SPEC_SUFFIXES = {".json", ".yaml", ".yml", ".wsdl"}
_BY_OPERATION_ID = {"metatool", "seal-tools"}


@dataclass(frozen=True, slots=True)
class Case:
    """`grades` are 1 for what is relevant, unless the suite has graded judgements."""

    source_id: str
    query: str
    relevant: frozenset[str]
    grades: dict[str, int]

    @property
    def is_test(self) -> bool:
        """Test halves are even hashes; nothing was tuned or trained on them."""
        return int(_hash(self.source_id), 16) % 2 == 0


@dataclass(frozen=True, slots=True)
class Suite:
    """`group` of a source id names the part of the catalog that its query is asked of."""

    name: str
    folder: Path
    cases: tuple[Case, ...]

    def group(self, source_id: str) -> str:
        return _instance(source_id) if self.name == "socbench-d" else ""

    def specs(self) -> Iterator[tuple[str, ParsedSpec]]:
        """(group, spec) of every spec of the suite."""
        with _unpacked(self.folder / "specs") as root:
            for path in sorted(p for p in root.rglob("*") if p.suffix in _SPEC_SUFFIXES):
                relative = path.relative_to(root)
                group = _instance(str(relative)) if self.name == "socbench-d" else ""
                service = "-".join(relative.with_suffix("").parts) if group else path.stem
                try:
                    yield group, parse(Document(str(path), path.read_bytes(), service, root))
                except SpecError as error:
                    print(f"  {relative}: {error.message}")

    def gold_id(self, group: str, service: str, operation: Operation) -> str:
        """The id that the suite's judgements use for an operation."""
        binding = operation.binding
        if isinstance(binding, SoapBinding):
            return f"{service}.wsdl#{binding.operation}"
        assert isinstance(binding, HttpBinding)
        if self.name in _BY_OPERATION_ID:
            return binding.operation_id
        wire = f"{binding.method} {binding.path}"
        if self.name == "restbench-tmdb":
            return wire
        return f"{group or service}#{wire}"


class _unpacked:  # noqa: N801 (reads as a word in a with statement)
    """The folder of specs, with an archive in it unpacked elsewhere."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Path:
        archives = sorted(self._folder.glob("*.tar.xz"))
        if not archives:
            return self._folder
        self._temporary = tempfile.TemporaryDirectory(prefix="gloss-bench-")
        with tarfile.open(archives[0]) as archive:
            archive.extractall(self._temporary.name, filter="data")
        return Path(self._temporary.name)

    def __exit__(self, *_: object) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()


def load(folder: Path) -> Suite:
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    most = SAMPLED.get(folder.name)
    if most is not None:
        rows = sorted(rows, key=lambda row: _hash(row["source_id"]))[:most]
    graded = _graded(folder / "qrels_graded.tsv")
    cases = tuple(
        Case(
            row["source_id"],
            row["query"],
            frozenset(row["relevant"]),
            graded.get(row["source_id"]) or dict.fromkeys(row["relevant"], 1),
        )
        for row in rows
    )
    return Suite(folder.name, folder, cases)


def _graded(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    if path.is_file():
        for line in path.read_text().splitlines():
            source_id, tool, grade = line.split("\t")
            if grade.strip().isdigit() and int(grade):
                found.setdefault(source_id, {})[tool] = int(grade)
    return found


def _instance(path: str) -> str:
    return "/".join(path.split("/")[:2])


def _hash(source_id: str) -> str:
    return sha256(source_id.encode()).hexdigest()
