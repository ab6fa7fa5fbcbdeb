"""Changes to a .proto text that keep every line where it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from parsers.proto import scan
from parsers.proto.scan import Outline, Statement

_NOT_NEWLINE = re.compile(r"[^\n]")
_EXTENSION = re.compile(r"\(\s*\.?([\w.\s]+?)\s*\)")
_TYPE = re.compile(r"\.?\s*[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class Edit:
    start: int
    end: int
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits made; of two that overlap the outer one counts."""
    kept: list[Edit] = []
    for edit in sorted(set(edits), key=lambda e: (e.start, -e.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    pieces, at = [], 0
    for edit in kept:
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


def blank(text: str, start: int, end: int) -> Edit:
    return Edit(start, end, _NOT_NEWLINE.sub(" ", text[start:end]))


def type_at(text: str, offset: int) -> tuple[int, int] | None:
    """The span of the type name that starts at an offset."""
    match = _TYPE.match(text, offset)
    return match.span() if match else None


@dataclass(frozen=True, slots=True)
class Option:
    """One use of an option; `extension` is the name in parentheses it begins with, "" for none."""

    start: int
    end: int
    name: str
    extension: str

    @property
    def shown(self) -> str:
        return f"({self.extension})" if self.extension else self.name


@lru_cache(maxsize=256)
def options(text: str) -> list[Option]:
    outline = scan.outline(text)
    spans = [entry for options in outline.lists for entry in options.entries]
    spans += [(s.start, s.end) for s in _walk(outline.top) if s.words[0] == "option"]
    return [_option(text, start, end) for start, end in sorted(spans)]


def without_options(text: str, outline: Outline, gone: Iterable[Option]) -> list[Edit]:
    """Edits that leave options out, with the commas and brackets that only they needed."""
    starts = {option.start for option in gone}
    edits = [
        blank(text, s.start, s.end)
        for s in _walk(outline.top)
        if s.words[0] == "option" and s.start in starts
    ]
    for brackets in outline.lists:
        left = [entry for entry in brackets.entries if entry[0] not in starts]
        if len(left) == len(brackets.entries):
            continue
        if not left:
            edits.append(blank(text, brackets.start, brackets.end))
            continue
        edits += [blank(text, *entry) for entry in brackets.entries if entry[0] in starts]
        edits += [blank(text, at, at + 1) for at in _needless(brackets.commas, left)]
    return edits


def _needless(commas: list[int], left: list[tuple[int, int]]) -> list[int]:
    """Commas but one between each two entries that stay."""
    needed = set()
    for before, after in pairwise(left):
        needed.add(next(at for at in commas if before[1] <= at < after[0]))
    return [at for at in commas if at not in needed]


def _option(text: str, start: int, end: int) -> Option:
    said = text[start:end].removeprefix("option")
    name = said.partition("=")[0].strip()
    match = _EXTENSION.match(name)
    return Option(start, end, name, "".join(match[1].split()) if match else "")


def _walk(statements: list[Statement]) -> Iterable[Statement]:
    stack = list(statements)
    while stack:
        statement = stack.pop()
        yield statement
        stack.extend(statement.children)
