"""Shapes hold names, types and formats; of values nothing that is anybody's."""

import json

import pytest

from probing.merging import merged
from probing.personal import kind_of
from probing.shapes import Seen, shape, shape_of

SECRETS = {
    "email": "zebulon.quartermain@canary.example",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl",
    "key": "sk-live-CANARY0123456789",
    "bearer": "Bearer CANARY.token/0123456789",
    "card": "4111 1111 1111 1111",
    "iban": "GB82 WEST 1234 5698 7654 32",
    "ip": "192.168.77.12",
    "ipv6": "2001:db8::ff00:42:8329",
    "phone": "+44 7700 900123",
    "hex": "9f86d081884c7d659a2feaa0c55ad015",
    "random": "a1B2c3D4e5F6g7H8",
    "aws": "AKIAIOSFODNN7EXAMPLE",
}


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
def test_detectors_know_it(text):
    assert kind_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "accounts payable",
        "INV-24-0311",
        "2025-03-01",
        "12:30:11",
        "annualLeaveEntitlementDays",
        "tarnbrook.inventory.v2",
        "123e4567-e89b-12d3-a456-426614174000",
        "ON_HOLD",
        "3.1.4",
    ],
)
def test_detectors_leave_plain_words_alone(text):
    assert kind_of(text) is None


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
def test_no_secret_survives_as_value_or_key(text):
    value = {
        "status": text,
        "type": [text, text, text, text],
        "items": [{"kind": text, "n": 1}, {"kind": text, "n": 2}],
        "byKey": {text: {"n": 1}},
        "flat": {text: 1, "other": 2},
        text: "top",
    }

    assert text not in json.dumps(shape_of(value), ensure_ascii=False)


@pytest.mark.parametrize(
    "value",
    [
        {"people": {"Zebulon Quartermain": {"age": 3}}},
        {"people": {"zebulon": {"age": 3}, "tom": {"age": 4}}},
        {"scoreOf": {"Zebulon": 1}, "total": 1, "page": 2, "pages": 3},
        {"claimant": ["zebulon", "zebulon", "zebulon", "zebulon"]},
        {"lastName": "ZEBULON_QUARTERMAIN"},
        {"note": "zebulon"},
        {"rows": [{"driver": "ZEBULON"}] * 9},
    ],
    ids=["map of records", "bare names", "style", "repeated", "constant", "note", "capitals"],
)
def test_a_name_survives_neither_as_key_nor_as_value(value):
    assert "zebulon" not in json.dumps(shape_of(value)).lower()


def test_keys_that_are_data_become_a_pattern():
    found = shape_of({"by": {"a@b.example": {"n": 1}, "c@d.example": {"n": 2}}})

    assert found["properties"]["by"] == {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {"n": {"type": "integer"}},
            "required": ["n"],
        },
        "propertyNames": {"format": "email"},
    }
    ids = shape_of({"by": {"E-203": 1, "E-204": 2}})
    assert ids["properties"]["by"]["propertyNames"] == {"pattern": "^[A-Z]+-[0-9]+$"}


def test_names_that_the_spec_declares_stay():
    found = shape_of({"First Name": "x", "E-203": 1}, known={"First Name", "E-203"})

    assert set(found["properties"]) == {"First Name", "E-203"}


def test_types_formats_lengths_and_optional_keys():
    value = [{"on": "2025-03-01", "n": 1, "x": None}, {"on": "2025-03-02", "n": 1.5}]

    assert shape_of(value) == {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "on": {"type": "string", "format": "date"},
                "n": {"type": "number"},
                "x": {"type": "null"},
            },
            "required": ["on", "n"],
        },
        "minItems": 2,
        "maxItems": 2,
    }


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"status": "ON_HOLD"}, ["ON_HOLD"]),
        ({"currency": "EUR"}, ["EUR"]),
        ({"x": ["EARLY", "LATE", "EARLY", "LATE"]}, ["EARLY", "LATE"]),
    ],
)
def test_words_that_are_clearly_choices_are_kept(value, words):
    assert json.dumps(words) in json.dumps(shape_of(value))


@pytest.mark.parametrize(
    "value",
    [
        {"status": "waiting for Helen"},
        {"status": "room 12"},
        {"type": list("abcdefghijkl")},
        {"colour": "red"},
        {"userType": "gold"},
    ],
)
def test_words_that_may_be_anything_are_not(value):
    assert "enum" not in json.dumps(shape_of(value))


def test_seen_together_is_seen_one_by_one():
    values = [{"a": 1, "b": {"c": "2025-01-01"}}, {"a": None}, {"a": 2, "d": [1]}]
    apart, whole = Seen(), Seen()
    for value in values:
        one = Seen()
        one.add(value)
        apart.absorb(one)
        whole.add(value)

    assert shape(apart) == shape(whole)


def test_shapes_merge_to_optional_keys_and_unions():
    one = shape_of({"a": 1, "b": "2025-01-01", "s": {"status": "OPEN"}})
    other = shape_of({"a": "x", "b": "2025-01-02", "s": {"status": "SHUT"}, "c": [1]})

    found = merged([one, other])

    assert found["required"] == ["a", "b", "s"]
    assert found["properties"]["a"]["type"] == ["integer", "string"]
    assert found["properties"]["b"]["format"] == "date"
    assert found["properties"]["s"]["properties"]["status"]["enum"] == ["OPEN", "SHUT"]
    assert merged([one, one]) == one
    assert merged([]) is None


def test_values_are_kept_only_on_request_and_never_personal_ones():
    kept = json.dumps(shape_of({"sku": "TB-4410", "mail": "a@b.example"}, keep=True))

    assert "TB-4410" in kept
    assert "a@b.example" not in kept
    assert "TB-4410" not in json.dumps(shape_of({"sku": "TB-4410"}))


def test_depth_and_width_are_bounded():
    deep = {}
    for _ in range(900):
        deep = {"a": deep}
    wide = {f"k{'x' * (n % 7)}{'abcdefghij'[n % 10]}{n % 90}": n for n in range(5000)}

    assert len(json.dumps(shape_of(deep))) < 5000
    assert len(json.dumps(shape_of(wide))) < 60_000
