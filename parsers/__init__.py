"""Spec files to operations. `parse` reads one document; `sandbox.parse_all` does it in a child."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.errors import SpecError
from parsers.document import Document, ParseOptions
from parsers.sniffing import sniff

if TYPE_CHECKING:
    from catalog.spec import ParsedSpec

__all__ = ["Document", "ParseOptions", "parse"]


def parse(document: Document) -> ParsedSpec:
    """Every operation of one spec, whatever its format; SpecError when it is none."""
    content = sniff(document.data)
    if content.kind == "openapi":
        from parsers import openapi

        return openapi.parse(document)
    if content.kind == "wsdl":
        from parsers import wsdl

        return wsdl.parse(document)
    if content.kind == "proto":
        from parsers import proto

        return proto.parse(document)
    raise SpecError(
        f"{document.location}: is {content.what}, not an API spec",
        hint="gloss reads OpenAPI, Swagger 2, WSDL, .proto and compiled descriptor sets",
    )
