"""Text cut into words that the lexical side compares: the same for tools and for queries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from catalog.words import split_identifier

_TOKEN = re.compile(r"\w+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_LETTERS = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O"}
    | {"đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ı": "i"}
)
_MAX_WORD = 64


def fold(text: str) -> str:
    """Text without accents and width variants: `Größe` → `Grosse`, `ﬁ` → `fi`."""
    apart = unicodedata.normalize("NFKD", text).translate(_LETTERS)
    return unicodedata.normalize("NFKC", "".join(c for c in apart if not unicodedata.combining(c)))


def words(text: str) -> list[str]:
    """Lower-case words; an identifier gives its parts and then itself in one piece.

    Scripts written without spaces give pairs of neighbouring letters, so that any part of a
    sentence can meet any other.
    """
    found: list[str] = []
    for token in _TOKEN.findall(fold(text)):
        found.extend(_split(token))
    return found


def lexical(text: str) -> str:
    """The words as one text that Postgres' parser takes apart at spaces and nowhere else."""
    return " ".join(words(text))


def _split(token: str) -> Iterator[str]:
    unspaced = _UNSPACED.findall(token)
    for run in unspaced:
        yield from _pairs(run)
    if unspaced:
        token = _UNSPACED.sub(" ", token)
    for piece in token.split():
        parts = split_identifier(piece)
        yield from (part[:_MAX_WORD] for part in parts)
        whole = piece.replace("_", "").lower()
        if len(parts) > 1 and len(whole) <= _MAX_WORD:
            yield whole


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    yield from (run[i : i + 2] for i in range(len(run) - 1))
