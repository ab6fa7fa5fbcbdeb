"""The example that a description gives of an answer, kept beside the answer's type."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from catalog.spec import Schema
from parsers.openapi.keywords import UNUSABLE, literal
from parsers.openapi.node import Node

MAX_BESIDE_A_TYPE = 8 * 1024
MAX_ALONE = 64 * 1024
"""Letters of JSON: an example tells most where the type says nothing."""

_TELLING = {"$ref", "properties", "items", "allOf", "anyOf", "oneOf", "examples"}


def with_example(
    schema: Schema | None, media: Node, followed: Callable[[Node], Node]
) -> Schema | None:
    """The type with the first whole example of the media type (OpenAPI 3) among its `examples`."""
    value = media.child("example").value
    if value is None:
        named = next((node for _, node in followed(media.child("examples")).entries()), None)
        value = followed(named).child("value").value if named else None
    return _with_value(schema, value)


def with_example_of_2(schema: Schema, response: Node, media_type: str) -> Schema:
    """The same for Swagger 2.0, which keeps examples by media type."""
    given = response.child("examples").value
    examples = given if isinstance(given, dict) else {}
    value = examples.get(media_type, next(iter(examples.values()), None))
    return _with_value(schema, value) or schema


def _with_value(schema: Schema | None, value: Any) -> Schema | None:
    if not isinstance(value, (dict, list)) or literal(value)[0] is UNUSABLE:
        return schema
    known = dict(schema) if isinstance(schema, dict) else {}
    telling = _TELLING & known.keys()
    if "examples" in known or _size(value) > (MAX_BESIDE_A_TYPE if telling else MAX_ALONE):
        return schema
    return {**known, "examples": [value]}


def _size(value: Any) -> int:
    try:
        return len(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return MAX_ALONE + 1
