"""What a file calls its places: `$id`, `$self`, `$anchor` and `$dynamicAnchor`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

from parsers.openapi.node import At, File, Node


class PlaceNames:
    """The names in one file. `ids` are addresses of resources (JSON Schema 2020-12 core §8.2)."""

    def __init__(self, file: File) -> None:
        self.ids: dict[str, Node] = {}
        self.anchors: dict[str, Node] = {}
        self._places: dict[tuple[str, ...], tuple[str, Node]] = {}
        own = file.tree.get("$self") if isinstance(file.tree, dict) else None
        self._walk(file, own if isinstance(own, str) else "")

    def around(self, node: Node) -> list[tuple[str, Node]]:
        """The resources around a place, innermost first, each with its address."""
        tokens = tuple(node.tokens) if self._places else ()
        cuts = (tokens[:length] for length in range(len(tokens), -1, -1))
        return [self._places[cut] for cut in cuts if cut in self._places]

    def _walk(self, file: File, base: str) -> None:
        if base:
            self._name(base, file.root)
        stack: list[tuple[Any, At, str]] = [(file.tree, None, base)]
        while stack:
            value, at, base = stack.pop()
            if isinstance(value, dict):
                base = self._visit(Node(value, file, at), base)
                stack.extend((v, (at, k), base) for k, v in value.items() if _deep(v))
            elif isinstance(value, list):
                stack.extend((v, (at, str(i)), base) for i, v in enumerate(value) if _deep(v))

    def _visit(self, node: Node, base: str) -> str:
        own = node.value.get("$id")
        if isinstance(own, str) and not own.startswith("#"):
            base = joined(base, own)
            self._name(base.partition("#")[0], node)
        for key in ("$anchor", "$dynamicAnchor"):
            anchor = node.value.get(key)
            if isinstance(anchor, str):
                self.anchors.setdefault(anchor, node)
        return base

    def _name(self, address: str, node: Node) -> None:
        self.ids.setdefault(address, node)
        self._places[tuple(node.tokens)] = (address, node)


def joined(base: str, address: str) -> str:
    """RFC 3986 §5; what is no address stays what it is."""
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _deep(value: Any) -> bool:
    return isinstance(value, dict | list)
