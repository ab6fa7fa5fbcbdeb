"""XML answers as the values that JSON would have had, so that both give the same shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lxml import etree

from catalog.spec import Schema
from probing.values import resolved, type_of

MAX_DEPTH = 64
_XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,14})")
_NUMBER = re.compile(r"-?\d{1,15}\.\d{1,15}")


class NotXml(Exception):
    """The bytes are no XML that we read."""


def parsed(data: bytes) -> Any:
    """The root element; a document type declaration is refused, nothing outside is read."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise NotXml from None
    tree: Any = root.getroottree()
    if tree.docinfo.doctype:
        raise NotXml
    return root


def value_of(element: Any, schema: Any, definitions: Mapping[str, Schema], depth: int = 0) -> Any:
    """Children that repeat, or that the type calls a list, are lists; texts get their type."""
    if element.get(f"{_XSI}nil") in ("true", "1"):
        return None
    children = [child for child in element if isinstance(child.tag, str)]
    node = _flat(schema, definitions)
    attributes = {
        etree.QName(name).localname: _typed(text, {})
        for name, text in element.attrib.items()
        if not name.startswith(_XSI) and etree.QName(name).localname not in ("encodingStyle",)
    }
    if not children and not attributes:
        return _typed(element.text or "", node)
    found: dict[str, Any] = dict(attributes)
    if depth < MAX_DEPTH:
        _children(found, children, node, definitions, depth)
    return found


def _children(
    found: dict[str, Any],
    children: list[Any],
    node: dict[str, Any],
    definitions: Mapping[str, Schema],
    depth: int,
) -> None:
    parts = node.get("properties") or {}
    for child in children:
        name = etree.QName(child).localname
        part = resolved(parts.get(name), definitions)
        many = type_of(part) == "array"
        value = value_of(child, part.get("items") if many else part, definitions, depth + 1)
        if name not in found:
            found[name] = [value] if many else value
        elif isinstance(found[name], list):
            found[name].append(value)
        else:
            found[name] = [found[name], value]


def _flat(schema: Any, definitions: Mapping[str, Schema]) -> dict[str, Any]:
    """The type with the properties of its `allOf` branches joined to its own."""
    node = resolved(schema, definitions)
    branches = [_flat(branch, definitions) for branch in node.get("allOf", ())[:8]]
    if not branches:
        return node
    properties = {k: v for branch in branches for k, v in branch.get("properties", {}).items()}
    return {**node, "properties": properties | node.get("properties", {})}


def _typed(text: str, schema: Mapping[str, Any]) -> Any:
    kind, text = type_of(schema), text.strip()
    if kind == "string":
        return text
    if text in ("true", "false") and kind in ("boolean", ""):
        return text == "true"
    if _INTEGER.fullmatch(text) and kind in ("integer", "number", ""):
        return int(text)
    if _NUMBER.fullmatch(text) and kind in ("number", ""):
        return float(text)
    return text
