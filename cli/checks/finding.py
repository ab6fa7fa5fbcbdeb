"""One thing that was looked at, what was found, and the command that mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from catalog.errors import GlossError


@dataclass(frozen=True, slots=True)
class Finding:
    """`failed`: something does not work; `warning`: advice, what works may stop to."""

    check: str
    state: Literal["ok", "warning", "failed"]
    found: str
    mend: str = ""


def ok(check: str, found: str) -> Finding:
    return Finding(check, "ok", found)


def warning(check: str, found: str, mend: str) -> Finding:
    return Finding(check, "warning", found, mend)


def failed(check: str, found: str, mend: str) -> Finding:
    return Finding(check, "failed", found, mend)


def of_error(check: str, error: GlossError) -> Finding:
    return Finding(check, "failed", error.message, error.hint)
