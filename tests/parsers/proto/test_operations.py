"""What a method becomes: name, wire name, streams, HTTP route, comment."""

from __future__ import annotations

from catalog.binding import GrpcBinding
from catalog.spec import Operation
from tests.parsers.proto.conftest import ReadText

_HEAD = 'syntax = "proto3"; package st; message Line { string text = 1; }\n'


def _binding(operation: Operation) -> GrpcBinding:
    assert isinstance(operation.binding, GrpcBinding)
    return operation.binding


def test_each_side_that_streams_is_said(read_text: ReadText) -> None:
    spec = read_text(
        _HEAD
        + """
        // Keeps lines.
        service Logs {
          // One line.
          rpc One(Line) returns (Line);
          rpc Tail(Line) returns (stream Line);
          rpc Push(stream Line) returns (Line);
          rpc Both(stream Line) returns (stream Line);
        }
        service Nothing {}
        """
    )
    sides = [(_binding(o).client_streaming, _binding(o).server_streaming) for o in spec.operations]

    assert sides == [(False, False), (False, True), (True, False), (True, True)]
    assert [operation.description for operation in spec.operations] == [
        "One line.",
        "Streams: the server answers with a stream of st.Line.",
        "Streams: the client sends a stream of st.Line.",
        "Streams: the client sends a stream of st.Line; "
        "the server answers with a stream of st.Line.",
    ]
    assert (spec.title, spec.description, spec.identity) == (
        "Logs, Nothing",
        "Logs: Keeps lines.",
        "st",
    )
    assert spec.problems == ()


def test_a_name_that_two_services_share_has_the_service_before_it(read_text: ReadText) -> None:
    spec = read_text(
        _HEAD
        + "service A { rpc Get(Line) returns (Line); rpc Put(Line) returns (Line); }"
        + "service B { rpc Get(Line) returns (Line); }"
    )

    assert [operation.name for operation in spec.operations] == ["A_Get", "Put", "B_Get"]
    assert [_binding(o).method for o in spec.operations] == ["/st.A/Get", "/st.A/Put", "/st.B/Get"]
    assert [operation.tags for operation in spec.operations] == [("A",), ("A",), ("B",)]


def test_a_method_is_deprecated_with_its_service_or_file(read_text: ReadText) -> None:
    spec = read_text(
        _HEAD
        + "service A { option deprecated = true; rpc Get(Line) returns (Line); }"
        + "service B { rpc Put(Line) returns (Line) { option deprecated = true; }"
        + " rpc Del(Line) returns (Line); }"
    )

    assert [operation.deprecated for operation in spec.operations] == [True, True, False]


def test_http_rules_give_method_and_path(read_text: ReadText) -> None:
    spec = read_text(
        """
        syntax = "proto3";
        package lib;
        import "google/api/annotations.proto";
        message Book { string name = 1; }
        service Library {
          rpc Get(Book) returns (Book) {
            option (google.api.http) = {
              get: "/v1/{name=shelves/*/books/*}"
              additional_bindings { post: "/v1:getBook" body: "*" }
              additional_bindings { delete: "/v1/x" }
            };
          }
          rpc Find(Book) returns (Book) {
            option (google.api.http) = { custom: { kind: "SEARCH" path: "/v1/books" } };
          }
          rpc Plain(Book) returns (Book);
        }
        """
    )
    get, find, plain = spec.operations

    assert (_binding(get).http_method, _binding(get).http_path) == (
        "GET",
        "/v1/{name=shelves/*/books/*}",
    )
    assert get.description == "Also over HTTP: POST /v1:getBook, DELETE /v1/x."
    assert (_binding(find).http_method, _binding(find).http_path) == ("SEARCH", "/v1/books")
    assert (_binding(plain).http_method, _binding(plain).http_path) == ("", "")


def test_comments_lose_gutters_rulers_and_linter_talk(read_text: ReadText) -> None:
    spec = read_text(
        _HEAD
        + """
        // Copyright 2026 Somebody. Licensed to nobody.

        service Logs {
          /**
           * Gets *one* line.
           *
           *   - a bullet
           * buf:lint:ignore RPC_REQUEST_STANDARD_NAME
           * (-- api-linter: core::0131=disabled
           *     aip.dev/not-precedent: we like it. --)
           */
          rpc Block(Line) returns (Line);
          //////////////////////
          // ==== Writing =====
          // Puts a line.
          //
          // * first
          // * second [#not-implemented-hide:]
          //--------------------
          rpc Slashes(Line) returns (Line);

          // A section.

          rpc Detached(Line) returns (Line);
          rpc Trailing(Line) returns (Line); // Behind it.
        }
        """
    )

    assert spec.description == ""
    assert [operation.description for operation in spec.operations] == [
        "Gets *one* line.\n\n  - a bullet",
        "==== Writing =====\nPuts a line.\n\n* first\n* second",
        "A section.",
        "Behind it.",
    ]


def test_field_comments_become_descriptions(read_text: ReadText) -> None:
    spec = read_text(
        """
        syntax = "proto3";
        import "google/protobuf/duration.proto";
        // What is asked.
        message Ask {
          // The words.
          string q = 1;
          google.protobuf.Duration wait = 2; // How long.
          repeated Ask also = 3; // More.
        }
        service Finder { rpc Find(Ask) returns (Ask); }
        """
    )
    (operation,) = spec.operations
    given = operation.input_schema
    assert isinstance(given, dict)

    assert given["description"] == "What is asked."
    assert given["properties"]["q"]["description"] == "The words."
    assert given["properties"]["wait"]["description"] == 'How long.\nSeconds, such as "1.5s".'
    assert given["properties"]["also"]["description"] == "More."


def test_options_left_out_keep_lines_comments_and_the_rest(read_text: ReadText) -> None:
    spec = read_text(
        """syntax = "proto3";
        import "validate/validate.proto";
        message Ask {
          string q = 1 [ // why
            (validate.rules).string = { in: ["a,b", "]"] }, /* , */
            deprecated = true,
            (validate.rules).string.min_len = 1
          ];
          // (validate.rules) is only talk here.
          string r = 2 [json_name = "(validate.rules)"];
        }
        // Finds "(validate.rules)".
        service Finder {
          rpc Broken(Ask) return (Ask);
          rpc Find(Ask) returns (Ask) { option (validate.method) = { a: { b: ";" } }; }
        }
        """
    )
    (operation,) = spec.operations
    fields = operation.input_schema["properties"]  # type: ignore[index]

    assert fields["q"] == {"type": "string", "deprecated": True}
    assert [key for key in fields if key != "q"] == ["validate_rules"]
    assert fields["validate_rules"]["description"] == "(validate.rules) is only talk here."
    assert spec.description == 'Finds "(validate.rules)".'
    assert [problem.location.rpartition(":")[2] for problem in spec.problems] == ["2", "14"]


def test_a_file_without_services_is_a_note(read_text: ReadText) -> None:
    spec = read_text(_HEAD)

    assert spec.operations == ()
    assert [problem.level for problem in spec.problems] == ["note"]


def test_definitions_are_only_those_an_operation_reaches(read_text: ReadText) -> None:
    spec = read_text(
        'syntax = "proto3"; message A { B b = 1; } message B { string x = 1; } '
        "message C { string x = 1; } service S { rpc Do(A) returns (B); }"
    )

    assert sorted(spec.definitions) == ["B"]
