"""Text from outside made fit to keep: what Postgres refuses or a terminal obeys."""

from __future__ import annotations

import json
import re
from typing import Any

_REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_INVISIBLE = re.compile(
    "[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # C0 and C1 controls but tab, LF, CR
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # zero width, bidi (UAX #9)
    "\u00ad\u061c\u180e"  # soft hyphen, Arabic letter mark, Mongolian vowel separator
    "\U000e0000-\U000e01ef]"  # tag characters, variation selectors beyond the first sixteen
)


def storable(value: Any) -> tuple[Any, int]:
    """The value with NUL and lone surrogates replaced by U+FFFD in texts and keys, and how many."""
    if isinstance(value, str):
        return _UNSTORABLE.subn(_REPLACEMENT, value)
    if isinstance(value, dict):
        pairs = [(storable(key), storable(entry)) for key, entry in value.items()]
        return {k: v for (k, _), (v, _) in pairs}, sum(a + b for (_, a), (_, b) in pairs)
    if isinstance(value, list):
        entries = [storable(entry) for entry in value]
        return [entry for entry, _ in entries], sum(count for _, count in entries)
    return value, 0


def printable(text: str) -> str:
    """Text for a terminal: controls shown as `\\x1b`, bidi and tag characters as `\\u202e`."""
    return _INVISIBLE.sub(_escaped, text)


def json_safe(text: str) -> str:
    """JSON text with the same letters as JSON escapes: another spelling of the same value."""
    return _INVISIBLE.sub(lambda match: json.dumps(match.group())[1:-1], text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
