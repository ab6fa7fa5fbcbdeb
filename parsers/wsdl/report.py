"""What was left out or mended while one spec is read: each thing said once."""

from __future__ import annotations

from dataclasses import dataclass, field

from catalog.spec import Level, Problem
from parsers.wsdl.names import Node


@dataclass
class Report:
    _problems: dict[tuple[str, str], Problem] = field(default_factory=dict)

    def add(self, level: Level, location: str, message: str) -> None:
        """An error is an operation lost: two that are lost alike, on one line, are two."""
        key = f"error {len(self._problems)}" if level == "error" else level
        self._problems.setdefault((key, message), Problem(level, location, message))

    def warn(self, location: str, message: str) -> None:
        self.add("warning", location, message)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems.values())


def place(location: str, node: Node | None) -> str:
    """`file:line`, where a person looks."""
    line = getattr(node, "sourceline", None)
    return f"{location}:{line}" if line else location
