"""A YAML file beside the spec, to be read and edited: `crm.gloss.yaml` for `crm.wsdl`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pipeline.exchange.entry import MARK_LENGTH, Entry, grounds_said
from pipeline.exchange.lines import SCHEMA, written_value
from pipeline.exchange.yamltext import comment, lines_of, quoted, scalar

_HEAD = """\
Text by which the operations of {service} are found; calls go on using the original names.
Edit name, description, aliases, not_for, evidence; then: gloss import {service}.gloss.yaml
Evidence is a parameter, a field or words of the spec: what it shows = evidence.
Comments are the original. Leave written, content_hash and base: a merge goes by them."""


def render(service: str, entries: Sequence[Entry]) -> str:
    lines = [
        *comment(_HEAD.format(service=service)),
        f"schema: {SCHEMA}",
        f"service: {scalar(service)}",
        "tools:" if entries else "tools: {}",
    ]
    for entry in entries:
        lines += ["", *_tool(entry)]
    return "".join(f"{line}\n" for line in lines)


def _tool(entry: Entry) -> Iterator[str]:
    original = entry.original
    assert original is not None
    yield f"  {scalar(entry.name)}:"
    yield from comment(original.wire, 4)
    for text in dict.fromkeys((original.summary, original.description)):
        if text.strip():
            yield from comment(text.strip(), 4)
    yield from lines_of(_text(entry), 4)
    yield from _merge_words(entry)


def _text(entry: Entry) -> dict[str, Any]:
    """All that can be filled in, empty where there is nothing yet."""
    text = entry.text
    return {
        "name": text.name if text else "",
        "description": text.description if text else "",
        "aliases": list(text.aliases) if text else [],
        "not_for": text.not_for if text else "",
        "evidence": grounds_said(text.grounds) if text else [],
    }


def _merge_words(entry: Entry) -> Iterator[str]:
    written = written_value(entry)
    if written is not None:
        said = ", ".join(
            f"{key}: {quoted(value[:MARK_LENGTH] if key == 'for' else value)}"
            for key, value in written.items()
            if value
        )
        yield f"    written: {{{said}}}"
    yield f"    content_hash: {quoted(entry.content_hash[:MARK_LENGTH])}"
    yield f"    base: {quoted(entry.base or '')}"
