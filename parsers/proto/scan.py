"""What a .proto text says on its face: imports, package, services; spans of statements and options.

Texts are Latin-1 readings of the bytes, so that an offset here is a byte there. The compiler says
what a file means; this says where things stand, also in files that the compiler refuses.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

_COMMENT = (
    r"//[^\n]*|/\*.*?(?:\*/|\Z)"  # an open comment runs to the end: scanned once, not per `/*`
)
_STRING = r'"(?:[^"\\\n]|\\.)*"?' + r"|'(?:[^'\\\n]|\\.)*'?"
_TOKEN = re.compile(rf"(?P<skip>{_COMMENT})|(?P<text>{_STRING})|(?P<word>\w+)|[^\s\w]", re.DOTALL)
_IMPORT = re.compile(
    rf"{_COMMENT}|(?<![\w.])import\b\s*(?:(?P<how>public|weak|option)\b)?\s*"
    rf"(?P<path>{_STRING})\s*;|{_STRING}",
    re.DOTALL,
)
_HEADER = re.compile(
    rf"{_COMMENT}|(?<![\w.])(?P<key>syntax|edition)\s*=\s*(?P<value>{_STRING})\s*;"
    rf"|(?<![\w.])package\s+(?P<package>[\w.\s]+?)\s*;|{_STRING}|\{{",
    re.DOTALL,
)
_TAB = 8
_WORDS_KEPT = 12
_MAX_DEPTH = 64  # the compiler ends at 32
_RPC_DEPTH = 2


@dataclass(frozen=True, slots=True)
class Import:
    """`start` and `end` span the quoted path; `how` is "", public, weak or option."""

    path: str
    how: str
    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Header:
    syntax: str = "proto2"
    edition: str = ""
    package: str = ""
    end: int = 0


@dataclass(slots=True)
class Statement:
    """`words` are its first tokens; a block's `end` is its closing brace."""

    start: int
    end: int = -1
    words: list[str] = field(default_factory=list)
    children: list[Statement] = field(default_factory=list)
    parent: Statement | None = None


@dataclass(slots=True)
class OptionList:
    """`[a = 1, b = 2]`: the brackets' span, each entry's span, and where the commas stand."""

    start: int
    end: int = -1
    entries: list[tuple[int, int]] = field(default_factory=list)
    commas: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Outline:
    """`balanced`: each brace has its partner, so a statement is where it seems to be."""

    top: list[Statement] = field(default_factory=list)
    lists: list[OptionList] = field(default_factory=list)
    balanced: bool = True


@dataclass(frozen=True, slots=True)
class Rpc:
    service: str
    method: str
    start: int


@lru_cache(maxsize=4096)
def imports(text: str) -> tuple[Import, ...]:
    found: list[Import] = []
    line, counted = 1, 0
    for m in _IMPORT.finditer(text):
        if quoted := m["path"]:
            line += text.count("\n", counted, m.start())
            counted = m.start()
            path = quoted[1:].rstrip(quoted[0])
            found.append(Import(path, m["how"] or "", m.start("path"), m.end("path"), line))
    return tuple(found)


@lru_cache(maxsize=1024)
def header(text: str) -> Header:
    """Syntax, edition and package; `end` is the offset behind the last of the three."""
    said: dict[str, str] = {}
    end = 0
    for m in _HEADER.finditer(text):
        if m["key"]:
            said[m["key"]] = m["value"].strip("\"'")
        elif m["package"]:
            said["package"] = "".join(m["package"].split())
        elif m[0] == "{":
            break
        else:
            continue
        end = m.end()
    return Header(
        said.get("syntax", "proto2"), said.get("edition", ""), said.get("package", ""), end
    )


@lru_cache(maxsize=256)
def outline(text: str) -> Outline:
    """Statements as a tree and the lists of options, in one pass and at any depth."""
    return _Outliner().read(text)


class _Outliner:
    def __init__(self) -> None:
        self._out = Outline()
        self._open: list[Statement] = []
        self._now: Statement | None = None
        self._list: OptionList | None = None
        self._entry = -1
        self._nested = 0
        self._last = ""

    def read(self, text: str) -> Outline:
        for m in _TOKEN.finditer(text):
            if m.lastgroup == "skip":
                continue
            self._take(m[0], m.start(), m.end())
        self._out.balanced &= not self._open
        for left in [self._now, *self._open]:
            if left is not None and left.end < 0:
                left.end = len(text)
        return self._out

    def _take(self, token: str, start: int, end: int) -> None:
        if self._list is not None:
            self._in_list(token, start, end)
        elif self._now is None:
            self._between(token, start, end)
        else:
            self._inside(self._now, token, start, end)
        self._last = token

    def _between(self, token: str, start: int, end: int) -> None:
        if token == "}":
            self._out.balanced &= bool(self._open)
            if self._open:
                self._open.pop().end = end
        elif token != ";":
            parent = self._open[-1] if self._open else None
            self._now = Statement(start, words=[token], parent=parent)
            (parent.children if parent else self._out.top).append(self._now)

    def _inside(self, now: Statement, token: str, start: int, end: int) -> None:
        if token == now.words[0] == "rpc" and self._last == ")":  # a lost semicolon
            now.end, self._now = start, None
            return self._between(token, start, end)
        if len(now.words) < _WORDS_KEPT:
            now.words.append(token)
        value = now.words[0] == "option"
        if token in "{[" and value:
            self._nested += 1
        elif token in "}]" and self._nested:
            self._nested -= 1
        elif token == ";" and not self._nested:
            now.end, self._now = end, None
        elif token == "[":
            self._list, self._entry = OptionList(start), -1
        elif token == "{":
            self._open.append(now)
            self._now = None
        elif token == "}" and not value:  # a statement without its semicolon
            now.end, self._now = start, None
            self._between(token, start, end)
        return None

    def _in_list(self, token: str, start: int, end: int) -> None:
        options = self._list
        assert options is not None
        if not self._nested and token in ",]":
            if self._entry >= 0:
                options.entries.append((self._entry, start))
            self._entry = -1
            if token == ",":
                options.commas.append(start)
            else:
                options.end = end
                self._out.lists.append(options)
                self._list = None
            return
        self._entry = start if self._entry < 0 else self._entry
        self._nested += (token in "{[") - (token in "}]")


def rpcs(statements: list[Statement]) -> Iterator[Rpc]:
    """Every rpc of every service in the text, whether or not the compiler accepts it."""
    for service in statements:
        if service.words[:1] == ["service"] and len(service.words) > 1:
            for child in service.children:
                if child.words[:1] == ["rpc"]:
                    name = child.words[1] if len(child.words) > 1 else ""
                    yield Rpc(service.words[1], name, child.start)


def innermost(statements: list[Statement], offset: int) -> Statement | None:
    """The smallest statement around an offset."""
    found = None
    level = statements
    for _ in range(_MAX_DEPTH):
        index = bisect_right(level, offset, key=_start) - 1
        if index < 0 or level[index].end <= offset:
            break
        found = level[index]
        level = found.children
    return found


def ending_at(statements: list[Statement], offset: int) -> Statement | None:
    """The rpc that ends only because another statement begins: its semicolon is lost."""
    level = statements
    for _ in range(_RPC_DEPTH):
        index = bisect_left(level, offset, key=_start) - 1
        if index < 0 or level[index].end < offset:
            return None
        if level[index].words[0] == "rpc" and level[index].end == offset:
            return level[index]
        level = level[index].children
    return None


def _start(statement: Statement) -> int:
    return statement.start


@lru_cache(maxsize=256)
def _line_starts(text: str) -> list[int]:
    return [0, *(m.end() for m in re.finditer("\n", text))]


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def offset_of(text: str, line: int, column: int) -> int:
    """The offset of protoc's 1-based place; its columns count bytes and jump to stops at tabs."""
    starts = _line_starts(text)
    start = starts[min(line, len(starts)) - 1]
    if text.find("\t", start, start + column) < 0:
        end = starts[line] - 1 if line < len(starts) else len(text)
        return min(start + column - 1, end)
    reached = 0
    for offset in range(start, len(text)):
        if reached >= column - 1 or text[offset] == "\n":
            return offset
        reached += _TAB - reached % _TAB if text[offset] == "\t" else 1
    return len(text)
