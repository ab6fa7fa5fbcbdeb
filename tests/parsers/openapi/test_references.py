"""References into the document, into other files, and out of them again."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from textwrap import dedent

import pytest

from catalog.assembly import assemble
from catalog.hashing import references
from parsers.document import ParseOptions
from tests.parsers.openapi.specs import operation, places, read, read_file, said

HEAD = 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\n'


def write(folder: Path, **files: str) -> Path:
    """Files named `a__b_yaml` for `a/b.yaml`; the root is openapi.yaml."""
    for name, text in files.items():
        path = folder / (name.replace("__", "/").rpartition("_")[0] + "." + name.rpartition("_")[2])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return folder / "openapi.yaml"


def split(folder: Path) -> Path:
    return write(
        folder,
        openapi_yaml=HEAD
        + """\
paths:
  /cats: {$ref: paths/cats.yaml}
  /dogs: {$ref: 'paths/more.yaml#/dogs'}
components: {schemas: {Error: {type: object, properties: {text: {type: string}}}}}
""",
        paths__cats_yaml="""
            get:
              operationId: cats
              responses:
                "200": {description: ok, content: {application/json: {schema:
                  {$ref: '../schemas/animals.json#/Cat'}}}}
        """,
        paths__more_yaml="""
            dogs:
              post:
                operationId: dogs
                requestBody: {content: {application/json: {schema:
                  {$ref: '../schemas/animals.json#/Dog'}}}}
                responses: {"200": {description: ok, content: {application/json: {schema:
                  {$ref: '../openapi.yaml#/components/schemas/Error'}}}}}
        """,
        schemas__animals_json="""
            {"Cat": {"type": "object", "properties": {"enemy": {"$ref": "#/Dog"}}},
             "Dog": {"type": "object", "properties": {"enemy": {"$ref": "animals.json#/Cat"}}}}
        """,
    )


def test_files_refer_to_each_other_from_any_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = split(tmp_path / "spec")
    monkeypatch.chdir(tmp_path)

    spec = read_file(root)

    assert said(spec) == []
    assert spec.definitions == {
        "Cat": {"type": "object", "properties": {"enemy": {"$ref": "#/$defs/Dog"}}},
        "Dog": {"type": "object", "properties": {"enemy": {"$ref": "#/$defs/Cat"}}},
        "Error": {"type": "object", "properties": {"text": {"type": "string"}}},
    }
    assert places(operation(spec, "dogs")) == {"enemy": ("enemy", "body")}


def test_a_root_behind_a_symbolic_link_is_the_same_document(tmp_path: Path) -> None:
    split(tmp_path / "spec")
    (tmp_path / "link").symlink_to(tmp_path / "spec")

    spec = read_file(tmp_path / "link" / "openapi.yaml")

    assert said(spec) == []
    assert sorted(spec.definitions) == ["Cat", "Dog", "Error"]


def test_one_name_in_several_files_is_several_definitions(tmp_path: Path) -> None:
    def parse(first: str, second: str) -> dict[str, object]:
        uses = "\n".join(
            f"  /{file}: {{get: {{operationId: {file}, responses: {{'200': {{description: ok,"
            f" content: {{application/json: {{schema: {{$ref: '{file}.yaml#/Pet'}}}}}}}}}}}}}}"
            for file in (first, second)
        )
        root = write(
            tmp_path,
            openapi_yaml=f"{HEAD}paths:\n{uses}\n",
            a_yaml="Pet: {title: of a}",
            b_yaml="Pet: {title: of b}",
        )
        return dict(read_file(root).definitions)

    there = parse("a", "b")

    assert len(there) == 2
    assert all(name.startswith("Pet_") and len(name) == 12 for name in there)
    assert parse("b", "a") == there


def test_a_component_of_the_root_keeps_its_name(tmp_path: Path) -> None:
    pets = "{anyOf: [{$ref: 'b.yaml#/Pet'}, {$ref: '#/components/schemas/Pet'}]}"
    answer = f"content: {{application/json: {{schema: {pets}}}}}"
    root = write(
        tmp_path,
        openapi_yaml=f"{HEAD}paths: {{/x: {{get: {{responses: {{'200': {{{answer}}}}}}}}}}}\n"
        "components: {schemas: {Pet: {title: mine}}}\n",
        b_yaml="Pet: {title: theirs}",
    )

    spec = read_file(root)

    assert spec.definitions["Pet"] == {"title": "mine"}
    assert len(spec.definitions) == 2


def test_pointers_with_escapes_and_percent_signs() -> None:
    spec = read(
        """
        paths:
          /a/{id}:
            get:
              operationId: a
              parameters: [{name: id, in: path, schema: {type: string, maxLength: 9}}]
              responses: {"200": {content: {application/json: {schema: {title: A}}}}}
          /b:
            get:
              parameters: [{name: q, in: query, schema:
                {$ref: '#/paths/~1a~1%7Bid%7D/get/parameters/0/schema'}}]
              responses:
                "200": {$ref: '#/paths/~1a~1{id}/get/responses/200'}
          /c: {$ref: '#/paths/~1b'}
        """
    )

    assert said(spec) == []
    first, second, third = spec.operations
    assert second.output_schema == first.output_schema == {"title": "A"}
    name = next(references(second.input_schema))
    assert spec.definitions[name] == {"type": "string", "maxLength": 9}
    assert third.binding.wire_names[0] == "GET /c"


def test_every_part_may_be_a_reference() -> None:
    spec = read(
        """
        paths:
          /x:
            $ref: '#/components/pathItems/X'
            delete: {operationId: own, responses: {}}
            parameters: [{name: beside, in: header, schema: {type: string}}]
        components:
          pathItems:
            X:
              delete: {operationId: hidden}
              post:
                operationId: x
                parameters: [{$ref: '#/components/parameters/P'}]
                requestBody: {$ref: '#/components/requestBodies/B'}
                responses: {"200": {$ref: '#/components/responses/R'}}
          parameters: {P: {name: p, in: query, schema: {$ref: '#/components/schemas/S'}}}
          requestBodies:
            B: {content: {application/json: {schema: {$ref: '#/components/schemas/O'}}}}
          responses: {R: {description: ok, content: {application/json: {schema: {type: array}}}}}
          schemas: {S: {type: string}, O: {properties: {o: {$ref: '#/components/schemas/S'}}}}
        """,
        "3.1.0",
    )

    assert said(spec) == []
    one = operation(spec, "x")
    assert places(one) == {
        "beside": ("beside", "header"),
        "p": ("p", "query"),
        "o": ("o", "body"),
    }
    assert one.output_schema == {"type": "array"}
    assert operation(spec, "DELETE /x").name == "own"


def test_ids_anchors_and_dynamic_references() -> None:
    spec = read(
        """
        paths:
          /x:
            get:
              responses:
                "200":
                  description: ok
                  content:
                    application/json:
                      schema:
                        properties:
                          a: {$ref: '#leaf'}
                          b: {$ref: 'https://schemas.example.test/tree'}
                          c: {$ref: 'https://schemas.example.test/tree#/$defs/inner'}
        components:
          schemas:
            Leaf: {$anchor: leaf, type: string}
            Tree:
              $id: https://schemas.example.test/tree
              $dynamicAnchor: node
              type: object
              properties:
                children: {type: array, items: {$dynamicRef: '#node'}}
                in: {$ref: '#/$defs/inner'}
              $defs: {inner: {type: integer}}
        """,
        "3.1.0",
    )

    shown = spec.operations[0].output_schema
    assert shown["properties"] == {
        "a": {"$ref": "#/$defs/Leaf"},
        "b": {"$ref": "#/$defs/Tree"},
        "c": {"$ref": shown["properties"]["c"]["$ref"]},
    }
    tree = spec.definitions["Tree"]["properties"]
    assert tree["children"]["items"] == {"$ref": "#/$defs/Tree"}
    assert tree["in"] == shown["properties"]["c"]
    assert spec.definitions[next(references(tree["in"]))] == {"type": "integer"}
    assert [(level, message) for level, _, message in said(spec)] == [
        ("warning", "`$dynamicRef` read as `$ref`: #node (line 25)")
    ]


def test_pointers_count_from_the_resource_around_them() -> None:
    spec = read(
        """
        paths:
          /x:
            get:
              responses:
                "200": {content: {application/json: {schema: {anyOf: [
                  {$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}}}}
        components:
          schemas:
            A: {$id: 'https://a.test/', items: {$ref: '#/$defs/x'}, $defs: {x: {title: of a}}}
            B: {$id: 'https://b.test/', items: {$ref: '#/$defs/x'}, $defs: {x: {title: of b}}}
        """,
        "3.1.0",
    )

    for name in ("A", "B"):
        items = spec.definitions[name]["items"]
        assert spec.definitions[next(references(items))] == {"title": f"of {name.lower()}"}


def test_a_reference_that_goes_through_itself_ends() -> None:
    spec = read(
        """
        paths:
          /x: {get: {operationId: x, responses: {"200": {$ref: '#/components/a/b'}}}}
        components: {a: {$ref: '#/components/a/b/c'}}
        """
    )

    assert [one.name for one in spec.operations] == ["x"]
    assert [level for level, _, _ in said(spec)] == ["warning"]


def test_what_is_outside_the_folder_is_read_only_with_leave(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.yaml").write_text("type: string\ntitle: hunter2\n")
    answer = "content: {application/json: {schema: {$ref: '../outside/secret.yaml'}}}"
    root = write(
        tmp_path / "spec",
        openapi_yaml=f"{HEAD}paths: {{/x: {{get: {{responses: {{'200': {{{answer}}}}}}}}}}}\n",
    )

    shut = read_file(root)
    opened = read_file(root, ParseOptions(allow_folders=(tmp_path / "outside",)))

    assert shut.operations[0].output_schema == {}
    assert "outside the folder of the spec" in said(shut)[0][2]
    assert "hunter2" not in str(shut)
    assert opened.operations[0].output_schema == {"$ref": "#/$defs/secret"}
    assert opened.definitions["secret"] == {"type": "string", "title": "hunter2"}


def test_text_by_reference(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        openapi_yaml=f"{HEAD}paths: {{/x: {{get: {{description: {{$ref: 'long_text.md'}}}}}}}}\n",
    )
    (tmp_path / "long_text.md").write_text("# Title\n\n- a: [b\n")

    assert read_file(root).operations[0].description == "# Title\n\n- a: [b\n"


def test_definitions_are_kept_once_and_only_where_reached() -> None:
    spec = read(
        """
        paths:
          /a: {get: {responses: {"200": {$ref: '#/components/responses/R'}}}}
          /b: {get: {responses: {"200": {$ref: '#/components/responses/R'}}}}
        components:
          responses:
            R: {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}
          schemas:
            A: {properties: {b: {$ref: '#/components/schemas/B'}}}
            B: {type: string}
            Unused: {properties: {a: {$ref: '#/components/schemas/A'}}}
        """
    )

    assert sorted(spec.definitions) == ["A", "B"]
    whole = assemble(spec.operations[0], spec.definitions)
    assert sorted(whole.output_schema["$defs"]) == ["A", "B"]


def test_names_of_definitions_are_safe() -> None:
    spec = read(
        """
        paths:
          /a:
            get:
              responses:
                "200": {content: {application/json: {schema:
                  {anyOf: [{$ref: '#/components/schemas/Page%C2%ABUser%C2%BB'},
                    {$ref: '#/components/schemas/Page_User'},
                    {$ref: '#/components/schemas/日本'}]}}}}
        components: {schemas: {"Page«User»": {title: a}, Page_User: {title: b}, 日本: {title: c}}}
        """
    )

    assert {schema["title"]: name for name, schema in spec.definitions.items()} == {
        "a": "Page_User_" + sha256("#/components/schemas/Page«User»".encode()).hexdigest()[:8],
        "b": "Page_User",
        "c": "schema_" + sha256("#/components/schemas/日本".encode()).hexdigest()[:8],
    }


def test_a_reference_by_bare_name_or_by_the_old_place_is_mended() -> None:
    spec = read(
        """
        paths:
          /a:
            get:
              responses:
                "200": {content: {application/json: {schema: {$ref: '#/definitions/Pet'}}}}
                "201": {content: {application/json: {schema: {$ref: Pet}}}}
        components: {schemas: {Pet: {title: p}}}
        """
    )

    assert spec.operations[0].output_schema == {"$ref": "#/$defs/Pet"}
    assert [level for level, _, _ in said(spec)] == ["warning"]
