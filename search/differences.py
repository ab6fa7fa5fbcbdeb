"""Hits that are easily mistaken for each other: in one line, how each differs from the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import Connection

from catalog.words import split_identifier
from store.catalog import definitions_of, find_service
from store.index import index_state
from store.retrieval import Candidate, Key, Traits, candidates, traits
from store.vector_search import has_approximate_index, nearest

ALIKE = 0.9
"""Cosine of two tools' texts from which on they are look-alikes."""
_SAME_WORDS = 0.6
_MOST = 3
_NEIGHBOURS = 20
_REF = "#/$defs/"


@dataclass(frozen=True, slots=True)
class Known:
    """What tells a tool from another: the names of what it takes and what it returns."""

    tool: Candidate
    takes: tuple[str, ...]
    returns: tuple[str, ...]
    limits: str


def differences(conn: Connection, tools: Sequence[Candidate]) -> dict[int, str]:
    """By place among `tools`: how it differs from its best-placed look-alike, if it has one."""
    pairs = {i: j for i in range(len(tools)) if (j := _look_alike(tools, i)) is not None}
    if not pairs:
        return {}
    places = sorted(pairs.keys() | set(pairs.values()))
    known = dict(zip(places, look_up(conn, [tools[i] for i in places]), strict=True))
    return {i: _line(known[i], known[j]) for i, j in pairs.items()}


def from_look_alikes(conn: Connection, key: Key, services: Sequence[str] = ()) -> list[str]:
    """How a tool differs from each of its nearest look-alikes in these services (none: in all)."""
    within = [find_service(conn, name).service_id for name in services] or None
    around = _neighbourhood(conn, key, within)
    alike = [tool for tool in around[1:] if _are_alike(around[0], tool)][:_MOST]
    if not alike:
        return []
    mine, *theirs = look_up(conn, [around[0], *alike])
    return [_line(mine, other) for other in theirs]


def _neighbourhood(conn: Connection, key: Key, within: Sequence[int] | None) -> list[Candidate]:
    """An indexed tool, then those whose text is nearest to its own; empty for one not indexed."""
    import numpy as np

    state = index_state(conn)
    own = candidates(conn, [key], state.model) if state else []
    if state is None or not own or own[0].vector is None:
        return own
    approximate = has_approximate_index(conn, state.model, state.width)
    vector = np.array(own[0].vector, dtype=np.float32)
    found = nearest(conn, state.model, [vector], within, _NEIGHBOURS, approximate=approximate)
    keys = [near for f in found if (near := (f.service_id, f.operation_id)) != key]
    tools = {(t.service_id, t.operation_id): t for t in candidates(conn, keys, state.model)}
    return [*own, *(tools[near] for near in keys if near in tools)]


def look_up(conn: Connection, tools: Sequence[Candidate]) -> list[Known]:
    found = {
        (one.service_id, one.operation_id): one
        for one in traits(conn, [(tool.service_id, tool.operation_id) for tool in tools])
    }
    types = _types(conn, found)
    return [_known(tool, found, types) for tool in tools]


def _known(
    tool: Candidate, found: Mapping[Key, Traits], types: Mapping[tuple[int, str], Any]
) -> Known:
    one = found.get((tool.service_id, tool.operation_id))
    if one is None:
        return Known(tool, (), (), "")
    returns = dict.fromkeys(_fields(one.output_schema, one.service_id, types))
    return Known(tool, tuple(one.takes), tuple(returns), one.limits)


def _types(conn: Connection, found: Mapping[Key, Traits]) -> dict[tuple[int, str], Any]:
    """The types that responses name, one level further than the response itself."""
    types: dict[tuple[int, str], Any] = {}
    for service_id in {one.service_id for one in found.values()}:
        level = {
            name
            for one in found.values()
            if one.service_id == service_id
            for name in _references(one.output_schema)
        }
        for _ in range(2):
            fresh = definitions_of(conn, service_id, level) if level else {}
            types |= {(service_id, name): schema for name, schema in fresh.items()}
            level = {n for schema in fresh.values() for n in _references(schema)}
            level -= {name for of, name in types if of == service_id}
    return types


def _branches(schema: Any) -> Iterator[Any]:
    """A schema with its alternatives and, of a list, its items."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key in ("allOf", "anyOf", "oneOf"):
        for branch in schema.get(key) or ():
            yield from _branches(branch)
    yield from _branches(schema.get("items"))


def _references(schema: Any) -> Iterator[str]:
    for branch in _branches(schema):
        ref = branch.get("$ref")
        if isinstance(ref, str) and ref.startswith(_REF):
            yield ref[len(_REF) :]


def _fields(
    schema: Any, service_id: int, types: Mapping[tuple[int, str], Any], depth: int = 0
) -> Iterator[str]:
    for branch in _branches(schema):
        yield from branch.get("properties") or ()
    if depth < 2:
        for name in _references(schema):
            yield from _fields(types.get((service_id, name)), service_id, types, depth + 1)


def _look_alike(tools: Sequence[Candidate], i: int) -> int | None:
    others = [j for j in range(len(tools)) if j != i and _are_alike(tools[i], tools[j])]
    return others[0] if others else None


def _are_alike(one: Candidate, other: Candidate) -> bool:
    if one.vector and other.vector:
        import numpy as np

        a, b = np.array(one.vector), np.array(other.vector)
        length = float(np.linalg.norm(a) * np.linalg.norm(b))
        if length and float(a @ b) / length >= ALIKE:
            return True
    said = one.description or one.summary
    if said and said == (other.description or other.summary):
        return True
    mine, theirs = (set(split_identifier(tool.name)) for tool in (one, other))
    shared = len(mine & theirs) / max(len(mine | theirs), 1)
    return one.service == other.service and shared >= _SAME_WORDS


def _line(one: Known, other: Known) -> str:
    told = [
        *_own("takes", one.takes, other.takes),
        *_own("returns", one.returns, other.returns),
        *_called(one.tool, other.tool),
    ]
    if one.limits and one.limits != other.limits:
        told.append(f"not for {one.limits.removeprefix('not for ').rstrip('.')}")
    name = other.tool.name if one.tool.service == other.tool.service else _id(other.tool)
    if not told:
        return f"nothing in the spec tells it from {name}"
    return f"unlike {name}: {'; '.join(told)}"


def _own(verb: str, mine: Sequence[str], theirs: Sequence[str]) -> Iterator[str]:
    own = [name for name in mine if name not in set(theirs)]
    lacking = [name for name in theirs if name not in set(mine)]
    if own:
        yield f"{verb} {_named(own)}"
    elif lacking:
        yield f"{verb} no {_named(lacking)}"


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def _called(one: Candidate, other: Candidate) -> Iterator[str]:
    if one.protocol != "rest" or other.protocol != "rest":
        return
    if one.wire != other.wire:
        yield f"{one.method} {one.wire}"
    elif one.method != other.method:
        yield f"{one.method} instead of {other.method}"


def _id(tool: Candidate) -> str:
    return f"{tool.service}/{tool.name}"
