"""The bytes of a .proto as the UTF-8 that the compiler wants."""

from __future__ import annotations

import re

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")  # protoc refuses them, even in comments
_BOMS = (  # the longer first: one begins with another
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def as_utf8(data: bytes) -> tuple[bytes, str]:
    """UTF-8 without a mark, and what was mended ("" for nothing)."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    plain, mended = _decoded(data)
    if _CONTROL.search(plain):
        return _CONTROL.sub(b" ", plain), mended or "control characters were read as blanks"
    return plain, mended


def _decoded(data: bytes) -> tuple[bytes, str]:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "replace")
            return text.encode(), f"the file is in {encoding.upper()}; it was read as such"
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace").encode(), "not UTF-8; it was read as Windows-1252"
    return data, ""
