"""What one message asks for: the fields of its body and headers, and how each reaches the wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.binding import Argument
from parsers.wsdl.model import Header, Message, Part, Side
from parsers.wsdl.names import QName
from parsers.wsdl.xsd.complex import schema_of
from parsers.wsdl.xsd.content import Choice, Field, FieldId
from parsers.wsdl.xsd.notes import described, documentation
from parsers.wsdl.xsd.objects import alternatives, keys_of, repeated
from parsers.wsdl.xsd.types import Types

ANYTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": True}


@dataclass(frozen=True, slots=True)
class Payload:
    """`whole`: the body is one value, no object, and `key` what an argument for it is called.
    `element` is the child of the SOAP body."""

    fields: tuple[Field, ...] = ()
    options: dict[FieldId, dict[str, Any]] = field(default_factory=dict)
    choices: tuple[Choice, ...] = ()
    is_open: bool = False
    whole: dict[str, Any] | None = None
    key: str = ""
    element: str = ""
    text: str = ""


def payload(
    types: Types, message: Message, side: Side, style: str, operation: str, namespace: str
) -> Payload:
    """The body of a message. `style` "" (no binding says it) is told from the parts."""
    parts = _body_parts(types, message, side)
    if style != "rpc" and len(parts) == 1 and parts[0].element is not None:
        return _of_element(types, parts[0], parts[0].element)
    is_rpc = style == "rpc" or (not style and any(part.type for part in parts))
    fields, options = _of_parts(types, parts, side)
    element = str(QName(side.namespace or namespace, operation)) if is_rpc else ""
    if not is_rpc and len(parts) == 1 and parts[0].type is None:
        return Payload(whole=described({}, parts[0].text), key=parts[0].name)
    return Payload(fields, options, element=element)


def _body_parts(types: Types, message: Message, side: Side) -> list[Part]:
    """Parts of the message that are in its body: those named for it, else all but the headers."""
    in_header = {header.part for header in side.headers}
    parts = [part for part in message.parts if part not in in_header]
    if side.body_parts is None:
        return parts
    named = [part for part in parts if part.name in {*side.body_parts, *side.media}]
    if side.body_parts and parts and not named:
        names = ", ".join(side.body_parts)
        types.report.warn(parts[0].location, f"a body names parts that are not there ({names})")
        return parts
    return named


def _of_element(types: Types, part: Part, name: QName) -> Payload:
    """Document style: the element is the body, and its children are the fields."""
    component = types.component("element", name, part.location)
    if component is None:
        return Payload(is_open=True, element=str(name), text=part.text)
    shape, text = types.shape_of_element(component)
    text = part.text or documentation(component.node) or text
    if shape is None or not shape.is_object:
        whole = types.declared_whole(component) if shape is None else schema_of(shape)
        return Payload(whole=described(whole, text), key=name.local, element=str(name))
    return Payload(
        shape.fields,
        {one.id: _wire(one.id) for one in shape.fields},
        shape.content.choices,
        shape.is_open,
        element=str(name),
        text=text,
    )


def _wire(field_id: FieldId) -> dict[str, Any]:
    options: dict[str, Any] = {"namespace": field_id.namespace} if field_id.namespace else {}
    if field_id.place in ("attribute", "text"):
        options[field_id.place] = True
    return options


def _of_parts(
    types: Types, parts: Sequence[Part], side: Side
) -> tuple[tuple[Field, ...], dict[FieldId, dict[str, Any]]]:
    fields, options = [], {}
    for index, part in enumerate(parts):
        field_id = FieldId("", part.name or f"part{index + 1}", "part")
        media = side.media.get(part.name, "")
        fields.append(Field(field_id, _part_schema(types, part, media)))
        options[field_id] = _part_options(part, media)
    return tuple(fields), options


def _part_schema(types: Types, part: Part, media: str) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    if part.element is not None:
        schema = types.element_named(part.element, part.location)
    elif part.type is not None:
        schema = types.type_named(part.type, part.location)
    if media and media != "*/*":
        schema = {**schema, "contentMediaType": media}
    return described(schema, part.text)


def _part_options(part: Part, media: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if part.element is not None:
        options["element"] = str(part.element)
    if part.type is not None:
        options["type"] = str(part.type)
    if media:
        options["attachment"] = media
    return options


def with_headers(types: Types, body: Payload, headers: Sequence[Header]) -> Payload:
    fields, options = list(body.fields), dict(body.options)
    for header in headers:
        element = header.part.element
        name = element or QName("", header.part.name)
        field_id = FieldId(name.namespace, name.local, "header")
        if field_id in options:
            continue
        schema = _part_schema(types, header.part, "")
        fields.append(Field(field_id, schema, 1 if header.required else 0))
        options[field_id] = {**_wire(field_id), **_part_options(header.part, "")}
    return replace(body, fields=tuple(fields), options=options)


def input_of(body: Payload, place: str, text: str) -> tuple[dict[str, Any], tuple[Argument, ...]]:
    """The input schema, its properties flat, and the argument behind each property."""
    fields = list(body.fields)
    options = dict(body.options)
    if body.whole is not None:
        whole = FieldId("", body.key, "part")
        fields.insert(0, Field(whole, body.whole))
        options[whole] = {"whole": True}
    keys = keys_of([one.id for one in fields])
    arguments = tuple(_argument(one.id, keys[one.id], options[one.id], place) for one in fields)
    return _object(fields, keys, body, text), arguments


def _argument(field_id: FieldId, key: str, options: dict[str, Any], place: str) -> Argument:
    if options.get("whole"):
        return Argument(key, "", place)
    return Argument(key, field_id.name, "header" if field_id.place == "header" else place, options)


def output_of(body: Payload, text: str) -> dict[str, Any]:
    if body.whole is not None and not body.fields:
        return described(body.whole, text)
    fields = list(body.fields)
    if body.whole is not None:
        fields.insert(0, Field(FieldId("", body.key, "part"), body.whole))
    return _object(fields, keys_of([one.id for one in fields]), body, text)


def _object(
    fields: Sequence[Field], keys: dict[FieldId, str], body: Payload, text: str
) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": text or body.text} if text or body.text else {}
    schema["type"] = "object"
    schema["properties"] = {keys[one.id]: repeated(one) for one in fields}
    required = [keys[one.id] for one in fields if one.least > 0]
    if required:
        schema["required"] = required
    schema.update(alternatives(body.choices, keys))
    if body.is_open:
        schema["additionalProperties"] = True
    return schema
