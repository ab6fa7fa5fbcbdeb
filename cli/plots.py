"""Small plots of letters, in ASCII where the output can carry no others."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_BLOCKS = "▁▂▃▄▅▆▇█"
_ASCII = "_.-:=+*#"


def sparkline(values: Sequence[float]) -> str:
    """One letter a value, from the lowest to the highest; a blank where there is nothing."""
    letters, most = _letters(_BLOCKS, _ASCII), max(values, default=0)
    last = len(letters) - 1
    return "".join(letters[round(value / most * last)] if value > 0 else " " for value in values)


def bar(share: float, width: int = 10) -> str:
    """A share between 0 and 1 as a bar: something of it is seen as long as it is not 0."""
    full = max(min(share, 1.0), 0.0) * width
    filled = max(round(full), 1) if full > 0 else 0
    return _letters("█", "#") * filled + _letters("░", ".") * (width - filled)


def _letters(fine: str, plain: str) -> str:
    try:
        fine.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return plain
    return fine
