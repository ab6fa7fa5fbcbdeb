"""The sections of the page, each a table or a list of cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cli.report.markup import (
    Cell,
    Column,
    moment,
    number,
    section,
    share,
    table,
    text,
    tool_id,
    words,
)

if TYPE_CHECKING:
    from pipeline.statistics import Suggestion
    from store.live_texts import LiveText
    from store.statistics import AgainQuery, Counts, EmptyQuery

_COUNTS = (
    Column("returned", "searches that had it among their hits"),
    Column("mean rank", "of those; 1 is best"),
    Column("at rank 1", "share of those that had it as hit 1"),
    Column("chosen", "of those, used"),
    Column("passed over", "of those, another tool was used"),
    Column("above", "of those passed over, it was ranked above the one used"),
    Column("no choice", "of those, nobody said what was used"),
    Column("missed", "used though it was not among the hits"),
    Column("asked again", "of those, asked again in other words before anything was used"),
    Column("near", "it came nearest to what nothing fitted"),
)


def _counts(row: Counts) -> list[Cell]:
    return [
        number(row.returned),
        number(row.mean_rank, 1),
        share(row.first, row.returned),
        number(row.chosen),
        number(row.passed_over),
        number(row.above),
        number(row.ignored - row.passed_over),
        number(row.missed),
        number(row.asked_again),
        number(row.near_empty),
    ]


def services(rows: Sequence[Counts]) -> str:
    columns = (
        Column("service", number=False),
        Column("tools"),
        Column("found", "tools that were a hit at least once"),
        Column("enriched", "share of its tools with live text"),
        *_COUNTS,
    )
    ordered = sorted(rows, key=lambda row: (-row.returned, row.service or ""))
    body = (
        [
            words(row.service or "", "id"),
            number(row.tools),
            number(row.found),
            share(row.enriched, row.tools),
            *_counts(row),
        ]
        for row in ordered
    )
    about = "How often the tools of each service are among the hits, and what becomes of them."
    return section("services", "Services", about, table("services", columns, body, "Services"))


def tools(rows: Sequence[Counts], most: int) -> str:
    columns = (Column("tool", number=False), Column("text", number=False), *_COUNTS)
    ordered = sorted(rows, key=lambda row: (-row.returned, -row.missed, row.tool or ""))
    body = ([tool_id(row.tool or ""), words(_state(row)), *_counts(row)] for row in ordered[:most])
    about = "Each tool; those that were never a hit are at the end."
    if len(rows) > most:
        about += f" The first {most:,} of {len(rows):,}; gloss stats --json has them all."
    return section("tools", "Tools", about, table("tools", columns, body, "Tools"))


def _state(row: Counts) -> str:
    if row.waiting:
        return "proposal waits"
    if row.stale:
        return "stale"
    return "enriched" if row.enriched else "no text" if row.undescribed else "original"


def enrich_first(rows: Sequence[Suggestion]) -> str:
    columns = (
        Column("service", number=False),
        Column("tools", "without live text, or with stale text"),
        Column("gain", "searches that point at their texts, doubtful signs counted for less"),
        Column("cost", "USD at the prices of [llm] in gloss.toml"),
        Column("gain per USD", "at $2.50 and $10 per million tokens where no price is set"),
        Column("why", number=False),
    )
    body = (
        [
            words(row.service, "id"),
            number(row.tools),
            number(row.gain, 1),
            Cell("not known", -1.0) if row.cost_usd is None else number(row.cost_usd, 4),
            Cell("free", row.per_dollar) if row.per_dollar >= 1e6 else number(row.per_dollar),
            Cell(_reasons(row), None, "why"),
        ]
        for row in rows
    )
    about = "Services by what clearer text would bring for its price. Next: gloss enrich --plan."
    key = "enrich"
    return section(key, "What to enrich first", about, table(key, columns, body, "Suggestions"))


def _reasons(row: Suggestion) -> str:
    more = () if row.opted_in else (f"not opted in: gloss opt-in {row.service}",)
    return "<br>".join((text("; ".join(row.reasons)), *map(text, more)))


def empty(rows: Sequence[EmptyQuery]) -> str:
    columns = (
        Column("query", number=False),
        Column("times"),
        Column("nearest", "the tool that came nearest most often", number=False),
        Column("latest", number=False),
    )
    body = (
        [words(row.query, "q"), number(row.times), tool_id(row.nearest or ""), _when(row)]
        for row in rows
    )
    about = "What was asked and no tool fitted: something to build, or a text to make clearer."
    return section(
        "empty", "Nothing fitted", about, table("empty", columns, body, "Nothing fitted")
    )


def _when(row: EmptyQuery) -> Cell:
    return Cell(moment(row.latest), row.latest.timestamp(), "when")


def asked_again(rows: Sequence[AgainQuery]) -> str:
    columns = (
        Column("query", number=False),
        Column("times"),
        Column("then", "what it was followed by most often", number=False),
    )
    body = ([words(row.query, "q"), number(row.times), words(row.then, "q")] for row in rows)
    about = "Searches whose hits nobody used, followed within two minutes by another that shares "
    about += "a word with them."
    return section("again", "Asked again", about, table("again", columns, body, "Asked again"))


def enriched(rows: Sequence[LiveText]) -> str:
    """Original and live text side by side, with the ranks before and since."""
    columns = (
        Column("tool", number=False),
        Column("original", number=False),
        Column("live", number=False),
        Column("rank before", "mean rank among hits, before the text went live"),
        Column("rank since", "mean rank among hits since"),
        Column("better by", "rank before less rank since"),
        Column("since", number=False),
    )
    body = ([tool_id(row.tool), *_texts(row), *_ranks(row), _written(row)] for row in rows)
    about = "Each live text beside its original, and the mean rank of its tool before and since."
    whole = table("enriched", columns, body, "Before and after")
    return section("enriched", "Before and after", about, whole)


def _texts(row: LiveText) -> Iterator[Cell]:
    yield words(row.original or "(nothing)", "said")
    also = f"<br><small>also: {text('; '.join(row.aliases))}</small>" if row.aliases else ""
    told = f"<code>{text(row.name)}</code><br>{text(row.description)}{also}"
    yield Cell(told, None, "said")


def _ranks(row: LiveText) -> Iterator[Cell]:
    before, since = row.rank_before, row.rank_since
    yield _ranked(before, row.returned_before)
    yield _ranked(since, row.returned_since)
    yield number(None if before is None or since is None else before - since, 1)


def _ranked(rank: float | None, times: int) -> Cell:
    if rank is None:
        return Cell("no hit", float("inf"), "zero")
    return Cell(f"{rank:.1f} <small>in {times:,}</small>", rank)


def _written(row: LiveText) -> Cell:
    by = "drafted without a model" if row.provider == "shapes" else f"by {row.model}"
    gate = "" if row.gain is None else f"<br><small>gain measured: {row.gain:+.3f}</small>"
    told = f"{moment(row.since)[:10]}<br><small>{text(by)}</small>{gate}"
    return Cell(told, row.since.timestamp(), "when")
