"""`--strict`: what a client that calls through zeep would lack. It never gates."""

from __future__ import annotations

from pathlib import Path

from catalog.spec import ParsedSpec
from parsers.document import Document, ParseOptions
from parsers.wsdl import parse

BROKEN = Path(__file__).parents[2] / "broken_specs"


def read(name: str, strict: bool) -> ParsedSpec:
    file = BROKEN / name
    options = ParseOptions(strict=strict)
    return parse(Document(str(file), file.read_bytes(), "svc", file.parent, options))


def said(spec: ParsedSpec) -> list[str]:
    return [one.message for one in spec.problems if one.message.startswith("strict: ")]


def test_overloads_that_zeep_loses_in_silence_are_named() -> None:
    strict = read("wsdl-overloaded-operations.wsdl", strict=True)

    names = {one.binding.wire_names[0] for one in strict.operations}
    count = len(strict.operations)
    assert said(strict) == [
        f"strict: zeep offers one of the {count} operations called {name}" for name in names
    ]


def test_a_file_that_zeep_cannot_load_is_said_and_read_all_the_same() -> None:
    plain = read("wsdl-import-out-of-reach.wsdl", strict=False)
    strict = read("wsdl-import-out-of-reach.wsdl", strict=True)

    assert strict.operations == plain.operations
    assert said(plain) == []
    (word,) = said(strict)
    assert word.startswith("strict: zeep cannot load it")


def test_a_file_that_zeep_reads_whole_has_no_word() -> None:
    assert said(read("wsdl-same-operation-on-several-ports.wsdl", strict=True)) == []
