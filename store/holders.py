"""Which process holds something, told so that another can see that it has died."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from store.postmaster import alive


@dataclass(frozen=True, slots=True)
class Holder:
    """A process. `started` tells it from a later one with its number; `machine` tells its numbers
    from those of another boot or container. Both are empty where the system has no /proc."""

    host: str
    pid: int
    started: str = ""
    machine: str = ""

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def this_process() -> Holder:
    pid = os.getpid()
    return Holder(socket.gethostname(), pid, _started(pid), _machine())


def holder_from(value: Mapping[str, Any]) -> Holder | None:
    """None for what was not written by `as_json`."""
    try:
        return Holder(str(value["host"]), int(value["pid"]), value["started"], value["machine"])
    except (KeyError, TypeError, ValueError):
        return None


def is_dead(holder: Holder) -> bool:
    """Whether the process is known to have ended; one elsewhere never is."""
    here = this_process()
    if (holder.host, holder.machine) != (here.host, here.machine):
        return False
    if not alive(holder.pid):
        return True
    return bool(holder.started) and _started(holder.pid) != holder.started


def _started(pid: int) -> str:
    """Ticks between boot and the start of the process (proc(5), field 22)."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2]
        return after_name.split()[19]
    except (OSError, IndexError):
        return ""


def _machine() -> str:
    """This boot and, in containers, this space of process numbers."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""
