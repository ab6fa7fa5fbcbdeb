"""The statistics as metrics: of all searches in the window, and for each service. Tools are left
out, whose number would be too great for a monitoring system."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.metrics import Metric
from pipeline.statistics import Report
from store.statistics import Counts


def metrics(report: Report) -> Iterator[Metric]:
    """Names begin with gloss_stats_, so that they meet none of those of gloss sync."""
    every = report.totals
    totals = {
        "searches": (every.searches, "Searches in the window."),
        "empty": (every.empty, "Of these, nothing fitted."),
        "asked_again": (every.asked_again, "Of these, asked again in other words."),
        "choices": (every.choices, "Of these, it is known what was used."),
        "choices_first": (every.first, "Of these choices, hit 1 was used."),
        "choices_missed": (every.missed, "Of these choices, the tool was not among the hits."),
        "tools_never_found": (len(report.never_found), "Tools that were no hit in the window."),
    }
    since = report.window.since or every.oldest or report.until
    window_s = (report.until - since).total_seconds()
    yield _gauge("window_seconds", "How far back the window reaches.", window_s)
    for name, (value, words) in totals.items():
        yield _gauge(name, words, value)
    if every.times_ms:
        pairs = zip(("0.5", "0.95", "0.99"), every.times_ms, strict=True)
        samples = tuple(({"quantile": quantile}, ms / 1000) for quantile, ms in pairs)
        yield Metric("gloss_stats_search_seconds", "How long a search took.", samples)
    yield from _of_services(report.services)


def _gauge(name: str, words: str, value: float) -> Metric:
    return Metric(f"gloss_stats_{name}", words, (({}, value),))


def _of_services(rows: tuple[Counts, ...]) -> Iterator[Metric]:
    told = {
        "returned": "Hits of its tools.",
        "chosen": "Hits of its tools that were used.",
        "passed_over": "Hits of its tools where another tool was used.",
        "missed": "Its tools used though they were not among the hits.",
        "found": "Its tools that were a hit at least once.",
        "tools": "Its tools.",
    }
    for name, words in told.items():
        samples = tuple(({"service": row.service or ""}, getattr(row, name)) for row in rows)
        if samples:
            yield Metric(f"gloss_stats_service_{name}", words, samples)
