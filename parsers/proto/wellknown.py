"""Types and scalars with a JSON form of their own (protobuf.dev, ProtoJSON)."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field

_INT32 = {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}
_UINT32 = {"type": "integer", "minimum": 0, "maximum": 2**32 - 1}
# 64-bit numbers are written as text, since JSON readers round them; both forms are accepted.
_INT64 = {"type": ["string", "integer"], "format": "int64", "pattern": "^-?[0-9]{1,19}$"}
_UINT64 = {
    "type": ["string", "integer"],
    "format": "uint64",
    "pattern": "^[0-9]{1,20}$",
    "minimum": 0,
}
_FLOAT = {"type": ["number", "string"], "pattern": "^(NaN|-?Infinity)$"}
_BYTES = {"type": "string", "contentEncoding": "base64"}
_TEXT = {"type": "string"}
_BOOL = {"type": "boolean"}

SCALARS: dict[int, dict[str, Any]] = {
    Field.TYPE_DOUBLE: _FLOAT,
    Field.TYPE_FLOAT: _FLOAT,
    Field.TYPE_INT64: _INT64,
    Field.TYPE_UINT64: _UINT64,
    Field.TYPE_INT32: _INT32,
    Field.TYPE_FIXED64: _UINT64,
    Field.TYPE_FIXED32: _UINT32,
    Field.TYPE_BOOL: _BOOL,
    Field.TYPE_STRING: _TEXT,
    Field.TYPE_BYTES: _BYTES,
    Field.TYPE_UINT32: _UINT32,
    Field.TYPE_SFIXED32: _INT32,
    Field.TYPE_SFIXED64: _INT64,
    Field.TYPE_SINT32: _INT32,
    Field.TYPE_SINT64: _INT64,
}

_INTEGER_KEY = {"pattern": "^-?[0-9]+$"}
_NATURAL_KEY = {"pattern": "^[0-9]+$"}
_UNSIGNED = (Field.TYPE_UINT32, Field.TYPE_UINT64, Field.TYPE_FIXED32, Field.TYPE_FIXED64)


def map_key(kind: int) -> dict[str, Any] | None:
    """What the keys of a map look like, None where any text will do."""
    if kind == Field.TYPE_STRING:
        return None
    if kind == Field.TYPE_BOOL:
        return {"enum": ["true", "false"]}
    return _NATURAL_KEY if kind in _UNSIGNED else _INTEGER_KEY


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": [*kinds, "null"]}


WELL_KNOWN: dict[str, dict[str, Any]] = {
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "google.protobuf.Duration": {
        "type": "string",
        "pattern": r"^-?[0-9]{1,12}(\.[0-9]{1,9})?s$",
        "description": 'Seconds, such as "1.5s".',
    },
    "google.protobuf.FieldMask": {
        "type": "string",
        "description": "Field paths in lowerCamelCase, joined by commas.",
    },
    "google.protobuf.Struct": {"type": "object", "description": "Any JSON object."},
    "google.protobuf.Value": {"description": "Any JSON value."},
    "google.protobuf.ListValue": {"type": "array", "description": "Any JSON array."},
    "google.protobuf.NullValue": {"type": "null"},
    "google.protobuf.Any": {
        "type": "object",
        "properties": {
            "@type": {
                "type": "string",
                "description": "Type URL, such as type.googleapis.com/package.Message.",
            }
        },
        "required": ["@type"],
        "description": "A message of the type that @type names, its fields beside it.",
    },
    "google.protobuf.Empty": {"type": "object", "properties": {}},
    "google.protobuf.DoubleValue": _nullable(_FLOAT),
    "google.protobuf.FloatValue": _nullable(_FLOAT),
    "google.protobuf.Int64Value": _nullable(_INT64),
    "google.protobuf.UInt64Value": _nullable(_UINT64),
    "google.protobuf.Int32Value": _nullable(_INT32),
    "google.protobuf.UInt32Value": _nullable(_UINT32),
    "google.protobuf.BoolValue": _nullable(_BOOL),
    "google.protobuf.StringValue": _nullable(_TEXT),
    "google.protobuf.BytesValue": _nullable(_BYTES),
}
