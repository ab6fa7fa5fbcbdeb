"""Keys of an object that are data (an e-mail, an identifier, a name) and not field names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from probing.formats import format_of
from probing.personal import kind_of

MAX_KEY = 64
_IDENTIFIER = re.compile(r"[A-Za-z_$@][\w$@.:-]*")
_NUMBERED = re.compile(r"\d{3,}|[A-Za-z]-\d|^\d|[0-9a-f]{8,}")
_ACRONYM = re.compile(r"[A-Z][A-Z0-9]{0,5}|[A-Z0-9_]+")


def is_data(key: str, known: Set[str], lower_style: bool) -> bool:
    """Whether a key must not be kept as a name. `known` are names that the spec itself uses.

    In a document whose names begin in lower case, `Helen` is no name of a field; `ID` may be.
    """
    if key in known:
        return False
    if len(key) > MAX_KEY or not _IDENTIFIER.fullmatch(key) or _NUMBERED.search(key):
        return True
    if kind_of(key) or format_of(key):
        return True
    return lower_style and key[0].isupper() and not _ACRONYM.fullmatch(key)


def is_lower_style(keys: Iterable[str]) -> bool:
    """Whether names begin in lower case here, as far as three or more of them can tell."""
    plain = [key for key in keys if key[:1].isalpha() and _IDENTIFIER.fullmatch(key)]
    lower = sum(key[0].islower() for key in plain)
    return lower >= 3 and lower * 2 > len(plain)


def pattern_of(keys: Iterable[str]) -> dict[str, str]:
    """What data keys have in common, as `propertyNames`: a format, or a pattern."""
    listed = list(keys)
    formats = {format_of(key) for key in listed}
    if len(formats) == 1 and "" not in formats:
        return {"format": formats.pop()}
    patterns = {_general(key) for key in listed}
    return {"pattern": patterns.pop()} if len(patterns) == 1 else {}


def _general(key: str) -> str:
    """`E-203` → `^[A-Z]+-[0-9]+$`; which letters and digits is not told."""
    kinds = [_kind(letter) for letter in key[:MAX_KEY]]
    once = [kind for i, kind in enumerate(kinds) if i == 0 or kinds[i - 1] != kind]
    return "^" + "".join(once) + "$"


def _kind(letter: str) -> str:
    if letter.isdigit():
        return "[0-9]+"
    if letter.isalpha():
        return "[A-Z]+" if letter.isupper() else "[a-z]+"
    return letter if letter in "-_ /" else "."
