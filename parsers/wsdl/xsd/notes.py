"""What an xs:annotation tells a person."""

from __future__ import annotations

from typing import Any

from parsers.wsdl.names import Node
from parsers.wsdl.xml import prose_of
from parsers.wsdl.xsd.components import part


def documentation(node: Node) -> str:
    """The documentation of a schema component, "" for none."""
    texts = [
        entry
        for child in node
        if part(child) == "annotation"
        for entry in child
        if part(entry) == "documentation"
    ]
    return prose_of(texts) if texts else ""


def described(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """The schema with a text put before what its description says already."""
    if not text:
        return schema
    before = schema.get("description", "")
    return {**schema, "description": f"{text}\n{before}" if before and before != text else text}
