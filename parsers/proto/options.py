"""google.api options of methods and fields: how HTTP calls a method, what a field is for."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.message import Message

from parsers.proto import wire

_HTTP = 72295728  # google/api/annotations.proto
_FIELD_BEHAVIOR = 1052  # google/api/field_behavior.proto
_VERBS = {2: "GET", 3: "PUT", 4: "POST", 5: "DELETE", 6: "PATCH"}  # google/api/http.proto
_CUSTOM, _ADDITIONAL = 8, 11
_REQUIRED, _OUTPUT_ONLY, _INPUT_ONLY = 2, 3, 4


@dataclass(frozen=True, slots=True)
class HttpRoute:
    method: str
    path: str


@dataclass(frozen=True, slots=True)
class Behavior:
    required: bool = False
    output_only: bool = False
    input_only: bool = False


def http_routes(options: Message) -> tuple[HttpRoute, ...]:
    """The routes of a method, its main one first."""
    rules = [v for n, v in wire.fields(options.SerializeToString()) if n == _HTTP]
    return tuple(route for rule in rules if isinstance(rule, bytes) for route in _routes(rule))


def behavior(options: Message) -> Behavior:
    numbers: set[int] = set()
    for number, value in wire.fields(options.SerializeToString()):
        if number == _FIELD_BEHAVIOR:
            numbers.update(wire.packed(value))
    return Behavior(_REQUIRED in numbers, _OUTPUT_ONLY in numbers, _INPUT_ONLY in numbers)


def _routes(rule: bytes, deep: bool = True) -> list[HttpRoute]:
    own: list[HttpRoute] = []
    more: list[HttpRoute] = []
    for number, value in wire.fields(rule):
        if number in _VERBS:
            own = [HttpRoute(_VERBS[number], wire.text(value))]
        elif number == _CUSTOM and isinstance(value, bytes):
            custom = dict(wire.fields(value))
            own = [HttpRoute(wire.text(custom.get(1, b"")), wire.text(custom.get(2, b"")))]
        elif number == _ADDITIONAL and isinstance(value, bytes) and deep:
            more += _routes(value, deep=False)
    return own + more
