"""The entries of one array in a JSON file of any size, one at a time, in bounded memory."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from typing import Any, TextIO

from probing.traces.exchange import TraceProblem

CHUNK = 256 * 1024
MAX_VALUE = 128 * 1024 * 1024
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"
_NUMBER = re.compile(r"[-+.eE0-9]+")


def entries(file: TextIO, path: tuple[str, ...]) -> Iterator[Any]:
    """What the array below the keys of `path` holds; TraceProblem where the file ends or breaks.

    Everything beside the path is read and let go.
    """
    text = _Text(file)
    found = yield from _below(text, path)
    if not found:
        raise TraceProblem(f"no {'.'.join(path) or 'array'} in it")


def _below(text: _Text, path: tuple[str, ...]) -> Generator[Any, None, bool]:
    """Yields the entries below `path`; its return value tells whether the array was there."""
    if not path:
        return (yield from _array(text))
    text.expect("{")
    found = False
    while not text.ends("}"):
        key = text.value()
        text.expect(":")
        if key == path[0] and text.peek() in "{[":
            found = (yield from _below(text, path[1:])) or found
        else:
            text.value()
    return found


def _array(text: _Text) -> Generator[Any, None, bool]:
    text.expect("[")
    while not text.ends("]"):
        yield text.value()
    return True


class _Text:
    """A window on the file that grows to the value at hand and no further."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._step = CHUNK

    def _more(self) -> bool:
        if len(self._text) - self._at > MAX_VALUE:
            raise TraceProblem(f"an entry larger than {MAX_VALUE // 2**20} MB")
        chunk = self._file.read(self._step)
        self._text, self._at = self._text[self._at :] + chunk, 0
        self._step = min(self._step * 2, 64 * CHUNK)
        return bool(chunk)

    def peek(self) -> str:
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                raise TraceProblem("the file ends in the middle")

    def expect(self, sign: str) -> None:
        if self.peek() != sign:
            raise TraceProblem(f"no valid JSON: {sign} was to come")
        self._at += 1

    def ends(self, sign: str) -> bool:
        """Whether the object or array ends here; steps over the comma before the next entry."""
        if self.peek() == ",":
            self._at += 1
            self.peek()
            return False
        if self._text[self._at] != sign:
            return False
        self._at += 1
        return True

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError:
                if not self._more():
                    raise TraceProblem("no valid JSON, or the file ends in the middle") from None
                continue
            except RecursionError:
                raise TraceProblem("an entry that is nested too deeply") from None
            if isinstance(value, (int, float)) and self._may_go_on() and self._more():
                continue
            self._at, self._step = end, CHUNK
            return value

    def _may_go_on(self) -> bool:
        """Whether the number at hand reaches to the end of the window."""
        found = _NUMBER.match(self._text, self._at)
        return found is not None and found.end() == len(self._text)
