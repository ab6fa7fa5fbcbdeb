"""How much a probe may ask for: of a host, of a call, of a run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from probing.outcomes import Answer

LONGEST_WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class Limits:
    """`rate` is requests a second and host; `total_s` is for one call, `run_s` for all of them."""

    rate: float = 10.0
    concurrency: int = 4
    connect_s: float = 3.0
    read_s: float = 5.0
    total_s: float = 10.0
    run_s: float = 600.0
    size_bytes: int = 2 * 2**20
    max_requests: int | None = None


@dataclass(slots=True)
class Host:
    """The turns of one host; `closed` is why it is not called any more in this run."""

    limits: Limits
    closed: Answer | None = None
    number: str = ""
    _next: float = 0.0
    places: asyncio.Semaphore = field(init=False)
    lookup: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.places = asyncio.Semaphore(self.limits.concurrency)

    async def pace(self) -> None:
        """Waits until the rate allows one more call."""
        now = asyncio.get_running_loop().time()
        start = max(now, self._next)
        self._next = start + 1 / self.limits.rate
        await asyncio.sleep(start - now)

    def slow_down(self, seconds: float) -> None:
        """The host asked to wait: a little is waited for, for long the host is left alone."""
        if seconds <= LONGEST_WAIT_S:
            self._next = max(self._next, asyncio.get_running_loop().time() + seconds)
        else:
            self.closed = Answer("skipped", f"the host asks to wait {seconds:.0f} s")
