"""What had to be mended or left out, gathered while a description is read."""

from __future__ import annotations

from collections import Counter

from catalog.spec import Level, Problem
from parsers.openapi.node import Node

MAX_ALIKE: dict[Level, int] = {"warning": 20, "note": 3}


class Problems:
    """Problems in order of discovery; of a fault that stands everywhere only the first are kept."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Level, str, str], Problem] = {}
        self._alike: Counter[tuple[Level, str]] = Counter()

    def error(self, node: Node, message: str) -> None:
        """An operation that was left out; never folded into others."""
        self._keep("error", node, message)

    def warn(self, node: Node, message: str, detail: str = "") -> None:
        self._count("warning", node, message, detail)

    def note(self, node: Node, message: str, detail: str = "") -> None:
        self._count("note", node, message, detail)

    def all(self) -> tuple[Problem, ...]:
        return (*self._kept.values(), *self._folded())

    def _count(self, level: Level, node: Node, message: str, detail: str) -> None:
        self._alike[level, message] += 1
        if self._alike[level, message] <= MAX_ALIKE[level]:
            self._keep(level, node, f"{message}: {detail}" if detail else message)

    def _keep(self, level: Level, node: Node, message: str) -> None:
        line = node.line if node.at else None
        said = f"{message} (line {line})" if line else message
        self._kept.setdefault((level, node.where, said), Problem(level, node.where, said))

    def _folded(self) -> list[Problem]:
        return [
            Problem(level, "#", f"{count - MAX_ALIKE[level]} more like this: {message}")
            for (level, message), count in self._alike.items()
            if count > MAX_ALIKE[level]
        ]
