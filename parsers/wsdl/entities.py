"""Document type declarations taken out of a text, with bounded expansion of what they declare.

The parser below never sees a DTD: internal general entities are replaced here, external ones are
left out by name, and everything else in the declaration is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_EXPANSION = 1024 * 1024
_NAME = r"[\w:][\w:.-]*"
_PROLOG = re.compile(r"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*", re.DOTALL)
_QUOTED = r"""(?:"[^"]*"|'[^']*')"""
_HEAD = re.compile(rf"<!DOCTYPE(?:[^\[>\"']|{_QUOTED})*+", re.DOTALL)
_DECLARATION = re.compile(
    rf"\s+|<!--.*?-->|<\?.*?\?>|%{_NAME};|<!(?P<kind>[A-Z]+)(?P<rest>(?:[^>\"']|{_QUOTED})*+)>",
    re.DOTALL,
)
_ENTITY = re.compile(rf"\s+({_NAME})\s+(?:\"([^\"]*)\"|'([^']*)'|(?:SYSTEM|PUBLIC)\s)", re.DOTALL)
_REFERENCE = re.compile(rf"&(?P<name>{_NAME});")
_NEXT = re.compile(rf"<!\[CDATA\[|<!--|<\?|&(?P<name>{_NAME});")
_ENDS = {"<![CDATA[": "]]>", "<!--": "-->", "<?": "?>"}
_CHARACTER = re.compile(r"&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));")
_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})


class EntityRefused(Exception):
    pass


@dataclass
class _Entities:
    internal: dict[str, str] = field(default_factory=dict)
    external: set[str] = field(default_factory=set)
    left_out: set[str] = field(default_factory=set)
    sizes: dict[str, int] = field(default_factory=dict)
    room: int = MAX_EXPANSION


def expand(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without its DTD, entities in place; and a word for each thing that was left out."""
    prolog = _PROLOG.match(text)
    start = prolog.end() if prolog else 0
    head = _HEAD.match(text, start)
    if head is None:
        return text, ()
    entities, end = _declared(text, head.end())
    lines = "\n" * text.count("\n", start, end)
    if not entities.internal and not entities.external:
        return text[:start] + lines + text[end:], ()
    body = "".join(_passages(text, end, entities))
    words = (f"the external entity &{name}; was not read" for name in sorted(entities.left_out))
    return text[:start] + lines + body, tuple(words)


def _declared(text: str, position: int) -> tuple[_Entities, int]:
    """The entities of an internal subset, and where the declaration ends."""
    entities = _Entities()
    if text[position : position + 1] == "[":
        position += 1
        while found := _DECLARATION.match(text, position):
            position = found.end()
            if found.group("kind") == "ENTITY":
                _declare(found.group("rest"), entities)
        if text[position : position + 1] != "]":
            raise EntityRefused("its document type declaration cannot be read")
        position += 1
        position += len(text[position:]) - len(text[position:].lstrip())
    if text[position : position + 1] != ">":
        raise EntityRefused("its document type declaration does not end")
    return entities, position + 1


def _declare(rest: str, entities: _Entities) -> None:
    found = _ENTITY.match(rest)  # parameter entities (`% name`) do not match: never used outside
    if found is None:
        return
    name, double, single = found.groups()
    value = double if double is not None else single
    if name in entities.internal or name in entities.external:
        return  # XML 1.0 §4.2: the first declaration counts
    if value is None:
        entities.external.add(name)
    else:
        entities.internal[name] = _CHARACTER.sub(_character, value)


def _character(found: re.Match[str]) -> str:
    code = int(found.group(1), 16) if found.group(1) else int(found.group(2))
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _passages(text: str, position: int, entities: _Entities) -> Iterator[str]:
    """The text from a position on, entities replaced outside CDATA, comments and instructions."""
    while found := _NEXT.search(text, position):
        yield text[position : found.start()]
        position = found.end()
        if found.group("name"):
            yield _replaced(found, entities)
            continue
        ending = text.find(_ENDS[found.group()], position)
        if ending < 0:
            yield found.group()
            break
        yield text[found.start() : ending]
        position = ending
    yield text[position:]


def _replaced(found: re.Match[str], entities: _Entities) -> str:
    name = found.group("name")
    if name in _PREDEFINED:
        return found.group()
    entities.room -= _size(name, entities, ())
    if entities.room < 0:
        raise EntityRefused(
            f"its entities expand to more than {MAX_EXPANSION:,} characters (at &{name};): "
            "taken for an entity bomb"
        )
    return _value(found, entities)


def _value(found: re.Match[str], entities: _Entities) -> str:
    name = found.group("name")
    if name in entities.external:
        entities.left_out.add(name)
        return ""
    if name in _PREDEFINED or name not in entities.internal:
        return found.group()  # an undeclared one is the parser's to report, with its line
    return _REFERENCE.sub(lambda inner: _value(inner, entities), entities.internal[name])


def _size(name: str, entities: _Entities, path: tuple[str, ...]) -> int:
    """Length after expansion, found without expanding: a bomb costs nothing to measure."""
    if name in path or len(path) > 100:
        raise EntityRefused(f"the entity &{name}; contains itself")
    if name not in entities.sizes:
        value = entities.internal.get(name, "")
        inner = (_size(ref, entities, (*path, name)) for ref in _REFERENCE.findall(value))
        entities.sizes[name] = len(value) + sum(inner)
    return entities.sizes[name]
