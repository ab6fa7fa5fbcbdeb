"""What there is to write: tools whose evidence changed, look-alikes together, with the price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psycopg import Connection

from catalog.errors import UsageError
from catalog.hashing import canonical, digest
from enrichment.checker import Surroundings
from enrichment.endpoint import EndpointSettings
from enrichment.evidence import Evidence, gather
from enrichment.lookalikes import GROUP_SIZE, groups, indistinguishable, rarity
from enrichment.prompt import PROMPT_VERSION, SCHEMA, Message, messages, tokens
from enrichment.vocabulary import Grounds
from store.catalog import (
    definitions_of,
    find_service,
    find_tool,
    list_services,
    operations_to_index,
)
from store.enrichments import enrichments, last_fingerprints
from store.rows import ServiceRow
from store.samples import shapes_of

OUTPUT_TOKENS = 150
_DONE = ("proposed", "applied", "rejected", "reverted", "replaced")


@dataclass(frozen=True, slots=True)
class Pending:
    """A tool to write about; `fingerprint` covers its evidence and the form of the question."""

    evidence: Evidence
    content_hash: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ServiceWork:
    """What there is to do for one service; each group becomes one request.

    `written` maps enriched names that are open or live to their tool.
    """

    service: ServiceRow
    groups: tuple[tuple[Pending, ...], ...]
    weights: Mapping[str, float]
    around: Surroundings
    written: Mapping[str, str]
    unchanged: int
    other_model: int
    alike: tuple[tuple[str, ...], ...] = ()

    @property
    def tools(self) -> int:
        return sum(len(group) for group in self.groups)


@dataclass(frozen=True, slots=True)
class Estimate:
    """`cost_usd` is None where the prices are not known."""

    tools: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


def chosen_services(connection: Connection, names: Sequence[str]) -> list[ServiceRow]:
    """The services named, or all that are opted in; one named that is not opted in is refused."""
    if not names:
        return [service for service in list_services(connection) if service.opted_in]
    found = [find_service(connection, name) for name in names]
    out = [service.name for service in found if not service.opted_in]
    if out:
        raise UsageError(
            f"{', '.join(out)}: not opted in, so nothing is written about it",
            hint=f"gloss opt-in {' '.join(out)}",
        )
    return found


def plan(
    connection: Connection,
    services: Sequence[ServiceRow],
    model: str,
    again: bool = False,
    group_size: int = GROUP_SIZE,
) -> list[ServiceWork]:
    """The work for each service, at most `group_size` tools a request. A changed model alone is
    counted, not written again, unless `again` asks for it."""
    names = [service.name for service in list_services(connection)]
    return [
        _service_work(connection, service, model, again, names, group_size) for service in services
    ]


def _service_work(
    connection: Connection,
    service: ServiceRow,
    model: str,
    again: bool,
    names: Sequence[str],
    group_size: int,
) -> ServiceWork:
    tools = _evidence(connection, service)
    known = last_fingerprints(connection, service.service_id)
    pending: dict[str, Pending] = {}
    unchanged = other_model = 0
    for tool, content_hash in tools:
        print_ = fingerprint(tool)
        before, state, by = known.get(tool.name, ("", "", ""))
        same = before == print_ and state in _DONE
        other_model += same and by != model
        if same and not (again and by != model):
            unchanged += 1
        else:
            pending[tool.tool_id] = Pending(tool, content_hash, print_)
    evidence = [tool for tool, _ in tools]
    return ServiceWork(
        service=service,
        groups=_pending_groups(groups(evidence, group_size), pending),
        weights=rarity(evidence),
        around=Surroundings(
            taken=frozenset(tool.name for tool in evidence),
            siblings=frozenset(tool.name for tool in evidence),
            services=frozenset(name for name in names if name != service.name),
            spoken=Grounds(tuple(text for tool in evidence for text in tool.texts)),
        ),
        written=_written(connection, service),
        unchanged=unchanged,
        other_model=other_model,
        alike=tuple(indistinguishable(evidence)),
    )


def _evidence(connection: Connection, service: ServiceRow) -> list[tuple[Evidence, str]]:
    definitions = definitions_of(connection, service.service_id)
    shapes = shapes_of(connection, service.service_id)
    about = " ".join(part for part in (service.title, service.description) if part)[:400]
    return [
        (gather(operation, definitions, about, shapes.get(operation.name, ())), content_hash)
        for _, operation, _, content_hash in operations_to_index(connection, service.name)
    ]


def _pending_groups(
    families: Sequence[Sequence[Evidence]], pending: Mapping[str, Pending]
) -> tuple[tuple[Pending, ...], ...]:
    wanted = (
        tuple(pending[tool.tool_id] for tool in group if tool.tool_id in pending)
        for group in families
    )
    return tuple(group for group in wanted if group)


def _written(connection: Connection, service: ServiceRow) -> dict[str, str]:
    rows = enrichments(connection, ("proposed", "applied"), services=[service.service_id])
    return {row.name: row.tool for row in rows}


def fingerprint(tool: Evidence) -> str:
    """The same for the same evidence in any service, so that it is written about once."""
    facts = [
        [f.path, f.type, f.text, list(f.values), f.required] for f in tool.given + tool.returned
    ]
    seen = [tool.name, tool.protocol, tool.wire[0], tool.summary, tool.description, list(tool.tags)]
    return digest(canonical([seen, facts, PROMPT_VERSION]), canonical(SCHEMA))


def prompt_for(connection: Connection, tool_id: str, group_size: int = GROUP_SIZE) -> list[Message]:
    """Exactly what would be sent about a tool: the request of its whole group of look-alikes."""
    service = find_service(connection, find_tool(connection, tool_id).service)
    evidence = [tool for tool, _ in _evidence(connection, service)]
    group = next(g for g in groups(evidence, group_size) if tool_id in {tool.tool_id for tool in g})
    return messages(group, rarity(evidence))


def estimate(work: Sequence[ServiceWork], endpoint: EndpointSettings | None) -> Estimate:
    given = requests = tools = 0
    for service in work:
        for group in service.groups:
            asked = messages([entry.evidence for entry in group], service.weights)
            given += sum(tokens(message["content"]) for message in asked)
            requests += 1
            tools += len(group)
    written = tools * OUTPUT_TOKENS
    if endpoint is None:
        return Estimate(tools, 0, 0, 0, 0.0)
    return Estimate(tools, requests, given, written, cost(endpoint, given, written))


def cost(endpoint: EndpointSettings, input_tokens: int, output_tokens: int) -> float | None:
    """USD, or None where a price is not known."""
    if endpoint.price_in is None or endpoint.price_out is None:
        return None
    return (input_tokens * endpoint.price_in + output_tokens * endpoint.price_out) / 1e6
