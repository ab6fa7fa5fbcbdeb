"""A value of a description together with the place where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from parsers.openapi.yamltree import Words

At = tuple[Any, str] | None
"""A path from the root of a file, linked from its end: (parent, token). Cheap to extend."""


@dataclass(eq=False, slots=True)
class File:
    """One file of a description. `label` is "" for the root, else its path as seen from there."""

    location: str
    label: str
    tree: Any
    version: str = "3.0"
    lines: dict[int, int] = field(default_factory=dict)
    has_ids: bool = False
    words: Words = field(default_factory=dict)

    def word(self, value: float, inside: Any) -> str:
        """A number or boolean as the file has it: `1.10`, where a number would say 1.1.

        `inside` is the list or mapping that it stands in.
        """
        if isinstance(value, bool):
            return self.words.get((id(inside), value), (inside, str(value).lower()))[1]
        return self.words.get(id(value), (value, str(value)))[1]

    @property
    def root(self) -> Node:
        return Node(self.tree, self, None)


class Node(NamedTuple):
    value: Any
    file: File
    at: At

    def child(self, key: str) -> Node:
        """The entry under a key of this mapping; its value is None when there is none."""
        value = self.value.get(key) if isinstance(self.value, dict) else None
        return Node(value, self.file, (self.at, key))

    def entries(self) -> Iterator[tuple[str, Node]]:
        if isinstance(self.value, dict):
            for key, value in self.value.items():
                yield key, Node(value, self.file, (self.at, key))

    def elements(self) -> Iterator[Node]:
        if isinstance(self.value, list):
            for index, value in enumerate(self.value):
                yield Node(value, self.file, (self.at, str(index)))

    @property
    def tokens(self) -> list[str]:
        out: list[str] = []
        at = self.at
        while at is not None:
            at, token = at
            out.append(token)
        return out[::-1]

    @property
    def where(self) -> str:
        """The file's label and the JSON pointer (RFC 6901): `schemas/pet.yaml#/Cat`."""
        pointer = "".join(
            "/" + token.replace("~", "~0").replace("/", "~1") for token in self.tokens
        )
        return f"{self.file.label}#{pointer}"

    @property
    def line(self) -> int | None:
        """The line of the innermost mapping around this place, where the file has lines."""
        if not self.file.lines:
            return None
        value, line = self.file.tree, self.file.lines.get(id(self.file.tree))
        for token in self.tokens:
            value = step(value, token)
            line = self.file.lines.get(id(value), line)
        return line


def has_ids(data: bytes) -> bool:
    """Whether a file may name places by `$id` or `$self`; most do not, and need no search."""
    return b"$id" in data or b"$self" in data or b"\0" in data[:64]


MISSING: Any = object()


def step(value: Any, token: str) -> Any:
    """One step of a JSON pointer, or MISSING."""
    if isinstance(value, dict):
        return value.get(token, MISSING)
    if isinstance(value, list) and token.isascii() and token.isdigit() and int(token) < len(value):
        return value[int(token)]
    return MISSING
