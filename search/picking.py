"""Orders that others give: a model that picks among the best, or one list by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from psycopg import Connection

from search.differences import Known, look_up
from search.pool import Pool
from search.ranking import Answer, Ranked
from store.retrieval import candidates, tools_with_ids

PICKED_FROM = 8
"""Hits that a model is shown."""


@dataclass(frozen=True, slots=True)
class Option:
    """A hit as a model is shown it."""

    tool_id: str
    description: str
    takes: tuple[str, ...]


class PickFailed(Exception):
    """The model gave no answer that can be used; the message says why."""


Picker = Callable[[str, Sequence[Option]], int | None]
"""The place of the option that does what is asked, None when none does; or PickFailed."""


def picked(
    conn: Connection, picker: Picker, query: str, answer: Answer
) -> tuple[Answer, tuple[str, ...]]:
    """The picked hit first, or nothing that fits; as it was, with a note, when the picker fails."""
    try:
        place = picker(query, options(conn, answer.hits[:PICKED_FROM]))
    except PickFailed as failure:
        return answer, (f"{failure}; ranked without the model",)
    if place is None:
        return replace(answer, fits=False), ("the model finds that none of the nearest fits",)
    first = answer.hits[place]
    first = replace(first, why={**first.why, "picked": True})
    others = answer.hits[:place] + answer.hits[place + 1 :]
    return replace(answer, hits=[first, *others], fits=True), ()


def options(conn: Connection, hits: Sequence[Ranked]) -> list[Option]:
    return [_option(one) for one in look_up(conn, [hit.candidate for hit in hits])]


def options_of(conn: Connection, tool_ids: Sequence[str]) -> list[Option]:
    keys = tools_with_ids(conn, tool_ids)
    known = look_up(conn, candidates(conn, list(keys.values()), None))
    found = {f"{one.tool.service}/{one.tool.name}": one for one in known}
    return [_option(found[tool_id]) for tool_id in tool_ids if tool_id in found]


def _option(one: Known) -> Option:
    told = one.tool.enriched_description or one.tool.description or one.tool.summary
    return Option(f"{one.tool.service}/{one.tool.name}", told, one.takes)


def by_vector(pool: Pool, k: int) -> Answer:
    """Plain vector search: the whole request against each tool's one vector, nothing else."""
    if pool.cosine is None or not pool.candidates:
        return Answer([], 0.0, False)
    scores = pool.cosine[0].tolist()
    ids = [f"{tool.service}/{tool.name}" for tool in pool.candidates]
    order = sorted(range(len(ids)), key=lambda i: (-scores[i], ids[i]))[:k]
    return Answer([Ranked(pool.candidates[i], scores[i], {}) for i in order], 1.0, True)
