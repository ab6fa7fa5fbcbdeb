"""Single keys from a terminal, which is in its usual state whenever no key is waited for."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty

END = "\x04"
_ESCAPE = b"\x1b"
_NO_MORE = (b"", b"\0")
"""A Ctrl-D that was typed before a key was waited for arrives as a zero byte."""
_SEQUENCE_S = 0.05
"""How long the rest of an arrow key may take: none of its letters is a key of its own."""


def key() -> str:
    """The next key, or END when no more will come. Ctrl-C interrupts as always."""
    source = sys.stdin.fileno()
    before = termios.tcgetattr(source)
    try:
        tty.setcbreak(source, termios.TCSADRAIN)
        data = os.read(source, 1)
        while data == _ESCAPE and select.select([source], [], [], _SEQUENCE_S)[0]:
            os.read(source, 64)
    finally:
        termios.tcsetattr(source, termios.TCSADRAIN, before)
    return END if data in _NO_MORE else data.decode("ascii", "replace")
