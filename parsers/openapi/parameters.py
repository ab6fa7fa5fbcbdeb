"""Parameters of an operation: merged with those of its path, each with its schema and its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.spec import Schema
from parsers.openapi.fields import Field
from parsers.openapi.keywords import literals
from parsers.openapi.media import preferred
from parsers.openapi.node import Node
from parsers.openapi.problems import Problems
from parsers.openapi.references import Unresolved
from parsers.openapi.schemas import Schemas

PLACES = frozenset(("path", "query", "querystring", "header", "cookie", "form", "body"))
_OTHER_PLACES = {"formdata": "form", "form-data": "form", "url": "path", "params": "query"}
_SENT_OTHERWISE = frozenset(("accept", "content-type", "authorization"))
_STYLES = {  # Swagger 2.0 collectionFormat for query and form
    "csv": ("form", False),
    "multi": ("form", True),
    "ssv": ("spaceDelimited", False),
    "pipes": ("pipeDelimited", False),
    "tsv": ("tabDelimited", False),
}
_OPTIONS = ("style", "explode", "allowReserved", "allowEmptyValue")
_NOT_SCHEMA = frozenset(
    ("name", "in", "required", "description", "schema", "content", "deprecated", *_OPTIONS)
)
_TEMPLATE = re.compile(r"\{([^{}]+)\}")
_EXPRESS = re.compile(r"/:([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    place: str
    node: Node
    schema: Schema = True
    required: bool = False
    description: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    def field(self) -> Field:
        return Field(self.name, self.place, self.schema, self.required, self.options)

    @property
    def identity(self) -> tuple[str, str]:
        """Name and place; the names of headers are the same in any case (RFC 9110 §5.1)."""
        return self.name.lower() if self.place == "header" else self.name, self.place


class Parameters:
    def __init__(self, schemas: Schemas, problems: Problems) -> None:
        self._schemas = schemas
        self._problems = problems
        self._known: dict[int, Parameter | None] = {}

    def of(self, path: str, owners: tuple[Node, ...]) -> list[Parameter]:
        """A later owner's parameters beat those of the same name and place."""
        merged: dict[tuple[str, str], Parameter] = {}
        for owner in owners:
            seen: set[tuple[str, str]] = set()
            listed = list(self._listed(owner.child("parameters")))
            if any(one.place == "body" for one in listed):  # there can only be one (2.0 §4.3.9)
                merged = {key: one for key, one in merged.items() if one.place != "body"}
            for one in listed:
                if one.identity in seen:
                    said = "parameter that stands twice, the first was kept"
                    self._problems.warn(one.node, said, one.name)
                    continue
                seen.add(one.identity)
                merged[one.identity] = one
        return self._matched(path, list(merged.values()), owners[-1])

    def _listed(self, listing: Node) -> Iterator[Parameter]:
        listing = self._followed(listing) or Node(None, listing.file, listing.at)
        value = listing.value
        if isinstance(value, dict):
            self._problems.warn(listing, "`parameters` is a mapping, not a list: mended")
            single = "in" in value or "name" in value
            nodes = [listing] if single else [entry for _, entry in listing.entries()]
        else:
            nodes = list(listing.elements())
            if value is not None and not isinstance(value, list):
                self._problems.warn(listing, "`parameters` is no list: left out")
        for node in nodes:
            found = self._one(node)
            if found is not None:
                yield found

    def _one(self, node: Node) -> Parameter | None:
        target = self._followed(node)
        if target is None:
            return None
        key = id(target.value)
        if not isinstance(target.value, dict):
            self._problems.warn(node, "a parameter that is no mapping: left out")
            return None
        if key not in self._known:
            self._known[key] = self._read(target)
        return self._known[key]

    def _read(self, node: Node) -> Parameter | None:
        value = node.value
        name = value.get("name")
        if name is None or isinstance(name, dict | list) or str(name) == "":
            self._problems.warn(node, "a parameter without name: left out")
            return None
        place = self._place(node)
        if place == "header" and node.file.version != "2.0" and _sent_otherwise(name):
            said = "a header that is set otherwise, so no parameter (OpenAPI 3 §4.8.12)"
            self._problems.note(node, said, str(name))
            return None
        text = self._schemas.text(node.child("description"))
        schema, options = (True, {}) if place == "body" else self._schema(node, place)
        needed = value.get("required") is True or value.get("required") == "true"
        described = _described(schema, text, node)
        return Parameter(str(name), place, node, described, needed, text, options)

    def _place(self, node: Node) -> str:
        """Where it goes; "" when that has to be told from the path."""
        word = str(node.value.get("in") or "").strip().lower()
        word = _OTHER_PLACES.get(word, word)
        if word in PLACES:
            return word
        self._problems.warn(node, "a parameter in no known place", str(node.value.get("name")))
        return ""

    def _schema(self, node: Node, place: str) -> tuple[Schema, dict[str, Any]]:
        value = node.value
        options = {key: value[key] for key in _OPTIONS if isinstance(value.get(key), str | bool)}
        if value.get("schema") is not None:
            return self._schemas.convert(node.child("schema")), options
        if isinstance(value.get("content"), dict) and value["content"]:
            return self._of_content(node, options)
        return self._inline(node, place, options)

    def _of_content(self, node: Node, options: dict[str, Any]) -> tuple[Schema, dict[str, Any]]:
        content = node.child("content")
        media_type = preferred(content)[0]
        media = self._followed(content.child(media_type))
        options = {**options, "contentType": media_type}
        if media is None or media.child("schema").value is None:
            return {}, options
        return self._schemas.convert(media.child("schema")), options

    def _inline(
        self, node: Node, place: str, options: dict[str, Any]
    ) -> tuple[Schema, dict[str, Any]]:
        """Swagger 2.0: the keywords of the schema stand in the parameter itself."""
        inner = {key: entry for key, entry in node.value.items() if key not in _NOT_SCHEMA}
        if node.file.version != "2.0":
            if not inner.keys() - {"example", "examples"}:
                said = "a parameter without schema: any value"
                self._problems.warn(node, said, node.value["name"])
                return {}, options
            self._problems.warn(node, "a parameter that is its own schema: read as one")
        schema = self._schemas.convert(Node(inner, node.file, node.at))
        if node.value.get("type") == "array":
            options = {**options, **_style(node.value.get("collectionFormat"), place)}
        return schema, options

    def _matched(self, path: str, found: list[Parameter], operation: Node) -> list[Parameter]:
        """The parameters set against the path: every `{name}` of it is there, and is required."""
        wanted = dict.fromkeys(_template_names(path))
        placed = [self._placed(one, wanted, path) for one in found]
        out = list({one.identity: one for one in placed}.values())
        there = {one.name for one in out if one.place == "path"}
        for name in reversed(wanted):  # each is put in front
            if name not in there:
                out = self._made_up(name, out, operation)
        return [_required(one) if one.place == "path" else one for one in out]

    def _placed(self, one: Parameter, wanted: dict[str, None], path: str) -> Parameter:
        if one.place == "":
            one = replace(one, place="path" if one.name in wanted else "query")
        if one.place != "path" or one.name in wanted or one.name in _EXPRESS.findall(path):
            return one
        alike = [name for name in wanted if name.lower() == one.name.lower()]
        if alike:
            self._problems.warn(
                one.node, "path parameter spelled otherwise than in the path", alike[0]
            )
            return replace(one, name=alike[0])
        if f"{{{one.name}" not in path:
            self._problems.warn(one.node, "path parameter that is not in the path", one.name)
        return one

    def _made_up(self, name: str, found: list[Parameter], operation: Node) -> list[Parameter]:
        for index, one in enumerate(found):
            if one.name == name and one.place == "query":
                said = "query parameter that stands in the path: read as path parameter"
                self._problems.warn(one.node, said, name)
                return [*found[:index], replace(one, place="path"), *found[index + 1 :]]
        self._problems.warn(operation, "path parameter that is not declared: made up as text", name)
        return [Parameter(name, "path", operation, {"type": "string"}, True), *found]

    def _followed(self, node: Node) -> Node | None:
        try:
            return self._schemas.resolver.follow(node)
        except Unresolved as fault:
            self._problems.warn(node, f"a parameter is not known: {fault}")
            return None


def _required(one: Parameter) -> Parameter:
    return one if one.required else replace(one, required=True)


def _sent_otherwise(name: Any) -> bool:
    return str(name).lower() in _SENT_OTHERWISE


def _described(schema: Schema, text: str, node: Node) -> Schema:
    """The schema with what the parameter says of itself."""
    out = {} if isinstance(schema, bool) else dict(schema)
    if text:
        out["description"] = text
    if node.value.get("deprecated") is True:
        out["deprecated"] = True
    if "examples" not in out and node.value.get("example") is not None:
        out["examples"] = literals([node.value["example"]])[0]
    elif "examples" not in out and isinstance(node.value.get("examples"), dict):
        out["examples"] = literals(node.value["examples"])[0]
    return out if out.get("examples") != [] else {k: v for k, v in out.items() if k != "examples"}


def _style(collection_format: Any, place: str) -> dict[str, Any]:
    """OpenAPI 3's words for a Swagger 2.0 list; its own default is csv, not repeated names."""
    word = str(collection_format or "csv")
    style, explode = _STYLES.get(word, _STYLES["csv"])
    if place in ("path", "header") and style == "form":
        style = "simple"
    return {"style": style, "explode": explode}


def _template_names(path: str) -> list[str]:
    """The names in braces before any `?`, without operators (RFC 6570) and patterns."""
    found = _TEMPLATE.findall(path.partition("?")[0])
    bare = [re.split(r"[:=]", text.strip(), maxsplit=1)[0] for text in found if text[0] not in "?&"]
    return [name.lstrip("+#./;").rstrip("*+").strip() for name in bare if name.strip("+#./;* ")]
