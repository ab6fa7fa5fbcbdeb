"""Long work shown on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterable, Iterator
from itertools import count
from typing import Any, TypeVar

from cli import console

Item = TypeVar("Item")
Report = TypeVar("Report")
LINE_EVERY_S = 30.0


def progress(label: str, work: Generator[Any, None, Report]) -> Report:
    """Run work that yields events with `done` and `total`; its return value comes back."""
    show = _Bar(label) if console.on_terminal(sys.stderr) else _Lines(label)
    try:
        while True:
            event = next(work)
            show.update(event.done, event.total)
    except StopIteration as end:
        report: Report = end.value
        return report
    finally:
        show.close()


def counted(label: str, items: Iterable[Item]) -> Iterator[Item]:
    """The items as they come, however many; nothing is shown while the caller speaks of one."""
    waiting, on_terminal = iter(items), console.on_terminal(sys.stderr)
    lines = _Lines(label)
    for done in count():
        show = _Bar(f"{label}: {done}") if on_terminal else lines
        try:
            item = next(waiting)
        except StopIteration:
            return
        finally:
            show.close()
        if not on_terminal:
            lines.say(str(done + 1))
        yield item


class _Bar:
    def __init__(self, label: str) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(label, total=None)
        self._progress.start()

    def update(self, done: int, total: int) -> None:
        self._progress.update(self._task, completed=done, total=total)

    def close(self) -> None:
        self._progress.stop()


class _Lines:
    def __init__(self, label: str) -> None:
        self._label = label
        self._next = time.monotonic() + LINE_EVERY_S

    def update(self, done: int, total: int) -> None:
        self.say(f"{done} of {total}")

    def say(self, text: str) -> None:
        if time.monotonic() >= self._next:
            console.log(f"{self._label}: {text}")
            self._next = time.monotonic() + LINE_EVERY_S

    def close(self) -> None:
        pass
