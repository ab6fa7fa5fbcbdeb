"""Plots as inline SVG; its texts stand outside, so that they keep their size on small screens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from cli.report.markup import moment, text

if TYPE_CHECKING:
    from pipeline.statistics import Report

_HEIGHT = 100


def searches(report: Report) -> str:
    """A bar for each stretch of time, its lower part the searches that nothing fitted."""
    series = report.series
    most = max(series, default=0)
    if not most:
        return '<p class="none">No searches in this time.</p>'
    bars = "".join(_bars(report, most))
    summary = f"Searches over time, at most {most:,} in {_length(report.width_s)}"
    return (
        f'<figure><svg class="plot" viewBox="0 0 {len(series) * 10} {_HEIGHT}" '
        f'preserveAspectRatio="none" role="img" aria-label="{text(summary)}">{bars}</svg>'
        f'<figcaption><span>{moment(report.start)}</span><span class="key">{text(summary)}; '
        '<span class="swatch fits"></span> with hits, <span class="swatch empty"></span> nothing '
        f"fitted</span><span>{moment(report.until)}</span></figcaption></figure>"
    )


def _bars(report: Report, most: int) -> Iterator[str]:
    by_start = {entry.start: entry for entry in report.slices}
    for at, count in enumerate(report.series):
        if not count:
            continue
        start = report.start + timedelta(seconds=at * report.width_s)
        entry = by_start[start]
        tall, low = (value / most * _HEIGHT for value in (count, entry.empty))
        told = f"{moment(start)}: {count:,} searches, {entry.empty:,} without a hit, "
        yield (
            f"<g><title>{told}p95 {entry.p95_ms:.0f} ms</title>"
            f'<rect class="fits" x="{at * 10 + 1}" y="{_HEIGHT - tall:.2f}" width="8" '
            f'height="{tall - low:.2f}"/><rect class="empty" x="{at * 10 + 1}" '
            f'y="{_HEIGHT - low:.2f}" width="8" height="{low:.2f}"/></g>'
        )


def _length(seconds: float) -> str:
    for size, word in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count} {word}s" if count > 1 else f"a {word}".replace("a hour", "an hour")
    return f"{seconds:.0f} seconds"
