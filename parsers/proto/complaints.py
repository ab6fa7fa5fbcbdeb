"""What protoc's complaints mean: which ones have a mend, and where in the text they point."""

from __future__ import annotations

import re

from parsers.proto import scan
from parsers.proto.compiler import Diagnostic

EDITION = re.compile(
    r"Edition (?P<late>\S+) is later than the maximum supported edition (?P<newest>\w+)"
    r'|Unknown edition "?(?P<unknown>[^".]+)'
)
UNDEFINED = re.compile(
    r'"(?P<name>[^"]+)" (?:is not defined\.|is not a (?:message )?type\.'
    r'|is resolved to "(?P<full>[^"]+)", which is not defined'
    r'|seems to be defined in "(?P<file>[^"]+)")'
)
UNKNOWN_OPTION = re.compile(r'Option "[^"]*" unknown')
ELSEWHERE = re.compile(r'"[^"]+" is already defined in file "(?P<file>[^"]+)"')
_CASCADE = re.compile(r'Import "[^"]+" was not found or had errors')
CYCLE = re.compile(r"File recursively imports itself: (?P<chain>.*)")
NO_SEMICOLON = 'Expected ";"'
_OWN_NUMBERS = "Field numbers 19000 through 19999 are reserved"
_ADVICE = "Suggested field numbers"
SYNTAX = re.compile(
    r"(Expected|Missing|Unexpected|Reached|Unmatched|Invalid|Need|Unrecognized|String|Multi"
    r'|"/\*" inside'
    r"|Block comment|End-of-file|Interpreting|Control)"
)


def causes(found: list[Diagnostic]) -> list[Diagnostic]:
    """What is worth mending now: not advice, nor what another file's failure brought about."""
    waiting = {d.file for d in found if _CASCADE.match(d.message)}
    return [
        d
        for d in found
        if not _CASCADE.match(d.message)
        and not d.message.startswith(_ADVICE)
        and not (d.file in waiting and UNDEFINED.match(d.message))
    ]


def offset(said: Diagnostic, text: str) -> int:
    """Where a complaint points; protoc gives no place for a map's value type or its own numbers."""
    if said.line:
        return scan.offset_of(text, said.line, said.column)
    if said.message.startswith(_OWN_NUMBERS):
        number = re.search(r"=\s*19\d{3}\s*[;\[]", text)
        return number.start() if number else len(text)
    match = UNDEFINED.match(said.message)
    name = re.escape(match["name"]) if match else "(?!)"
    found = re.search(rf"map\s*<[^<>]*,\s*(?P<value>\.?{name})\s*>", text)
    return found.start("value") if found else len(text)


def short(message: str) -> str:
    """The first sentence: the rest of protoc's advice is about files that the reader never sees."""
    return re.split(r"(?<=\.)\s|\. ", message, maxsplit=1)[0][:300]
