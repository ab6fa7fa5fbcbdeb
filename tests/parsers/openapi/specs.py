"""Descriptions written in place, read as the command reads a file."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from catalog.binding import HttpBinding
from catalog.spec import Operation, ParsedSpec
from parsers.document import Document, ParseOptions
from parsers.openapi import parse

BROKEN = Path(__file__).parents[2] / "broken_specs"


def read(text: str, version: str = "3.0.3", location: str = "/specs/api.yaml") -> ParsedSpec:
    """A description of which only the paths and components are written out."""
    key = "swagger" if version.startswith("2") else "openapi"
    head = f'{key}: "{version}"\ninfo: {{title: T, version: "1"}}\n'
    return parse(Document(location, (head + dedent(text)).encode(), "api"))


def read_file(path: Path, options: ParseOptions | None = None) -> ParsedSpec:
    options = options or ParseOptions()
    return parse(Document(str(path), path.read_bytes(), path.stem, path.parent, options))


def operation(spec: ParsedSpec, wire: str) -> Operation:
    return next(one for one in spec.operations if wire in one.binding.wire_names)


def http(one: Operation) -> HttpBinding:
    assert isinstance(one.binding, HttpBinding)
    return one.binding


def places(one: Operation) -> dict[str, tuple[str, str]]:
    """Where each property of the input goes: key → (name on the wire, place)."""
    return {argument.key: (argument.name, argument.place) for argument in http(one).arguments}


def schema_of(body: str, version: str = "3.0.3", components: str = "") -> object:
    """What a schema, written as YAML, comes out as: through a response, which is not flattened."""
    text = f"""
    paths:
      /x:
        get:
          responses:
            "200": {{description: ok, content: {{application/json: {{schema: {body}}}}}}}
    components: {{schemas: {{{components}}}}}
    """
    return read(text, version).operations[0].output_schema


def said(spec: ParsedSpec) -> list[tuple[str, str, str]]:
    """The problems as (level, location, first words of the message)."""
    return [(p.level, p.location, p.message) for p in spec.problems]
