"""What the log of searches says about the catalog, and what to enrich first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from psycopg import Connection

from catalog.abbreviations import CLEAR, is_ambiguous
from catalog.words import split_identifier
from enrichment.endpoint import EndpointSettings
from enrichment.planning import OUTPUT_TOKENS, estimate, plan
from store import statistics as stored
from store.catalog import find_service, list_services
from store.live_texts import LiveText, live_texts
from store.statistics import AgainQuery, Counts, EmptyQuery, Slice, Totals, Window

PRICE_IN, PRICE_OUT = 2.50, 10.0
"""USD per million tokens where nobody says: for the order of services, for no bill."""

PLANNED_TOOLS = 500
"""So many tools, in the most promising services, are planned to the token; the rest by average."""

_INPUT_TOKENS = 200  # a tool in a shared request, where it is not planned
_SLICES = 32
_WIDTHS_S = (60, 300, 900, 3600, 6 * 3600, 86_400, 7 * 86_400, 28 * 86_400)
_MONDAY = datetime(2001, 1, 1, tzinfo=UTC)
_EMPTY_WORDS = frozenset(
    "get set do run exec execute call invoke process handle fetch list find add new create update "
    "delete post put info data details object item value result request response operation service "
    "method function api default main v1 v2".split()
)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A service worth enriching. `gain` is how many searches of the window point at its texts,
    `per_dollar` that over the price of writing them; `cost_usd` is None where no price is known,
    and then `per_dollar` is by `PRICE_IN` and `PRICE_OUT`."""

    service: str
    tools: int
    gain: float
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    per_dollar: float
    reasons: tuple[str, ...]
    opted_in: bool


@dataclass(frozen=True, slots=True)
class Report:
    """`totals` are those of all origins; `slices` begin at `start`, each `width_s` long."""

    window: Window
    until: datetime
    start: datetime
    width_s: float
    totals: Totals
    origins: tuple[Totals, ...]
    slices: tuple[Slice, ...]
    services: tuple[Counts, ...]
    tools: tuple[Counts, ...]
    empty: tuple[EmptyQuery, ...]
    again: tuple[AgainQuery, ...]
    suggestions: tuple[Suggestion, ...]
    live: tuple[LiveText, ...] = ()

    @property
    def never_found(self) -> tuple[str, ...]:
        return tuple(tool.tool or "" for tool in self.tools if not tool.returned)

    @property
    def series(self) -> tuple[int, ...]:
        """Searches in each slice from `start` on, those without any included."""
        by_start = {entry.start: entry.searches for entry in self.slices}
        count = int((self.until - self.start).total_seconds() // self.width_s) + 1
        steps = (self.start + timedelta(seconds=n * self.width_s) for n in range(count))
        return tuple(by_start.get(step, 0) for step in steps)


def report(
    conn: Connection,
    since: datetime | None = None,
    services: Sequence[str] = (),
    *,
    endpoint: EndpointSettings | None = None,
    model: str = "",
    top: int = 10,
    live: int = 0,
) -> Report:
    """Everything counted since then; `endpoint` and `model` are those that would write. `live`:
    how many texts to compare with their originals."""
    names = tuple(find_service(conn, name).name for name in services)
    window, until = Window(since, names), datetime.now(UTC)
    every, *origins = stored.totals(conn, window)
    start, width_s = _slicing(since or every.oldest or until, until)
    rows = stored.counts(conn, window)
    tools = tuple(row for row in rows if row.tool)
    return Report(
        window=window,
        until=until,
        start=start,
        width_s=width_s,
        totals=every,
        origins=tuple(origins),
        slices=tuple(stored.slices(conn, window, start, width_s)),
        services=tuple(row for row in rows if row.tool is None),
        tools=tools,
        empty=tuple(stored.empty_queries(conn, window, top)),
        again=tuple(stored.again_queries(conn, window, top)),
        suggestions=tuple(_suggestions(conn, tools, endpoint, model)),
        live=tuple(live_texts(conn, window, live)) if live else (),
    )


def _slicing(since: datetime, until: datetime) -> tuple[datetime, float]:
    """The shortest of the usual stretches of time that leaves few enough to look at, and where the
    first begins: whole hours and days, of UTC."""
    span_s = (until - since).total_seconds()
    width_s = next((width for width in _WIDTHS_S if span_s / width < _SLICES), _WIDTHS_S[-1])
    return since - timedelta(seconds=(since - _MONDAY).total_seconds() % width_s), width_s


def says_nothing(name: str) -> bool:
    """Whether a tool's name has no word that tells it from others: getProcInfo3, updAcctSt."""
    return not any(_tells(word) for word in split_identifier(name))


def _tells(word: str) -> bool:
    plain = len(word) > 2 and word.isalpha() and any(letter in "aeiouy" for letter in word)
    known = not word.isascii() or plain
    return known and word not in _EMPTY_WORDS and word not in CLEAR and not is_ambiguous(word)


def gain_of(tool: Counts) -> float:
    """How many searches point at the tool's text, doubtful signs counted for less; a little for a
    text that cannot but be missed, so that services nobody searched yet have an order too."""
    if tool.enriched and not tool.stale:
        return 0.0
    seen = (
        tool.missed
        + 0.5 * (tool.chosen - tool.chosen_first)
        + 0.25 * (tool.above + tool.near_empty + tool.asked_again)
    )
    poor = 0.04 * says_nothing(_name(tool)) + 0.02 * tool.undescribed + 0.01 * (not tool.returned)
    return seen + poor


def _name(tool: Counts) -> str:
    return (tool.tool or "").partition("/")[2]


def _suggestions(
    conn: Connection, tools: Sequence[Counts], endpoint: EndpointSettings | None, model: str
) -> list[Suggestion]:
    rough = [_rough(service, mine, endpoint) for service, mine in _by_service(tools)]
    ranked = sorted((s for s in rough if s.tools), key=_order)
    return sorted(_planned(conn, ranked, endpoint, model), key=_order)


def _order(suggestion: Suggestion) -> tuple[float, float, str]:
    return -suggestion.per_dollar, -suggestion.gain, suggestion.service


def _by_service(tools: Iterable[Counts]) -> Iterator[tuple[str, list[Counts]]]:
    found: dict[str, list[Counts]] = {}
    for tool in tools:
        found.setdefault(tool.service or "", []).append(tool)
    yield from found.items()


def _rough(service: str, tools: list[Counts], endpoint: EndpointSettings | None) -> Suggestion:
    """By the average tool; opted in is not known yet."""
    plain = [tool for tool in tools if not tool.waiting and (not tool.enriched or tool.stale)]
    found = Suggestion(
        service,
        len(plain),
        sum(map(gain_of, plain)),
        len(plain) * _INPUT_TOKENS,
        len(plain) * OUTPUT_TOKENS,
        None,
        0.0,
        tuple(_reasons(tools, plain)),
        False,
    )
    return _priced(found, endpoint)


def _planned(
    conn: Connection, ranked: list[Suggestion], endpoint: EndpointSettings | None, model: str
) -> Iterator[Suggestion]:
    """With the tokens that enriching would take, for the first of them."""
    room, services = PLANNED_TOOLS, {row.name: row for row in list_services(conn)}
    for suggestion in ranked:
        service = services[suggestion.service]
        known = replace(suggestion, opted_in=service.opted_in)
        if service.operations > room:
            yield known
            continue
        room -= service.operations
        cost = estimate(plan(conn, [service], model), endpoint or _NO_PRICE)
        if not cost.tools:
            continue  # written about already: rejected, say
        told = replace(
            known,
            tools=cost.tools,
            input_tokens=cost.input_tokens,
            output_tokens=cost.output_tokens,
        )
        yield _priced(told, endpoint)


_NO_PRICE = EndpointSettings(base_url="", model="")


def _priced(suggestion: Suggestion, endpoint: EndpointSettings | None) -> Suggestion:
    given, written = suggestion.input_tokens, suggestion.output_tokens
    prices = (endpoint.price_in, endpoint.price_out) if endpoint else (None, None)
    known = prices[0] is not None and prices[1] is not None
    price_in, price_out = (prices[0] or 0, prices[1] or 0) if known else (PRICE_IN, PRICE_OUT)
    usd = (given * price_in + written * price_out) / 1e6
    per_dollar = suggestion.gain / usd if usd else suggestion.gain * 1e6  # an endpoint that is free
    return replace(suggestion, cost_usd=usd if known else None, per_dollar=per_dollar)


def _reasons(tools: Sequence[Counts], plain: Sequence[Counts]) -> Iterator[str]:
    """What speaks for enriching, in words, the strongest first."""
    said = (
        (sum(t.missed for t in plain), "used though not among the hits: {}"),
        (sum(t.chosen - t.chosen_first for t in plain), "used but not ranked first: {}"),
        (sum(t.above for t in plain), "ranked above the tool that was used: {}"),
        (sum(t.near_empty for t in plain), "nearest where nothing fitted: {}"),
        (sum(t.asked_again for t in plain), "asked again in other words: {}"),
    )
    yield from (words.format(count) for count, words in said if count)
    of = f"of {len(tools)}"
    shares = (
        (sum(not t.enriched for t in plain), f"{of} have no clearer text"),
        (sum(says_nothing(_name(t)) for t in plain), f"{of} names say nothing"),
        (sum(t.undescribed for t in plain), f"{of} have no description"),
        (sum(not t.returned for t in plain), f"{of} never found"),
        (sum(t.stale for t in plain), f"{of} changed since their text was written"),
    )
    yield from (f"{count} {words}" for count, words in shares if count)
    if waiting := sum(t.waiting for t in tools):
        yield f"{waiting} proposals wait: gloss diff"
