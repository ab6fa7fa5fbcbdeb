"""Values reduced to shapes: keys, nesting, types, formats, lengths. A shape is a JSON Schema.

What a shape may hold besides: enum-like words (few, short, not personal), decided in `enums`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Any

from probing import enums
from probing.formats import format_of
from probing.keys import is_data, is_lower_style, pattern_of

MAX_DEPTH = 16
MAX_KEYS = 300
MAX_ITEMS = 500
KEPT_VALUES = 3


@dataclass(slots=True)
class Seen:
    """All that was seen at one place of one or more values; values themselves only in memory."""

    kinds: Counter[str] = field(default_factory=Counter)
    objects: int = 0
    presence: Counter[str] = field(default_factory=Counter)
    parts: dict[str, Seen] = field(default_factory=dict)
    more: Seen | None = None
    lengths: tuple[int, int] | None = None
    items: Seen | None = None
    formats: Counter[str] = field(default_factory=Counter)
    words: enums.Words = field(default_factory=enums.Words)
    examples: list[Any] = field(default_factory=list)

    def add(self, value: Any, depth: int = 0) -> None:
        kind = _kind(value)
        self.kinds[kind] += 1
        if kind == "object":
            self._add_object(value, depth)
        elif kind == "array":
            self._add_array(value, depth)
        elif kind == "string":
            self._add_text(value)
        if kind not in ("object", "array", "null") and len(self.examples) < KEPT_VALUES:
            self.examples.append(value)

    def _add_object(self, value: dict[str, Any], depth: int) -> None:
        self.objects += 1
        if depth >= MAX_DEPTH:
            return
        for key, part in value.items():
            self.presence[key] += 1
            self._part(str(key)).add(part, depth + 1)

    def _part(self, key: str) -> Seen:
        if key in self.parts:
            return self.parts[key]
        if len(self.parts) >= MAX_KEYS:
            self.more = self.more or Seen()
            return self.more
        return self.parts.setdefault(key, Seen())

    def _add_array(self, value: list[Any], depth: int) -> None:
        low, high = self.lengths or (len(value), len(value))
        self.lengths = min(low, len(value)), max(high, len(value))
        if depth >= MAX_DEPTH:
            return
        self.items = self.items or Seen()
        for entry in value[:MAX_ITEMS]:
            self.items.add(entry, depth + 1)

    def _add_text(self, value: str) -> None:
        name = format_of(value)
        self.formats[name] += 1
        self.words.add(value if not name else "")

    def absorb(self, other: Seen) -> None:
        """Take in what was seen elsewhere as if it had been seen here."""
        self.kinds.update(other.kinds)
        self.objects += other.objects
        self.presence.update(other.presence)
        for key, part in other.parts.items():
            self._part(key).absorb(part)
        if other.more:
            self.more = self.more or Seen()
            self.more.absorb(other.more)
        if other.lengths:
            low, high = self.lengths or other.lengths
            self.lengths = min(low, other.lengths[0]), max(high, other.lengths[1])
        if other.items:
            self.items = self.items or Seen()
            self.items.absorb(other.items)
        self.formats.update(other.formats)
        self.words.absorb(other.words)


@dataclass(frozen=True, slots=True)
class _Rules:
    known: Set[str]
    lower_style: bool
    keep: bool


def shape_of(value: Any, known: Iterable[str] = (), *, keep: bool = False) -> dict[str, Any]:
    """The shape of one value; `known` are names that the spec declares, `keep` keeps examples."""
    seen = Seen()
    seen.add(value)
    return shape(seen, known, keep=keep)


def shape(seen: Seen, known: Iterable[str] = (), *, keep: bool = False) -> dict[str, Any]:
    names = frozenset(known)
    lower = is_lower_style(_keys(seen)) if seen.kinds else False
    return _schema(seen, "", _Rules(names, lower, keep))


def _keys(seen: Seen) -> Iterator[str]:
    waiting = [seen]
    while waiting:
        node = waiting.pop()
        yield from node.parts
        waiting.extend(node.parts.values())
        waiting.extend(child for child in (node.items, node.more) if child)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    for kind, types in (("integer", int), ("number", float), ("object", dict), ("array", list)):
        if isinstance(value, types):
            return kind
    return "string"


def _schema(seen: Seen, name: str, rules: _Rules) -> dict[str, Any]:
    kinds = [kind for kind in seen.kinds if kind != "integer" or "number" not in seen.kinds]
    found: dict[str, Any] = {}
    if kinds:
        found["type"] = kinds[0] if len(kinds) == 1 else sorted(kinds)
    if "object" in kinds:
        found |= _object(seen, name, rules)
    if "array" in kinds and seen.lengths:
        found |= _array(seen, name, rules)
    if "string" in kinds:
        found |= _text(seen, name)
    if rules.keep and (kept := [v for v in seen.examples if not _gives_away(v)]):
        found["examples"] = kept
    return found


def _array(seen: Seen, name: str, rules: _Rules) -> dict[str, Any]:
    low, high = seen.lengths or (0, 0)
    lengths = {"minItems": low, "maxItems": high}
    if seen.items is None or not seen.items.kinds:
        return lengths
    return {"items": _schema(seen.items, name, rules), **lengths}


def _text(seen: Seen, name: str) -> dict[str, Any]:
    if len(seen.formats) == 1 and "" not in seen.formats:
        return {"format": next(iter(seen.formats))}
    words = seen.words.enumeration(name)
    return {"enum": words, "x-open-enum": True} if words and set(seen.kinds) == {"string"} else {}


def _object(seen: Seen, name: str, rules: _Rules) -> dict[str, Any]:
    data = _data_keys(seen, rules)
    properties = {
        key: _schema(part, key, rules) for key, part in seen.parts.items() if key not in data
    }
    found: dict[str, Any] = {"properties": properties} if properties or not data else {}
    required = [key for key in properties if seen.presence[key] == seen.objects]
    if required:
        found["required"] = required
    rest = [seen.parts[key] for key in data] + ([seen.more] if seen.more else [])
    if rest:
        found["additionalProperties"] = _schema(_together(rest), name, rules)
        if names := pattern_of(data):
            found["propertyNames"] = names
    return found


def _together(many: list[Seen]) -> Seen:
    whole = Seen()
    for one in many:
        whole.absorb(one)
    return whole


def _data_keys(seen: Seen, rules: _Rules) -> list[str]:
    """Keys that are data; all of them where one is and the values are of one kind."""
    parts = {key: part for key, part in seen.parts.items() if key not in rules.known}
    data = [key for key in parts if is_data(key, rules.known, rules.lower_style)]
    alike = len({_form(part) for part in parts.values()}) == 1 if parts else False
    if alike and (data or _is_map(parts)):
        return list(parts)
    return data


def _is_map(parts: dict[str, Seen]) -> bool:
    """Entries of one and the same record, or more single values than a record has."""
    records = all(part.parts for part in parts.values())
    return (records and len(parts) >= 2) or (not records and len(parts) > 40)


def _form(part: Seen) -> tuple[str, ...]:
    return (*sorted(set(part.kinds) - {"null"}), *sorted(part.parts))


def _gives_away(value: Any) -> bool:
    return isinstance(value, str) and bool(format_of(value) in enums.PERSONAL_FORMATS)
