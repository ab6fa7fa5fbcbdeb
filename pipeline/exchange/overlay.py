"""OpenAPI Overlay 1.0: the live texts as changes to the document they were written about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from catalog.binding import HttpBinding
from catalog.enrichment import Enrichment
from pipeline.exchange.entry import Entry, Original
from pipeline.exchange.lines import json_text
from pipeline.exchange.yamltext import lines_of

EXTENSION = "x-gloss"
_METHODS = frozenset("get put post delete options head patch trace query".split())
_ESCAPES = {"'": "\\'", "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r"}


def document(service: str, texts: Iterable[tuple[HttpBinding, Entry]]) -> dict[str, Any]:
    """Only summary, description and an extension are set, and only to strings: an overlay appends
    to a list, so that one in it would grow each time."""
    actions = [_action(binding, entry) for binding, entry in texts if entry.text is not None]
    info = {"title": f"Clearer text for {service}, written beside the original", "version": "1.0.0"}
    return {"overlay": "1.0.0", "info": info, "actions": actions}


def render(overlay: dict[str, Any], as_json: bool) -> str:
    if as_json:
        return json_text(overlay, indent=2) + "\n"
    return "".join(f"{line}\n" for line in lines_of(overlay))


def _action(binding: HttpBinding, entry: Entry) -> dict[str, Any]:
    text, original = entry.text, entry.original
    assert text is not None
    assert original is not None
    noted = {"name": text.name, "aliases": "; ".join(text.aliases), "not_for": text.not_for}
    return {
        "target": target(binding.method, binding.path),
        "update": {
            "summary": heading(text.name),
            "description": beside(text, original),
            EXTENSION: {key: value for key, value in noted.items() if value},
        },
    }


def target(method: str, path: str) -> str:
    """The operation's place in its document (RFC 9535 §2.3.1: one name, quoted)."""
    lower = method.lower()
    if lower in _METHODS:
        return f"$.paths[{_name(path)}].{lower}"
    return f"$.paths[{_name(path)}].additionalOperations[{_name(method)}]"


def _name(key: str) -> str:
    """RFC 9535 §2.3.1.1, table 4. Double quotes around a single one: some tools that go by older
    rules trip over the escape."""
    if "'" in key and not re.search(r'["\\\x00-\x1f]', key):
        return f'"{key}"'
    return "'" + "".join(_escaped(letter) for letter in key) + "'"


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return json.dumps(letter)[1:-1] if letter < " " else letter


def heading(name: str) -> str:
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def beside(text: Enrichment, original: Original) -> str:
    """The clearer text and then, whole, what stood there."""
    before = "\n\n".join(said_before(original))
    limits = f"Not for {text.not_for.removesuffix('.')}." if text.not_for else ""
    parts = (text.description, limits, f"Original: {before}" if before else "")
    return "\n\n".join(part for part in parts if part)


def said_before(original: Original) -> Sequence[str]:
    """Summary and description of the spec, without the one that the other repeats."""
    summary, description = original.summary.strip(), original.description.strip()
    if summary and description.startswith(summary):
        summary = ""
    return [part for part in (summary, description) if part]
