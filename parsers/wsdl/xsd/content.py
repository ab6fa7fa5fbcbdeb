"""What an element may hold, counted: the algebra of sequence, choice and repetition.

A content is a set of fields, each with how often it may occur, and the choices among them. JSON
objects know no order between different names, so sequence and all are the same here; the order of
the fields is kept as the order in which they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

Place = Literal["element", "attribute", "text", "part", "header"]
MANY = 1_000_000_000
"""How often "unbounded" is."""


class FieldId(NamedTuple):
    namespace: str
    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class Field:
    id: FieldId
    schema: dict[str, Any]
    least: int = 1
    most: int = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives: what each branch requires, and the choices inside it."""

    branches: tuple[Branch, ...]
    exclusive: bool


@dataclass(frozen=True, slots=True)
class Branch:
    required: tuple[FieldId, ...]
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """`open`: elements that the schema does not name may be there too (xs:any)."""

    fields: Mapping[FieldId, Field] = field(default_factory=dict)
    choices: tuple[Choice, ...] = ()
    open: bool = False


NOTHING = Content()


def single(one: Field) -> Content:
    return Content({one.id: one})


def sequence(parts: Sequence[Content]) -> Content:
    """All of the parts: a name that occurs in several adds up."""
    fields: dict[FieldId, Field] = {}
    for part in parts:
        for key, one in part.fields.items():
            fields[key] = _both(fields[key], one) if key in fields else one
    choices = tuple(choice for part in parts for choice in part.choices)
    return Content(fields, choices, any(part.open for part in parts))


def choice(parts: Sequence[Content]) -> Content:
    """One of the parts: no field is required unless each part requires it."""
    fields: dict[FieldId, Field] = {}
    for part in parts:
        for key, one in part.fields.items():
            fields[key] = _either(fields[key], one) if key in fields else one
    everywhere = {key for key in fields if all(key in part.fields for part in parts)}
    optional = {
        key: one if key in everywhere else replace(one, least=0) for key, one in fields.items()
    }
    alternatives = _alternatives(parts) if len(parts) > 1 else parts[0].choices if parts else ()
    return Content(optional, alternatives, any(part.open for part in parts))


def times(content: Content, least: int, most: int) -> Content:
    if (least, most) == (1, 1):
        return content
    if most == 0:
        return NOTHING
    fields = {
        key: replace(one, least=min(one.least * least, MANY), most=min(one.most * most, MANY))
        for key, one in content.fields.items()
    }
    choices = content.choices if least else ()
    if most > 1:
        choices = tuple(replace(one, exclusive=False) for one in choices)
    return Content(fields, choices, content.open)


def _alternatives(parts: Sequence[Content]) -> tuple[Choice, ...]:
    """Nothing when a branch may be empty: then the choice asks for nothing."""
    branches = tuple(Branch(_required(part.fields.values()), part.choices) for part in parts)
    if any(not (branch.required or branch.choices) for branch in branches):
        return ()
    if any(part.open for part in parts):
        return ()
    names = [key for part in parts for key in part.fields]
    return (Choice(branches, exclusive=len(names) == len(set(names))),)


def _required(fields: Iterable[Field]) -> tuple[FieldId, ...]:
    return tuple(one.id for one in fields if one.least > 0)


def _both(first: Field, second: Field) -> Field:
    return replace(
        first,
        schema=_one_of_both(first.schema, second.schema),
        least=min(first.least + second.least, MANY),
        most=min(first.most + second.most, MANY),
    )


def _either(first: Field, second: Field) -> Field:
    return replace(
        first,
        schema=_one_of_both(first.schema, second.schema),
        least=min(first.least, second.least),
        most=max(first.most, second.most),
    )


def _one_of_both(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    if first == second:
        return first
    if not first or not second:
        return {}
    known = first["anyOf"] if set(first) == {"anyOf"} else [first]
    return {"anyOf": known if second in known else [*known, second]}
