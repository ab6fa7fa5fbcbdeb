"""Reads every real document below a folder and counts what comes out of it.

    python bench/corpus.py CORPUS [--json] [--baselines N] [--only SOURCE] [--details FILE]

CORPUS holds {openapi,swagger2,wsdl,proto}/<source>/… ; one source may hold OpenAPI and Swagger 2.
A file is *readable* when a plain loader (orjson, libyaml, lxml, text) takes it; it is *accounted
for* when each operation that an independent count finds in it is a tool or a named error. With
--baselines, prance and zeep read N files of each source too, chosen by a hash of their names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import raw_counts
from parsers.document import Document
from parsers.sandbox import Budget, Outcome, parse_all
from parsers.sniffing import sniff
from parsers.sources import find_documents

FORMATS = ("openapi", "swagger2", "wsdl", "proto")
BARS = {"OpenAPI": 99.5, "Swagger 2": 99.5, "WSDL": 98.0, ".proto": 99.0}
_BASELINES = {"openapi": "prance", "wsdl": "zeep"}
_BASELINE_BUDGET = Budget(seconds=20, seconds_a_mb=0)


@dataclass
class Row:
    """One source in one format. `parts` are files that other files of the source include."""

    format: str
    source: str
    files: int = 0
    parts: int = 0
    readable: int = 0
    accounted: int = 0
    raw_operations: int = 0
    tools: int = 0
    errors: int = 0
    warnings: int = 0
    refused: int = 0
    crashes: int = 0
    over_budget: int = 0
    slowest_s: float = 0.0
    seconds: float = 0.0
    baseline: dict[str, int] = field(default_factory=dict)

    def add(self, other: Row) -> None:
        for name, value in asdict(other).items():
            if isinstance(value, (int, float)) and name != "slowest_s":
                setattr(self, name, getattr(self, name) + value)
        self.slowest_s = max(self.slowest_s, other.slowest_s)
        self.baseline = dict(Counter(self.baseline) + Counter(other.baseline))

    @property
    def percent(self) -> float:
        return 100 * self.accounted / self.readable if self.readable else 100.0


@dataclass(frozen=True)
class Result:
    """One file; `state` is accounted, lost, unreadable or over budget."""

    location: str
    format: str
    state: str
    raw: int | None
    tools: int
    errors: int
    warnings: int
    said: int | None
    error: str
    crashed: bool
    elapsed_s: float


def main() -> int:
    options = _options()
    details = options.details.open("w") if options.details else None
    rows: list[Row] = []
    for folder, source in _sources(options.corpus, options.only):
        rows += measure(folder, source, options.baselines, details)
        print(f"{source.parent.name}/{source.name}: done", file=sys.stderr, flush=True)
    whole = totals(rows)
    print(json.dumps(_as_json(rows, whole), indent=1) if options.json else markdown(rows, whole))
    return 0 if all(row.percent >= BARS[row.format] and not row.crashes for row in whole) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--baselines", type=int, default=0, metavar="N", help="files a source")
    parser.add_argument("--only", action="append", default=[], help="this source (repeatable)")
    parser.add_argument("--details", type=Path, help="write a JSON line for each file")
    return parser.parse_args()


def _sources(corpus: Path, only: list[str]) -> Iterator[tuple[str, Path]]:
    for folder in FORMATS:
        for source in sorted((corpus / folder).glob("*")):
            wanted = not only or source.name in only or f"{folder}/{source.name}" in only
            if source.is_dir() and wanted and not source.name.startswith(("_", ".")):
                yield folder, source


def measure(folder: str, source: Path, baselines: int, details: TextIO | None) -> list[Row]:
    """A row for each format that the source holds."""
    rows: dict[str, Row] = {}
    kind = "openapi" if folder == "swagger2" else folder
    found = find_documents([str(source)])
    documents = [each for each in found.documents if sniff(each.data).kind == kind]
    for skipped in found.skipped:
        if skipped.reason.startswith(("is read as part", "has no service")):
            _row(rows, _format_of(skipped.location), source).parts += 1
    results: dict[str, Result] = {}
    for outcome in parse_all(documents):
        result = results[outcome.document.location] = result_of(outcome, kind)
        _count(_row(rows, result.format, source), result)
        if details:
            print(json.dumps(asdict(result)), file=details, flush=True)
    if baselines and kind in _BASELINES:
        chosen = sample([each for each in documents if results[each.location].raw], baselines)
        for outcome in parse_all(chosen, _BASELINE_BUDGET, f"bench.baselines:{_BASELINES[kind]}"):
            ours = results[outcome.document.location]
            _count_baseline(_row(rows, ours.format, source), ours, outcome)
    return list(rows.values())


def sample(documents: list[Document], count: int) -> list[Document]:
    """The same files each time, wherever the corpus lies."""
    names = {each.location: hashlib.sha256(Path(each.location).name.encode()) for each in documents}
    chosen = sorted(documents, key=lambda each: (names[each.location].digest(), each.location))
    return sorted(chosen[:count], key=lambda each: each.location)


def _row(rows: dict[str, Row], format_name: str, source: Path) -> Row:
    return rows.setdefault(format_name, Row(format_name, source.name))


def _format_of(location: str) -> str:
    content = sniff(Path(location).read_bytes())
    named = {"proto": ".proto", "wsdl": "WSDL"}
    return named.get(content.kind, content.what)


def result_of(outcome: Outcome, kind: str) -> Result:
    location = outcome.document.location
    parsed = outcome.parsed
    levels = Counter(problem.level for problem in parsed.problems) if parsed else Counter()
    try:
        raw = raw_counts.count(kind, Path(location), outcome.document.data)
    except raw_counts.Unreadable:
        raw = None
    tools = len(parsed.operations) if parsed else 0
    return Result(
        location=location,
        format=_format_of(location),
        state=_state(outcome, raw, tools + levels["error"]),
        raw=raw,
        tools=tools,
        errors=levels["error"],
        warnings=levels["warning"],
        said=parsed.operations_in_source if parsed else None,
        error=outcome.error.message if outcome.error else "",
        crashed=outcome.crashed,
        elapsed_s=round(outcome.elapsed_ms / 1000, 3),
    )


def _state(outcome: Outcome, raw: int | None, named: int) -> str:
    if outcome.error and "took longer" in outcome.error.message:
        return "over budget"
    if raw is None:
        return "unreadable"
    if raw == 0 or (outcome.parsed is not None and named >= raw):
        return "accounted"
    return "lost"


def _count(row: Row, result: Result) -> None:
    row.files += 1
    row.readable += result.state != "unreadable"
    row.accounted += result.state == "accounted"
    row.raw_operations += result.raw or 0
    row.tools += result.tools
    row.errors += result.errors
    row.warnings += result.warnings
    row.refused += bool(result.error) and not result.crashed
    row.crashes += result.crashed
    row.over_budget += result.state == "over budget"
    row.seconds += result.elapsed_s
    row.slowest_s = max(row.slowest_s, result.elapsed_s)


def _count_baseline(row: Row, ours: Result, outcome: Outcome) -> None:
    count = Counter(row.baseline)
    found = outcome.parsed.operations_in_source if outcome.parsed else 0
    count["files"] += 1
    count["loaded"] += outcome.parsed is not None
    count["empty"] += outcome.parsed is not None and found == 0
    count["over 20 s"] += "took longer" in (outcome.error.message if outcome.error else "")
    count["whole"] += found >= (ours.raw or 0)
    count["operations"] += found
    count["raw"] += ours.raw or 0
    count["our whole"] += ours.state == "accounted"
    count["our tools"] += ours.tools
    row.baseline = dict(count)


# --- what is shown -----------------------------------------------------------------------------


def totals(rows: Iterable[Row]) -> list[Row]:
    whole: dict[str, Row] = {}
    for row in rows:
        whole.setdefault(row.format, Row(row.format, "all")).add(row)
    return list(whole.values())


def _as_json(rows: list[Row], whole: list[Row]) -> dict[str, object]:
    return {"schema": 1, "rows": [asdict(r) for r in rows], "totals": [asdict(r) for r in whole]}


_COLUMNS: tuple[tuple[str, Callable[[Row], str]], ...] = (
    ("files", lambda row: f"{row.files:,}"),
    ("parts", lambda row: f"{row.parts:,}"),
    ("readable", lambda row: f"{row.readable:,}"),
    ("operations", lambda row: f"{row.raw_operations:,}"),
    ("tools", lambda row: f"{row.tools:,}"),
    ("named errors", lambda row: f"{row.errors:,}"),
    ("warnings", lambda row: f"{row.warnings:,}"),
    ("refused", lambda row: f"{row.refused:,}"),
    ("crashes", lambda row: f"{row.crashes:,}"),
    ("over budget", lambda row: f"{row.over_budget:,}"),
    ("accounted for", lambda row: f"{row.accounted:,} = {row.percent:.2f} %"),
    ("seconds", lambda row: f"{row.seconds:,.0f}"),
    ("slowest", lambda row: f"{row.slowest_s:.1f} s"),
)


def markdown(rows: list[Row], whole: list[Row]) -> str:
    names = ["format", "source", *(name for name, _ in _COLUMNS)]
    lines = [_line(names), _line(["---"] * 2 + ["---:"] * len(_COLUMNS))]
    for row in [*rows, *whole]:
        lines.append(_line([row.format, row.source, *(show(row) for _, show in _COLUMNS)]))
    verdicts = [_verdict(row) for row in whole]
    return "\n".join([*lines, "", *verdicts, "", *_baseline_lines(rows, whole)])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _verdict(row: Row) -> str:
    met = "met" if row.percent >= BARS[row.format] else "missed"
    figure, bar = f"{row.percent:.2f} %", f"{BARS[row.format]} %"
    return f"- {row.format}: {figure} of readable files accounted for, bar {bar}: {met}"


def _baseline_lines(rows: list[Row], whole: list[Row]) -> list[str]:
    compared = [row for row in [*rows, *whole] if row.baseline]
    if not compared:
        return []
    shown = ("files", "loaded", "empty", "over 20 s", "whole", "our whole")
    operations = ("raw", "operations", "our tools")
    names = ["format", "source", "sampled files", "loaded", "loaded empty", "over 20 s"]
    names += ["all operations", "ours: all operations", "raw operations", "its operations", "tools"]
    lines = [_line(names), _line(["---"] * 2 + ["---:"] * 9)]
    for row in compared:
        base = Counter(row.baseline)
        cells = [f"{base[name]:,}" for name in (*shown, *operations)]
        lines.append(_line([row.format, row.source, *cells]))
    return lines


if __name__ == "__main__":
    started = time.monotonic()
    code = main()
    print(f"{time.monotonic() - started:.0f} s in all", file=sys.stderr)
    raise SystemExit(code)
