"""Media types: which of several to read, the one an agent can best write first."""

from __future__ import annotations

import re

from parsers.openapi.node import Node

_TOKEN = r"[\w!#$&^.+*-]+"
_MEDIA = re.compile(rf"\s*({_TOKEN}/{_TOKEN})\s*(?:;.*)?\Z")
_JSON = re.compile(r"(application|text)/(x-)?json\Z")
_JSON_LINES = re.compile(r"application/(x-)?(ndjson|jsonl|json-?lines|json-seq|jsonlines)\Z")
_FORM = "application/x-www-form-urlencoded"
_XML = re.compile(r"(application|text)/xml\Z|.*\+xml\Z")


def essence(media_type: str) -> str:
    """The type without its parameters, in lower case: `application/json`."""
    found = _MEDIA.match(media_type)
    return found[1].lower() if found else media_type.partition(";")[0].strip().lower()


def rank(media_type: str) -> int:
    """JSON, `+json`, JSON lines, form, multipart, XML, text, other, ranges such as `*/*`."""
    bare = essence(media_type)
    if _JSON.match(bare):
        return 0
    if bare.endswith("+json"):
        return 1
    if "*" in bare or not bare:
        return 8
    kinds = (
        _JSON_LINES.match(bare) is not None,
        bare == _FORM,
        bare.startswith("multipart/"),
        _XML.match(bare) is not None,
        bare.startswith("text/"),
    )
    return 2 + kinds.index(True) if True in kinds else 7


def is_form(media_type: str) -> bool:
    return rank(media_type) in (3, 4)


def is_text(media_type: str) -> bool:
    return rank(media_type) == 6


def is_binary(media_type: str) -> bool:
    return rank(media_type) == 7


def by_preference(media_types: list[str]) -> list[str]:
    """All of them, the one to read first at the head; between equals as in the file."""
    return sorted(media_types, key=rank)


def preferred(content: Node) -> tuple[str, ...]:
    return tuple(by_preference([name for name, _ in content.entries() if name[:2] != "x-"]))
