"""Parameters: merged by name and place, from every version of the standard."""

from __future__ import annotations

from tests.parsers.openapi.specs import BROKEN, http, operation, places, read, read_file


def test_an_operations_parameter_beats_that_of_its_path() -> None:
    spec = read_file(BROKEN / "openapi-parameters-of-the-path.yaml")

    get, delete = spec.operations
    assert get.input_schema == {
        "type": "object",
        "properties": {
            "shelf": {"type": "integer"},
            "slot": {"type": "integer"},
            "X-Trace": {"type": "string", "format": "uuid"},
        },
        "required": ["shelf", "slot", "X-Trace"],
    }
    assert delete.input_schema == {
        "type": "object",
        "properties": {
            "shelf": {"type": "integer"},
            "slot": {"type": "string"},
            "x-trace": {"type": "string"},
        },
        "required": ["shelf", "slot"],
    }


def test_a_name_in_the_path_is_always_there_and_required() -> None:
    spec = read_file(BROKEN / "openapi-path-parameters-not-declared.yaml")

    first, second = spec.operations
    assert places(first) == {"two": ("two", "path"), "one": ("one", "path")}
    assert first.input_schema["required"] == ["two", "one"]
    assert first.input_schema["properties"] == {
        "two": {"type": "string"},
        "one": {"type": "integer"},
    }
    assert places(second)["id"] == ("id", "path")
    assert second.input_schema["properties"]["id"] == {"type": "integer"}


def test_one_name_in_several_places_gives_several_keys() -> None:
    spec = read(
        """
        paths:
          /u/{id}:
            put:
              parameters:
                - {name: id, in: path, required: true, schema: {type: string}}
                - {name: id, in: query, schema: {type: boolean}}
                - {name: id, in: cookie, schema: {type: integer}}
              requestBody:
                content:
                  application/json:
                    schema: {type: object, required: [id], properties: {id: {type: number}, n: {}}}
              responses: {}
        """
    )

    assert places(spec.operations[0]) == {
        "id_path": ("id", "path"),
        "id_query": ("id", "query"),
        "id_cookie": ("id", "cookie"),
        "id_body": ("id", "body"),
        "n": ("n", "body"),
    }
    assert spec.operations[0].input_schema["required"] == ["id_path", "id_body"]


def test_keys_are_safe_and_the_wire_name_is_kept() -> None:
    spec = read(
        """
        paths:
          /x:
            get:
              parameters:
                - {name: "filter[name]", in: query, schema: {type: string}}
                - {name: "StartTime>", in: query, schema: {type: string}}
                - {name: page.size, in: query, schema: {type: integer}}
        """
    )

    assert places(spec.operations[0]) == {
        "filter_name": ("filter[name]", "query"),
        "StartTime": ("StartTime>", "query"),
        "page.size": ("page.size", "query"),
    }


def test_serialisation_is_kept() -> None:
    spec = read(
        """
        paths:
          /x:
            get:
              parameters:
                - {name: f, in: query, style: deepObject, explode: true, schema: {type: object}}
                - {name: j, in: query, content: {application/json: {schema: {type: array}}}}
        """
    )

    arguments = http(spec.operations[0]).arguments
    assert [argument.options for argument in arguments] == [
        {"style": "deepObject", "explode": True},
        {"contentType": "application/json"},
    ]
    assert spec.operations[0].input_schema["properties"]["j"] == {"type": "array"}


def test_swagger_2_lists_are_comma_separated_unless_they_say_otherwise() -> None:
    spec = read(
        """
        paths:
          /x:
            get:
              parameters:
                - {name: a, in: query, type: array, items: {type: string}}
                - {name: b, in: query, type: array, items: {type: string}, collectionFormat: multi}
                - {name: c, in: query, type: array, items: {type: string}, collectionFormat: pipes}
                - {name: d, in: header, type: array, items: {type: string}}
        """,
        "2.0",
    )

    options = {argument.key: argument.options for argument in http(spec.operations[0]).arguments}
    assert options == {
        "a": {"style": "form", "explode": False},
        "b": {"style": "form", "explode": True},
        "c": {"style": "pipeDelimited", "explode": False},
        "d": {"style": "simple", "explode": False},
    }
    assert spec.operations[0].input_schema["properties"]["a"] == {
        "type": "array",
        "items": {"type": "string"},
    }


def test_what_a_parameter_says_of_itself_goes_into_its_schema() -> None:
    spec = read(
        """
        paths:
          /x:
            get:
              parameters:
                - {name: a, in: query, description: mine, deprecated: true, example: 7,
                   schema: {$ref: '#/components/schemas/Size'}}
        components: {schemas: {Size: {type: integer, description: theirs}}}
        """
    )

    assert spec.operations[0].input_schema["properties"]["a"] == {
        "$ref": "#/$defs/Size",
        "description": "mine",
        "deprecated": True,
        "examples": [7],
    }


def test_headers_that_openapi_3_sets_otherwise_are_no_parameters() -> None:
    text = """
        paths:
          /x:
            get:
              parameters: [{name: Accept, in: header, schema: {type: string}, type: string}]
        """

    assert places(read(text).operations[0]) == {}
    assert places(read(text, "2.0").operations[0]) == {"Accept": ("Accept", "header")}


def test_templates_with_patterns_and_queries() -> None:
    spec = read(
        """
        paths:
          /v1/{name=projects/*}:
            get: {operationId: a, parameters: [{name: name, in: path, schema: {type: string}}]}
          /f/{id:[0-9]+}:
            get: {operationId: b}
          /q/{id}?key={key}:
            get: {operationId: c, parameters: [{name: key, in: query, schema: {type: string}}]}
        """
    )

    assert [places(one) for one in spec.operations] == [
        {"name": ("name", "path")},
        {"id": ("id", "path")},
        {"id": ("id", "path"), "key": ("key", "query")},
    ]


def test_a_whole_query_string_is_one_argument() -> None:
    spec = read_file(BROKEN / "openapi-newer-standard.yaml")

    assert places(operation(spec, "copy")) == {"all": ("all", "querystring")}


def test_the_body_of_an_operation_beats_that_of_its_path() -> None:
    spec = read_file(BROKEN / "openapi-two-bodies.yaml")

    assert [list(places(one)) for one in spec.operations] == [["k"], ["v"], ["f"]]


def test_parameters_made_up_stand_as_in_the_path() -> None:
    spec = read('paths: {"/a/{one}/{two}/{three}": {get: {}}}')

    assert list(places(spec.operations[0])) == ["one", "two", "three"]
