"""Files made to hurt end with a word on what is too much, or are simply read."""

from __future__ import annotations

import pytest

from catalog.errors import SpecError
from catalog.spec import ParsedSpec
from parsers import proto
from parsers.document import Document
from parsers.proto import compiler, mending, parse, staging

_HEAD = 'syntax = "proto3";\n'
_SERVICE = "service S { rpc Do(M) returns (M); }\n"


def _read(text: str) -> ParsedSpec:
    return parse(Document("/nowhere/x.proto", text.encode(), "x"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{_HEAD}{'message M {' * 3000}", "maximum recursion limit"),
        (f"{_HEAD}{'[[[[' * 20000}", "Expected top-level statement"),
        (f"{_HEAD}{'/*' * 50000}", "block comment"),
        (f"{_HEAD}{_SERVICE}message M {{ string a = 1; }} \x7f", "Expected top-level statement"),
    ],
    ids=["depth", "brackets", "comments", "control"],
)
def test_what_cannot_be_read_has_place_and_cause(text: str, reason: str) -> None:
    with pytest.raises(SpecError, match=r"/nowhere/x\.proto:\d+:\d+: ") as caught:
        _read(text)

    assert reason in caught.value.message


def test_many_faults_of_a_kind_are_mended_together() -> None:
    fields = "".join(f"T{n} f{n} = {n} [(a.b{n}) = 1];\n" for n in range(1, 400))

    spec = _read(f"{_HEAD}message M {{ {fields} }} {_SERVICE}")

    assert len(spec.operations) == 1
    assert sum("is left open" in problem.message for problem in spec.problems) == 399


def test_types_that_fan_out_are_kept_once() -> None:
    layers = "".join(f"message M{n} {{ M{n + 1} a = 1; M{n + 1} b = 2; }}\n" for n in range(60))

    spec = _read(f"{_HEAD}{layers} message M60 {{}} service S {{ rpc Do(M0) returns (M0); }}")

    assert len(spec.definitions) == 61


def test_a_text_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proto, "MAX_TEXT_BYTES", 2**20)

    with pytest.raises(SpecError, match="larger than 1 MB"):
        _read(_HEAD + "// " + "x" * 2**20)


def test_too_many_imports_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "MAX_FILES", 10)

    with pytest.raises(SpecError, match="more than 10 imported files"):
        _read(_HEAD + "".join(f'import "a{n}.proto";' for n in range(20)))


def test_a_compiler_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "TIME_LIMIT_S", 0)

    with pytest.raises(SpecError, match="did not end within 0 s"):
        _read(_HEAD)


def test_many_missing_imports_are_refused_by_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "MAX_MISSING", 10)

    with pytest.raises(SpecError, match="more than 10 imports are not there"):
        _read(_HEAD + "".join(f'import "a{n}.proto";' for n in range(20)))


def test_more_faults_than_can_be_mended_are_refused_by_their_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mending, "MAX_FAULTS", 10)
    fields = "".join(f"T{n} f{n} = {n};\n" for n in range(1, 20))

    with pytest.raises(SpecError, match=r"x\.proto:2:13: .*more than 10 faults"):
        _read(f"{_HEAD}message M {{ {fields} }} {_SERVICE}")


def test_faults_that_show_one_by_one_are_mended_in_so_many_rounds() -> None:
    fields = "".join(f"string a{n} = {n}\n" for n in range(1, 30))

    with pytest.raises(SpecError, match="not mended in 20 rounds"):
        _read(f"{_HEAD}message M {{ {fields} }} {_SERVICE}")
