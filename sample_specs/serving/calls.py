"""The record of every call that was answered, so that tests can prove what was called."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

Arguments = dict[str, Any]
Handler = Callable[[Arguments], Any]


class UnknownId(Exception):
    """Something was asked about a thing that this company does not have."""


class BadArgument(Exception):
    """An argument is missing or has no meaning."""


class WrongState(Exception):
    """The thing exists, but this cannot be done with it now."""


@dataclass(frozen=True)
class Call:
    protocol: str  # rest, soap or grpc
    service: str
    operation: str  # "?" when the request matched no operation
    arguments: Arguments
    state_changing: bool

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class CallLog:
    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._lock = threading.Lock()

    def record(self, call: Call) -> None:
        with self._lock:
            self._calls.append(call)

    def all(self) -> list[Call]:
        with self._lock:
            return list(self._calls)

    def clear(self) -> None:
        with self._lock:
            self._calls.clear()


def need(arguments: Arguments, name: str) -> Any:
    """The argument, or BadArgument when it is missing or empty."""
    value = arguments.get(name)
    if value in (None, "", [], {}):
        raise BadArgument(f"{name} is required")
    return value
