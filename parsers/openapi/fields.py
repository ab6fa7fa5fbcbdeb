"""What a caller can fill in: one property of the input schema, and where it goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from catalog.binding import Argument
from catalog.spec import Schema
from catalog.words import distinct_keys

# A base type of everything lists every type there is: Graph's 140 kB, again in 3,387 tools.
_MOST_MAPPED = 100


@dataclass(frozen=True, slots=True)
class Field:
    """`name` is the word on the wire, "" for a body that is one value."""

    name: str
    place: str
    schema: Schema
    required: bool = False
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Body:
    """`constraints` are keywords for the whole input (which fields go together), by wire name."""

    fields: tuple[Field, ...] = ()
    constraints: dict[str, Any] = field(default_factory=dict)
    media_types: tuple[str, ...] = ()
    description: str = ""


def input_schema(parameters: list[Field], body: Body) -> tuple[Schema, tuple[Argument, ...]]:
    """One flat object of all fields, and the way of each property to the wire."""
    fields = [*parameters, *body.fields]
    keys = distinct_keys((one.name or "body", one.place) for one in fields)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {key: one.schema for key, one in zip(keys, fields, strict=True)},
    }
    required = [key for key, one in zip(keys, fields, strict=True) if one.required]
    if required:
        schema["required"] = required
    if body.description:
        schema["description"] = body.description
    renamed = dict(zip([one.name for one in body.fields], keys[len(parameters) :], strict=True))
    schema.update(_with_keys(body.constraints, renamed))
    arguments = [
        Argument(key, one.name, one.place, one.options)
        for key, one in zip(keys, fields, strict=True)
    ]
    return schema, tuple(arguments)


def _with_keys(constraints: dict[str, Any], renamed: dict[str, str]) -> dict[str, Any]:
    """The constraints with wire names replaced by keys."""
    out: dict[str, Any] = {}
    for keyword, value in constraints.items():
        if keyword == "required":
            out[keyword] = [renamed.get(name, name) for name in value]
        elif keyword in ("allOf", "anyOf", "oneOf"):
            out[keyword] = [_with_keys(one, renamed) for one in value]
        elif keyword == "discriminator":
            out[keyword] = _discriminator(value, renamed)
        elif keyword == "dependentRequired":
            out[keyword] = {
                renamed.get(name, name): [renamed.get(one, one) for one in needed]
                for name, needed in value.items()
            }
        else:
            out[keyword] = value
    return out


def _discriminator(value: dict[str, Any], renamed: dict[str, str]) -> dict[str, Any]:
    name = value["propertyName"]
    out = {**value, "propertyName": renamed.get(name, name)}
    if len(out.get("mapping", ())) > _MOST_MAPPED:
        out["x-mapping-left-out"] = len(out.pop("mapping"))  # said in the tool itself
    return out
