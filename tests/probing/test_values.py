"""Where values come from: the user, the spec, the calendar, earlier answers."""

from datetime import date

import pytest

from catalog.binding import HttpBinding
from catalog.spec import Operation
from probing.pool import Pool
from probing.values import Value, Wanted, static_value

TODAY = date(2026, 5, 17)


def operation(path, name="op"):
    return Operation("s", name, "rest", HttpBinding("GET", path))


def want(name, schema=None, place="path"):
    return Wanted(name, name, place, {"type": "string"} if schema is None else schema, True)


def static(name, schema, given=None):
    return static_value(want(name, schema), given or {}, {}, TODAY)


@pytest.mark.parametrize(
    ("name", "schema", "value", "origin"),
    [
        ("a", {"type": "string", "examples": ["X"], "default": "D"}, "X", "example"),
        ("a", {"type": "string", "default": "D", "enum": ["E"]}, "D", "default"),
        ("a", {"type": "string", "enum": ["E", "F"]}, "E", "choice"),
        ("a", {"const": 3}, 3, "choice"),
        ("a", {"type": "boolean"}, False, "choice"),
        ("sku", {"type": "string", "description": "An item, e.g. TB-4410."}, "TB-4410", "example"),
        ("yr", {"type": "integer"}, 2026, "calendar"),
        ("fromDate", {"type": "string", "format": "date"}, "2026-05-17", "calendar"),
        ("page", {"type": "integer"}, 1, "default"),
    ],
)
def test_a_value_from_the_spec_or_the_calendar(name, schema, value, origin):
    found = static(name, schema)

    assert (found.value, found.origin) == (value, origin)


def test_the_users_value_comes_first():
    given = {"a": Value("mine", "gloss.toml", "a")}

    assert static("a", {"type": "string", "examples": ["X"]}, given).value == "mine"


def test_an_identifier_is_not_made_up():
    assert static("custId", {"type": "string"}) is None
    assert static("id", {"type": "integer"}) is None


@pytest.mark.parametrize(
    ("answer", "list_path", "detail_path", "name", "schema", "value"),
    [
        ({"rows": [{"custId": "C-1"}]}, "/a", "/b/{custId}", "custId", None, "C-1"),
        ({"rows": [{"customer_id": 7}]}, "/a", "/b/{custId}", "custId", None, "7"),
        ({"data": [{"id": 7}]}, "/records", "/records/{id}", "id", {"type": "integer"}, 7),
        ({"orders": [{"id": 7}]}, "/all", "/orders/{id}", "id", None, "7"),
        ([{"id": 7}], "/customers", "/x/{customer_id}", "customer_id", None, "7"),
        ({"items": [{"orderNo": "O-1"}]}, "/a", "/o/{order_no}", "order_no", None, "O-1"),
    ],
)
def test_an_identifier_of_an_answer_fills_the_argument(
    answer, list_path, detail_path, name, schema, value
):
    pool = Pool()
    pool.learn(operation(list_path, "list"), answer)

    found = pool.find(operation(detail_path), want(name, schema))

    assert found.value == value
    assert found.origin == "answer"
    assert found.shown == "***"


@pytest.mark.parametrize(
    ("answer", "list_path", "detail_path", "name", "schema"),
    [
        ([{"id": 7}], "/customers", "/orders/{id}", "id", None),
        ([{"custId": "C-1"}], "/a", "/b/{custId}", "custId", {"type": "integer"}),
        ([{"state": "weird"}], "/a", "/b", "state", {"type": "string", "enum": ["on"]}),
        ([{"token": "sk-live-0123456789abc"}], "/a", "/b", "token", None),
        ([{"email": "a@b.example"}], "/a", "/b", "email", None),
    ],
    ids=["another thing", "another type", "no choice", "secret", "personal"],
)
def test_what_does_not_fit_is_not_used(answer, list_path, detail_path, name, schema):
    pool = Pool()
    pool.learn(operation(list_path, "list"), answer)

    assert pool.find(operation(detail_path), want(name, schema)) is None


def test_the_source_of_a_value_names_no_data():
    pool = Pool()
    pool.learn(operation("/a", "list"), {"people": {"Zebulon Quartermain": {"empNo": "E-1"}}})

    assert "Zebulon" not in pool.find(operation("/b/{empNo}"), want("empNo")).source
