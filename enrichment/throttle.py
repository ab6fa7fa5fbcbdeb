"""How many questions may be under way: fewer when the endpoint is told to be busy."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Throttle:
    """At most `limit` questions at once: halved when told to slow down, then slowly up again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(most)
        self._inside = 0
        self._turn = threading.Condition()

    @contextmanager
    def entered(self) -> Iterator[None]:
        with self._turn:
            self._turn.wait_for(lambda: self._inside < max(1, int(self._limit)))
            self._inside += 1
        try:
            yield
        finally:
            with self._turn:
                self._inside -= 1
                self._turn.notify_all()

    def slow_down(self) -> None:
        with self._turn:
            self._limit = max(1.0, self._limit / 2)

    def went_well(self) -> None:
        with self._turn:
            self._limit = min(float(self._most), self._limit + 0.25)
            self._turn.notify_all()
