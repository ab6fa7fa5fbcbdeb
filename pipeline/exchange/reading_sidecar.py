"""A sidecar read back: YAML nodes, so that each fault has its line and a key that stands twice is
seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from catalog.errors import UsageError
from pipeline.exchange.lines import SCHEMA
from pipeline.exchange.reading import Read, Unread, entry_from

_DEPTH = 4
_TEXT = ("name", "description", "aliases", "not_for", "evidence")
_OTHER = ("written", "content_hash", "base")
_HINT = "gloss export SERVICE --format sidecar writes one"


class _Fault(Exception):
    """Something in one tool that cannot be read; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def tools_of(data: bytes) -> Iterator[Read]:
    try:
        service, tools = _parts(_composed(data))
    except _Fault as fault:
        raise UsageError(f"line {fault.line}: {fault}", hint=_HINT) from None
    for key, node in tools:
        yield _tool(f"{service}/{key.value}", _line(key), node)


def _parts(root: Any) -> tuple[str, list[tuple[Any, Any]]]:
    """The service's name, and its tools as pairs of nodes."""
    named = {key.value: node for key, node in root.value if key.id == "scalar"}
    schema, service, tools = (named.get(key) for key in ("schema", "service", "tools"))
    if schema is None or schema.value != str(SCHEMA):
        raise UsageError("a sidecar of another schema", hint="take the gloss that wrote it")
    if service is None or service.id != "scalar" or tools is None:
        raise UsageError("a sidecar names `service` and `tools`", hint=_HINT)
    if tools.id != "mapping":
        raise _Fault(_line(tools), "`tools` is not a mapping")
    return str(service.value), tools.value


def _composed(data: bytes) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    root: Any
    try:
        text = data.decode("utf-8-sig")
        _require_plain(yaml.parse(text, Loader=loader))
        root = yaml.compose(text, Loader=loader)
    except UnicodeDecodeError:
        raise UsageError("not UTF-8", hint="save it as UTF-8") from None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        said = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise UsageError(f"{where}no valid YAML: {said}", hint="mend that line") from None
    if root is None or root.id != "mapping":
        raise UsageError("no sidecar: not a mapping", hint=_HINT)
    return root


def _require_plain(events: Iterable[Any]) -> None:
    """Neither depth nor repetition that a small file could blow up with."""
    depth = 0
    for event in events:
        kind = type(event).__name__
        depth += kind.endswith("StartEvent") - kind.endswith("EndEvent")
        if kind == "AliasEvent" or depth > _DEPTH + 4:
            what = "an alias" if kind == "AliasEvent" else "nested too deep"
            raise _Fault(event.start_mark.line + 1, what)


def _tool(tool: str, line: int, node: Any) -> Read:
    place = f"line {line}"
    try:
        value = _value(node)
        if not isinstance(value, dict):
            raise _Fault(line, "not a mapping")
        unknown = [key for key in value if key not in _TEXT + _OTHER]
        if unknown:
            raise _Fault(line, f"{unknown[0]}: no such key; there are {', '.join(_TEXT)}")
    except _Fault as fault:
        return Unread(f"line {fault.line}", f"{tool}: {fault}")
    text = {key: value[key] for key in _TEXT if value.get(key)}
    rest = {key: value[key] for key in _OTHER if key in value}
    return entry_from(place, {"schema": SCHEMA, "tool": tool, "enriched": _written(text), **rest})


def _written(text: dict[str, Any]) -> dict[str, Any] | None:
    """None where nothing is filled in."""
    return {"name": "", "description": "", **text} if text else None


def _value(node: Any, depth: int = _DEPTH) -> Any:
    """Every scalar is the text that stands there: a name may be `on`, a hash may look a number."""
    if node.id == "scalar":
        return "" if node.tag.endswith(":null") else node.value
    if depth == 0:
        raise _Fault(_line(node), "nested too deep")
    if node.id == "sequence":
        return [_value(part, depth - 1) for part in node.value]
    found: dict[str, Any] = {}
    for key, part in node.value:
        if str(key.value) in found:
            raise _Fault(_line(key), f"{key.value}: stands twice")
        found[str(key.value)] = _value(part, depth - 1)
    return found


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
