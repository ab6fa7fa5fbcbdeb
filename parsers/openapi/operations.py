"""The operations of a description: found, counted, read one by one, each on its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from catalog.spec import Operation
from catalog.words import distinct_names
from parsers.openapi.building import Builder, Found
from parsers.openapi.kinds import METHODS
from parsers.openapi.node import Node
from parsers.openapi.problems import Problems
from parsers.openapi.references import Resolver, Unresolved

_ITEM_KEYS = frozenset(("$ref", "summary", "description", "parameters", "servers"))


class Operations:
    def __init__(
        self, root: Node, builder: Builder, resolver: Resolver, problems: Problems
    ) -> None:
        self._root = root
        self._builder = builder
        self._resolver = resolver
        self._problems = problems
        self.in_source = 0
        self.not_tools: Counter[str] = Counter()

    def read(self) -> list[Operation]:
        """Every operation that can be read; the others are problems of the level error."""
        found = self._distinct()
        self._count_webhooks()
        names = distinct_names([(one.wanted_name, one.identity) for one in found])
        built = [self._guarded(one, name) for one, name in zip(found, names, strict=True)]
        return [one for one in built if one is not None]

    def _distinct(self) -> list[Found]:
        out: dict[str, Found] = {}
        for one in self._found():
            self.in_source += 1
            if one.identity in out:
                self._problems.error(one.node, f"{one.identity}: stands twice; the first was kept")
            else:
                out[one.identity] = one
        return list(out.values())

    def _found(self) -> Iterator[Found]:
        paths = self._paths()
        for path, given in paths.entries():
            if path[:2] == "x-" or given.value is None:
                continue
            if path[:1] != "/":
                self._problems.warn(given, "a path without a slash at the beginning", path)
            try:
                yield from self._of_item(path, given, self._resolver.follow(given))
            except Unresolved as fault:
                self.in_source += 1
                self._problems.error(given, f"{path}: its operations are not known: {fault}")

    def _paths(self) -> Node:
        paths = self._root.child("paths")
        try:
            paths = self._resolver.follow(paths)
        except Unresolved as fault:
            self._problems.warn(paths, f"`paths` is not known: {fault}")
        if paths.value is None and not self._root.value.keys() & {"webhooks", "x-webhooks"}:
            self._problems.warn(paths, "no `paths`: nothing that can be called")
        elif paths.value is not None and not isinstance(paths.value, dict):
            self._problems.warn(paths, "`paths` is no mapping: no operation can be read")
        return paths

    def _of_item(self, path: str, given: Node, item: Node) -> Iterator[Found]:
        """The operations of one path; what stands beside its `$ref` beats what that leads to."""
        if not isinstance(item.value, dict):
            self._problems.warn(item, "a path that is no mapping: left out", path)
            return
        beside = {} if given.value is item.value else {**given.value}
        beside.pop("$ref", None)
        aside = Node(beside, given.file, given.at)
        for key, node in item.entries():
            if key not in beside:
                for method, entry in self._of_key(key, path, node):
                    yield Found(method, path, item, aside, entry)
        for key, node in aside.entries():
            for method, entry in self._of_key(key, path, node):
                yield Found(method, path, item, aside, entry)

    def _of_key(self, key: str, path: str, node: Node) -> Iterator[tuple[str, Node]]:
        method = key.lower()
        if method in METHODS:
            if key != method:
                self._problems.warn(node, "a method that is not in lower case", key)
            if method == "query" and node.file.version in ("2.0", "3.0", "3.1"):
                said = "the method `query` came with OpenAPI 3.2: read all the same"
                self._problems.warn(node, said)
            yield method.upper(), node
        elif key == "additionalOperations":
            yield from node.entries()
        elif key not in _ITEM_KEYS and key[:2] != "x-":
            self._problems.warn(node, f"{path}: `{key}` is no method of OpenAPI: left out")

    def _guarded(self, found: Found, name: str) -> Operation | None:
        try:
            return self._built(found, name)
        except Unresolved as fault:
            self._problems.error(found.node, f"{found.identity}: {fault}")
        except Exception as fault:  # noqa: BLE001  a fault of ours costs this operation only
            kind = type(fault).__name__
            self._problems.error(
                found.node, f"{found.identity}: could not be read ({kind}: {fault})"
            )
        return None

    def _built(self, found: Found, name: str) -> Operation | None:
        node = self._resolver.follow(found.node)
        if not isinstance(node.value, dict):
            what = "empty" if node.value is None else "not a mapping"
            self._problems.error(found.node, f"{found.identity}: the operation is {what}")
            return None
        self._count_callbacks(node)
        return self._builder.build(replace(found, node=node), name)

    def _count_callbacks(self, operation: Node) -> None:
        for _, callback in operation.child("callbacks").entries():
            for _, item in self._entries_of(callback):
                self.not_tools["callbacks"] += _methods(item)

    def _count_webhooks(self) -> None:
        for hooks in (self._root.child("webhooks"), self._root.child("x-webhooks")):
            for _, item in self._entries_of(hooks):
                self.not_tools["webhooks"] += _methods(item)

    def _entries_of(self, node: Node) -> Iterator[tuple[str, Node]]:
        """The entries of a mapping and what they refer to; what leads nowhere has none."""
        try:
            for key, entry in self._resolver.follow(node).entries():
                yield key, self._resolver.follow(entry)
        except Unresolved as fault:
            self._problems.warn(node, f"not counted: {fault}")


def _methods(item: Node) -> int:
    return sum(1 for key, entry in item.entries() if key in METHODS and entry.value is not None)
