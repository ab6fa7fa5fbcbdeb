"""Random valid descriptions: each operation comes out once, whole, and can be written and read."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.assembly import assemble
from catalog.hashing import references
from catalog.spec import ParsedSpec
from parsers.document import Document
from parsers.openapi import parse
from tests.parsers.openapi.specs import http

NAMES = st.sampled_from(
    ["id", "name", "Größe", "a b", "x" * 70, "filter[a]", "$top", "body", "type"]
)
TYPES = ("Pet", "Tree", "Page«Pet»", "v1.Money")
METHODS = ("get", "put", "post", "delete", "patch")


def schemas(version: str) -> st.SearchStrategy[Any]:
    plain = [
        st.builds(dict, type=st.sampled_from(["string", "integer", "number", "boolean"])),
        st.builds(lambda name: {"$ref": f"#/components/schemas/{name}"}, st.sampled_from(TYPES)),
        st.just({"type": "string", "enum": ["a", "b"], "default": "a", "example": "b"}),
        st.just({"minimum": 1, "type": "integer", "description": "d"}),
    ]
    if version == "3.0.3":
        plain.append(st.just({"type": "string", "nullable": True}))
        plain.append(st.just({"type": "number", "minimum": 0, "exclusiveMinimum": True}))
    else:
        plain.append(st.just({"type": ["string", "null"], "const": "x"}))
        plain.append(st.booleans())
    return st.recursive(st.one_of(plain), nested, max_leaves=5)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, min_size=1, max_size=3)
    fields = st.dictionaries(NAMES, inner, max_size=3)
    return st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(object_of, fields, st.booleans()),
        st.builds(lambda parts: {"allOf": parts}, lists),
        st.builds(lambda parts: {"oneOf": parts}, lists),
        st.builds(lambda extra: {"type": "object", "additionalProperties": extra}, inner),
    )


def object_of(properties: dict[str, Any], needed: bool) -> dict[str, Any]:
    required = {"required": sorted(properties)} if needed and properties else {}
    return {"type": "object", "properties": properties, **required}


SCHEMAS = {version: schemas(version) for version in ("3.0.3", "3.1.0")}
PLACES = st.lists(
    st.tuples(NAMES, st.sampled_from(["query", "header", "cookie"])),
    max_size=2,
    unique_by=lambda pair: (pair[0].lower(), pair[1]),
)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    version = draw(st.sampled_from(sorted(SCHEMAS)))
    schema = SCHEMAS[version]
    paths: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 3))):
        path = f"/p{number}" + draw(st.sampled_from(["", "/{id}", "/{id}/Größe"]))
        methods = draw(st.lists(st.sampled_from(METHODS), unique=True, max_size=3))
        paths[path] = {method: draw(operations(schema, path)) for method in methods}
    types = {name: draw(schema) for name in TYPES}
    return {
        "openapi": version,
        "info": {"title": "T", "version": "1"},
        "paths": paths,
        "components": {"schemas": types},
    }


@st.composite
def operations(draw: st.DrawFn, schema: st.SearchStrategy[Any], path: str) -> dict[str, Any]:
    media_type = draw(st.sampled_from(["application/json", "multipart/form-data", "text/plain"]))
    parameters = [
        {"name": name, "in": place, "schema": draw(schema)} for name, place in draw(PLACES)
    ]
    if "{id}" in path:
        parameters.append({"name": "id", "in": "path", "required": True, "schema": draw(schema)})
    content = {media_type: {"schema": draw(schema)}}
    out: dict[str, Any] = {
        "parameters": parameters,
        "responses": {"200": {"description": "d", "content": content}},
    }
    if draw(st.booleans()):
        out["requestBody"] = {"content": {media_type: {"schema": draw(schema)}}}
    if draw(st.booleans()):
        out["operationId"] = draw(st.sampled_from(["same", "Same", "", "läßt nach", "n" * 90]))
    return out


def read(document: dict[str, Any]) -> ParsedSpec:
    return parse(Document("/specs/api.json", json.dumps(document).encode(), "api"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_every_operation_comes_out_once_and_whole(document: dict[str, Any]) -> None:
    spec = read(document)

    wanted = sorted(f"{m.upper()} {path}" for path, item in document["paths"].items() for m in item)
    assert sorted(one.binding.wire_names[0] for one in spec.operations) == wanted
    assert len({one.name.lower() for one in spec.operations}) == len(wanted)
    assert spec.operations_in_source == len(wanted)
    for one in spec.operations:
        whole = assemble(one, spec.definitions, None)
        for schema in (whole.input_schema, whole.output_schema or {}):
            assert json.loads(json.dumps(schema, allow_nan=False)) == schema
            names = schema.get("$defs", {}) if isinstance(schema, dict) else {}
            assert set(references(schema)) <= set(names)
        assert {a.key for a in http(one).arguments} == set(one.input_schema["properties"])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_the_order_of_the_file_changes_nothing(document: dict[str, Any]) -> None:
    turned = {**document, "paths": dict(reversed(document["paths"].items()))}

    first, second = read(document), read(turned)

    assert {one.name: one for one in first.operations} == {
        one.name: one for one in second.operations
    }
    assert first.definitions == second.definitions
