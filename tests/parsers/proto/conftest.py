"""Specs written where they are tested, read as `gloss ingest FILE` reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from catalog.assembly import assemble
from catalog.spec import Operation, ParsedSpec
from parsers.document import Document, ParseOptions
from parsers.proto import parse

ReadFile = Callable[..., ParsedSpec]
ReadText = Callable[[str], ParsedSpec]


@pytest.fixture
def read_file() -> ReadFile:
    """Parses a file; its own folder is the jail unless `root` says otherwise."""

    def read(path: Path, root: Path | None = None, include: tuple[Path, ...] = ()) -> ParsedSpec:
        options = ParseOptions(include=include)
        document = Document(str(path), path.read_bytes(), "x", root or path.parent, options)
        return parse(document)

    return read


@pytest.fixture
def read_text(tmp_path: Path, read_file: ReadFile) -> ReadText:
    def read(text: str) -> ParsedSpec:
        path = tmp_path / "spec.proto"
        path.write_text(text)
        return read_file(path)

    return read


def input_accepts(operation: Operation, spec: ParsedSpec, value: Any) -> bool:
    whole = assemble(operation, spec.definitions, None).input_schema
    return bool(Draft202012Validator(whole).is_valid(value))


def output_accepts(operation: Operation, spec: ParsedSpec, value: Any) -> bool:
    whole = assemble(operation, spec.definitions, None).output_schema
    return bool(Draft202012Validator(whole).is_valid(value))


def write_tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root
