"""Which form a recording has, told by its content, and its exchanges one by one."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from probing.traces import har, otlp, pairs, postman, soapui
from probing.traces.exchange import Exchange, TraceProblem

_HEAD = 256 * 1024
FORMS: dict[str, Callable[[TextIO], Iterator[Exchange]]] = {
    "HAR": har.read,
    "Postman collection": postman.read,
    "OpenTelemetry spans": otlp.read,
    "OpenTelemetry spans, one document a line": otlp.read_lines,
    "pairs in an array": pairs.read_array,
    "pairs, one a line": pairs.read,
}
SOAPUI = "SoapUI project"


def form_of(head: bytes) -> str:
    """The name of the form; TraceProblem for what is none of them."""
    text = head.decode("utf-8-sig", "ignore").lstrip()
    if text.startswith("<"):
        if soapui.NAMESPACE in text:
            return SOAPUI
        raise TraceProblem("XML, but no SoapUI project")
    if text.startswith("["):
        return "pairs in an array"
    if not text.startswith("{"):
        raise TraceProblem("neither JSON nor XML")
    return _of_object(text)


def _of_object(text: str) -> str:
    first = text.partition("\n")[0]
    a_line_each = _is_object(first)
    if '"resourceSpans"' in text:
        many = a_line_each and text[len(first) :].strip() != ""
        return "OpenTelemetry spans, one document a line" if many else "OpenTelemetry spans"
    if "getpostman.com" in text or '"_postman_id"' in text:
        return "Postman collection"
    if re.match(r'\{\s*"log"\s*:', text) or ('"log"' in text[:2000] and not a_line_each):
        return "HAR"
    if a_line_each or '"request"' in text:
        return "pairs, one a line"
    raise TraceProblem("JSON, but no recording that we know")


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def opened(file: Path) -> BinaryIO:
    """The file, unpacked where it is gzipped."""
    raw = file.open("rb")
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    return cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw


def exchanges(stream: BinaryIO) -> tuple[str, Iterator[Exchange]]:
    """The form of a recording and its exchanges; memory does not grow with the file."""
    buffered = io.BufferedReader(cast(io.RawIOBase, stream), _HEAD)
    form = form_of(buffered.peek(_HEAD)[:_HEAD])
    if form == SOAPUI:
        return form, soapui.read(cast(BinaryIO, buffered))
    text = io.TextIOWrapper(buffered, encoding="utf-8-sig", errors="replace", newline="\n")
    return form, FORMS[form](text)
