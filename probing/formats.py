"""What kind of text a string is, by its form alone: the `format` of a shape."""

from __future__ import annotations

import re

from probing.personal import kind_of

_DAY = r"\d{4}-\d{2}-\d{2}"
_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "date-time",
        re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"),
    ),
    ("date", re.compile(_DAY)),
    ("time", re.compile(r"\d{2}:\d{2}(:\d{2}(\.\d+)?)?")),
    ("duration", re.compile(r"P(\d+[YMWD])*(T(\d+(\.\d+)?[HMS])+)?")),
    ("uuid", re.compile(r"[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")),
    ("uri", re.compile(r"[a-z][a-z0-9+.-]*://\S+")),
    ("decimal", re.compile(r"-?\d{1,15}\.\d{1,6}")),
)
_NAMES = {"token": "secret", "ip": "ip-address", "card": "card-number"}


def format_of(text: str) -> str:
    """The format's name, "" for plain text. Personal kinds come first: they must not be kept."""
    for name, pattern in _FORMATS:
        if len(text) <= 2048 and pattern.fullmatch(text) and text != "P":
            return name
    kind = kind_of(text)
    return _NAMES.get(kind, kind) if kind else ""
