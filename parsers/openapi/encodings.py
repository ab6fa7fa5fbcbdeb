"""Bytes of a spec to text, the same on every machine: no locale, no guess without a word."""

from __future__ import annotations

import codecs
import re

_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ZEROS = (  # RFC 4627 §3: where the zero bytes of the first two ASCII letters stand
    (re.compile(rb"\0\0\0[^\0]"), "utf-32-be"),
    (re.compile(rb"[^\0]\0\0\0"), "utf-32-le"),
    (re.compile(rb"\0[^\0]\0[^\0]"), "utf-16-be"),
    (re.compile(rb"[^\0]\0[^\0]\0"), "utf-16-le"),
)
_DECLARED = re.compile(rb"\A(?:.*\n)?\s*#.*?coding[:=][ \t]*[\"']?([-\w.]+)")
_SINGLE_BYTE = re.compile(r"latin|8859|125\d|cp|koi8|mac|ascii", re.IGNORECASE)


def decode(data: bytes) -> tuple[str, list[str]]:
    """The text without its byte order mark, and a warning for each thing that had to be assumed."""
    encoding, mark = _wide_encoding(data)
    body = data[mark:]
    try:
        return body.decode(encoding), []
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            return body.decode(encoding, "replace"), [f"broken {encoding} at byte {error.start}"]
        return _single_byte(body, error.start + mark)


def _wide_encoding(data: bytes) -> tuple[str, int]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    for pattern, encoding in _ZEROS:
        if pattern.match(data):
            return encoding, 0
    return "utf-8", 0


def _single_byte(data: bytes, place: int) -> tuple[str, list[str]]:
    declared = _DECLARED.match(data[:400])
    name = declared[1].decode("ascii", "replace") if declared else ""
    if name and _SINGLE_BYTE.search(name) and _known(name):
        return data.decode(name, "replace"), [f"not UTF-8: read as {name}, as the file declares"]
    try:
        text, name = data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        text, name = data.decode("latin-1"), "Latin-1"
    return text, [f"not UTF-8 (byte {place}): read as {name}; save the file as UTF-8 to be sure"]


def _known(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True
