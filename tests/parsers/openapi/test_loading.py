"""Bytes to the values that JSON has, the same on every machine."""

from __future__ import annotations

import pytest

from catalog.errors import SpecError
from parsers.openapi.loading import load
from parsers.openapi.yamltree import MAX_COPIES, MAX_DEPTH


def tree(data: bytes | str) -> object:
    return load(data.encode() if isinstance(data, str) else data, "x").tree


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("NO", "NO"),
        ("on", "on"),
        ("y", "y"),
        ("~", None),
        ("Null", None),
        ("", None),
        ("True", True),
        ("FALSE", False),
        ("tRUE", "tRUE"),
        ("12:30:45", "12:30:45"),
        ("2024-05-01", "2024-05-01"),
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00Z"),
        ("12", 12),
        ("-7", -7),
        ("0x1F", 31),
        ("0o17", 15),
        ("007", "007"),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("1.2.3", "1.2.3"),
        ("=", "="),
        ("'5'", "5"),
        ("!!str 5", "5"),
        ("!!int '5'", 5),
        ("9" * 40, int("9" * 40)),
        ("9" * 5000, "9" * 5000),
        ("0x" + "f" * 5000, "0x" + "f" * 5000),
    ],
)
def test_only_the_types_of_yaml_1_2_exist(word: str, value: object) -> None:
    read = tree(f"a: {word}\n")

    assert read == {"a": value}
    assert isinstance(read["a"], type(value))


def test_keys_are_the_words_of_the_file() -> None:
    assert tree("{1: a, 1.50: b, on: c, null: d, true: e, ~: f, 0x1: g}") == {
        "1": "a",
        "1.50": "b",
        "on": "c",
        "null": "d",
        "true": "e",
        "~": "f",
        "0x1": "g",
    }


@pytest.mark.parametrize("word", [".inf", "-.INF", ".nan", "1e400"])
def test_infinity_never_gets_in(word: str) -> None:
    read = load(f"a: 1\nb: {word}\nc: [1, {word}]\n".encode(), "x")

    assert read.tree == {"a": 1, "c": [1]}
    assert [warning[:7] for warning in read.warnings] == ["line 2:", "line 3:"]


def test_merge_keys_and_aliases() -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], y: 3}\nd: {'<<': *a}\n"

    assert tree(text)["c"] == {"x": 1, "y": 3, "z": 2}
    assert tree(text)["d"] == {"<<": {"x": 1, "y": 1}}


def test_double_keys_are_told() -> None:
    assert load(b"a: 1\na: 2\n", "x").warnings == (
        "line 2: the key 'a' stands twice; the later one was kept",
    )
    assert load(b'{"a": {"b": 1, "b": 2}}', "x").warnings == (
        "the key 'b' stands twice; the later one was kept",
    )


@pytest.mark.parametrize(
    "text",
    ['{"a": ":\\"x\\":"}', '{"a\\\\":1,"b":"\\":"}', '{"a" : {"b":[{"c"\n:1}]}}', '{": a": ": b"}'],
)
def test_quoted_colons_are_no_keys(text: str) -> None:
    assert load(text.encode(), "x").warnings == ()


TEXT = 'a: "Grüße – €"\n'


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        TEXT.encode("utf-32-be"),
    ],
)
def test_unicode_is_read_as_it_is(data: bytes) -> None:
    read = load(data, "x")

    assert read.tree == {"a": "Grüße – €"}
    assert read.warnings == ()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (TEXT.encode("cp1252"), "Windows-1252"),
        ('{"a": "\x81ü"}'.encode("latin-1"), "Latin-1"),
        ("# -*- coding: iso-8859-15 -*-\na: 5 €".encode("iso-8859-15"), "iso-8859-15"),
    ],
)
def test_other_encodings_are_named(data: bytes, name: str) -> None:
    read = load(data, "x")

    assert "\ufffd" not in str(read.tree)
    assert f"read as {name}" in read.warnings[0]


@pytest.mark.parametrize(
    "data",
    [
        rb'{"a\u0000": "\ud800", "b": "\ud83d\ude00"}',
        rb"""{"a\u0000": "\ud800", "b": "\ud83d\ude00", 'c': 1}""",
        b'"a\\0": "\\uD800"\nb: "\\U0001F600"',
        b'"a\\x00": "\\uDFFF"\nb: "\\uD83D\\uDE00"',
    ],
)
def test_what_postgres_refuses_is_replaced_and_told(data: bytes) -> None:
    read = load(data, "x")

    assert {**read.tree, "c": 1} == {"a\ufffd": "\ufffd", "b": "😀", "c": 1}
    assert read.warnings


@pytest.mark.parametrize("data", [b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b"- " * 100_000])
def test_a_pit_is_no_crash(data: bytes) -> None:
    with pytest.raises(SpecError, match=f"nested more than {MAX_DEPTH} levels"):
        load(data, "x")


def test_a_bomb_of_aliases_is_refused() -> None:
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]

    with pytest.raises(SpecError, match=f"more than {MAX_COPIES:,} nodes"):
        load("\n".join(["a0: &a0 [x]", *rows]).encode(), "x")


def test_a_picture_is_no_text() -> None:
    with pytest.raises(SpecError, match="not a text file"):
        load(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, "x")


def test_of_several_yaml_documents_the_description_is_read() -> None:
    read = load(b"kind: other\n---\nopenapi: 3.0.0\n---\ninfo: {title: Third}\n", "x")

    assert read.tree == {"openapi": "3.0.0"}
    assert read.warnings == ("3 YAML documents in one file: one was read, 2 left out (Third)",)


def test_integers_keep_all_their_digits() -> None:
    assert tree('{"a": 123456789012345678901234567890, "b": "1234567890123456789012"}') == {
        "a": 123456789012345678901234567890,
        "b": "1234567890123456789012",
    }
