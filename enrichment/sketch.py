"""One tool on half a page: what a model is shown of it, however large its schemas are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from catalog.text import printable
from enrichment.evidence import Evidence, Fact
from enrichment.lookalikes import telling

MAX_LETTERS = 900
_TEXT = 240
_NOTE = 60
_VALUES = 7
_PLAIN_TYPES = ("string", "anything", "object", "integer", "number", "decimal", "null")


def sketch(tool: Evidence, weights: Mapping[str, float]) -> str:
    """At most 900 letters; the fields that tell most come first to stay."""
    for fields in (40, 30, 20, 14, 9, 5, 2):
        text = "\n".join(_lines(tool, weights, fields))
        if len(text) <= MAX_LETTERS:
            return text
    return text[:MAX_LETTERS]


def _lines(tool: Evidence, weights: Mapping[str, float], limit: int) -> Iterator[str]:
    wire = "/".join(tool.wire[0].split("/")[-2:]).rpartition(".")[2]
    shown = plain(tool.wire[0], 90) if tool.protocol == "rest" else plain(wire, 90)
    yield f"operation: {tool.name}" + ("" if shown == tool.name else f" ({shown})")
    said = " ".join(part for part in (tool.summary, tool.description) if part)
    yield f"spec says: {plain(said, _TEXT) or '(nothing)'}"
    tags = [tag for tag in tool.tags if tag.lower() not in tool.wire[0].lower()]
    if tags:
        yield f"tags: {plain(', '.join(tags), 60)}"
    seen: set[tuple[str, ...]] = set()
    yield f"takes: {_outline(telling(tool.given, {}, limit), seen, marked=True) or '(nothing)'}"
    returned = _outline(telling(tool.returned, weights, limit), seen, marked=False)
    yield f"returns: {returned or '(not known)'}"


@dataclass(slots=True)
class _Node:
    fact: Fact | None = None
    parts: dict[str, _Node] = field(default_factory=dict)


def _outline(facts: Sequence[Fact], seen: set[tuple[str, ...]], marked: bool) -> str:
    """Fields inside what holds them: `orders[]{orderNo, lines[]{sku}}`."""
    root = _Node()
    for fact in facts:
        node = root
        for part in fact.path.split("."):
            node = node.parts.setdefault(part, _Node())
        node.fact = fact
    return _inside(root, seen, marked)


def _inside(node: _Node, seen: set[tuple[str, ...]], marked: bool) -> str:
    return ", ".join(_branch(name, part, seen, marked) for name, part in node.parts.items())


def _branch(name: str, node: _Node, seen: set[tuple[str, ...]], marked: bool) -> str:
    text = plain(name, 80) + (_remarks(node.fact, seen, marked) if node.fact else "")
    return text + (f"{{{_inside(node, seen, marked)}}}" if node.parts else "")


def _remarks(fact: Fact, seen: set[tuple[str, ...]], marked: bool) -> str:
    """What follows a field's name; a set of values is written out the first time only."""
    text = "*" if marked and fact.required else ""
    values = [value for value in fact.values if not value.endswith("UNSPECIFIED")]
    if values and fact.values not in seen:
        text += "=" + "|".join(plain(value, 24) for value in values[:_VALUES])
    elif not values and fact.type not in _PLAIN_TYPES:
        text += f" {fact.type}"
    seen.add(fact.values)
    return text + (f" ({plain(fact.text, _NOTE)})" if fact.text else "")


def plain(text: str, limit: int) -> str:
    """Text on one line, nothing hidden in it, none of the signs that fence data off."""
    flat = " ".join(printable(text).replace("<", "‹").replace(">", "›").replace("`", "'").split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
