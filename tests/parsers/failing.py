"""Parsers that fail in every way a parser can, chosen by the first word of the document."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from catalog.binding import HttpBinding
from catalog.errors import SpecError
from catalog.spec import Operation, ParsedSpec
from parsers.document import Document


def parse(document: Document) -> ParsedSpec:
    word, _, rest = document.data.decode().partition(" ")
    return _WAYS[word](document, rest)


def _good(document: Document, rest: str) -> ParsedSpec:
    binding = HttpBinding("GET", "/")
    operations = tuple(
        Operation(document.service, f"o{n}", "rest", binding) for n in range(int(rest or 1))
    )
    return ParsedSpec(document.service, "openapi", str(os.getpid()), operations=operations)


def _bad(document: Document, rest: str) -> ParsedSpec:
    raise SpecError(f"{document.location}: is bad", hint="mend it")


def _fault(document: Document, rest: str) -> ParsedSpec:
    raise KeyError("secret content")


def _segfault(document: Document, rest: str) -> ParsedSpec:
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError


def _exit(document: Document, rest: str) -> ParsedSpec:
    os._exit(3)


def _memory(document: Document, rest: str) -> ParsedSpec:
    held = []
    while True:
        held.append(bytearray(64 * 2**20))


def _endless(document: Document, rest: str) -> ParsedSpec:
    while True:
        pass


def _child(document: Document, rest: str) -> ParsedSpec:
    """Starts a process, as the .proto parser does, writes its number and waits for it."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(rest).write_text(f"{os.getpid()} {child.pid}")
    Path(rest).rename(rest + ".done")
    time.sleep(600)
    raise AssertionError


def _deep(document: Document, rest: str) -> ParsedSpec:
    return _deep(document, rest)


def _deep_result(document: Document, rest: str) -> ParsedSpec:
    schema: dict[str, object] = {}
    for _ in range(100_000):
        schema = {"items": schema}
    return ParsedSpec(document.service, "openapi", "", definitions={"deep": schema})


def _noise(document: Document, rest: str) -> ParsedSpec:
    os.write(1, b"noise")
    os.write(2, b"noise")
    print("noise", file=sys.stderr)
    return _good(document, "")


_WAYS = {
    "good": _good,
    "bad": _bad,
    "fault": _fault,
    "segfault": _segfault,
    "exit": _exit,
    "memory": _memory,
    "endless": _endless,
    "child": _child,
    "deep": _deep,
    "deep-result": _deep_result,
    "noise": _noise,
}
