"""`gloss eval`: how often the right tool is found."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import Exit, UsageError
from catalog.text import printable
from cli import completing, console, output, settings, wiring
from cli.output import Format, FormatOption, JsonOption
from cli.progress import progress

if TYPE_CHECKING:
    from psycopg import Connection

    from evaluation.run import Ask, ModeReport
    from evaluation.suites import Judged, Suite

MODES = ("bm25", "hybrid")
SHOWN = ("hit@1", "hit@3", "recall@5", "recall@10", "mrr", "ndcg@10")

HELP = """Measure how often the right tool is found.

A suite is a file of JSON lines: {"query": "…", "relevant": ["service/tool"]}, an empty list where
nothing fits; or a folder in the layout of BEIR. Right tools may be ids or wire names. Exits 1
below --min-hit1.

\b
  gloss eval intents.jsonl
  gloss eval intents.jsonl --compare bm25 --compare hybrid --json
  gloss eval intents.jsonl --min-hit1 0.8 --worst 20
"""


def register(app: typer.Typer) -> None:
    app.command("eval", help=HELP)(evaluate)


def evaluate(
    suites: Annotated[list[Path], typer.Argument(hidden=True, metavar="SUITE")],
    compare: Annotated[
        list[str] | None,
        typer.Option(metavar="MODE", help=f"{', '.join(MODES)}; again for more. [default: hybrid]"),
    ] = None,
    services: Annotated[
        list[str] | None,
        typer.Option(
            "--service",
            "-s",
            metavar="NAME",
            help="Search only there.",
            autocompletion=completing.services,
        ),
    ] = None,
    worst: Annotated[
        int, typer.Option(min=0, metavar="N", help="List that many misses, worst first.")
    ] = 0,
    min_hit1: Annotated[
        float | None, typer.Option(metavar="X", help="Exit 1 when hit@1 of the last mode is below.")
    ] = None,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    from evaluation.suites import Names, read_suite
    from store.catalog import list_tools

    modes = compare or ["hybrid"]
    read = [read_suite(path) for path in suites]
    config = settings.load()
    with wiring.open_catalog(config) as connection:
        names = Names(list_tools(connection))
        asks = {mode: _asker(connection, config, mode, tuple(services or ())) for mode in modes}
        rows = [row for suite in read for row in _suite(suite, names, asks)]
    _show(rows, output.chosen(form, as_json), worst)
    low = [row for row in rows if row["mode"] == modes[-1] and _below(row, min_hit1)]
    return Exit.FAILED if low else Exit.OK


def _below(row: dict[str, Any], bar: float | None) -> bool:
    return bar is not None and not row["hit@1"]["mean"] >= bar


def _suite(suite: Suite, names: Any, asks: dict[str, Ask]) -> list[dict[str, Any]]:
    from evaluation.run import evaluate as run

    cases: list[Judged] = [names.judge(case) for case in suite.cases]
    missing = sorted({name for judged in cases for name in judged.missing})
    if missing:
        console.warning(
            f"{suite.name}: {len(missing)} right tools are not in the catalog, such as {missing[0]}"
        )
    reports = [
        progress(f"{suite.name}, {mode}", run(mode, cases, ask)) for mode, ask in asks.items()
    ]
    return [_row(suite, report) for report in reports]


def _asker(
    connection: Connection, config: settings.Settings, mode: str, services: tuple[str, ...]
) -> Ask:
    from evaluation.run import Answer
    from search.query import Searcher

    if mode not in MODES:
        raise UsageError(f"no such mode: {mode}", hint=f"--compare {'|'.join(MODES)}")
    encoder = None if mode == "bm25" else lambda: wiring.open_encoder(config)
    searcher = Searcher(connection, encoder, log=False)

    def ask(judged: Judged, depth: int) -> Answer:
        case = judged.case
        result = searcher.search(case.query, k=depth, services=services, context=case.context)
        return Answer(tuple(hit.tool_id for hit in result.hits), result.nothing_fits)

    return ask


def _row(suite: Suite, report: ModeReport) -> dict[str, Any]:
    return {
        "suite": suite.name,
        "mode": report.mode,
        "n": report.n,
        **{name: asdict(value) for name, value in report.values.items()},
        "groups": {
            group: {"n": report.group_sizes[group], **{k: asdict(v) for k, v in values.items()}}
            for group, values in report.groups.items()
        },
        "declined": report.declined,
        "unanswerable": report.unanswerable,
        "rightly_declined": report.rightly_declined,
        "misses": [asdict(miss) for miss in report.misses],
    }


def _show(rows: list[dict[str, Any]], form: Format, worst: int) -> None:
    if form is not Format.text:
        kept = [{**row, "misses": row["misses"][:worst]} for row in rows]
        output.records("suites", kept, form, ())
        return
    lines = [line for row in rows for line in _lines(row)]
    output.table(("suite", "mode", "n", *SHOWN), lines)
    for row in rows:
        _show_declined(row)
        for miss in row["misses"][:worst]:
            came = ", ".join(miss["found"]) or "nothing"
            right = ", ".join(miss["right"])
            console.out(printable(f"miss\t{row['mode']}\t{miss['query']}\t{right}\t{came}"))


def _lines(row: dict[str, Any]) -> list[tuple[str, ...]]:
    parts = [(row["suite"], row["mode"], row), *_groups(row)]
    return [
        (name, mode, str(values["n"]), *(f"{values[shown]['mean']:.3f}" for shown in SHOWN))
        for name, mode, values in parts
    ]


def _groups(row: dict[str, Any]) -> list[tuple[str, str, Any]]:
    return [(f"  {group}", row["mode"], values) for group, values in row["groups"].items()]


def _show_declined(row: dict[str, Any]) -> None:
    if row["unanswerable"]:
        console.log(
            f"{row['suite']}, {row['mode']}: said “nothing fits” to {row['rightly_declined']} of "
            f"{row['unanswerable']} cases that no tool answers, and wrongly to {row['declined']} "
            f"of {row['n']}"
        )
