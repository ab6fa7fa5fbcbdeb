"""Suites: files of cases, in our own JSON lines or the layout of BEIR."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catalog.errors import UsageError
from store.rows import ToolRow


@dataclass(frozen=True, slots=True)
class Case:
    """An intent with its right tools as written in the suite; none means that nothing fits.

    `grades` holds a judgement for each right tool (1 where the suite gives none).
    """

    query: str
    grades: Mapping[str, float]
    context: str = ""
    source_id: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    name: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A case whose right tools are ids of the catalog; `missing` are those the catalog lacks."""

    case: Case
    grades: Mapping[str, float] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def answerable(self) -> bool:
        return bool(self.case.grades)


def read_suite(path: Path) -> Suite:
    """Our JSON lines, or a BEIR folder (queries.jsonl and qrels/*.tsv, or *.tsv beside it)."""
    try:
        cases = _beir(path) if path.is_dir() else _lines(path)
        return Suite(path.stem, tuple(cases))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", hint="gloss eval SUITE.jsonl") from None


def _lines(path: Path) -> Iterator[Case]:
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _case(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{path}:{number}: no case: {type(error).__name__}: {error}",
                hint='a line is {"query": "…", "relevant": ["service/tool"]}',
            ) from None


def _case(value: dict[str, Any]) -> Case:
    relevant = value["relevant"]
    grades = relevant if isinstance(relevant, dict) else dict.fromkeys(relevant, 1.0)
    return Case(
        query=str(value["query"]),
        grades={str(name): float(grade) for name, grade in grades.items()},
        context=str(value.get("context") or ""),
        source_id=str(value.get("source_id") or ""),
        group=str(value.get("group") or ""),
    )


def _beir(folder: Path) -> Iterator[Case]:
    """Thakur et al. 2021: `_id` and `text` a line, judgements as query-id, corpus-id, score."""
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for file in sorted((*folder.glob("qrels/*.tsv"), *folder.glob("qrels*.tsv"))):
        for line in file.read_text(encoding="utf-8-sig").splitlines():
            query_id, tool, score = (*line.split("\t"), "", "")[:3]
            if score.replace(".", "", 1).isdigit():
                grades[query_id][tool] = float(score)
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8-sig").splitlines():
        value = json.loads(line)
        query_id = str(value.get("_id", value.get("source_id", "")))
        judged = {tool: grade for tool, grade in grades.get(query_id, {}).items() if grade > 0}
        yield Case(str(value.get("text", value.get("query", ""))), judged, source_id=query_id)


class Names:
    """Which tools of the catalog a suite may mean by a name.

    A name is a tool id, or a wire name (`METHOD /path`, operationId, `Operation`,
    `Service.Method`), alone or as `service#name`; several tools may answer to one.
    """

    def __init__(self, tools: Iterable[ToolRow]) -> None:
        self._ids: dict[str, set[str]] = defaultdict(set)
        for tool in tools:
            for name in (tool.name, *tool.binding.wire_names):
                self._ids[name].add(tool.id)
                self._ids[f"{tool.service}#{name}"].add(tool.id)
            self._ids[tool.id].add(tool.id)

    def judge(self, case: Case) -> Judged:
        grades: dict[str, float] = {}
        missing = []
        for name, grade in case.grades.items():
            ids = self._ids.get(name, set())
            if not ids:
                missing.append(name)
            for tool_id in ids:
                grades[tool_id] = max(grade, grades.get(tool_id, 0.0))
        return Judged(case, grades, tuple(missing))
