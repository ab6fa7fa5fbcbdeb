"""What goes into the body of a request, flattened into fields where it is an object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from catalog.spec import Schema
from parsers.openapi.dialect import without_read_only
from parsers.openapi.fields import Body, Field
from parsers.openapi.media import by_preference, is_binary, is_form, is_text, preferred
from parsers.openapi.node import Node
from parsers.openapi.parameters import Parameter
from parsers.openapi.problems import Problems
from parsers.openapi.references import Unresolved
from parsers.openapi.schemas import Schemas
from parsers.openapi.shapes import Shapes

_ENCODING = ("contentType", "style", "explode", "allowReserved")
_DEFAULT_MEDIA = "application/json"
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class Bodies:
    """Of several media types one is read: JSON, `+json`, JSON lines, form, multipart, XML, text,
    other, ranges. All are named in the binding, the one that was read first.
    """

    def __init__(self, schemas: Schemas, problems: Problems) -> None:
        self._schemas = schemas
        self._problems = problems
        self._shapes = Shapes(schemas, problems)

    def of_operation(self, operation: Node) -> Body:
        """The body of an OpenAPI 3.x operation."""
        given = operation.child("requestBody")
        if given.value is None:
            return Body()
        try:
            request = self._schemas.resolver.follow(given)
        except Unresolved as fault:
            self._problems.warn(given, f"the body is not known: {fault}")
            return Body((Field("", "body", {}),))
        if not isinstance(request.value, dict):
            self._problems.warn(given, "the body is no mapping: left out")
            return Body()
        return self._of_request(request)

    def _of_request(self, request: Node) -> Body:
        content = self._followed(request.child("content"))
        media_types = preferred(content)
        text = self._schemas.text(request.child("description"))
        needed = request.value.get("required") is True
        if not media_types:
            self._problems.warn(request, "a body without media type: read as JSON of any kind")
            return Body((Field("", "body", {}, needed),), description=text)
        media = self._followed(content.child(media_types[0]))
        schema = _schema_of(media, media_types[0], self._schemas)
        place = "form" if is_form(media_types[0]) else "body"
        body = self._filled(schema, place, needed, media.child("encoding"))
        return Body(body.fields, body.constraints, media_types, text)

    def of_parameters(self, found: list[Parameter], consumes: list[str]) -> Body:
        """The body of a Swagger 2.0 operation: one `body` parameter, or fields of a form."""
        bodies = [one for one in found if one.place == "body"]
        forms = tuple(one.field() for one in found if one.place == "form")
        if forms:
            for other in bodies:
                said = "a body beside fields of a form: only one can be sent, left out"
                self._problems.warn(other.node, said, other.name)
            return Body(forms, {}, _form_types(consumes, forms))
        if not bodies:
            return Body()
        first = bodies[0]
        for other in bodies[1:]:
            self._problems.warn(other.node, "a second body: only one can be sent", other.name)
        media_types = tuple(by_preference(consumes)) or (_DEFAULT_MEDIA,)
        schema = first.node.child("schema")
        if schema.value is None:
            schema = Node({}, schema.file, schema.at)
        body = self._filled(schema, "body", first.required, schema.child("encoding"))
        return Body(body.fields, body.constraints, media_types, first.description)

    def _filled(self, schema: Node | Schema, place: str, needed: bool, encoding: Node) -> Body:
        if not isinstance(schema, Node):
            return Body((Field("", "body", schema, needed),))
        shape = self._shapes.of(schema)
        if shape is None:
            whole = without_read_only(self._schemas.convert(schema))
            return Body((Field("", "body", whole, needed),))
        fields = [
            Field(name, place, one, name in shape.required, _options(encoding.child(name)))
            for name, one in shape.properties.items()
        ]
        asked = dict.fromkeys((*shape.required, *_asked(shape.alternatives)))
        undeclared = [name for name in asked if name not in shape.properties]
        fields += [Field(name, place, {}, name in shape.required) for name in undeclared]
        return Body(tuple(fields), shape.constraints())

    def _followed(self, node: Node) -> Node:
        try:
            return self._schemas.resolver.follow(node)
        except Unresolved as fault:
            self._problems.warn(node, f"the body is not known: {fault}")
            return Node(None, node.file, node.at)


def _schema_of(media: Node, media_type: str, schemas: Schemas) -> Node | Schema:
    """The schema of a media type object, or what its name alone says."""
    item = media.child("itemSchema")
    if item.value is not None:  # 3.2: a stream of items
        return {"type": "array", "items": schemas.convert(item)}
    if media.child("schema").value is not None:
        return media.child("schema")
    if is_text(media_type):
        return {"type": "string"}
    if is_binary(media_type):
        return {"type": "string", "format": "binary"}
    return {}


def _asked(alternatives: Any) -> Iterator[str]:
    """Every name in the `required` lists of alternatives."""
    for one in alternatives:
        for keyword, value in one.items():
            yield from value if keyword == "required" else _asked(value)


def _options(encoding: Node) -> dict[str, Any]:
    value = encoding.value
    if not isinstance(value, dict):
        return {}
    return {key: value[key] for key in _ENCODING if isinstance(value.get(key), str | bool)}


def _form_types(consumes: list[str], fields: tuple[Field, ...]) -> tuple[str, ...]:
    """Multipart where a file is sent (2.0 §4.3.9), else what the operation names, else a form."""
    files = any(isinstance(f.schema, dict) and f.schema.get("format") == "binary" for f in fields)
    named = [one for one in by_preference(consumes) if is_form(one)] or list(_FORMS)
    wanted = [one for one in named if one.startswith("multipart/")] if files else named
    return tuple(wanted or [_FORMS[1]])
