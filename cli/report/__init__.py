"""The statistics as one page: no network, no script from elsewhere, every text escaped."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from cli.report import plots, tables
from cli.report.markup import moment, percent, text

if TYPE_CHECKING:
    from pipeline.statistics import Report

_FOLDER = Path(__file__).parent
MAX_TOOLS = 5_000


def page(report: Report) -> str:
    """The whole page. The policy allows just the style and the script in it, and no address."""
    style, script = (_asset(name) for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return Template(_asset("page.html")).substitute(
        policy=text(policy),
        style=style,
        script=script,
        title=text(_title(report)),
        period=text(_period(report)),
        cards="\n".join(_cards(report)),
        plot=plots.searches(report),
        sections="\n".join(_sections(report)),
    )


def _asset(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    digest = sha256(content.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _title(report: Report) -> str:
    only = ", ".join(report.window.services)
    return f"gloss: searches of {only}" if only else "gloss: searches"


def _period(report: Report) -> str:
    since = report.window.since or report.totals.oldest
    return (
        f"{moment(since)} to {moment(report.until)}" if since else f"up to {moment(report.until)}"
    )


def _cards(report: Report) -> Iterator[str]:
    """The headline figures, each with what it is of."""
    every, used = report.totals, report.totals.choices - report.totals.none
    never = len(report.never_found)
    yield _card("searches", f"{every.searches:,}", ", ".join(_origins(report)))
    yield _card("nothing fitted", percent(every.empty, every.searches), f"{every.empty:,} searches")
    again = f"{every.asked_again:,} in other words"
    yield _card("asked again", percent(every.asked_again, every.searches), again)
    yield _card("first hit was used", percent(every.first, used), f"of {used:,} choices known")
    missed = f"{every.missed:,} of these choices"
    yield _card("used one was no hit", percent(every.missed, used), missed)
    yield _card("never found", f"{never:,}", f"of {len(report.tools):,} tools")
    if every.p50_ms is not None:
        more = f"p95 {every.p95_ms:.0f} ms, p99 {every.p99_ms:.0f} ms"
        yield _card("median time", f"{every.p50_ms:.0f} ms", more)


def _origins(report: Report) -> Iterator[str]:
    for origin in report.origins:
        yield f"{origin.origin} {origin.searches:,}"


def _card(label: str, value: str, more: str) -> str:
    return (
        f'<div class="card"><dt>{text(label)}</dt><dd>{text(value or "–")}'
        f"<small>{text(more)}</small></dd></div>"
    )


def _sections(report: Report) -> Iterator[str]:
    yield tables.enrich_first(report.suggestions)
    yield tables.services(report.services)
    yield tables.tools(report.tools, MAX_TOOLS)
    yield tables.empty(report.empty)
    yield tables.asked_again(report.again)
    yield tables.enriched(report.live)
