"""YAML written so that it reads well and comes out the same everywhere: no library's taste in it.

A subset: mappings, lists, strings, comments (YAML 1.2.2 §7.3, §8.1).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

WIDTH = 92
_PLAIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9_ /.,()='-]*[A-Za-z0-9_)])?")
_TAKEN = frozenset("y n yes no on off true false null".split())
_UNPRINTABLE = re.compile(  # YAML 1.2.2 §5.1, and what is invisible or ends a line to somebody
    "[^\n\x20-\x7e\xa0-\u167f\u1681-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\ud7ff"
    "\ue000-\ufdff\ufe10-\ufefe\uff00-\ufffd\U00010000-\U000dffff]"
)


def lines_of(value: Any, indent: int = 0) -> Iterator[str]:
    """The lines of a mapping or a list; an empty mapping has none."""
    pad = " " * indent
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _pair(f"{pad}{scalar(key)}:", part, indent)
    else:
        for part in value:
            yield from _item(pad, part, indent)


def _pair(head: str, part: Any, indent: int) -> Iterator[str]:
    if isinstance(part, dict | list):
        if not part:
            yield f"{head} {'[]' if isinstance(part, list) else '{}'}"
            return
        yield head
        yield from lines_of(part, indent + 2)
        return
    yield from _text(head, part, indent + 2)


def _item(pad: str, part: Any, indent: int) -> Iterator[str]:
    if isinstance(part, dict):
        first, *rest = lines_of(part, indent + 2)
        yield f"{pad}- {first.lstrip(' ')}"
        yield from rest
    else:
        yield from _text(f"{pad}-", part, indent + 2)


def _text(head: str, text: str, indent: int) -> Iterator[str]:
    """A short text beside its key; a long one folded below it; one of several lines as it is."""
    pad = " " * indent
    if "\n" in text and _is_block(text):
        yield f"{head} |-"
        yield from (f"{pad}{line}" if line else "" for line in text.split("\n"))
    elif len(head) + len(text) > WIDTH and _is_running(text):
        yield f"{head} >-"
        yield from (f"{pad}{line}" for line in folded(text, WIDTH - indent))
    else:
        yield f"{head} {scalar(text)}" if text else head


def scalar(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _TAKEN and "  " not in text:
        return text
    return quoted(text)


def quoted(text: str) -> str:
    return _UNPRINTABLE.sub(_escape, json.dumps(text, ensure_ascii=False))


def comment(text: str, indent: int = 0) -> Iterator[str]:
    """The words of a text as lines of comment; nothing in it can end the comment."""
    pad = f"{' ' * indent}#"
    for line in text.split("\n"):
        safe = _UNPRINTABLE.sub(_escape, " ".join(line.split()))
        yield from (f"{pad} {part}" for part in folded(safe, WIDTH - indent - 2))


def folded(text: str, width: int) -> Iterator[str]:
    """Words filled into lines; a word that is too long has a line of its own."""
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield line


def _is_running(text: str) -> bool:
    """Words with one blank between them: what folding gives back letter by letter."""
    return " ".join(text.split()) == text and not _UNPRINTABLE.search(text)


def _is_block(text: str) -> bool:
    """A text that a literal block gives back: nothing hidden, no blanks where YAML counts them."""
    lines = text.split("\n")
    return (
        not _UNPRINTABLE.search(text)
        and text.strip() == text
        and all(line == line.rstrip() for line in lines)
    )


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
