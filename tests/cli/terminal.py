"""A program on a terminal of its own: what it shows, and keys typed to it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios


def started(command, folder, environment, columns=80):
    """The terminal, from which to read and to which to type, and the process."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    running = subprocess.Popen(
        command,
        cwd=folder,
        env={**environment, "TERM": environment.get("TERM", "xterm")},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    return ours, running


def on_terminal(gloss, *words, columns=80, typed=b"", **env):
    """What a terminal of that width shows, and the exit code."""
    environment = {**gloss.environment, **env}
    ours, running = started(
        [sys.executable, "-m", "cli", *words], gloss.folder, environment, columns
    )
    shown = read_all(ours, typed)
    return shown, running.wait()


def read_all(terminal, typed):
    """All that is shown; the keys are typed once a question stands there."""
    shown = b""
    try:
        while data := os.read(terminal, 4096):
            shown += data
            if typed and b"? [y/N]" in shown:
                os.write(terminal, typed)
                typed = b""
    except OSError:  # the other side is closed: the end
        pass
    os.close(terminal)
    return shown.decode().replace("\r\n", "\n")


def read_until(terminal, pattern):
    """The first group of the pattern, as soon as it is shown."""
    shown = b""
    while not (found := re.search(pattern, shown)):
        ready, _, _ = select.select([terminal], [], [], 30)
        assert ready, f"nothing more after {shown!r}"
        shown += os.read(terminal, 4096)
    return found[1].decode()
