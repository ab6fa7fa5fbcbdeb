"""Content hashes: equal when a reader or a model would see the same thing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, is_dataclass, replace
from typing import Any

import orjson

from catalog.spec import Operation, Schema

_REF_PREFIX = "#/$defs/"


def canonical(value: Any) -> bytes:
    """JSON with sorted keys: equal values give equal bytes. Dataclasses become objects."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str)
    except TypeError:  # integers beyond 64 bits, or more than 254 levels
        return json.dumps(value, sort_keys=True, default=_plain).encode()


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


def digest(*parts: bytes) -> str:
    """SHA-256 in hex over length-prefixed parts, so that no two lists of parts run together."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big"))
        whole.update(part)
    return whole.hexdigest()


def references(schema: Any) -> Iterator[str]:
    """Names of the definitions that a schema points to, in document order, repeats included."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            ref = node.get("$ref")
            if isinstance(ref, str) and ref.startswith(_REF_PREFIX):
                yield ref[len(_REF_PREFIX) :]
            stack.extend(reversed(node.values()))
        elif isinstance(node, list):
            stack.extend(reversed(node))


def content_hasher(definitions: Mapping[str, Schema]) -> Callable[[Operation], str]:
    """A function that hashes an operation with every definition it reaches, each hashed once."""
    closed = _closure_digests(definitions)

    def content_hash(operation: Operation) -> str:
        schemas = [operation.input_schema, operation.output_schema]
        reached = sorted({closed.get(name, name) for name in references(schemas)})
        own = canonical(replace(operation, service=""))
        return digest(own, *(name.encode() for name in reached))

    return content_hash


def _closure_digests(definitions: Mapping[str, Schema]) -> dict[str, str]:
    """For each definition a digest over all that it reaches.

    Members of a cycle share the digest of the whole cycle (Tarjan 1972, iterative), so the cost is
    linear in the size of the definitions however entangled they are.
    """
    edges = {name: list(dict.fromkeys(references(schema))) for name, schema in definitions.items()}
    closed: dict[str, str] = {}
    for component in _components(edges):
        own = sorted(name.encode() + b"\0" + canonical(definitions[name]) for name in component)
        below = {
            closed.get(to, to) for name in component for to in edges[name] if to not in component
        }
        whole = digest(*own, b"->", *sorted(part.encode() for part in below))
        closed.update((name, digest(whole.encode(), name.encode())) for name in component)
    return closed


def _components(edges: Mapping[str, list[str]]) -> Iterator[set[str]]:
    """Strongly connected components, each after the ones it points to."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    for root in edges:
        work = [(root, iter(edges[root]))] if root not in order else []
        while work:
            node, targets = work[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                path.append(node)
                on_path.add(node)
            for target in targets:
                if target in edges and target not in order:
                    work.append((target, iter(edges[target])))
                    break
                if target in on_path:
                    low[node] = min(low[node], order[target])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == order[node]:
                    component = _popped(path, node)
                    on_path -= component
                    yield component


def _popped(path: list[str], node: str) -> set[str]:
    """Takes everything from `node` on off the end of the path: never a look at the rest of it."""
    component = set()
    while node not in component:
        component.add(path.pop())
    return component
