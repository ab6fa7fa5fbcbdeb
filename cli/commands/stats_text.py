"""The statistics as tables for people and as records for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from catalog.text import printable
from cli import console, output, plots
from cli.output import Format

if TYPE_CHECKING:
    from pipeline.statistics import Report, Suggestion
    from store.statistics import Counts, Totals

WIDE = 100  # columns from which there is room for bars
COUNTS = ("hits", "rank", "at 1", "chosen", "passed", "above", "missed", "again", "near")
_TITLES = {"service": "services", "tool": "tools, by how often they are a hit"}


def show(report: Report, form: Format, top: int) -> None:
    if form is Format.json:
        output.record(as_json(report), form)
    elif form is Format.jsonl:
        for line in _records(report):
            console.out_json({"schema": output.SCHEMA, **line})
    else:
        _show_text(report, top)


def as_json(report: Report) -> dict[str, Any]:
    return {
        "since": _moment(report.window.since),
        "until": _moment(report.until),
        "only": list(report.window.services),
        "totals": totals(report.totals),
        "origins": [totals(origin) for origin in report.origins],
        "slices": [_plain(asdict(entry)) for entry in report.slices],
        "slice_s": report.width_s,
        "services": [counts(row) for row in report.services],
        "tools": [counts(row) for row in report.tools],
        "never_found": list(report.never_found),
        "empty": [_plain(asdict(row)) for row in report.empty],
        "asked_again": [asdict(row) for row in report.again],
        "enrich_first": [suggestion(row) for row in report.suggestions],
        "enriched": [_plain(asdict(row)) for row in report.live],
    }


def _records(report: Report) -> Iterator[dict[str, Any]]:
    value = as_json(report)
    yield {"kind": "totals", **value["totals"]}
    for key in ("services", "tools", "empty", "asked_again", "enrich_first", "enriched"):
        for row in value[key]:
            yield {"kind": key, **row}


def totals(row: Totals) -> dict[str, Any]:
    value = _plain(asdict(row) | {f"p{n}_ms": None for n in (50, 95, 99)})
    del value["times_ms"]
    times = zip(("p50_ms", "p95_ms", "p99_ms"), row.times_ms or (), strict=False)
    return (
        value
        | {name: round(time, 1) for name, time in times}
        | {
            "empty_share": _share(row.empty, row.searches),
            "asked_again_share": _share(row.asked_again, row.searches),
            "hit@1": _share(row.first, row.choices - row.none),
        }
    )


def counts(row: Counts) -> dict[str, Any]:
    value = asdict(row)
    del value["rank_sum"]
    mean = row.mean_rank
    return value | {
        "mean_rank": None if mean is None else round(mean, 2),
        "ignored": row.ignored,
        "first_share": _share(row.first, row.returned),
        "hit@1": _share(row.chosen_first, row.chosen + row.missed),
    }


def suggestion(row: Suggestion) -> dict[str, Any]:
    value = asdict(row) | {"reasons": list(row.reasons)}
    return value | {"gain": round(row.gain, 2), "per_dollar": round(row.per_dollar, 1)}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _moment(when: datetime | None) -> str | None:
    return when.isoformat(timespec="seconds") if when else None


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    """Moments as text, times in hundredths."""
    return {
        key: _moment(entry)
        if isinstance(entry, datetime)
        else (round(entry, 2) if isinstance(entry, float) else entry)
        for key, entry in value.items()
    }


def _show_text(report: Report, top: int) -> None:
    for line in _headlines(report):
        console.out(line)
    busiest = sorted(report.tools, key=lambda row: (-row.returned, row.tool or ""))
    found = [row for row in busiest if row.returned]
    ranked = sorted(report.services, key=lambda row: (-row.returned, row.service or ""))
    _table("service", ("service", "tools", "found", *COUNTS), map(_service, ranked[:top]))
    _table("tool", ("tool", *COUNTS), map(_tool, found[:top]))
    _table(
        "nothing fits",
        ("query", "times", "nearest"),
        ((row.query, str(row.times), row.nearest or "") for row in report.empty[:top]),
    )
    _table(
        "asked again",
        ("query", "times", "then"),
        ((row.query, str(row.times), row.then) for row in report.again[:top]),
    )
    _show_suggestions(report.suggestions[:top])
    _show_never_found(report, top)


def _headlines(report: Report) -> Iterator[str]:
    every = report.totals
    yield _line("searches", f"{every.searches}", plot(report))
    if not every.searches:
        return
    yield _line("nothing fits", f"{every.empty}", _percent(every.empty, every.searches))
    yield _line("asked again", f"{every.asked_again}", _percent(every.asked_again, every.searches))
    used = every.choices - every.none
    first = f"hit 1: {_percent(every.first, used)}; missed: {_percent(every.missed, used)}"
    yield _line("choices known", f"{every.choices}", first if used else "")
    times = f"p95 {every.p95_ms:.0f} ms, p99 {every.p99_ms:.0f} ms"
    yield _line("p50", f"{every.p50_ms:.0f} ms", times)


def plot(report: Report) -> str:
    """Searches over time, for eyes only."""
    return plots.sparkline(report.series) if console.on_terminal() else ""


def _line(label: str, value: str, more: str) -> str:
    if not console.on_terminal():
        return "\t".join(("all", label, value, more)).rstrip("\t")
    return f"{label:<14} {value:>9}  {more}".rstrip()


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else ""


def _show_suggestions(rows: Sequence[Suggestion]) -> None:
    """On a terminal the reasons stand below the table, whole."""
    columns = ("service", "tools", "gain", "usd", "per usd", "why")
    if not console.on_terminal():
        _table("enrich first", columns, ((*_enrich(row), _why(row)) for row in rows))
        return
    _table("enrich first", columns[:-1], map(_enrich, rows))
    for row in rows:
        text = printable(f"{row.service}: {_why(row)}")
        for line in textwrap.wrap(text, output.page_width(100), subsequent_indent="    "):
            console.out(console.dim(line))
    if any(row.cost_usd is None for row in rows):
        console.log("no price is known: set price_in and price_out under [llm]")


def _table(section: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Under its name on a terminal; elsewhere each row begins with it, so that grep can tell."""
    kept = [[output.cell(entry) for entry in row] for row in rows]
    if not kept:
        return
    if console.on_terminal():
        console.out("\n" + console.bold(_TITLES.get(section, section)))
        output.table(columns, kept)
    else:
        output.table(("section", *columns), [[section, *row] for row in kept])


def _service(row: Counts) -> tuple[str, ...]:
    return (row.service or "", str(row.tools), str(row.found), *_counted(row))


def _tool(row: Counts) -> tuple[str, ...]:
    return (row.tool or "", *_counted(row))


def _counted(row: Counts) -> tuple[str, ...]:
    mean, first = row.mean_rank, row.first / row.returned if row.returned else 0.0
    share = f"{100 * first:.0f}%" if row.returned else ""
    if row.returned and console.on_terminal() and output.page_width(WIDE) == WIDE:
        share = f"{plots.bar(first, 5)} {share:>4}"
    return (
        str(row.returned),
        "" if mean is None else f"{mean:.1f}",
        share,
        *map(
            str,
            (row.chosen, row.passed_over, row.above, row.missed, row.asked_again, row.near_empty),
        ),
    )


def _enrich(row: Suggestion) -> tuple[str, ...]:
    usd = "?" if row.cost_usd is None else f"{row.cost_usd:.4f}"
    per_dollar = f"{row.per_dollar:.0f}" if row.per_dollar < 1e6 else "free"
    return (row.service, str(row.tools), f"{row.gain:.1f}", usd, per_dollar)


def _why(row: Suggestion) -> str:
    return "; ".join(row.reasons) + ("" if row.opted_in else "; not opted in")


def _show_never_found(report: Report, top: int) -> None:
    never = report.never_found
    if not console.on_terminal():
        for tool in never:
            console.out(printable(f"never found\t{tool}"))
        return
    if never:
        named = ", ".join(never[:top]) + (", …" if len(never) > top else "")
        console.out("\n" + console.bold(f"never found: {len(never)} of {len(report.tools)} tools"))
        for line in textwrap.wrap(printable(named), output.page_width(100)):
            console.out(line)
