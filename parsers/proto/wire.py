"""The protobuf wire format, as far as options and the reflection protocol need it.

Extensions are read from the bytes themselves, so that it does not matter which of them some other
code has registered in this process, nor which protobuf is installed.
"""

from __future__ import annotations

from collections.abc import Iterator

_VARINT, _I64, _LEN, _I32 = 0, 1, 2, 5


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(field number, value) pairs: varints as int, length-delimited and fixed as bytes.

    Ends quietly where the bytes end early: what came before still counts.
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        size = {_I64: 8, _I32: 4}.get(kind, -1)
        if kind == _LEN:
            size, at = _varint(data, at)
        if size < 0 or at + size > len(data):
            return
        yield number, data[at : at + size]
        at += size


def packed(value: int | bytes) -> list[int]:
    """A repeated enum's numbers, packed or not."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = _varint(value, at)
        found.append(number)
    return found


def text(value: int | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def message(*parts: tuple[int, bytes]) -> bytes:
    """Length-delimited fields, encoded in the order given."""
    return b"".join(_encoded(number << 3 | _LEN) + _encoded(len(v)) + v for number, v in parts)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return value, len(data)


def _encoded(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
