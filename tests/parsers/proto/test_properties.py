"""Random valid files: each method comes out once, assembles whole, and survives JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from catalog.assembly import assemble
from catalog.hashing import content_hasher, references
from parsers.document import Document
from parsers.proto import parse

_SCALARS = ("double", "int32", "int64", "uint64", "fixed32", "bool", "string", "bytes")
_WELL_KNOWN = {
    "google.protobuf.Timestamp": "timestamp",
    "google.protobuf.Any": "any",
    "google.protobuf.Value": "struct",
    "google.protobuf.Int64Value": "wrappers",
    "google.protobuf.Empty": "empty",
}
_WORDS = ("id", "user_name", "from", "class", "None", "a1", "HTTPCode", "x_", "_y")


@dataclass(frozen=True)
class Sample:
    text: str
    methods: list[str]


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    messages = [f"M{n}" for n in range(draw(st.integers(1, 4)))]
    enums = [f"E{n}" for n in range(draw(st.integers(0, 2)))]
    lines = [_message(draw, name, [*messages, *enums]) for name in messages]
    lines += [f"enum {name} {{ {name}_NONE = 0; {name}_ONE = 1; }}" for name in enums]
    methods = []
    for service in range(draw(st.integers(1, 3))):
        body = []
        for method in range(draw(st.integers(0, 4))):
            methods.append(f"/p.q.S{service}/Do{method}")
            body.append(_method(draw, f"Do{method}", messages))
        lines.append(f"service S{service} {{ {' '.join(body)} }}")
    imports = [f'import "google/protobuf/{name}.proto";' for name in _WELL_KNOWN.values()]
    head = ['syntax = "proto3";', "package p.q;", *imports]
    return Sample("\n".join([*head, *draw(st.permutations(lines))]), methods)


def _message(draw: st.DrawFn, name: str, types: list[str]) -> str:
    kinds = st.sampled_from([*_SCALARS, *types, *_WELL_KNOWN])
    names = draw(st.lists(st.sampled_from(_WORDS), unique=True, max_size=6))
    parts = []
    for number, field in enumerate(names, 1):
        kind = draw(kinds)
        label = draw(st.sampled_from(["", "repeated ", "map", "// Größe\n", "oneof"]))
        if label == "map":
            parts.append(f"map<string, {kind}> {field} = {number};")
        elif label == "oneof":
            parts.append(
                f"oneof o{number} {{ {kind} {field} = {number}; bool z{number} = 9{number}; }}"
            )
        else:
            parts.append(f"{label}{kind} {field} = {number};")
    return f"message {name} {{ {' '.join(parts)} }}"


def _method(draw: st.DrawFn, name: str, messages: list[str]) -> str:
    given_type, returned = draw(st.sampled_from(messages)), draw(st.sampled_from(messages))
    streams = draw(st.tuples(st.sampled_from(["", "stream "]), st.sampled_from(["", "stream "])))
    end = draw(st.sampled_from([";", " {}", " { option deprecated = true; }", "; // end"]))
    return f"rpc {name}({streams[0]}{given_type}) returns ({streams[1]}{returned}){end}\n"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(samples())
def test_each_method_comes_out_once_and_whole(sample: Sample) -> None:
    spec = parse(Document("/nowhere/sample.proto", sample.text.encode(), "x"))
    hash_of = content_hasher(spec.definitions)

    assert sorted(operation.binding.wire_names[0] for operation in spec.operations) == sorted(
        sample.methods
    )
    assert len({operation.name for operation in spec.operations}) == spec.operations_in_source
    for operation in spec.operations:
        whole = assemble(operation, spec.definitions, None)
        for schema in (whole.input_schema, whole.output_schema):
            assert isinstance(schema, dict)
            assert json.loads(json.dumps(schema)) == schema
            assert set(references(schema)) <= set(schema.get("$defs", {}))
            Draft202012Validator.check_schema(schema)
        keys = [argument.key for argument in operation.binding.arguments]
        assert keys == list(whole.input_schema["properties"])  # type: ignore[index]
        assert hash_of(operation) == hash_of(operation)
