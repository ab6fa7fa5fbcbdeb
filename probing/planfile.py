"""A plan kept in a file, to be read by others and run as it is: refused once the spec changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from catalog.binding import GrpcBinding, HttpBinding, SoapBinding
from catalog.errors import GlossError
from catalog.hashing import canonical, digest
from catalog.spec import Operation
from probing.plan import Call, Left, ServicePlan
from probing.values import Value

KIND = "gloss probe plan"


class PlanRefused(GlossError):
    """The plan is of another state of the catalog than the present one, or is no plan."""


@dataclass(frozen=True, slots=True)
class SavedService:
    name: str
    base_url: str
    spec: str
    calls: Mapping[str, Mapping[str, Any]]


def plan_json(plans: Sequence[ServicePlan]) -> dict[str, Any]:
    """The plan as data. Secrets and values from gloss.toml that are marked so are left out."""
    return {"kind": KIND, "services": [_service(plan) for plan in plans]}


def _service(plan: ServicePlan) -> dict[str, Any]:
    base = plan.rules.base
    return {
        "service": plan.service.name,
        "base_url": base.url if base else "",
        "address_from": base.source if base else "",
        "credentials": sorted(base.headers) if base else [],
        "spec": spec_hash(plan),
        "calls": [_call(call) for call in plan.calls],
        "left": [
            {"tool": left.operation.id, "wire": wire_of(left.operation), "reason": left.reason}
            for left in plan.left
        ],
    }


def _call(call: Call) -> dict[str, Any]:
    values = {key: _value(value) for key, value in call.values.items()}
    return {
        "tool": call.operation.id,
        "method": method_of(call),
        "address": address_of(call),
        "allowed": call.reason,
        "values": values,
        "waits_for": dict(call.sources),
        "for_values": call.for_values,
    }


def _value(value: Value) -> dict[str, Any]:
    known = {} if value.secret else {"value": value.value}
    return {**known, "from": value.origin, "source": value.source, "secret": value.secret}


def wire_of(operation: Operation) -> str:
    names = operation.binding.wire_names
    return str(names[-1] if operation.protocol == "soap" else names[0])


def method_of(call: Call) -> str:
    binding = call.operation.binding
    return binding.method if isinstance(binding, HttpBinding) else "POST"


def address_of(call: Call) -> str:
    """The address with known values in it; what an answer must give stays a name in braces."""
    binding, url = call.operation.binding, call.base.url.rstrip("/")
    if isinstance(binding, SoapBinding):
        return f"{url} ({binding.operation})"
    if isinstance(binding, GrpcBinding):
        return f"{url}{binding.method}"
    path = binding.path
    query = []
    for argument in binding.arguments:
        value = call.values.get(argument.key)
        waits = any(one.key == argument.key for one in call.waits_for)
        shown = value.shown if value else f"{{{argument.name}}}"
        if argument.place == "path":
            path = path.replace(f"{{{argument.name}}}", shown)
        elif argument.place == "query" and (value or waits):
            query.append(f"{argument.name}={shown}")
    return url + path + ("?" + "&".join(query) if query else "")


def spec_hash(plan: ServicePlan) -> str:
    """The same as long as no operation of the service came, went or changed."""
    parts: tuple[Call | Left, ...] = (*plan.calls, *plan.left)
    hashes = {part.operation.name: part.content_hash for part in parts}
    return digest(canonical(hashes))


def read_plan(value: Any) -> list[SavedService]:
    if not isinstance(value, dict) or value.get("kind") != KIND:
        raise PlanRefused("not a plan of gloss probe", hint="gloss probe --plan --plan-file FILE")
    try:
        return [
            SavedService(
                entry["service"],
                entry["base_url"],
                entry["spec"],
                {call["tool"]: call for call in entry["calls"]},
            )
            for entry in value["services"]
        ]
    except (KeyError, TypeError):
        raise PlanRefused("a plan with parts missing", hint="make it again with --plan") from None


def as_saved(plan: ServicePlan, saved: SavedService) -> ServicePlan:
    """The present plan cut to what the saved one has, with its values. Never more than today's
    rules allow: a line added by hand is not sent."""
    if spec_hash(plan) != saved.spec:
        raise PlanRefused(
            f"the spec of {saved.name} changed since the plan was made",
            hint="look at it again: gloss probe --plan --plan-file FILE",
        )
    calls = tuple(_with_values(c, saved) for c in plan.calls if c.operation.id in saved.calls)
    others = tuple(
        Left(c.operation, c.service_id, c.content_hash, "not in the plan", settled=True)
        for c in plan.calls
        if c.operation.id not in saved.calls
    )
    return replace(plan, calls=calls, left=(*plan.left, *others))


def _with_values(call: Call, saved: SavedService) -> Call:
    kept = saved.calls[call.operation.id].get("values", {})
    values = {
        key: call.values[key]
        if entry.get("secret") and key in call.values
        else Value(entry.get("value"), entry["from"], entry.get("source", ""))
        for key, entry in kept.items()
        if "value" in entry or (entry.get("secret") and key in call.values)
    }
    waits = tuple(one for one in call.waits_for if one.key not in values)
    return replace(call, values=values, waits_for=waits)
