"""Each fault in a file of its own: what is left of it, and what is said."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from catalog.assembly import assemble
from catalog.errors import SpecError
from tests.parsers.openapi.specs import BROKEN, read_file

_NAMES = (
    "read_f302dfbc Read_2b964797 put_a get_b_db789e7b 12 POST_b_b4935894 get_b_13f95cd2"
    " get_c_id_parts_list"
    " a_very_long_name_of_an_operation_that_goes_on_and_on_un_27312add"
    " a_very_long_name_of_an_operation_that_goes_on_and_on_un_77785373"
)
_BENT = "#/paths/~1a/post/requestBody/content/application~1json/schema"


@dataclass(frozen=True)
class Case:
    file: str
    tools: str = ""
    problems: tuple[str, ...] = ()
    definitions: str = ""


CASES = (
    Case("type-that-contains-itself.yaml", "listThreads", definitions="Comment"),
    Case("cycle-through-all-keywords.yaml", "addRing", definitions="A B C"),
    Case(
        "reference-to-itself.yaml",
        "look",
        (
            "error #/paths/~1wall",
            "warning #/paths/~1mirror/get/parameters/0",
            "warning #/paths/~1mirror/get/responses/200/content/application~1json/schema",
        ),
    ),
    Case(
        "references-that-lead-nowhere.yaml",
        "a c",
        (
            "error #/paths/~1b",
            "warning #/paths/~1a/post/parameters/0",
            "warning #/paths/~1a/post/requestBody",
            "warning #/paths/~1a/post/responses/200",
        ),
    ),
    Case(
        "references-that-reach-out.yaml",
        "a b c",
        (
            "warning #/paths/~1a/get/responses/200/content/application~1json/schema",
            "warning #/paths/~1b/get/parameters/0/schema",
            "warning #/paths/~1b/get/responses/200/content/application~1json/schema",
        ),
    ),
    Case("keys-that-are-no-text.yaml", "lamp"),
    Case(
        "words-that-yaml-changes.yaml",
        "trips",
        ("warning #", "warning #/paths/~1trips/get/parameters/2/schema"),
    ),
    Case(
        "texts-that-yaml-makes-numbers.yaml",
        "a",
        (
            "warning #/paths/~1a/get/parameters/0/schema",
            "warning #/paths/~1a/get/parameters/0/schema",
            "warning #/paths/~1a/get/parameters/1/schema",
        ),
    ),
    Case("path-that-stands-twice.yaml", "readA newPut makeA readB", ("warning #",)),
    Case("path-that-stands-twice.json", "readA makeA", ("warning #",)),
    Case(
        "two-bodies.yaml",
        "ofPath ofOperation ofForm",
        ("warning #/paths/~1a/parameters/0",),
    ),
    Case("parameters-of-the-path.yaml", "getSlot clearSlot"),
    Case(
        "path-parameters-not-declared.yaml",
        "a b",
        (
            "warning #/paths/~1a~1{one}~1{two}/get",
            "warning #/paths/~1a~1{one}~1{two}/get/parameters/0",
            "warning #/paths/~1b~1{id}/get/parameters/0",
            "warning #/paths/~1b~1{id}/get/parameters/1",
        ),
    ),
    Case(
        "parameters-of-odd-shapes.yaml",
        "a b c",
        (
            *(f"warning #/paths/~1a/get/parameters/{n}" for n in (0, 1, 2, 3, 4, 6)),
            "warning #/paths/~1b/get/parameters",
            "warning #/paths/~1c/get/parameters",
        ),
    ),
    Case(
        "operations-that-are-none.yaml",
        "fine delete_b shout noSlash",
        (
            "error #/paths/~1a/get",
            "error #/paths/~1a/put",
            "error #/paths/~1b/get",
            "warning #/paths/~1d",
            "warning #/paths/~1e/GET",
            "warning #/paths/~1e/frobnicate",
            "warning #/paths/g",
        ),
    ),
    Case(
        "schemas-that-are-none.yaml",
        "a",
        (
            f"warning {_BENT}",
            f"warning {_BENT}/type",
            *[
                f"warning {_BENT}/properties/{name}"
                for name in ("name", "kind", "low", "low", "odd")
            ],
            f"warning {_BENT}/properties",
            *[f"warning {_BENT}/properties/{name}/type" for name in ("kind", "any", "low")],
            f"warning {_BENT}/properties/many/items",
            f"warning {_BENT}/properties/many/items/0/type",
            f"warning {_BENT}/properties/many/items/1",
            f"warning {_BENT}/properties/low/allOf",
            f"note {_BENT}/properties/any",
            "warning #/paths/~1a/post/responses/200/content/application~1json/schema",
        ),
    ),
    Case("ids-double-empty-missing.yaml", _NAMES),
    Case("newer-standard.yaml", "ask copy", ("warning #",)),
    Case("callbacks-and-webhooks.yaml"),
    Case("keys-that-stand-twice.json", "kept", ("warning #",)),
    Case("numbers-that-json-has-not.json", "a", ("warning #",)),
    Case("nul-and-half-letters.json", "a", ("warning #",)),
    Case("json-with-comments.json", "a", ("warning #",)),
    Case("tags-and-aliases.yaml", "a b", ("warning #", "warning #")),
    Case(
        "forms-of-swagger-2.yaml",
        "post_a put_b",
        ("warning #/definitions/Thing", "warning #/paths/~1b/put/parameters/1"),
        "Thing",
    ),
)

REFUSED = {
    "not-asyncapi.yaml": "an AsyncAPI description",
    "not-arazzo.yaml": "an Arazzo description",
    "not-overlay.yaml": "an OpenAPI overlay",
    "not-swagger-1.yaml": "a Swagger 1.x description",
    "not-json-schema.json": "a JSON Schema",
    "version-4.yaml": "OpenAPI 4.0.0 is not read",
    "version-1.yaml": "Swagger 1.2 is not read",
    "fragment-path-item.yaml": "a fragment (a path item)",
    "fragment-schemas.yaml": "a fragment (several of the kind: a schema)",
    "cut-off.json": "not valid JSON: Expecting property name enclosed in double quotes: line 1",
    "tabs.yaml": "not valid YAML: line 3, column 1",
    "list.yaml": "the file holds a list",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_a_fault_costs_only_itself(case: Case) -> None:
    spec = read_file(BROKEN / f"openapi-{case.file}")

    assert [one.name for one in spec.operations] == case.tools.split()
    assert sorted(f"{p.level} {p.location}" for p in spec.problems) == sorted(case.problems)
    assert sorted(spec.definitions) == case.definitions.split()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_every_operation_is_a_tool_or_an_error(case: Case) -> None:
    spec = read_file(BROKEN / f"openapi-{case.file}")

    lost = [problem for problem in spec.problems if problem.level == "error"]
    assert len(spec.operations) + len(lost) == spec.operations_in_source


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_every_tool_can_be_written_and_read_again(case: Case) -> None:
    spec = read_file(BROKEN / f"openapi-{case.file}")

    for one in spec.operations:
        whole = assemble(one, spec.definitions)
        schemas = [whole.input_schema, whole.output_schema]
        assert json.loads(json.dumps(schemas, allow_nan=False)) == schemas


@pytest.mark.parametrize(("file", "words"), REFUSED.items())
def test_what_is_no_description_is_refused_by_name(file: str, words: str) -> None:
    path = BROKEN / f"openapi-{file}"

    with pytest.raises(SpecError) as caught:
        read_file(path)

    assert caught.value.message.startswith(f"{path}: ")
    assert words in caught.value.message


def test_every_file_of_a_fault_is_tried() -> None:
    there = {path.name.removeprefix("openapi-") for path in BROKEN.glob("openapi-*")}

    assert there == {case.file for case in CASES} | REFUSED.keys()
