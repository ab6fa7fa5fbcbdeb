"""One tool as a page of text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from catalog.text import printable
from cli import console, output

WIDTH = 96


def show_text(tool: dict[str, Any], wire: str) -> str:
    return "\n".join(_lines(tool, wire))


def _lines(tool: dict[str, Any], wire: str) -> Iterator[str]:
    yield console.bold(printable(tool["id"])) + ("  (deprecated)" if tool["deprecated"] else "")
    yield f"wire         {tool['protocol']}  {printable(wire)}"
    yield from _addresses(tool["binding"])
    yield from _described("original", tool["name"], tool["description"], ())
    enriched = tool["enriched"]
    if enriched:
        yield from _described(
            "enriched", enriched["name"], enriched["description"], enriched["aliases"]
        )
    yield ""
    yield from _fields("parameters", tool["input_schema"], _places(tool["binding"]))
    yield from _fields("returns", tool["output_schema"], {})
    yield from _sample(tool["shape"], tool["sample"])
    if tool["cut"]:
        yield f"(cut to fit: {printable(', '.join(tool['cut'][:5]))}; --full shows all)"


def _sample(shape: dict[str, Any] | None, sample: dict[str, Any] | None) -> Iterator[str]:
    """What calls returned, sketched; nothing where there was none."""
    from probing.evidence import sentence
    from probing.sketching import sketch

    if shape is not None:
        yield "seen"
        yield from (_cut(f"    {printable(line)}") for line in sketch(shape))
    if sample is not None:
        yield f"{sample['origin']:<12} {printable(sentence(sample))} ({sample['recorded_at'][:10]})"
        yield from (f"{'':<13}contradicts: {printable(c)}" for c in sample["contradictions"])
        if sample["values_kept"]:
            yield f"{'':<13}values were kept"


def _addresses(binding: dict[str, Any]) -> Iterator[str]:
    for server in binding.get("servers", ()):
        yield f"server       {printable(server)}"
    for endpoint in binding.get("endpoints", ()):
        yield f"endpoint     {endpoint['transport']}  {printable(endpoint['address'])}"


def _described(label: str, name: str, description: str, aliases: Any) -> Iterator[str]:
    yield ""
    yield f"{label:<12} {console.bold(printable(name))}"
    yield from _folded(description or "(no description)")
    if aliases:
        yield from _folded(f"also: {', '.join(aliases)}")


def _folded(text: str) -> Iterator[str]:
    for line in textwrap.wrap(printable(text), output.page_width(WIDTH) - 13):
        yield f"{'':<13}{line}"


def _places(binding: dict[str, Any]) -> dict[str, str]:
    return {argument["key"]: argument["place"] for argument in binding.get("arguments", ())}


def _fields(title: str, schema: Any, places: dict[str, str]) -> Iterator[str]:
    yield title
    if schema is None:
        yield "  (the spec does not say)"
        return
    definitions = schema.get("$defs", {}) if isinstance(schema, dict) else {}
    rows = list(_rows(schema, definitions))
    if not rows:
        yield f"  {_type(schema, definitions)}"
    width = max((len(name) for name, *_ in rows), default=0)
    for name, kind, required, text in rows:
        place = f" ({places[name]})" if name in places else ""
        mark = "*" if required else " "
        yield _cut(f"  {mark} {printable(name):<{width}}  {kind}{place}  {_one_line(text)}")
    if any(required for *_, required, _ in rows):
        yield "  (* required)"


def _rows(schema: Any, definitions: dict[str, Any]) -> Iterator[tuple[str, str, bool, str]]:
    target = _resolved(schema, definitions)
    required = target.get("required", ())
    for name, part in target.get("properties", {}).items():
        text = part.get("description", "") if isinstance(part, dict) else ""
        yield name, _type(part, definitions), name in required, str(text)


def _resolved(schema: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    for _ in range(8):
        if not isinstance(schema, dict):
            return {}
        ref = schema.get("$ref", "")
        if not ref.startswith("#/$defs/"):
            return schema
        schema = definitions.get(ref.removeprefix("#/$defs/"), {})
    return {}


def _type(schema: Any, definitions: dict[str, Any]) -> str:
    if not isinstance(schema, dict):
        return "anything" if schema else "nothing"
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix("#/$defs/")
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"][:6])
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_type(schema.get('items', True), definitions)}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _cut(line: str) -> str:
    line, width = line.rstrip(), output.page_width(WIDTH)
    return line if not console.on_terminal() or len(line) <= width else line[: width - 1] + "…"
