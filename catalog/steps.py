"""Work that tells how far it is: a generator of events that returns what came of it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

Result = TypeVar("Result")


def finished(work: Generator[Any, None, Result]) -> Result:
    """What came of the work, its events passed over."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: Result = end.value
            return result
