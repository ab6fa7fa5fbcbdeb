"""Where the value of an argument comes from: the user, the spec, the calendar, earlier answers."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from catalog.abbreviations import expanded
from catalog.spec import Operation, Schema
from catalog.words import split_identifier
from probing.safety import changing_value

Origin = Literal["gloss.toml", "example", "default", "choice", "calendar", "answer"]
MAX_NAMES = 5_000
_REF = "#/$defs/"
_EXAMPLE = re.compile(
    r"(?:e\.g\.|for example|example:|such as)[,:]?\s+[`\"']?([\w./:-]{1,60}\w)", re.I
)
_PAGING = frozenset(
    """page size limit offset cursor count top skip sort order filter fields expand include
    embed option token max maximum min minimum per start next direction format""".split()
)
_SCALARS = ("string", "integer", "number", "boolean")


@dataclass(frozen=True, slots=True)
class Value:
    """`origin` says where from; `secret` values are never written anywhere."""

    value: Any = field(repr=False)
    origin: Origin
    source: str = ""
    secret: bool = False

    @property
    def shown(self) -> str:
        """For the plan; what came from an answer or is secret is not shown."""
        if self.secret or self.origin == "answer":
            return "***"
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Wanted:
    """An argument to be filled. `required`: without it there is no call."""

    key: str
    name: str
    place: str
    schema: dict[str, Any]
    required: bool


def wanted(operation: Operation, definitions: Mapping[str, Schema]) -> list[Wanted]:
    """What a call needs: required arguments and whatever is in the path; for gRPC, where nothing
    is marked as required, also every single value that is not about paging."""
    schema = operation.input_schema if isinstance(operation.input_schema, dict) else {}
    required = set(schema.get("required", ()))
    found = []
    for argument in operation.binding.arguments:
        given = resolved(schema.get("properties", {}).get(argument.key), definitions)
        must = argument.key in required or argument.place == "path"
        if must or (operation.protocol == "grpc" and _is_telling(argument.key, given)):
            found.append(Wanted(argument.key, argument.name, argument.place, given, must))
    return found


def _is_telling(key: str, schema: dict[str, Any]) -> bool:
    return type_of(schema) in _SCALARS and not _PAGING & set(words(key))


def resolved(schema: Any, definitions: Mapping[str, Schema]) -> dict[str, Any]:
    """The schema behind references, its own annotations kept."""
    found: dict[str, Any] = {}
    for _ in range(8):
        if not isinstance(schema, dict):
            break
        found = {**schema, **found}
        ref = found.pop("$ref", None)
        if not isinstance(ref, str) or not ref.startswith(_REF):
            break
        schema = definitions.get(ref.removeprefix(_REF))
    return found


def type_of(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((entry for entry in kind if entry != "null"), None)
    return kind if isinstance(kind, str) else ("object" if "properties" in schema else "")


def static_value(
    one: Wanted, given: Mapping[str, Value], definitions: Mapping[str, Schema], today: date
) -> Value | None:
    """The value known before anything is sent, the user's own first."""
    if one.key in given or one.name in given:
        return given.get(one.key) or given[one.name]
    return _from_spec(one.schema, definitions, 0) or _from_text(one) or _from_calendar(one, today)


def _from_spec(
    schema: dict[str, Any], definitions: Mapping[str, Schema], depth: int
) -> Value | None:
    examples = schema.get("examples")
    if isinstance(examples, list) and examples and examples[0] is not None:
        return Value(examples[0], "example", "the spec")
    if schema.get("default") is not None:
        return Value(schema["default"], "default", "the spec")
    if "const" in schema:
        return Value(schema["const"], "choice", "the only one")
    choices = [entry for entry in schema.get("enum") or () if entry is not None]
    if choices:
        harmless = [c for c in choices if not changing_value(c)] or choices
        chosen = next((c for c in harmless if not str(c).endswith("UNSPECIFIED")), harmless[0])
        return Value(chosen, "choice", "a choice of the spec")
    if type_of(schema) == "boolean":
        return Value(False, "choice", "false")
    return _whole(schema, definitions, depth) if depth < 4 else None


def _whole(schema: dict[str, Any], definitions: Mapping[str, Schema], depth: int) -> Value | None:
    """An object or list put together, where all that it requires can be had from the spec."""
    kind = type_of(schema)
    if kind == "array" and isinstance(schema.get("items"), dict):
        item = _from_spec(resolved(schema["items"], definitions), definitions, depth + 1)
        return Value([item.value], item.origin, item.source) if item else None
    if kind != "object" or "properties" not in schema:
        return None
    made: dict[str, Any] = {}
    for name in schema.get("required", ()):
        part = resolved(schema["properties"].get(name), definitions)
        found = _from_spec(part, definitions, depth + 1)
        if found is None:
            return None
        made[name] = found.value
    return Value(made, "example", "put together from the spec") if made else None


def _from_text(one: Wanted) -> Value | None:
    """`SKU, e.g. TB-4410`."""
    match = _EXAMPLE.search(str(one.schema.get("description", "")))
    if match is None or type_of(one.schema) not in ("string", "integer", ""):
        return None
    text = match.group(1).rstrip(".")
    value = typed(text, one.schema)
    return None if value is None else Value(value, "example", "the text of the spec")


def _from_calendar(one: Wanted, today: date) -> Value | None:
    """Today, its month or year: values that name nothing and nobody."""
    about, kind = words(one.name), type_of(one.schema)
    if one.schema.get("format") == "date-time":
        return Value(f"{today.isoformat()}T00:00:00Z", "calendar", "today")
    if one.schema.get("format") == "date" or about[-1:] == ["date"] or about[:1] == ["date"]:
        return Value(today.isoformat(), "calendar", "today")
    if about[-1:] == ["year"] and kind in ("integer", "string", "number", ""):
        return Value(typed(str(today.year), one.schema), "calendar", "this year")
    if about[-1:] == ["month"] and kind == "integer":
        return Value(today.month, "calendar", "this month")
    if about in (["page"], ["limit"], ["page", "size"], ["page", "number"]) and kind == "integer":
        return Value(1, "default", "the smallest page")
    return None


def typed(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value in the type that the schema asks for, None where it does not fit."""
    kind = type_of(schema)
    if isinstance(value, (dict, list)) or value is None:
        return None
    if kind in ("integer", "number"):
        try:
            return int(str(value)) if kind == "integer" else float(str(value))
        except ValueError:
            return None
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    return (
        (str(value).lower() if isinstance(value, bool) else str(value))
        if kind != "object"
        else None
    )


def words(name: str) -> list[str]:
    """The words of a name in full: `custId` and `customer_id` are the same two."""
    return list(_words(name))


@lru_cache(maxsize=50_000)
def _words(name: str) -> tuple[str, ...]:
    return tuple(expanded(word) for word in split_identifier(name))


def known_names(
    schema: Any, definitions: Mapping[str, Schema], limit: int = MAX_NAMES
) -> Iterator[str]:
    """Names of fields that a response type declares, nearest levels first, references followed
    once each; of types that reach thousands of others only so many."""
    return islice(_names(schema, definitions), limit)


def _names(schema: Any, definitions: Mapping[str, Schema]) -> Iterator[str]:
    waiting: deque[Any] = deque([schema])
    seen: set[str] = set()
    while waiting:
        node = waiting.popleft()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            ref = str(node.get("$ref", "")).removeprefix(_REF)
            if ref and ref not in seen:
                seen.add(ref)
                waiting.append(definitions.get(ref))
            properties = node.get("properties")
            if isinstance(properties, dict):
                yield from properties
                waiting.extend(properties.values())
            for key in ("items", "additionalProperties", "allOf", "anyOf", "oneOf"):
                waiting.append(node.get(key))
