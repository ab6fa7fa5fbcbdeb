"""A command at a terminal of its own: keys are sent once the words that ask for them are there."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

PATIENCE_S = 120
"""For a machine that is busy; a test that passes waits for none of it."""


class Talk:
    """`shown` is all that came so far, without colours; `waiting` what no `until` has passed."""

    def __init__(self, running: subprocess.Popen[bytes], terminal: int) -> None:
        self.running, self.terminal = running, terminal
        self.raw = ""
        self._read_to = 0

    @property
    def shown(self) -> str:
        return bare(self.raw)

    def until(self, words: str) -> str:
        """What is shown up to and with the words, from where the last one ended."""
        deadline = time.monotonic() + PATIENCE_S
        while (at := self.shown.find(words, self._read_to)) < 0:
            assert self._more(deadline), f"no {words!r} in {self.shown[self._read_to :]!r}"
        start, self._read_to = self._read_to, at + len(words)
        return self.shown[start : self._read_to]

    def send(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def answer(self, words: str, keys: str) -> str:
        """Sends the keys once the words stand there, and gives what was shown until then."""
        shown = self.until(words)
        self.send(keys)
        return shown

    def end(self) -> int:
        deadline = time.monotonic() + PATIENCE_S
        while self._more(deadline):
            pass
        return self.running.wait()

    def _more(self, deadline: float) -> bool:
        left = max(deadline - time.monotonic(), 0)
        ready, _, _ = select.select([self.terminal], [], [], left)
        assert ready, f"nothing more came after {self.shown[-400:]!r}"
        try:
            data = os.read(self.terminal, 65536)
        except OSError:  # the other side is closed: the end
            return False
        self.raw += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


def bare(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@contextlib.contextmanager
def talking(
    folder: Path, environment: dict[str, str], *words: str, columns: int = 100, **env: str
) -> Iterator[Talk]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    running = subprocess.Popen(
        [sys.executable, "-m", "cli", *words],
        cwd=folder,
        env={**environment, "TERM": "xterm", **env},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    try:
        yield Talk(running, ours)
    finally:
        running.kill()
        running.wait()
        os.close(ours)
