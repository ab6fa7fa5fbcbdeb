"""What there is to write: tools whose evidence changed, look-alikes together, with the price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from psycopg import Connection

from catalog.errors import UsageError
from catalog.hashing import canonical, digest
from enrichment.checker import Surroundings
from enrichment.collecting import evidence_of, kept_by_hand, surroundings
from enrichment.endpoint import EndpointSettings
from enrichment.evidence import Evidence
from enrichment.forms import Reply
from enrichment.lookalikes import ALIKE, GROUP_SIZE, groups, indistinguishable, likeness, rarity
from enrichment.prompt import PROMPT_VERSION, SCHEMA, Message, messages, neighbour, tokens
from store.catalog import find_service, find_tool, list_services
from store.enrichments import EnrichmentRow, enrichments, last_fingerprints
from store.rows import ServiceRow

OUTPUT_TOKENS = 150
_DONE = ("proposed", "applied", "rejected", "reverted", "replaced")
_STANDING = ("proposed", "applied", "withdrawn")
_MOST_BESIDE = 3


@dataclass(frozen=True, slots=True)
class Pending:
    """A tool to write about; `fingerprint` covers its evidence and the form of the question.

    `beside` is set where the tool is asked about without the look-alikes it was grouped with: what
    they are called and say.
    """

    evidence: Evidence
    content_hash: str
    fingerprint: str
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServiceWork:
    """What there is to do for one service; each group becomes one request.

    `written` maps enriched names that are open or live to their tool; `by_hand` are tools that are
    left because a person wrote their text, with whether it still fits. `families` are all tools of
    the service, as they are asked about together.
    """

    service: ServiceRow
    groups: tuple[tuple[Pending, ...], ...]
    weights: Mapping[str, float]
    around: Surroundings
    written: Mapping[str, str]
    unchanged: int
    other_model: int
    alike: tuple[tuple[str, ...], ...] = ()
    by_hand: Mapping[str, bool] = field(default_factory=dict)
    families: tuple[tuple[Evidence, ...], ...] = ()

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
    return [_service_work(connection, service, model, again, group_size) for service in services]


def _service_work(
    connection: Connection, service: ServiceRow, model: str, again: bool, group_size: int
) -> ServiceWork:
    tools = evidence_of(connection, service)
    evidence = [tool for tool, _ in tools]
    families = tuple(groups(evidence, group_size))
    rows = enrichments(connection, _STANDING, services=[service.service_id])
    by_hand = kept_by_hand(rows)
    found = _Sorted(last_fingerprints(connection, service.service_id), model, again)
    for tool, content_hash in tools:
        if tool.name not in by_hand:
            found.add(tool, content_hash)
    return ServiceWork(
        service=service,
        groups=_pending_groups(families, found.pending, rows),
        weights=rarity(evidence),
        around=surroundings(connection, service, evidence),
        written={row.name: row.tool for row in rows if row.state != "withdrawn"},
        unchanged=found.unchanged,
        other_model=found.other_model,
        alike=tuple(indistinguishable(evidence)),
        by_hand={row.tool_id: row.state != "withdrawn" for row in by_hand.values()},
        families=families,
    )


@dataclass(slots=True)
class _Sorted:
    """Tools to write about, by id, and how many are left as they are."""

    known: Mapping[str, tuple[str, str, str]]
    model: str
    again: bool
    pending: dict[str, Pending] = field(default_factory=dict)
    unchanged: int = 0
    other_model: int = 0

    def add(self, tool: Evidence, content_hash: str) -> None:
        print_ = fingerprint(tool)
        before, state, by = self.known.get(tool.name, ("", "", ""))
        same = before == print_ and state in _DONE
        other = same and by != self.model
        self.other_model += other
        if same and not (self.again and other):
            self.unchanged += 1
        else:
            self.pending[tool.tool_id] = Pending(tool, content_hash, print_)


def _pending_groups(
    families: Sequence[Sequence[Evidence]],
    pending: Mapping[str, Pending],
    rows: Sequence[EnrichmentRow],
) -> tuple[tuple[Pending, ...], ...]:
    texts = {row.tool_id: row for row in rows if row.state != "withdrawn"}
    wanted = []
    for family in families:
        group = tuple(pending[tool.tool_id] for tool in family if tool.tool_id in pending)
        if len(group) == 1 and len(family) > 1:
            group = (replace(group[0], beside=_beside(group[0].evidence, family, texts)),)
        wanted.append(group)
    return tuple(group for group in wanted if group)


def _beside(
    tool: Evidence, family: Sequence[Evidence], texts: Mapping[str, EnrichmentRow]
) -> tuple[str, ...]:
    """The look-alikes among those that a tool would be asked about with, nearest first."""
    scored = [(likeness(tool, other), other) for other in family if other is not tool]
    near = sorted((pair for pair in scored if pair[0] >= ALIKE), key=lambda pair: -pair[0])
    lines = []
    for _, other in near[:_MOST_BESIDE]:
        text = texts.get(other.tool_id)
        said = text.description if text else f"{other.summary} {other.description}"
        lines.append(neighbour(other.name, text.name if text else "", said))
    return tuple(lines)


def question(group: Sequence[Pending], weights: Mapping[str, float]) -> list[Message]:
    """What is sent about a group of pending tools."""
    beside = [line for entry in group for line in entry.beside]
    return messages([entry.evidence for entry in group], weights, beside)


def fingerprint(
    tool: Evidence, version: str = PROMPT_VERSION, form: Mapping[str, Any] = SCHEMA
) -> str:
    """The same for the same evidence in any service, so that it is written about once."""
    facts = [
        [f.path, f.type, f.text, list(f.values), f.required] for f in tool.given + tool.returned
    ]
    seen = [tool.name, tool.protocol, tool.wire[0], tool.summary, tool.description, list(tool.tags)]
    return digest(canonical([seen, facts, version]), canonical(form))


def prompt_for(
    connection: Connection, tool_id: str, model: str, group_size: int = GROUP_SIZE
) -> tuple[list[Message], bool]:
    """Exactly what would be sent about a tool, with the tools that it would be asked about with;
    and whether it would be: one that is written about already shows what a first run sends."""
    service = find_service(connection, find_tool(connection, tool_id).service)
    work = _service_work(connection, service, model, False, group_size)
    for group in work.groups:
        if tool_id in {entry.evidence.tool_id for entry in group}:
            return question(group, work.weights), True
    family = next(f for f in work.families if tool_id in {tool.tool_id for tool in f})
    return messages(family, work.weights), False


def estimate(work: Sequence[ServiceWork], endpoint: EndpointSettings | None) -> Estimate:
    given = requests = tools = 0
    for service in work:
        for group in service.groups:
            given += size_of(question(group, service.weights))
            requests += 1
            tools += len(group)
    written = tools * OUTPUT_TOKENS
    if endpoint is None:
        return Estimate(tools, 0, 0, 0, 0.0)
    return Estimate(tools, requests, given, written, cost(endpoint, given, written))


def counted(asked: Sequence[Message], reply: Reply) -> tuple[int, int]:
    """Tokens in and out; endpoints that report none, or far too few, are counted by letters."""
    given, written = size_of(asked), tokens(reply.text)
    return (
        reply.input_tokens if reply.input_tokens * 2 > given else given,
        reply.output_tokens if reply.output_tokens * 2 > written else written,
    )


def size_of(asked: Sequence[Message]) -> int:
    """Tokens, estimated."""
    return sum(tokens(message["content"]) for message in asked)


def cost(endpoint: EndpointSettings, input_tokens: int, output_tokens: int) -> float | None:
    """USD, or None where a price is not known."""
    if endpoint.price_in is None or endpoint.price_out is None:
        return None
    return (input_tokens * endpoint.price_in + output_tokens * endpoint.price_out) / 1e6
