"""YAML to the values that JSON has, built from libyaml's events without recursion.

Only the types of the YAML 1.2 core schema exist here: `NO`, dates and `12:30:45` stay text, and a
key is always the word that stands in the file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, ClassVar

import yaml
from yaml import events

MAX_DEPTH = 300
MAX_COPIES = 2_000_000
"""Nodes that aliases may add when written out; a legitimate file adds some thousands."""

_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_OTHER_INT = re.compile(r"0o([0-7]+)\Z|0x([0-9a-fA-F]+)\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_CORE = "tag:yaml.org,2002:"
_RESOLVED_TAGS = tuple(_CORE + name for name in ("null", "bool", "int", "float"))
_MAX_INT_DIGITS = 3000  # Python refuses to write more than 4300 out (CVE-2020-10735)


class WrittenInt(int):
    """A number written otherwise than its digits (0x1F): an object of its own, known by `id`."""


class YamlFault(Exception):
    """The text cannot be read as YAML; the message has line and column."""


class NotFinite:
    """Stands for infinity and NaN, which JSON does not have, until its parent drops it."""


NOT_FINITE = NotFinite()
_NO_KEY: Any = object()


class _Frame:
    """A mapping or sequence that is being filled."""

    __slots__ = ("anchor", "key", "line", "merges", "node", "size")

    def __init__(self, node: Any, anchor: str | None, line: int) -> None:
        self.node, self.anchor, self.line = node, anchor, line
        self.key: Any = _NO_KEY
        self.merges: list[Any] = []
        self.size = 1


Words = dict[int | tuple[int, bool], tuple[Any, str]]
"""The words that Python would write otherwise: of a number by its `id`, of a boolean by the `id` of
what it stands in (held, so that the id stays its)."""


class YamlTree:
    """`documents` of one text, the warnings it gave, and the line on which each mapping begins."""

    def __init__(self, text: str) -> None:
        self.documents: list[Any] = []
        self.warnings: list[str] = []
        self.lines: dict[int, int] = {}
        self.words: Words = {}
        self._frames: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._copies = 0
        for event in _events(text):
            step = self._STEPS.get(type(event))
            if step is not None:
                step(self, event)

    def _open(self, event: Any, node: Any) -> None:
        if len(self._frames) >= MAX_DEPTH:
            raise YamlFault(f"{_at(event)}: nested more than {MAX_DEPTH} levels deep")
        line = event.start_mark.line + 1
        if event.anchor:
            self._anchors[event.anchor] = (_NO_KEY, 0)
        if event.tag and not event.tag.startswith(_CORE):
            self.warnings.append(f"line {line}: the tag {event.tag} is not known and was ignored")
        self._frames.append(_Frame(node, event.anchor, line))

    def _open_mapping(self, event: Any) -> None:
        self._open(event, {})

    def _open_sequence(self, event: Any) -> None:
        self._open(event, [])

    def _close(self, event: Any) -> None:
        frame = self._frames.pop()
        node = frame.node
        if frame.merges:
            node = self._merged(frame)
        if isinstance(node, dict):
            self.lines[id(node)] = frame.line
        if frame.anchor:
            self._anchors[frame.anchor] = (node, frame.size)
        self._add(node, frame.size, event)

    def _merged(self, frame: _Frame) -> dict[str, Any]:
        """The mapping with its merge keys (`<<`): own keys win, then earlier sources."""
        sources = [
            one
            for merge in frame.merges
            for one in (merge if isinstance(merge, list) else [merge])
            if isinstance(one, dict)
        ]
        out: dict[str, Any] = {}
        for source in [*reversed(sources), frame.node]:
            out.update(source)
        return out

    def _scalar(self, event: Any) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame is not None and isinstance(frame.node, dict) and frame.key is _NO_KEY:
            value: Any = event.value
            if value == "<<" and event.implicit[0]:
                value = _MERGE
        else:
            value = self._resolved(event)
            if isinstance(value, bool) and frame and not event.value.islower():
                self.words[id(frame.node), value] = (frame.node, event.value)
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._add(value, 1, event)

    def _resolved(self, event: Any) -> Any:
        tag, text = event.tag, event.value
        if tag is None or tag == "!":
            value = plain(text) if event.implicit[0] else text
        elif tag in _RESOLVED_TAGS:
            value = plain(text)
        else:
            if not tag.startswith(_CORE):
                self._warn(event, f"the tag {tag} is not known and was ignored")
            value = text
        if type(value) is int and str(value) != text:
            value = WrittenInt(value)
        if isinstance(value, float | WrittenInt) and repr(value) != text:
            self.words[id(value)] = (value, text)
        return value

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            raise YamlFault(f"{_at(event)}: the alias *{event.anchor} has no anchor")
        value, size = self._anchors[event.anchor]
        if value is _NO_KEY:
            self._warn(event, f"*{event.anchor} stands inside itself and was left out")
            value, size = None, 1
        self._copies += size
        if self._copies > MAX_COPIES:
            raise YamlFault(
                f"{_at(event)}: aliases that write out to more than {MAX_COPIES:,} nodes"
            )
        self._add(value, size, event)

    def _add(self, value: Any, size: int, event: Any) -> None:
        if not self._frames:
            self.documents.append(None if value is NOT_FINITE else value)
            self._anchors.clear()
            return
        frame = self._frames[-1]
        frame.size += size
        if isinstance(frame.node, dict) and frame.key is _NO_KEY:
            frame.key = self._key(value, event)
        elif value is NOT_FINITE:
            self._warn(event, "infinity or NaN, which JSON does not have, was left out")
            frame.key = _NO_KEY
        elif isinstance(frame.node, list):
            frame.node.append(value)
        else:
            self._set(frame, value, event)

    def _set(self, frame: _Frame, value: Any, event: Any) -> None:
        key, frame.key = frame.key, _NO_KEY
        if key is _MERGE:
            if isinstance(value, dict | list):
                frame.merges.append(value)
                return
            key = "<<"
        if key in frame.node:
            value, said = both(key, frame.node[key], value)
            self._warn(event, said)
            self.lines.setdefault(id(value), event.start_mark.line + 1)
        frame.node[key] = value

    def _key(self, value: Any, event: Any) -> Any:
        if value is _MERGE or isinstance(value, str):
            return value
        self._warn(event, "a key that is no word was written as JSON text")
        return json.dumps(value, default=str)

    def _warn(self, event: Any, message: str) -> None:
        self.warnings.append(f"line {event.start_mark.line + 1}: {message}")

    _STEPS: ClassVar = {
        events.ScalarEvent: _scalar,
        events.MappingStartEvent: _open_mapping,
        events.SequenceStartEvent: _open_sequence,
        events.MappingEndEvent: _close,
        events.SequenceEndEvent: _close,
        events.AliasEvent: _alias,
    }


_MERGE: Any = object()


def both(key: str, first: Any, later: Any) -> tuple[Any, str]:
    """What a key that stands twice means: the later value, but the operations of both for a path.

    Only paths begin with a slash.
    """
    if not (key[:1] == "/" and isinstance(first, dict) and isinstance(later, dict)):
        return later, f"the key {key!r} stands twice; the later one was kept"
    clash = ", ".join(str(one) for one in later if one in first)
    kept = f"both were read, of {clash} the later one" if clash else "both were read"
    return {**first, **later}, f"the key {key!r} stands twice; {kept}"


def plain(text: str) -> Any:
    """What an unquoted word means. `007` stays text: its zeros are lost as a number."""
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if not (first.isdigit() or first in "+-."):
        return text
    if len(text) > _MAX_INT_DIGITS:
        return text
    if _INT.match(text):
        return int(text)
    if other := _OTHER_INT.match(text):
        return int(other[1], 8) if other[1] else int(other[2], 16)
    if _FLOAT.match(text) and not _LEADING_ZERO.match(text):
        number = float(text)
        return number if math.isfinite(number) else NOT_FINITE
    return NOT_FINITE if _NOT_FINITE.match(text) else text


def _events(text: str) -> Iterator[Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        parser = loader(text)
        while parser.check_event():
            yield parser.get_event()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise YamlFault(f"{place}{error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise YamlFault(" ".join(str(error).split())) from None


def _at(event: Any) -> str:
    return f"line {event.start_mark.line + 1}"
