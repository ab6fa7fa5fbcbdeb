"""The plain keywords of a schema: which values each may have, and what wrong ones are mended to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Mended = tuple[Any, str]
"""The value to keep (UNUSABLE for none), and what was wrong with it, or ""."""

UNUSABLE: Any = object()
MAX_LITERAL_DEPTH = 16
TYPES = frozenset(("null", "boolean", "object", "array", "number", "string", "integer"))

_OTHER_NAMES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("int", "int32", "short", "byte", "whole"), ("integer", "")),
    **dict.fromkeys(("long", "int64", "bigint"), ("integer", "int64")),
    **dict.fromkeys(("float", "double", "decimal", "numeric", "currency"), ("number", "")),
    **dict.fromkeys(("str", "text", "char", "enum", "strings", "varchar"), ("string", "")),
    **dict.fromkeys(("datetime", "date-time", "timestamp"), ("string", "date-time")),
    **dict.fromkeys(("binary", "file", "blob"), ("string", "binary")),
    **{name: ("string", name) for name in ("date", "time", "uuid", "uri", "email", "password")},
    **dict.fromkeys(("url", "link"), ("string", "uri")),
    "guid": ("string", "uuid"),
    **dict.fromkeys(("bool", "flag"), ("boolean", "")),
    **dict.fromkeys(("list", "arr", "collection", "set", "tuple"), ("array", "")),
    **dict.fromkeys(("dict", "map", "json", "hash", "struct", "dictionary"), ("object", "")),
    **dict.fromkeys(("nil", "none", "void", "undefined"), ("null", "")),
}
_ANYTHING = frozenset(("any", "mixed", "", "unknown", "anything", "*"))


def type_name(word: Any) -> tuple[str, str] | None:
    """The JSON Schema type and the format that a type's name means; ("", "") for anything."""
    if not isinstance(word, str):
        return ("null", "") if word is None else None
    if word in TYPES:
        return word, ""
    lower = word.strip().lower()
    if lower in TYPES:
        return lower, ""
    return ("", "") if lower in _ANYTHING else _OTHER_NAMES.get(lower)


def text(value: Any) -> Mended:
    if isinstance(value, str):
        return value, ""
    if value is None:
        return UNUSABLE, ""
    if isinstance(value, dict | list):
        return UNUSABLE, "is no text"
    return _word(value), ""


def number(value: Any) -> Mended:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value, ""
    if value is None:
        return UNUSABLE, ""
    try:
        read = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        read = math.nan
    if not math.isfinite(read):
        return UNUSABLE, "is no number"
    return (int(read) if read.is_integer() else read), "is a number in quotes"


def positive(value: Any) -> Mended:
    kept, fault = number(value)
    return (UNUSABLE, "is not above zero") if kept is not UNUSABLE and kept <= 0 else (kept, fault)


def count(value: Any) -> Mended:
    kept, fault = number(value)
    if kept is UNUSABLE:
        return kept, fault
    if kept < 0 or kept != int(kept):
        return UNUSABLE, "is no count"
    return int(kept), fault


def flag(value: Any) -> Mended:
    if isinstance(value, bool):
        return value, ""
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true", "is a boolean in quotes"
    return UNUSABLE, "" if value is None else "is no boolean"


def names(value: Any) -> Mended:
    """A list of distinct names, as `required` has."""
    if isinstance(value, str):
        return [value], "is a text, not a list"
    if not isinstance(value, list):
        return UNUSABLE, "is no list"
    kept = list(dict.fromkeys(entry for entry in value if isinstance(entry, str)))
    return kept, "" if len(kept) == len(value) else "has doubles or what is no name"


def name_lists(value: Any) -> Mended:
    if not isinstance(value, dict):
        return UNUSABLE, "is no mapping"
    kept = {key: names(entry)[0] for key, entry in value.items() if isinstance(entry, list)}
    return kept, "" if len(kept) == len(value) else "has what is no list"


def literal(value: Any) -> Mended:
    """Any JSON value that is not so deep that it can hardly be an example."""
    if not isinstance(value, dict | list) or _shallow(value):
        return value, ""
    return UNUSABLE, f"is nested more than {MAX_LITERAL_DEPTH} levels deep, or holds a reference"


def literals(value: Any) -> Mended:
    """A list of values; a mapping of named examples (OpenAPI) gives its values."""
    if isinstance(value, dict):
        entries = [
            entry["value"] if isinstance(entry, dict) and "value" in entry else entry
            for entry in value.values()
        ]
        return literals(entries)
    if not isinstance(value, list):
        return ([value], "is no list") if value is not None else (UNUSABLE, "")
    kept = [entry for entry in value if literal(entry)[0] is not UNUSABLE]
    return kept, "" if len(kept) == len(value) else "has values that are too deep"


def choices(value: Any) -> Mended:
    """The values of `enum`, each once."""
    if isinstance(value, str):
        return [word.strip() for word in value.split(",")], "is a text, not a list"
    kept, fault = literals(value)
    if kept is UNUSABLE or not kept:
        return UNUSABLE, fault or "is empty"
    distinct = list({(type(one).__name__, repr(one)): one for one in kept}.values())
    return distinct, fault


def _shallow(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_LITERAL_DEPTH):
        below: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                if isinstance(node.get("$ref"), str):
                    return False
                below.extend(node.values())
            elif isinstance(node, list):
                below.extend(node)
        if not below:
            return True
        level = below
    return False


def _word(value: Any) -> str:
    """A number or boolean as JSON writes it: `1.0`, `true`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


PLAIN: dict[str, Callable[[Any], Mended]] = {
    **dict.fromkeys(("title", "description", "format", "pattern", "$comment"), text),
    **dict.fromkeys(("contentEncoding", "contentMediaType"), text),
    **dict.fromkeys(("minimum", "maximum"), number),
    "multipleOf": positive,
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), count),
    **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), count),
    **dict.fromkeys(("uniqueItems", "readOnly", "writeOnly", "deprecated"), flag),
    "required": names,
    "dependentRequired": name_lists,
    **dict.fromkeys(("default", "const"), literal),
    "examples": literals,
    "enum": choices,
}
