"""Tools made whole: every reference resolves inside, within the stated size."""

import json

import pytest

from catalog.assembly import assemble
from catalog.binding import HttpBinding
from catalog.hashing import content_hasher, references
from catalog.spec import Operation

CYCLE = {
    "Folder": {
        "type": "object",
        "properties": {"folders": {"type": "array", "items": {"$ref": "#/$defs/Folder"}}},
    }
}


def operation(returns, **changes):
    values = {"service": "s", "name": "o", "protocol": "rest", "binding": HttpBinding("GET", "/o")}
    return Operation(**{**values, "output_schema": returns, **changes})


def test_a_cycle_stays_a_reference():
    whole = assemble(operation({"$ref": "#/$defs/Folder"}), CYCLE)

    assert whole.output_schema["$defs"] == CYCLE
    assert json.loads(json.dumps(whole.output_schema)) == whole.output_schema


def test_only_what_is_reached_comes_along():
    definitions = {**CYCLE, "Other": {"type": "string"}}

    whole = assemble(operation({"$ref": "#/$defs/Folder"}), definitions)

    assert set(whole.output_schema["$defs"]) == {"Folder"}


def chain(length):
    """Type0 → Type1 → …, each about a kilobyte."""
    text = "x" * 1000
    links = {f"T{n}": {"description": text, "properties": {"next": {"$ref": f"#/$defs/T{n + 1}"}}}
             for n in range(length)}  # fmt: skip
    return {**links, f"T{length}": {"type": "string"}}


def test_nearest_levels_come_first_and_what_was_cut_is_said():
    whole = assemble(operation({"$ref": "#/$defs/T0"}), chain(100), size_bytes=10_000)

    kept = set(whole.output_schema["$defs"])
    assert {"T0", "T1", "T2"} <= kept
    assert whole.cut
    assert not set(whole.cut) & kept
    assert "--full" in whole.output_schema["x-gloss-cut"]
    assert set(references(whole.output_schema)) <= kept
    assert len(json.dumps(whole.output_schema)) <= 11_000


def test_full_cuts_nothing():
    whole = assemble(operation({"$ref": "#/$defs/T0"}), chain(100), size_bytes=None)

    assert len(whole.output_schema["$defs"]) == 101
    assert whole.cut == ()


@pytest.mark.parametrize("size_bytes", [200, 2_000, 20_000])
def test_a_schema_that_is_too_large_by_itself_is_cut_by_depth(size_bytes):
    deep = {"type": "object", "properties": {}}
    node = deep
    for _ in range(60):
        node["properties"] = {"down": {"type": "object", "description": "y" * 500}}
        node = node["properties"]["down"]

    whole = assemble(operation(deep), {}, size_bytes=size_bytes)

    assert len(json.dumps(whole.output_schema)) <= size_bytes + 2_000
    assert whole.cut


def test_a_change_in_a_type_far_away_changes_the_hash():
    before, after = chain(5), chain(5)
    after["T5"] = {"type": "integer"}
    tool = operation({"$ref": "#/$defs/T0"})

    assert content_hasher(before)(tool) != content_hasher(after)(tool)


def test_a_change_inside_a_cycle_changes_the_hash_of_all_its_members():
    loop = {"A": {"$ref": "#/$defs/B"}, "B": {"allOf": [{"$ref": "#/$defs/A"}]}}
    changed = {**loop, "B": {"allOf": [{"$ref": "#/$defs/A"}], "description": "new"}}
    tool = operation({"$ref": "#/$defs/A"})

    assert content_hasher(loop)(tool) != content_hasher(changed)(tool)


def test_the_hash_does_not_depend_on_the_service_or_on_types_out_of_reach():
    tool = operation({"$ref": "#/$defs/Folder"})
    elsewhere = operation({"$ref": "#/$defs/Folder"}, service="t")

    assert content_hasher(CYCLE)(tool) == content_hasher({**CYCLE, "X": {}})(elsewhere)


def test_of_too_many_properties_the_required_and_the_first_are_shown():
    given = {f"field{n}": {"type": "string"} for n in range(5000)}
    schema = {"type": "object", "properties": given, "required": ["field4999", "field4998"]}

    whole = assemble(operation(None, input_schema=schema), {})

    shown = whole.input_schema
    assert list(shown["properties"])[:2] == ["field0", "field1"]
    assert shown["required"] == ["field4999", "field4998"]
    assert set(shown["required"]) < set(shown["properties"])
    assert 40_000 < len(json.dumps(shown)) < 64 * 1024
    assert whole.cut


def test_what_is_shown_is_within_the_size_as_json_writes_it():
    links = {f"T{n}": {"description": "Größe " * 20, "$ref": f"#/$defs/T{n + 1}"}
             for n in range(2000)}  # fmt: skip
    many = {"anyOf": [{"$ref": f"#/$defs/T{n}"} for n in range(0, 2000, 2)]}

    whole = assemble(operation(many), {**links, "T2000": {}})

    assert len(json.dumps(whole.output_schema)) <= 64 * 1024
    assert set(references(whole.output_schema)) <= set(whole.output_schema["$defs"])
