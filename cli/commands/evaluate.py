"""`gloss eval`: how often the right tool is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import Exit, UsageError
from catalog.text import printable
from cli import completing, console, output, settings, wiring
from cli import eval_modes as modes_of
from cli.commands import agent_text
from cli.eval_modes import MODES
from cli.output import Format, FormatOption, JsonOption
from cli.progress import progress

if TYPE_CHECKING:
    from psycopg import Connection

    from evaluation.run import Ask, ModeReport
    from evaluation.suites import Judged, Suite

DEFAULT_MODE = "rerank"
SHOWN = ("hit@1", "hit@3", "recall@5", "recall@10", "mrr", "ndcg@10")

HELP = """Measure how often the right tool is found.

A suite is a file of JSON lines: {"query": "…", "relevant": ["service/tool"]}, an empty list where
nothing fits; or a folder in the layout of BEIR. Right tools may be ids or wire names. Exits 1
below --min-hit1, --min-recall5 or --min-ndcg10.

Modes: bm25 and vector are one list alone; hybrid is the packaged ranking of both; rerank, the
default, is what gloss search answers with. original ranks by the specs' own texts, enriched by the
live ones where there are any, mixed by both as the settings weigh them.

--agent lets the model of [llm] pick among the hits, or say that none fits, and counts how often it
picks right; it costs one request a case.

\b
  gloss eval intents.jsonl
  gloss eval intents.jsonl --compare bm25 --compare hybrid --json
  gloss eval intents.jsonl --min-hit1 0.8 --worst 20
  gloss eval intents.jsonl --agent --max-cost 0.20
"""


def register(app: typer.Typer) -> None:
    app.command("eval", help=HELP)(evaluate)


def evaluate(
    suites: Annotated[list[Path], typer.Argument(hidden=True, metavar="SUITE")],
    compare: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODE", help=f"{', '.join(MODES)}; again for more. [default: {DEFAULT_MODE}]"
        ),
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
    min_recall5: Annotated[
        float | None, typer.Option(metavar="X", help="The same for recall@5.")
    ] = None,
    min_ndcg10: Annotated[
        float | None, typer.Option(metavar="X", help="The same for ndcg@10.")
    ] = None,
    agent: Annotated[
        bool, typer.Option("--agent", help="Let the model pick among the hits of the last mode.")
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option(min=0, metavar="USD", help="Most that --agent may spend.")
    ] = None,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    from evaluation.suites import Names, read_suite
    from store.catalog import list_tools

    modes = compare or [DEFAULT_MODE]
    bars = {"hit@1": min_hit1, "recall@5": min_recall5, "ndcg@10": min_ndcg10}
    read = [read_suite(path) for path in suites]
    config = settings.load()
    with wiring.open_catalog(config) as connection:
        names = Names(list_tools(connection))
        among = tuple(services or ())
        if agent:
            return _agent(
                connection, config, names, read, modes[-1], among, max_cost, worst,
                output.chosen(form, as_json),
            )  # fmt: skip
        judged = [(suite, _judged(suite, names)) for suite in read]
        rows = []
        for mode in modes:
            with modes_of.asking(connection, config, mode, among) as ask:
                rows += [_suite(suite, cases, mode, ask) for suite, cases in judged]
    order = {suite.name: place for place, suite in enumerate(read)}
    rows.sort(key=lambda row: order[row["suite"]])
    _show(rows, output.chosen(form, as_json), worst)
    low = [row for row in rows if row["mode"] == modes[-1] and _below(row, bars)]
    return Exit.FAILED if low else Exit.OK


def _below(row: dict[str, Any], bars: Mapping[str, float | None]) -> bool:
    return any(bar is not None and not row[name]["mean"] >= bar for name, bar in bars.items())


def _suite(suite: Suite, cases: Sequence[Judged], mode: str, ask: Ask) -> dict[str, Any]:
    from evaluation.run import evaluate as run

    return _row(suite, progress(f"{suite.name}, {mode}", run(mode, cases, ask)))


def _judged(suite: Suite, names: Any) -> list[Judged]:
    cases: list[Judged] = [names.judge(case) for case in suite.cases]
    missing = sorted({name for judged in cases for name in judged.missing})
    if missing:
        console.warning(
            f"{suite.name}: {len(missing)} right tools are not in the catalog, such as {missing[0]}"
        )
    return cases


def _agent(
    connection: Connection,
    config: settings.Settings,
    names: Any,
    suites: Sequence[Suite],
    mode: str,
    services: tuple[str, ...],
    max_cost: float | None,
    worst: int,
    form: Format,
) -> int:
    from evaluation.agent import select

    endpoint = wiring.open_endpoint(config)
    if endpoint is None:
        raise UsageError("--agent needs a model", hint="set [llm] base_url and model")
    cap = config.llm.max_cost if max_cost is None else max_cost
    rows: list[dict[str, Any]] = []
    with modes_of.searching(connection, config, mode) as searcher:
        offer = modes_of.Offer(connection, searcher, services)
        for suite in suites:
            left = None if cap is None else max(0.0, cap - _spent(rows))
            work = select(endpoint, _judged(suite, names), offer, left)
            report = asdict(progress(f"{suite.name}, agent", work))
            rows.append({"suite": suite.name, "mode": mode, **report})
    agent_text.show(rows, form, worst)
    return Exit.BUDGET if any(row["stopped"] for row in rows) else Exit.OK


def _spent(rows: Sequence[dict[str, Any]]) -> float:
    return sum(row["cost_usd"] or 0.0 for row in rows)


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
