"""Names for the schemas that references point to, each converted once for the whole service."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from catalog.spec import Schema
from parsers.openapi.node import File, Node

PREFIX = "#/$defs/"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_NAME = 100
_HOMES = ({"components", "schemas"}, {"definitions"}, {"$defs"}, {"schemas"})
_STRUCTURE = frozenset(
    "components schemas definitions $defs paths properties items schema content responses"
    " requestBody parameters allOf oneOf anyOf".split()
)


class Definitions:
    """The component's own name where it is free; where several claim one, a hash of each place."""

    def __init__(self, root: File) -> None:
        self._own = _component_names(root)
        self._names: dict[tuple[str, str], str] = {}
        self._owners: dict[str, Node] = {}
        self._contested: set[str] = set()
        self._waiting: deque[tuple[str, Node]] = deque()
        self.schemas: dict[str, Schema] = {}

    def name(self, target: Node) -> str:
        """The name of a schema by its place; a new one waits to be converted."""
        key = (target.file.location, target.where)
        if key not in self._names:
            self._names[key] = self._claim(target)
            self._waiting.append((self._names[key], target))
        return self._names[key]

    def next_waiting(self) -> tuple[str, Node] | None:
        return self._waiting.popleft() if self._waiting else None

    def settle(self, others: Iterable[Schema | None]) -> dict[str, Schema]:
        """All definitions by name, disputed names replaced in them and in the other schemas.

        Who asked first for a name depends on the order of the file, so no claimant keeps it.
        """
        renamed = {name: _suffixed(name, self._owners[name]) for name in self._contested}
        if renamed:
            for schema in (*self.schemas.values(), *others):
                _rename(schema, renamed)
        return {renamed.get(name, name): self.schemas[name] for name in sorted(self.schemas)}

    def _claim(self, target: Node) -> str:
        wanted = _wanted(target)
        home = self._own.get(wanted)
        if home is not None:
            return wanted if home == target.where else _suffixed(wanted, target)
        if wanted not in self._owners:
            self._owners[wanted] = target
            return wanted
        self._contested.add(wanted)
        return _suffixed(wanted, target)


def _component_names(root: File) -> dict[str, str]:
    """Where each component of the root document lives that may keep its name as it is."""
    out: dict[str, str] = {}
    for home in (root.root.child("components").child("schemas"), root.root.child("definitions")):
        for name, node in home.entries():
            if not _UNSAFE.search(name) and 0 < len(name) <= _MAX_NAME:
                out.setdefault(name, node.where)
    return out


def _wanted(target: Node) -> str:
    tokens = target.tokens
    if not tokens:
        return _safe(PurePosixPath(target.file.label).name.split(".")[0], target)
    if len(tokens) <= 1 or set(tokens[:-1]) in _HOMES:
        return _safe(tokens[-1], target)
    telling = [token for token in tokens if token not in _STRUCTURE and not token.isdigit()]
    words = [word for token in telling for word in re.findall(r"\w+", token)]
    return _safe("_".join(words[-4:]), target)


def _safe(text: str, target: Node) -> str:
    name = _UNSAFE.sub("_", text).strip("_") or "schema"
    if name == "schema" or len(name) > _MAX_NAME:
        return _suffixed(name, target)
    return name


def _suffixed(name: str, target: Node) -> str:
    place = hashlib.sha256(target.where.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: _MAX_NAME - 9]}_{place}"


def _rename(schema: Any, renamed: dict[str, str]) -> None:
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            ref = node.get("$ref")
            if isinstance(ref, str) and ref.startswith(PREFIX):
                name = ref[len(PREFIX) :]
                node["$ref"] = PREFIX + renamed.get(name, name)
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
