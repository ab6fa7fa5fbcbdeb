"""Lengths of time as people type them: 90m, 36h, 7d, 2w, a date, or all."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from catalog.errors import UsageError

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LENGTH = re.compile(r"(\d{1,6})\s*([mhdw])")


def since(text: str, option: str) -> datetime | None:
    """The moment that many minutes, hours, days or weeks ago, or of a date; None for `all`."""
    written = text.strip().lower()
    if written == "all":
        return None
    if (length := _LENGTH.fullmatch(written)) is not None:
        try:
            return datetime.now(UTC) - timedelta(**{_UNITS[length[2]]: int(length[1])})
        except OverflowError:
            return datetime(1, 1, 1, tzinfo=UTC)
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"{option} {text}: no length of time and no date",
            hint=f"{option} 7d (also 90m, 36h, 2w, 2026-01-31, all)",
        ) from None
    return found if found.tzinfo else found.astimezone()
