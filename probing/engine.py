"""The calls of a plan carried out: each at most once, within the limits, in the order that values
become known."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.binding import GrpcBinding, SoapBinding
from probing.addresses import Base, Unusable, connect_to
from probing.answers import http_answer
from probing.contradictions import contradictions
from probing.grpc_calls import Channels
from probing.limits import Host, Limits
from probing.outcomes import UNREACHABLE, Answer
from probing.plan import Call, ServicePlan
from probing.pool import Pool
from probing.rest import HttpCall, Unfit, http_call
from probing.shapes import shape_of
from probing.soap import soap_call
from probing.values import Value, known_names, resolved, type_of
from probing.wire import Wire


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one call. `reached` False: it was still to come when the run ended.

    `sources` say where each value came from; the values themselves are gone.
    """

    call: Call
    answer: Answer
    shape: dict[str, Any] | None = None
    contradictions: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    sent: bool = True
    reached: bool = True
    elapsed_ms: float | None = None


class Engine:
    """`next` gives results as they come, None at the end; `stopped` says which limit ended it."""

    def __init__(self, plans: Sequence[ServicePlan], limits: Limits) -> None:
        self._plans = {plan.service.service_id: plan for plan in plans}
        self._limits = limits
        calls = [call for plan in plans for call in plan.calls]
        self._waiting = {(call.service_id, call.operation.name): call for call in calls}
        self._looked_at = dict.fromkeys(self._plans, -1)
        self._pools = {service_id: Pool() for service_id in self._plans}
        self._hosts: dict[tuple[str, int], Host] = {}
        self._running: dict[asyncio.Task[Result], Call] = {}
        self._done: deque[Result] = deque()
        self._left = limits.max_requests
        self._end = 0.0
        self._wire: Wire | None = None
        self._channels: Channels | None = None
        self.stopped = ""
        self.sent = 0

    async def next(self) -> Result | None:
        if not self._end:
            self._begin()
        while not self._done:
            self._start(self._ready())
            if not self._running and not self._start(self._partly_ready()):
                if not self._waiting:
                    return None
                self._leave_waiting()
            elif self._running:
                await self._wait()
        return self._done.popleft()

    async def close(self) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        for opened in (self._wire, self._channels):
            if opened is not None:
                await opened.close()

    def _begin(self) -> None:
        self._end = asyncio.get_running_loop().time() + self._limits.run_s
        for plan in self._plans.values():
            for call in plan.calls:
                schema = call.operation.output_schema
                examples = schema.get("examples", ()) if isinstance(schema, dict) else ()
                for example in examples:
                    self._pools[call.service_id].learn(call.operation, example)

    # --- which call is next --------------------------------------------------------------------

    def _ready(self) -> list[tuple[Call, dict[str, Value]]]:
        """Calls that have all they wait for, of services where something new was seen."""
        fresh = {key for key, pool in self._pools.items() if pool.version > self._looked_at[key]}
        self._looked_at |= {key: self._pools[key].version for key in fresh}
        calls = [call for call in self._waiting.values() if call.service_id in fresh]
        found = [(call, self._filled(call)) for call in calls]
        return [(call, values) for call, values in found if len(values) == len(call.waits_for)]

    def _partly_ready(self) -> list[tuple[Call, dict[str, Value]]]:
        """When no answer can come any more: calls that have what they must, and something."""
        found = [(call, self._filled(call)) for call in self._waiting.values()]
        return [
            (call, values)
            for call, values in found
            if (values or call.values) and all(one.key in values for one in call.must)
        ]

    def _filled(self, call: Call) -> dict[str, Value]:
        pool = self._pools[call.service_id]
        found = {one.key: pool.find(call.operation, one) for one in call.waits_for}
        return {key: value for key, value in found.items() if value is not None}

    def _start(self, ready: list[tuple[Call, dict[str, Value]]]) -> bool:
        for call, learned in ready:
            if self._left == 0:
                self._stop(f"--max-requests {self._limits.max_requests} is reached")
                return True
            del self._waiting[call.service_id, call.operation.name]
            self._left = None if self._left is None else self._left - 1
            task = asyncio.create_task(self._perform(call, {**call.values, **learned}))
            self._running[task] = call
        return bool(ready)

    async def _wait(self) -> None:
        room = max(0.0, self._end - asyncio.get_running_loop().time())
        done, _ = await asyncio.wait(
            self._running, timeout=room, return_when=asyncio.FIRST_COMPLETED
        )
        for task in done:
            del self._running[task]
            self._take(task.result())
        if not done:
            await self._give_up(f"the time limit of {self._limits.run_s:g} s is reached")

    async def _give_up(self, why: str) -> None:
        self._stop(why)
        for task, call in self._running.items():
            task.cancel()
            self._done.append(Result(call, Answer("timed-out", why), reached=False))
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running = {}

    def _stop(self, why: str) -> None:
        self.stopped = why
        for call in self._waiting.values():
            self._done.append(Result(call, Answer("skipped", why), sent=False, reached=False))
        self._waiting = {}

    def _leave_waiting(self) -> None:
        for call in self._waiting.values():
            filled = self._filled(call)
            missing = [one.name for one in call.waits_for if one.key not in filled]
            why = f"no value for {', '.join(missing)}"
            self._done.append(Result(call, Answer("skipped", why), sent=False))
        self._waiting = {}

    def _take(self, result: Result) -> None:
        if result.sent:
            self.sent += 1
        elif self._left is not None:
            self._left += 1
        self._done.append(result)

    # --- one call ------------------------------------------------------------------------------

    async def _perform(self, call: Call, values: Mapping[str, Value]) -> Result:
        host = self._host(call)
        async with host.places:
            if host.closed is None:
                await host.pace()
            if host.closed is None:
                await self._look_up(host, call.base)
            if host.closed is not None:
                return _unsent(call, host.closed)
            began = asyncio.get_running_loop().time()
            try:
                answer = await self._send(call, values, host.number)
            except Unfit as error:
                return Result(call, Answer("skipped", str(error)), sent=False)
            elapsed_ms = (asyncio.get_running_loop().time() - began) * 1000
            self._heed(host, answer)
        return self._result(call, values, answer, elapsed_ms)

    def _host(self, call: Call) -> Host:
        rules = self._plans[call.service_id].rules
        if call.base.key not in self._hosts:
            rate, places = rules.rate or self._limits.rate, rules.concurrency
            limits = replace(
                self._limits, rate=rate, concurrency=places or self._limits.concurrency
            )
            self._hosts[call.base.key] = Host(limits)
        return self._hosts[call.base.key]

    async def _look_up(self, host: Host, base: Base) -> None:
        async with host.lookup:
            if host.number or host.closed:
                return
            try:
                async with asyncio.timeout(self._limits.total_s):
                    host.number = await connect_to(base)
            except Unusable as error:
                host.closed = Answer(error.outcome, error.detail)
            except TimeoutError:
                host.closed = Answer("unknown-host", f"the name {base.host} was not found in time")

    async def _send(self, call: Call, values: Mapping[str, Value], number: str) -> Answer:
        plan = self._plans[call.service_id]
        binding, base = call.operation.binding, call.base
        given = {key: value.value for key, value in values.items()}
        if isinstance(binding, GrpcBinding):
            types = plan.rules.descriptors
            assert types is not None
            self._channels = self._channels or Channels(self._limits)
            request = types.request(binding, given)
            return await self._channels.send(binding, request, types, base, number)
        self._wire = self._wire or Wire(self._limits)
        reply = await self._wire.send(_http_call(call, given, plan), base, number)
        if isinstance(reply, Answer):
            return reply
        return http_answer(reply, call.operation, plan.definitions)

    def _heed(self, host: Host, answer: Answer) -> None:
        if answer.outcome in UNREACHABLE:
            host.closed = Answer(answer.outcome, answer.detail)
        if answer.outcome == "slow-down" or answer.retry_after_s:
            host.slow_down(answer.retry_after_s or 0.0)

    def _result(
        self, call: Call, values: Mapping[str, Value], answer: Answer, elapsed_ms: float
    ) -> Result:
        plan = self._plans[call.service_id]
        shape: dict[str, Any] | None = None
        wrong: tuple[str, ...] = ()
        if answer.has_value:
            self._pools[call.service_id].learn(call.operation, answer.value)
            schema = call.operation.output_schema
            known = known_names(schema, plan.definitions)
            shape = shape_of(answer.value, known, keep=plan.rules.keep_values)
            if not _is_document(answer, resolved(schema, plan.definitions)):
                wrong = contradictions(answer.value, schema, plan.definitions)
        sources = {key: f"{value.origin} {value.source}".strip() for key, value in values.items()}
        return Result(call, answer, shape, wrong, sources, elapsed_ms=elapsed_ms)


def _http_call(call: Call, given: Mapping[str, Any], plan: ServicePlan) -> HttpCall:
    binding = call.operation.binding
    if isinstance(binding, SoapBinding):
        return soap_call(call.operation, call.base.url, given, plan.definitions)
    assert not isinstance(binding, GrpcBinding)
    return http_call(binding, call.base.url, given)


def _unsent(call: Call, why: Answer) -> Result:
    """The host as a whole cannot be used: what the first call met holds for the others."""
    return Result(call, why, sent=False)


def _is_document(answer: Answer, schema: Mapping[str, Any]) -> bool:
    """A file that the spec calls a string, as specs do with XML, PDF and tables."""
    return "json" not in answer.media_type and type_of(schema) == "string"
