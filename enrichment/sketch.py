"""One tool on half a page: what a model is shown of it, however large its schemas are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from catalog.text import printable
from enrichment.evidence import Evidence, Fact
from enrichment.lookalikes import telling

MAX_LETTERS = 900
_TEXT = 240
_NOTE = 60
_VALUES = 6


def sketch(tool: Evidence, weights: Mapping[str, float]) -> str:
    """At most 900 letters; the fields that tell most come first to stay."""
    for fields in (30, 20, 14, 9, 5, 2):
        text = "\n".join(_lines(tool, weights, fields))
        if len(text) <= MAX_LETTERS:
            return text
    return text[:MAX_LETTERS]


def _lines(tool: Evidence, weights: Mapping[str, float], limit: int) -> Iterator[str]:
    yield f"operation: {tool.name} ({tool.protocol}: {plain(tool.wire[0], 90)})"
    said = " ".join(part for part in (tool.summary, tool.description) if part)
    yield f"spec says: {plain(said, _TEXT) or '(nothing)'}"
    if tool.tags:
        yield f"tags: {plain(', '.join(tool.tags), 60)}"
    yield f"takes: {_facts(telling(tool.given, {}, limit)) or '(nothing)'}"
    yield f"returns: {_facts(telling(tool.returned, weights, limit)) or '(not known)'}"


def _facts(facts: Sequence[Fact]) -> str:
    return "; ".join(_fact(fact) for fact in facts)


def _fact(fact: Fact) -> str:
    text = plain(fact.path, 80) + ("*" if fact.required else "")
    if fact.values:
        text += " = " + "|".join(plain(value, 24) for value in fact.values[:_VALUES])
    elif fact.type not in ("string", "anything", "object"):
        text += f" {fact.type}"
    return text + (f" ({plain(fact.text, _NOTE)})" if fact.text else "")


def plain(text: str, limit: int) -> str:
    """Text on one line, nothing hidden in it, none of the signs that fence data off."""
    flat = " ".join(printable(text).replace("<", "‹").replace(">", "›").replace("`", "'").split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
