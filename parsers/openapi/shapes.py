"""A body flattened: the fields an object may have, through references, allOf, oneOf and anyOf."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from catalog.spec import Schema
from parsers.openapi.dialect import read_only, without_read_only
from parsers.openapi.keywords import type_name
from parsers.openapi.node import Node
from parsers.openapi.problems import Problems
from parsers.openapi.references import Unresolved
from parsers.openapi.schemas import Schemas

MAX_TRAIL = 50
MAX_ALTERNATIVES = 400
_KEPT = (
    "type",
    "properties",
    "required",
    "discriminator",
    "dependentRequired",
    "additionalProperties",
    "patternProperties",
)
_LOST = ("not", "if", "dependentSchemas", "minProperties", "maxProperties", "propertyNames")
_PLAIN_VALUE = {"type", "enum", "const", "title", "description", "default", "examples"}


@dataclass(frozen=True, slots=True)
class Shape:
    """`alternatives` are keywords like `{"oneOf": [{"required": ["a"]}, …]}`; all hold at once."""

    properties: dict[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    alternatives: tuple[dict[str, Any], ...] = ()
    rest: dict[str, Any] = field(default_factory=dict)

    def constraints(self) -> dict[str, Any]:
        if len(self.alternatives) == 1 and not self.alternatives[0].keys() & self.rest.keys():
            return {**self.rest, **self.alternatives[0]}
        return {**self.rest, "allOf": list(self.alternatives)} if self.alternatives else self.rest


class Shapes:
    def __init__(self, schemas: Schemas, problems: Problems) -> None:
        self._schemas = schemas
        self._problems = problems
        self._known: dict[int, Shape | None] = {}
        self._trail: list[int] = []

    def of(self, node: Node) -> Shape | None:
        """The shape of an object with named fields; None for anything else."""
        shape = self._flatten(node)
        return shape if shape is not None and shape.properties else None

    def _flatten(self, node: Node) -> Shape | None:
        try:
            target = self._schemas.resolver.follow(node)
        except Unresolved:
            return None
        key = id(target.value)
        if key in self._trail or len(self._trail) > MAX_TRAIL:
            return None
        if key not in self._known:
            self._trail.append(key)
            self._known[key] = self._build(target)
            self._trail.pop()
        return self._beside_reference(node, self._known[key])

    def _beside_reference(self, node: Node, shape: Shape | None) -> Shape | None:
        """What stands beside a `$ref` adds to it from 3.1 on."""
        value = node.value
        if not isinstance(value, dict) or "$ref" not in value or len(value) == 1:
            return shape
        if node.file.version in ("2.0", "3.0"):
            return shape
        beside = {key: entry for key, entry in value.items() if key != "$ref"}
        own = self._build(Node(beside, node.file, node.at))
        return _both(shape, own) if shape and own else None

    def _build(self, node: Node) -> Shape | None:
        value = node.value
        if not isinstance(value, dict) or not _may_be_object(value):
            return None
        shape: Shape | None = self._own(node)
        for part in _parts(node, "allOf"):
            shape = _both(shape, self._flatten(part)) if shape else None
        for keyword in ("oneOf", "anyOf"):
            parts = [part for part in _parts(node, keyword) if not _null(part.value)]
            if parts and shape:
                union = self._either(keyword, parts, node)
                shape = _both(shape, union)
        return shape

    def _own(self, node: Node) -> Shape:
        value = node.value
        kept = {key: value[key] for key in _KEPT if key in value}
        if kept.get("additionalProperties") in (False, None):
            kept.pop("additionalProperties", None)
        read = self._schemas.convert(Node(kept, node.file, node.at))
        assert isinstance(read, dict)
        read = without_read_only(read)
        lost = [key for key in _LOST if key in value]
        if lost:
            said = "rule for the whole body, not kept beside the parameters"
            self._problems.note(node, said, ", ".join(lost))
        for done in ("type", "format", "$ref"):
            read.pop(done, None)
        properties = read.pop("properties", {})
        required = [n for n in read.pop("required", ()) if not self._is_read_only(node, n)]
        return Shape(properties, tuple(required), (), read)

    def _is_read_only(self, node: Node, name: str) -> bool:
        """Whether the type that a property refers to says so (3.0 has nothing beside `$ref`)."""
        try:
            entry = self._schemas.resolver.follow(node.child("properties").child(name))
        except Unresolved:
            return False
        return read_only(entry.value)

    def _either(self, keyword: str, parts: list[Node], node: Node) -> Shape | None:
        shapes = [self._flatten(part) for part in parts]
        found = [shape for shape in shapes if shape is not None]
        if len(found) < len(parts):
            return None
        if len(found) == 1:
            return found[0]
        common = _common(found)
        union = Shape(required=common)
        for shape in found:
            union = replace(union, properties=_merged(union.properties, shape.properties, _one_of))
        needs = [_requirement(shape, common) for shape in found]
        alternatives = _alternatives(keyword, needs)
        if _size(alternatives) > MAX_ALTERNATIVES:
            self._problems.note(node, "too many alternatives: which fields go together is not kept")
            alternatives = ()
        return replace(union, alternatives=alternatives)


def _may_be_object(value: dict[str, Any]) -> bool:
    words = value.get("type", "object")
    known = [type_name(word) for word in (words if isinstance(words, list) else [words])]
    types = {one[0] for one in known if one is not None} - {"null"}
    return types <= {"object", ""}


def _parts(node: Node, keyword: str) -> list[Node]:
    entry = node.child(keyword)
    if isinstance(entry.value, dict):
        return [entry]
    return list(entry.elements())


def _null(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in ("null", ["null"])


def _both(first: Shape | None, second: Shape | None) -> Shape | None:
    """What satisfies both, as allOf asks."""
    if first is None or second is None:
        return None
    return Shape(
        _merged(first.properties, second.properties, _all_of),
        tuple(dict.fromkeys((*first.required, *second.required))),
        tuple(_distinct([*first.alternatives, *second.alternatives])),
        {**first.rest, **second.rest},
    )


def _merged(first: dict[str, Schema], second: dict[str, Schema], join: Any) -> dict[str, Schema]:
    out = dict(first)
    for name, schema in second.items():
        held = out.get(name)
        if held is None:
            out[name] = schema
        elif held is not schema and held != schema:
            out[name] = join(held, schema)
    return out


def _all_of(first: Schema, second: Schema) -> Schema:
    if first in (True, {}):
        return second
    if second in (True, {}):
        return first
    if isinstance(first, dict) and isinstance(second, dict) and _adds_only_words(second):
        return {**first, **second}
    return {"allOf": [*_listed(first, "allOf"), second]}


def _one_of(first: Schema, second: Schema) -> Schema:
    """Either schema; two lists of plain values become one list."""
    if isinstance(first, dict) and isinstance(second, dict):
        values = [_values(first), _values(second)]
        if values[0] and values[1] and first.get("type") == second.get("type"):
            kept = {key: entry for key, entry in first.items() if key not in ("const", "default")}
            return {**kept, "enum": _distinct([*values[0], *values[1]])}
    listed = _listed(first, "anyOf")
    return first if second in listed else {"anyOf": [*listed, second]}


def _values(schema: dict[str, Any]) -> list[Any]:
    if not schema.keys() <= _PLAIN_VALUE:
        return []
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def _listed(schema: Schema, keyword: str) -> list[Schema]:
    if isinstance(schema, dict) and schema.keys() == {keyword}:
        return list(schema[keyword])
    return [schema]


def _adds_only_words(schema: dict[str, Any]) -> bool:
    return schema.keys() <= {"title", "description", "examples", "default"}


def _common(shapes: list[Shape]) -> tuple[str, ...]:
    shared = set(shapes[0].required).intersection(*(shape.required for shape in shapes[1:]))
    return tuple(name for name in shapes[0].required if name in shared)


def _requirement(shape: Shape, common: tuple[str, ...]) -> dict[str, Any]:
    """What a caller who takes this branch has to fill in, beyond what every branch asks."""
    own = [name for name in shape.required if name not in common]
    need: dict[str, Any] = {"required": own} if own else {}
    if len(shape.alternatives) == 1:
        need.update(shape.alternatives[0])
    elif shape.alternatives:
        need["allOf"] = list(shape.alternatives)
    return need


def _alternatives(keyword: str, needs: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The branches as one keyword; none where a branch asks for nothing.

    `oneOf` becomes `anyOf` where a branch asks for all that another does: what told them apart
    were values, and of the names alone both branches would be true.
    """
    distinct = _distinct(needs)
    if {} in distinct or len(distinct) < 2:
        return ()
    lists = [set(need.get("required", ())) for need in distinct]
    nested = any(first <= second for first in lists for second in lists if first is not second)
    return ({"anyOf" if nested or len(distinct) < len(needs) else keyword: distinct},)


def _distinct(values: list[Any]) -> list[Any]:
    out: list[Any] = []
    for value in values:
        if value not in out:
            out.append(value)
    return out


def _size(value: Any) -> int:
    """Nodes of a value when written out, counted no further than the limit."""
    size, stack = 0, [value]
    while stack and size <= MAX_ALTERNATIVES:
        node = stack.pop()
        size += 1
        if isinstance(node, dict):
            stack.extend(node.values())
        elif isinstance(node, list | tuple):
            stack.extend(node)
    return size
