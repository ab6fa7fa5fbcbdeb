"""Identifiers split into words, and identifiers made safe to offer as tool names."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

MAX_NAME = 64
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_RUNS = re.compile(r"[^\W\d_]+|\d+")
_CASES = re.compile(
    r"[A-Z]+(?=[A-Z][a-z])"  # an acronym before a word: HTTPServer → HTTP, Server
    r"|[A-Z]?[a-z]+|[A-Z]+"
)


def split_identifier(text: str) -> list[str]:
    """Lower-case words of an identifier or path: `getProcInfo3` → get, proc, info, 3."""
    folded = unicodedata.normalize("NFKC", text)
    return [
        run[start:end].lower() for run in _RUNS.findall(folded) for start, end in _words_of(run)
    ]


def _words_of(run: str) -> Iterator[tuple[int, int]]:
    """Where the words of one run of letters lie. Letters beyond ASCII count by their case."""
    cased = run if run.isascii() else "".join(map(_case_of, run))
    if not cased.isascii() or not cased.isalpha():
        yield 0, len(run)
        return
    yield from (match.span() for match in _CASES.finditer(cased))


def _case_of(letter: str) -> str:
    return "A" if letter.isupper() else "a" if letter.islower() else letter


_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i"}
)
"""Letters that are no letter with an accent (NFKD has nothing for them)."""


def safe_name(text: str, fallback: str = "operation") -> str:
    """Text reduced to `[A-Za-z0-9_-]`, at most 64 characters, never empty.

    Accents fold to their letter (NFKD), ß to ss and the like; a name that must be cut ends with
    eight hex digits of its own hash, so that two long names that begin alike stay two.
    """
    folded = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    plain = folded.encode("ascii", "ignore").decode()
    name = _UNSAFE.sub("_", plain).strip("_-")
    name = name or safe_fallback(text, fallback)
    return name if len(name) <= MAX_NAME else _with_suffix(name, text)


def safe_fallback(text: str, fallback: str) -> str:
    return f"{_UNSAFE.sub('_', fallback).strip('_-') or 'operation'}_{_short_hash(text)}"


def distinct_names(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Safe names for (name, identity) pairs: distinct whatever the order, also when case is lost.

    Every claimant of a disputed name gets a suffix made from its identity, which must be unique;
    so no name depends on which operation came first in the file.
    """
    names = [safe_name(name, fallback=identity) for name, identity in wanted]
    claims = Counter(name.lower() for name in names)
    return [
        name if claims[name.lower()] == 1 else _with_suffix(name, identity)
        for name, (_, identity) in zip(names, wanted, strict=True)
    ]


def distinct_keys(wanted: Iterable[tuple[str, str]]) -> list[str]:
    """Keys for (wire name, place) pairs: the name alone where it is unique, else `name_place`."""
    pairs = list(wanted)
    names = [safe_key(name) for name, _ in pairs]
    claims = Counter(names)
    keys = [
        name if claims[name] == 1 else safe_key(f"{name}_{place}")
        for name, (_, place) in zip(names, pairs, strict=True)
    ]
    taken = Counter(keys)
    return [
        key if taken[key] == 1 else _with_suffix(key, f"{name}\0{place}")
        for key, (name, place) in zip(keys, pairs, strict=True)
    ]


@lru_cache(maxsize=4096)  # the same few names stand in thousands of operations
def safe_key(text: str) -> str:
    """A parameter key that model providers accept: as `safe_name`, with dots kept."""
    if re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", text):
        return text
    return safe_name(text, fallback="parameter")


def _with_suffix(name: str, identity: str) -> str:
    suffix = f"_{_short_hash(identity)}"
    return name[: MAX_NAME - len(suffix)].rstrip("_-") + suffix


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
