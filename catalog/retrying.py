"""Asking again: how long another side wants to be left alone, and how often a question is put."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from catalog.errors import TryLater

MAX_REQUESTS = 3
"""Requests for one question, retries included; there is no other retry layer."""
MAX_WAIT_S = 60.0
Answer = TypeVar("Answer")


class Again(Exception):
    """A question that may be answered later; `after_s` is what the other side asked for."""

    def __init__(self, message: str, after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


def persist(
    ask: Callable[[], Answer],
    wait: Callable[[float], None],
    address: str,
    busy: Callable[[], None] = lambda: None,
) -> Answer:
    """The answer of `ask`, put up to MAX_REQUESTS times; `busy` is told of each Again.

    Raises TryLater when it is still Again at the last.
    """
    for attempt in range(1, MAX_REQUESTS + 1):
        try:
            return ask()
        except Again as again:
            busy()
            if attempt == MAX_REQUESTS:
                raise TryLater(
                    f"{address}: {again}",
                    hint="run the same command later; what is done stays done",
                ) from None
            own = min(MAX_WAIT_S, 2.0**attempt * random.uniform(0.5, 1))
            wait(own if again.after_s is None else min(again.after_s, MAX_WAIT_S))
    raise AssertionError("unreachable")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds (RFC 9110 §10.2.3), whether given as such or as a date."""
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def words(error: Exception) -> str:
    """What an endpoint said of a fault, on one line."""
    body = getattr(error, "body", None)
    said = body.get("message") if isinstance(body, dict) else None
    return " ".join(str(said or getattr(error, "message", error)).split())[:300]
