"""Messages and enums as JSON Schema by the ProtoJSON mapping; references are never inlined."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Any

from google.protobuf import text_encoding
from google.protobuf.descriptor_pb2 import FeatureSet
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field

from catalog.hashing import references
from catalog.spec import Schema
from parsers.proto import comments, options
from parsers.proto.types import EnumType, File, MessageType, Path, Types
from parsers.proto.wellknown import SCALARS, WELL_KNOWN, map_key

_REF = "#/$defs/"
PROTO_NAME = "x-proto-name"
OPEN_ENUM = "x-open-enum"
_NOT_FINITE = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN", "-nan": "NaN"}
_NAMED_TYPES = (Field.TYPE_MESSAGE, Field.TYPE_GROUP, Field.TYPE_ENUM, 0)


@dataclass(frozen=True, slots=True)
class Property:
    """One field of a message: its JSON name, the name in the .proto, the oneof it is part of."""

    key: str
    name: str
    schema: dict[str, Any]
    required: bool
    output_only: bool
    oneof: int | None = None


class Schemas:
    """Schemas of one set of types; `unknown` collects the types that are in none of its files."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self.unknown: set[str] = set()

    def of_type(self, name: str) -> dict[str, Any]:
        """A reference to a named type, or the whole schema where JSON has a form for it."""
        real = self._types.real_name(name)
        if real in WELL_KNOWN:
            return dict(WELL_KNOWN[real])
        if real in self._types.messages or real in self._types.enums:
            return {"$ref": _REF + real}
        self.unknown.add(real)
        return {"description": f"Anything: the type {real} is in none of the files."}

    def message(self, name: str) -> MessageType | None:
        """The message type with fields of its own by that name."""
        real = self._types.real_name(name)
        return None if real in WELL_KNOWN else self._types.messages.get(real)

    def definitions(self, roots: list[Schema | None]) -> dict[str, Schema]:
        """Every named type that the schemas reach."""
        found: dict[str, Schema] = {}
        waiting = list(dict.fromkeys(references(roots)))
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self._definition(name)
                waiting.extend(references(found[name]))
        return dict(sorted(found.items()))

    def properties(self, message: MessageType) -> list[Property]:
        found = [
            self._property(f, message.file, message.field_path(index), _json_name(f))
            for index, f in enumerate(message.descriptor.field)
        ]
        for added in self._types.extensions.get(message.name, ()):
            key = f"[{added.name}]"
            found.append(self._property(added.descriptor, added.file, added.path, key))
        return found

    def _definition(self, name: str) -> Schema:
        if name in self._types.enums:
            return _enum(self._types.enums[name])
        message = self._types.messages[name]
        return object_schema(message, self.properties(message))

    def _property(self, field: Field, file: File, path: Path, key: str) -> Property:
        purpose = options.behavior(field.options)
        schema = self._value(field)
        _describe(schema, file.comment(path))
        _mark(schema, field, purpose)
        name = key if key.startswith("[") else field.name
        if name != key:
            schema[PROTO_NAME] = name
        oneof = field.oneof_index if _in_oneof(field) else None
        required = (purpose.required and oneof is None) or _must_be_there(field)
        return Property(key, name, schema, required, purpose.output_only, oneof)

    def _value(self, field: Field) -> dict[str, Any]:
        entry = self._map_entry(field)
        if entry is not None:
            return self._map(entry)
        one = self._single(field)
        if field.label == Field.LABEL_REPEATED:
            return {"type": "array", "items": one}
        return one

    def _single(self, field: Field) -> dict[str, Any]:
        if field.type in _NAMED_TYPES:
            return self.of_type(field.type_name)
        return dict(SCALARS.get(field.type, {}))

    def _map(self, entry: MessageType) -> dict[str, Any]:
        key, value = entry.descriptor.field
        schema = {"type": "object", "additionalProperties": self._single(value)}
        names = map_key(key.type)
        return {**schema, "propertyNames": dict(names)} if names else schema

    def _map_entry(self, field: Field) -> MessageType | None:
        if field.type != Field.TYPE_MESSAGE or field.label != Field.LABEL_REPEATED:
            return None
        message = self._types.messages.get(field.type_name.removeprefix("."))
        if message is None or not message.descriptor.options.map_entry:
            return None
        return message if len(message.descriptor.field) == 2 else None


def object_schema(message: MessageType, given: list[Property]) -> dict[str, Any]:
    """An object with these properties; of a oneof's members at most one may be there."""
    schema: dict[str, Any] = {"type": "object"}
    _describe(schema, message.file.comment(message.path))
    schema["properties"] = {entry.key: entry.schema for entry in given}
    required = [entry.key for entry in given if entry.required]
    if required:
        schema["required"] = required
    groups = _oneofs(message, given)
    if groups:
        schema["allOf"] = groups
    if message.descriptor.options.deprecated:
        schema["deprecated"] = True
    return schema


def _oneofs(message: MessageType, given: list[Property]) -> list[dict[str, Any]]:
    groups = []
    for index, _ in enumerate(message.descriptor.oneof_decl):
        members = [entry.key for entry in given if entry.oneof == index]
        if len(members) > 1:
            groups.append(_at_most_one(members))
    return groups


def _at_most_one(members: list[str]) -> dict[str, Any]:
    each: list[dict[str, Any]] = [{"required": [key]} for key in members]
    return {
        "description": f"At most one of {', '.join(members)}.",
        "oneOf": [*each, {"not": {"anyOf": [dict(entry) for entry in each]}}],
    }


def _enum(enum: EnumType) -> dict[str, Any]:
    names = [value.name for value in enum.descriptor.value]
    schema: dict[str, Any] = {"type": "string", "enum": names}
    values = [line for index in range(len(names)) if (line := _enum_value(enum, index))]
    _describe(schema, "\n".join([enum.file.comment(enum.path), *values]).strip())
    if not _is_closed(enum):
        schema[OPEN_ENUM] = True
    if enum.descriptor.options.deprecated:
        schema["deprecated"] = True
    return schema


def _enum_value(enum: EnumType, index: int) -> str:
    value = enum.descriptor.value[index]
    said = comments.first_paragraph(enum.file.comment(enum.value_path(index)))
    words = [word for word in (said, "Deprecated." * value.options.deprecated) if word]
    return f"- {value.name}: {' '.join(words)}" if words else ""


def _is_closed(enum: EnumType) -> bool:
    said = enum.descriptor.options.features.enum_type
    return said == FeatureSet.CLOSED if said else enum.file.enums_are_closed


def _describe(schema: dict[str, Any], comment: str) -> None:
    """The comment, before what the type itself says."""
    said = [text for text in (comment, schema.get("description", "")) if text]
    if said:
        schema["description"] = "\n".join(said)


def _mark(schema: dict[str, Any], field: Field, purpose: options.Behavior) -> None:
    if field.options.deprecated:
        schema["deprecated"] = True
    if purpose.output_only:
        schema["readOnly"] = True
    if purpose.input_only:
        schema["writeOnly"] = True
    if field.HasField("default_value"):
        schema["default"] = _default(field)


def _default(field: Field) -> Any:
    text = field.default_value
    if field.type == Field.TYPE_BOOL:
        return text == "true"
    if field.type == Field.TYPE_BYTES:
        return b64encode(text_encoding.CUnescape(text)).decode()
    if field.type in (Field.TYPE_DOUBLE, Field.TYPE_FLOAT):
        return _NOT_FINITE.get(text) or float(text)
    if SCALARS.get(field.type, {}).get("type") == "integer":
        return int(text)
    return text


def _in_oneof(field: Field) -> bool:
    return field.HasField("oneof_index") and not field.proto3_optional


def _must_be_there(field: Field) -> bool:
    presence = field.options.features.field_presence
    return field.label == Field.LABEL_REQUIRED or presence == FeatureSet.LEGACY_REQUIRED


def _json_name(field: Field) -> str:
    return field.json_name or lower_camel(field.name)


def lower_camel(name: str) -> str:
    """protoc's ToJsonName: underscores go, the letter behind each is capital."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)
