"""Bytes of an XML file to text: byte order marks, declared encodings, what people really saved."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_DECLARATION = re.compile(
    r"^(?P<before>\s*(?:<!--(?:(?!-->).)*+-->\s*)*+)<\?xml\s.*?\?>", re.DOTALL
)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_CHARACTER_REFERENCE = re.compile(r"&#(?:x([0-9A-Fa-f]{1,12})|([0-9]{1,14}));")
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text without XML declaration (its line breaks stay, so that lines keep their numbers), and
    what had to be mended to get it."""

    text: str
    mended: tuple[str, ...] = ()


class UnknownEncoding(Exception):
    pass


def decode(data: bytes) -> Decoded:
    text, mended = _decoded(data)
    if found := _DECLARATION.match(text):
        text = "\n" * found.group().count("\n") + text[found.end() :]
        if found.group("before"):
            mended.append("the XML declaration is not at the start")
    text, forbidden = _FORBIDDEN.subn(_REPLACEMENT, text)
    text, references = _without_forbidden_references(text)
    if forbidden + references:
        mended.append(f"{forbidden + references} characters that XML forbids became U+FFFD")
    return Decoded(text, tuple(mended))


def _decoded(data: bytes) -> tuple[str, list[str]]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict_or_mended(data[len(mark) :], encoding)
    return _strict_or_mended(data, _without_mark(data))


def _without_mark(data: bytes) -> str:
    """XML 1.0 appendix F: a first `<` with zero bytes beside it tells UTF-16 and UTF-32."""
    start = data[:4]
    for pattern, encoding in (
        (b"<\0\0\0", "utf-32-le"),
        (b"\0\0\0<", "utf-32-be"),
        (b"<\0", "utf-16-le"),
        (b"\0<", "utf-16-be"),
    ):
        if start.startswith(pattern):
            return encoding
    declared = _DECLARED.match(data[:300])
    name = declared.group(1).decode().lower() if declared else "utf-8"
    # .NET writes encoding="utf-16" into strings that are then saved as UTF-8
    return "utf-8" if name.replace("_", "-").startswith(("utf-16", "utf-32", "ucs-")) else name


def _strict_or_mended(data: bytes, encoding: str) -> tuple[str, list[str]]:
    try:
        return data.decode(encoding), []
    except LookupError:
        raise UnknownEncoding(f"the declared encoding {encoding} is not known") from None
    except ValueError:
        return _mended(data, encoding)


def _mended(data: bytes, encoding: str) -> tuple[str, list[str]]:
    for other in ("utf-8", "windows-1252"):
        try:
            text = data.decode(other)
        except ValueError:
            continue
        return text, [f"declared as {encoding} but holds other bytes: read as {other}"]
    return data.decode("latin-1"), [
        f"declared as {encoding} but holds other bytes: read as latin-1"
    ]


def _without_forbidden_references(text: str) -> tuple[str, int]:
    """`&#0;` and its like would cost the whole document."""
    count = 0

    def checked(found: re.Match[str]) -> str:
        nonlocal count
        code = int(found.group(1), 16) if found.group(1) else int(found.group(2))
        if _allowed(code):
            return found.group()
        count += 1
        return _REPLACEMENT

    return (_CHARACTER_REFERENCE.sub(checked, text) if "&#" in text else text), count


def _allowed(code: int) -> bool:
    return (
        code in (0x9, 0xA, 0xD)
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or 0x10000 <= code <= 0x10FFFF
    )
