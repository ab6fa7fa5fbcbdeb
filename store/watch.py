"""Stops the embedded server when its last user was killed before it could do so itself.

Run as a program of its own with the standard library alone: it waits for `users.lock`, which is
free only when no gloss process uses the server.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys

PATIENCE_MS = 30_000


def main(users: int, pid: int, keep_file: str, socket_dir: str) -> None:
    server = os.pidfd_open(pid)  # fails where the server is gone already, or has no such call
    fcntl.flock(users, fcntl.LOCK_EX)
    if os.path.exists(keep_file):  # noqa: PTH110 - pathlib would double this program's start
        return
    signal.pidfd_send_signal(server, signal.SIGINT)
    ended = select.poll()
    ended.register(server, select.POLLIN)
    if ended.poll(PATIENCE_MS):
        os.rmdir(socket_dir)  # noqa: PTH106


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4])
    except (OSError, AttributeError):
        sys.exit(1)
