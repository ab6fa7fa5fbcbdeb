"""JSON lines: one tool a line, keys in one order, the same bytes everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from catalog.text import json_safe
from pipeline.exchange.entry import Entry, grounds_said

SCHEMA = 1


def render(entries: Iterable[Entry]) -> str:
    return "".join(f"{json_text(_line(entry))}\n" for entry in entries)


def json_text(value: Any, indent: int | None = None) -> str:
    """UTF-8 is left readable; what is invisible, or ends a line somewhere, is an escape."""
    text = json_safe(json.dumps(value, ensure_ascii=False, indent=indent))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _line(entry: Entry) -> dict[str, Any]:
    original = entry.original
    assert original is not None
    return {
        "schema": SCHEMA,
        "tool": entry.tool,
        "wire": original.wire,
        "original": {
            "name": original.name,
            "summary": original.summary,
            "description": original.description,
        },
        "enriched": text_value(entry),
        "written": written_value(entry),
        "content_hash": entry.content_hash,
        "base": entry.base or "",
    }


def text_value(entry: Entry) -> dict[str, Any] | None:
    text = entry.text
    return (
        None
        if text is None
        else {
            "name": text.name,
            "description": text.description,
            "aliases": list(text.aliases),
            "not_for": text.not_for,
            "evidence": grounds_said(text.grounds),
        }
    )


def written_value(entry: Entry) -> dict[str, str] | None:
    """Who wrote the text and, where that is not this one, for which state of the operation."""
    origin = entry.origin
    said = {
        "provider": origin.provider,
        "model": origin.model,
        "prompt_version": origin.prompt_version,
        "author": origin.author,
        "text": origin.mark,
    }
    if entry.written_for:
        said["for"] = entry.written_for
    return said if entry.text is not None else None
