"""Values worked out by hand from the ProtoJSON table (protobuf.dev/programming-guides/json)."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.binding import Argument, GrpcBinding
from tests.parsers.proto.conftest import ReadText, input_accepts

_SPEC = """
syntax = "proto3";
package shop;
import "google/api/field_behavior.proto";
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "google/type/date.proto";
message Ask {
  int64 big = 1; uint64 big_positive = 2; fixed64 f64 = 3; sint64 s64 = 4; sfixed64 sf64 = 5;
  int32 small = 6; uint32 small_positive = 7;
  bytes blob = 8; float ratio = 9; bool flag = 10; string word = 11;
  Color color = 12; repeated Color colors = 13; Old old_color = 14;
  map<int32, string> by_number = 15; map<bool, Color> by_flag = 16; map<string, Part> by_name = 17;
  map<uint64, string> by_natural = 18;
  oneof pick { string text = 20; Part part = 21; google.protobuf.Duration wait = 22; }
  oneof place { string street = 23; int32 box = 24; }
  optional int32 maybe = 25;
  google.protobuf.Int64Value wrapped = 26; google.protobuf.StringValue wrapped_text = 27;
  google.protobuf.BoolValue wrapped_flag = 28;
  google.protobuf.Timestamp at = 30; google.protobuf.FieldMask mask = 31;
  google.protobuf.Struct facts = 32; google.protobuf.Value anything = 33;
  google.protobuf.ListValue list = 34; google.protobuf.NullValue nothing = 35;
  google.protobuf.Any any = 36; google.protobuf.Empty empty = 37; google.type.Date day = 38;
  string custom = 40 [json_name = "odd-Name"]; string from = 41; string None = 42;
  string must = 43 [(google.api.field_behavior) = REQUIRED];
  string computed = 44 [(google.api.field_behavior) = OUTPUT_ONLY];
  string secret = 45 [(google.api.field_behavior) = INPUT_ONLY];
  string old = 46 [deprecated = true];
  Ask parent = 47;
  message Part { int32 n = 1; string made_by = 2; }
  // The colours we paint in.
  enum Color {
    option allow_alias = true;
    NONE = 0;
    RED = 1; // Like blood.
    ROUGE = 1 [deprecated = true];
  }
  enum Old { option deprecated = true; A = 0; }
}
service Map { rpc Try(Ask) returns (Ask); }
"""

_RIGHT = [
    {"big": "9223372036854775807"},
    {"big": -5},
    {"bigPositive": "18446744073709551615"},
    {"s64": "-1"},
    {"small": -2147483648},
    {"smallPositive": 4294967295},
    {"blob": "aGVsbG8="},
    {"ratio": 1.5},
    {"ratio": "NaN"},
    {"ratio": "-Infinity"},
    {"flag": True},
    {"color": "RED"},
    {"color": "ROUGE"},
    {"colors": ["RED", "NONE"]},
    {"byNumber": {"-7": "x"}},
    {"byFlag": {"true": "RED"}},
    {"byName": {"any key": {"n": 1, "madeBy": "us"}}},
    {"text": "x", "street": "y"},
    {"part": {"n": 1}},
    {"wait": "1.5s"},
    {"wait": "-3.000000001s"},
    {"wrapped": None},
    {"wrapped": "5"},
    {"wrappedText": None},
    {"wrappedFlag": False},
    {"at": "2026-01-01T10:00:00.5Z"},
    {"mask": "user.displayName,photo"},
    {"facts": {"a": [1, None]}},
    {"anything": [1, "x", None]},
    {"list": [1, "x"]},
    {"nothing": None},
    {"any": {"@type": "type.googleapis.com/google.protobuf.Duration", "value": "1s"}},
    {"empty": {}},
    {"day": {"year": 2026}},
    {"odd-Name": "x", "from": "y", "None": "z"},
    {"parent": {"parent": {"must": "x"}, "must": "x"}},
]
_WRONG = [
    {"big": "x"},
    {"big": 1.5},
    {"bigPositive": "-1"},
    {"small": 2147483648},
    {"smallPositive": -1},
    {"blob": 5},
    {"ratio": "much"},
    {"color": "BLUE"},
    {"byNumber": {"x": "y"}},
    {"byFlag": {"maybe": "RED"}},
    {"byNatural": {"-1": "x"}},
    {"text": "x", "part": {"n": 1}},
    {"text": "x", "wait": "1s"},
    {"street": "x", "box": 1},
    {"wait": "1.5"},
    {"wait": 2},
    {"any": {"value": "1s"}},
    {"facts": []},
]


@pytest.mark.parametrize("value", _RIGHT, ids=str)
def test_accepts(value: dict[str, Any], spec_of_types: Any) -> None:
    (operation,) = spec_of_types.operations

    assert input_accepts(operation, spec_of_types, {"must": "x", **value})


@pytest.mark.parametrize("value", _WRONG, ids=str)
def test_refuses(value: dict[str, Any], spec_of_types: Any) -> None:
    (operation,) = spec_of_types.operations

    assert not input_accepts(operation, spec_of_types, {"must": "x", **value})


@pytest.fixture(scope="module")
def spec_of_types(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from parsers.document import Document
    from parsers.proto import parse

    return parse(Document("/nowhere/map.proto", _SPEC.encode(), "x"))


def test_only_field_behavior_makes_a_field_required(spec_of_types: Any) -> None:
    (operation,) = spec_of_types.operations

    assert operation.input_schema["required"] == ["must"]
    assert not input_accepts(operation, spec_of_types, {})


def test_output_only_fields_are_not_asked_for(spec_of_types: Any) -> None:
    (operation,) = spec_of_types.operations
    shared = spec_of_types.definitions["shop.Ask"]["properties"]

    assert "computed" not in operation.input_schema["properties"]
    assert shared["computed"]["readOnly"] is True
    assert shared["secret"]["writeOnly"] is True


def test_original_names_are_kept(spec_of_types: Any) -> None:
    (operation,) = spec_of_types.operations
    assert isinstance(operation.binding, GrpcBinding)
    arguments = {argument.key: argument for argument in operation.binding.arguments}

    assert arguments["odd-Name"] == Argument("odd-Name", "custom", "message")
    assert arguments["bigPositive"].name == "big_positive"
    assert operation.input_schema["properties"]["bigPositive"]["x-proto-name"] == "big_positive"
    assert "x-proto-name" not in operation.input_schema["properties"]["big"]
    assert spec_of_types.definitions["shop.Ask.Part"]["properties"]["madeBy"] == {
        "type": "string",
        "x-proto-name": "made_by",
    }


def test_enums_go_by_name_with_their_comments(spec_of_types: Any) -> None:
    assert spec_of_types.definitions["shop.Ask.Color"] == {
        "type": "string",
        "enum": ["NONE", "RED", "ROUGE"],
        "description": "The colours we paint in.\n- RED: Like blood.\n- ROUGE: Deprecated.",
        "x-open-enum": True,
    }


def test_deprecation_is_carried_over(spec_of_types: Any) -> None:
    (operation,) = spec_of_types.operations

    assert operation.input_schema["properties"]["old"]["deprecated"] is True
    assert spec_of_types.definitions["shop.Ask.Old"]["deprecated"] is True


def test_types_that_contain_themselves_stay_references(spec_of_types: Any) -> None:
    (operation,) = spec_of_types.operations

    assert operation.input_schema["properties"]["parent"] == {"$ref": "#/$defs/shop.Ask"}
    assert operation.output_schema == {"$ref": "#/$defs/shop.Ask"}


def test_proto2_has_required_defaults_groups_and_extensions(read_text: ReadText) -> None:
    spec = read_text(
        """
        syntax = "proto2";
        package old;
        message Ask {
          required string id = 1;
          optional int32 page = 2 [default = 3];
          optional bool all = 3 [default = true];
          optional Kind kind = 4 [default = BIG];
          repeated group Line = 5 { optional int64 line_number = 1; }
          extensions 100 to 200;
        }
        enum Kind { SMALL = 1; BIG = 2; }
        extend Ask { optional string more_text = 100; }
        service Old { rpc Find(Ask) returns (Ask); }
        """
    )
    (operation,) = spec.operations
    given = operation.input_schema

    assert spec.version == "proto2"
    assert given["required"] == ["id"]
    assert given["properties"]["page"]["default"] == 3
    assert given["properties"]["all"]["default"] is True
    assert given["properties"]["kind"] == {"$ref": "#/$defs/old.Kind", "default": "BIG"}
    assert given["properties"]["line"]["items"] == {"$ref": "#/$defs/old.Ask.Line"}
    assert spec.definitions["old.Kind"] == {"type": "string", "enum": ["SMALL", "BIG"]}
    (added,) = [a for a in operation.binding.arguments if a.name == "[old.more_text]"]
    assert added.options == {"jsonName": "[old.more_text]"}
    assert spec.definitions["old.Ask"]["properties"]["[old.more_text]"] == {"type": "string"}


@pytest.mark.parametrize("edition", ["2023", "2024"])
def test_editions_keep_presence_and_closed_enums(read_text: ReadText, edition: str) -> None:
    spec = read_text(
        f"""
        edition = "{edition}";
        package ed;
        message Ask {{
          string id = 1 [features.field_presence = LEGACY_REQUIRED];
          int32 page = 2 [features.field_presence = IMPLICIT];
          Shut shut = 3; Open open = 4;
        }}
        enum Shut {{ option features.enum_type = CLOSED; A = 1; }}
        enum Open {{ B = 0; }}
        service Finder {{ rpc Find(Ask) returns (Ask); }}
        """
    )
    (operation,) = spec.operations

    assert spec.version == f"edition {edition}"
    assert operation.input_schema["required"] == ["id"]
    assert "x-open-enum" not in spec.definitions["ed.Shut"]
    assert spec.definitions["ed.Open"]["x-open-enum"] is True


@pytest.mark.parametrize(
    ("request_type", "value"),
    [
        ("google.protobuf.Struct", {"body": {"a": 1}}),
        ("google.protobuf.Timestamp", {"body": "2026-01-01T00:00:00Z"}),
        ("google.protobuf.Int64Value", {"body": "5"}),
        ("google.protobuf.Empty", {}),
    ],
)
def test_a_request_that_is_no_message_of_fields(
    read_text: ReadText, request_type: str, value: dict[str, Any]
) -> None:
    spec = read_text(
        f"""
        syntax = "proto3";
        import "google/protobuf/empty.proto"; import "google/protobuf/struct.proto";
        import "google/protobuf/timestamp.proto"; import "google/protobuf/wrappers.proto";
        service S {{ rpc Do({request_type}) returns (google.protobuf.Empty); }}
        """
    )
    (operation,) = spec.operations

    assert input_accepts(operation, spec, value)
    names = [argument.name for argument in operation.binding.arguments]
    assert names == ([""] if value else [])


def test_a_oneof_accepts_none(read_text: ReadText) -> None:
    spec = read_text(
        'syntax = "proto3"; message Ask { oneof pick { string a = 1; string b = 2; } } '
        "service S { rpc Do(Ask) returns (Ask); }"
    )
    (operation,) = spec.operations

    assert input_accepts(operation, spec, {})
    assert input_accepts(operation, spec, {"b": "x"})
    assert not input_accepts(operation, spec, {"a": "x", "b": "x"})
    assert operation.input_schema["allOf"][0]["description"] == "At most one of a, b."


def test_defaults_are_written_as_json_writes_the_values(read_text: ReadText) -> None:
    spec = read_text("""
        syntax = "proto2";
        message Ask {
          optional float most = 1 [default = inf];
          optional double least = 2 [default = -inf];
          optional double none = 3 [default = nan];
          optional float half = 4 [default = 0.5];
          optional bytes mark = 5 [default = "\\xff\\000a"];
        }
        service Map { rpc Try(Ask) returns (Ask); }
    """)
    properties = spec.operations[0].input_schema["properties"]
    defaults = [properties[key]["default"] for key in ("most", "least", "none", "half", "mark")]
    assert defaults == ["Infinity", "-Infinity", "NaN", 0.5, "/wBh"]
