"""What a probe would send and what it leaves alone, decided before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from psycopg import Connection

from catalog.binding import GrpcBinding, HttpBinding, SoapBinding
from catalog.spec import Operation, Schema
from probing.addresses import Base
from probing.grpc_calls import Descriptors
from probing.outcomes import SETTLED
from probing.rest import Unfit, http_call
from probing.safety import changing_value, unknown_names, verdict
from probing.soap import endpoint_of
from probing.values import Value, Wanted, known_names, static_value, wanted, words
from store.catalog import definitions_of, operations_to_index
from store.rows import ServiceRow
from store.samples import LastSample, last_samples, shapes_of


@dataclass(frozen=True, slots=True)
class Rules:
    """What the user allows for one service. `tools`: only these, and these again; none means all.

    `values` are by argument, or by tool and then by argument. `descriptors` are what gRPC needs.
    """

    base: Base | None = None
    allow: frozenset[str] = frozenset()
    values: Mapping[str, Value] = field(default_factory=dict)
    tool_values: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    keep_values: bool = False
    rate: float | None = None
    concurrency: int | None = None
    again: bool = False
    tools: frozenset[str] = frozenset()
    descriptors: Descriptors | None = None
    no_descriptors: str = "its descriptors are not known"

    def given(self, tool: str) -> dict[str, Value]:
        return {**self.values, **self.tool_values.get(tool, {})}


@dataclass(frozen=True, slots=True)
class Call:
    """One call that would be sent. `waits_for` are arguments that an earlier answer must give.

    `must`: without these no call; the others of `waits_for` are left out if nothing gives them.
    """

    operation: Operation
    service_id: int
    content_hash: str
    base: Base
    reason: str
    values: Mapping[str, Value]
    waits_for: tuple[Wanted, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    for_values: bool = False

    @property
    def must(self) -> tuple[Wanted, ...]:
        return tuple(one for one in self.waits_for if one.required)


@dataclass(frozen=True, slots=True)
class Left:
    """An operation left alone, and why. `settled`: it has what a call would give; `known`: the
    store says the same already."""

    operation: Operation
    service_id: int
    content_hash: str
    reason: str
    settled: bool = False
    known: bool = False


@dataclass(frozen=True, slots=True)
class ServicePlan:
    service: ServiceRow
    rules: Rules
    calls: tuple[Call, ...]
    left: tuple[Left, ...]
    definitions: Mapping[str, Schema]
    unknown_allow: tuple[str, ...] = ()


def plan_service(
    connection: Connection, service: ServiceRow, rules: Rules, today: date
) -> ServicePlan:
    definitions = definitions_of(connection, service.service_id)
    planner = _Planner(
        service, rules, definitions, last_samples(connection, service.service_id), today
    )
    operations = []
    for _, operation, _, content_hash in operations_to_index(connection, service.name):
        operations.append(operation)
        planner.take(operation, content_hash)
    calls = planner.with_sources(shapes_of(connection, service.service_id))
    unknown = tuple(unknown_names(operations, rules.allow))
    return ServicePlan(service, rules, calls, tuple(planner.left), definitions, unknown)


class _Planner:
    def __init__(
        self,
        service: ServiceRow,
        rules: Rules,
        definitions: Mapping[str, Schema],
        last: Mapping[str, LastSample],
        today: date,
    ) -> None:
        self._service, self._rules, self._definitions = service, rules, definitions
        self._last, self._today = last, today
        self._now = datetime.now(UTC)
        self._fresh: list[Call] = []
        self.calls: list[Call] = []
        self.left: list[Left] = []

    def take(self, operation: Operation, content_hash: str) -> None:
        """One more operation, to a call or to what is left alone."""
        reason = self._not_possible(operation)
        level = self._level(operation)
        allowed = verdict(operation, self._rules.allow, level)
        if not allowed.allowed:
            reason = allowed.reason
        if reason or self._rules.base is None:
            self._leave(operation, content_hash, reason or NO_ADDRESS)
            return
        call = self._call(operation, content_hash, allowed.reason)
        if isinstance(call, str):
            self._leave(operation, content_hash, call)
        elif (kept := self._kept(operation, content_hash)) is not None:
            self._leave(operation, content_hash, kept, settled=True)
            self._fresh.append(call)
        else:
            self.calls.append(call)

    def _leave(
        self, operation: Operation, content_hash: str, reason: str, settled: bool = False
    ) -> None:
        last = self._last.get(operation.name)
        same = last is not None and last.content_hash == content_hash
        known = last is not None and same and (last.outcome != "skipped" or last.detail == reason)
        service_id = self._service.service_id
        self.left.append(Left(operation, service_id, content_hash, reason, settled, known))

    def _level(self, operation: Operation) -> str:
        types, binding = self._rules.descriptors, operation.binding
        return types.level(binding) if types and isinstance(binding, GrpcBinding) else ""

    def _not_possible(self, operation: Operation) -> str:
        binding = operation.binding
        base = self._rules.base
        if isinstance(binding, GrpcBinding):
            if binding.client_streaming:
                return "the client sends a stream"
            if base and self._rules.descriptors is None:
                return self._rules.no_descriptors
            return "" if base is None or base.scheme in _GRPC else "the address is not for gRPC"
        if isinstance(binding, SoapBinding):
            if endpoint_of(binding) is None:
                return "no port speaks SOAP"
            if binding.one_way:
                return "one-way: nothing comes back"
        if base and base.scheme not in ("http", "https"):
            return "the address is for gRPC"
        return ""

    def _call(self, operation: Operation, content_hash: str, reason: str) -> Call | str:
        """The call, or why there can be none."""
        assert self._rules.base is not None
        given = self._rules.given(operation.name)
        values: dict[str, Value] = {}
        waits: list[Wanted] = []
        for one in wanted(operation, self._definitions):
            value = static_value(one, given, self._definitions, self._today)
            if value is not None:
                if value.origin != "gloss.toml" and (word := changing_value(value.value)):
                    return f"the value of {one.key} says {word}"
                values[one.key] = value
            elif one.schema.get("type") in ("object", "array") or one.place == "body":
                return f"no value for {one.key}"
            else:
                waits.append(one)
        values |= {a.key: given[n] for a in operation.binding.arguments
                   for n in (a.key, a.name) if n in given and n}  # fmt: skip
        call = Call(
            operation,
            self._service.service_id,
            content_hash,
            self._rules.base,
            reason,
            values,
            tuple(waits),
        )
        return self._unfit(call) or call

    def _unfit(self, call: Call) -> str:
        """Why the values known already would never make a request."""
        binding = call.operation.binding
        if not isinstance(binding, HttpBinding):
            return ""
        stand_ins = {one.key: "0" for one in call.waits_for}
        try:
            values = {key: value.value for key, value in call.values.items()}
            http_call(binding, call.base.url, values | stand_ins)
        except Unfit as error:
            return str(error)
        return ""

    def _kept(self, operation: Operation, content_hash: str) -> str | None:
        """Why it need not be called again, None when it must."""
        rules = self._rules
        if rules.tools and operation.name not in rules.tools:
            return "not asked for"
        last = self._last.get(operation.name)
        if rules.again or operation.name in rules.tools or last is None:
            return None
        if last.retry_at and last.retry_at > self._now:
            return f"the host asked to wait until {last.retry_at:%Y-%m-%d %H:%M:%S %Z}"
        if last.content_hash == content_hash and last.outcome in SETTLED:
            return f"unchanged since its {last.origin} ({last.outcome})"
        return None

    def with_sources(self, shapes: Mapping[str, Sequence[dict[str, Any]]]) -> tuple[Call, ...]:
        """The calls, each with where its missing values may come from, and besides them calls that
        are made again only for the values that they give."""
        if not any(call.waits_for for call in self.calls):
            return tuple(self.calls)
        givers = _Givers([*self.calls, *self._fresh], self._definitions, shapes)
        planned = {call.operation.name for call in self.calls}
        fresh = {call.operation.name: call for call in self._fresh if not call.waits_for}
        again: dict[str, Call] = {}
        for call in self.calls:
            for one in call.waits_for:
                names = givers.of(call, one)
                if names[:1] and not planned.intersection(names) and names[0] in fresh:
                    again[names[0]] = fresh[names[0]]
        self.left = [left for left in self.left if left.operation.name not in again]
        extra = [_replaced(call, givers, for_values=True) for call in again.values()]
        return tuple(extra + [_replaced(call, givers) for call in self.calls])


NO_ADDRESS = "no address: --base-url, or base_url of the service in gloss.toml"
_NAMES_OF_A_GIVER = 200
_GRPC = ("grpc", "grpcs", "http", "https")


def _replaced(call: Call, givers: _Givers, for_values: bool = False) -> Call:
    sources = {one.key: _said(givers.of(call, one), one) for one in call.waits_for}
    return Call(
        call.operation,
        call.service_id,
        call.content_hash,
        call.base,
        call.reason,
        call.values,
        call.waits_for,
        sources,
        for_values,
    )


def _said(names: Sequence[str], one: Wanted) -> str:
    if names:
        return f"an answer of {', '.join(names[:3])}"
    return f"an earlier answer, if one has {one.name}"


class _Givers:
    """Which operations have a field of that name in their response type or shape."""

    def __init__(
        self,
        calls: Sequence[Call],
        definitions: Mapping[str, Schema],
        shapes: Mapping[str, Sequence[dict[str, Any]]],
    ) -> None:
        self._by_words: dict[tuple[str, ...], list[str]] = {}
        for call in calls:
            operation = call.operation
            known = [operation.output_schema, *shapes.get(operation.name, ())]
            for name in dict.fromkeys(known_names(known, definitions, _NAMES_OF_A_GIVER)):
                self._by_words.setdefault(tuple(words(name)), []).append(operation.name)

    def of(self, call: Call, one: Wanted) -> list[str]:
        own = call.operation.name
        return [name for name in self._by_words.get(tuple(words(one.name)), ()) if name != own]
