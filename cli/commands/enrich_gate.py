"""`gloss enrich --gate`: proposals judged by a suite, or by questions that the model drafts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from catalog.errors import UsageError
from cli import settings, wiring
from cli.progress import progress

if TYPE_CHECKING:
    from psycopg import Connection

    from enrichment.drafting import DraftReport, Unasked
    from enrichment.planning import Estimate, ServiceWork
    from enrichment.run import EnrichReport
    from evaluation.suites import Suite
    from pipeline.gate import GateReport
    from store.enrichments import EnrichmentRow

DRAFTED = "drafted"


@dataclass(frozen=True, slots=True)
class Rule:
    """`suite` is a file, or `drafted`."""

    suite: str
    min_gain: float
    no_falls: bool

    @property
    def drafted(self) -> bool:
        return self.suite == DRAFTED


@dataclass(frozen=True, slots=True)
class Judgement:
    report: GateReport
    drafts: DraftReport | None = None

    @property
    def held_back(self) -> set[str]:
        """Tools whose proposal --apply leaves: rejected, or without questions to judge it by."""
        against = {v.row.tool_id for v in self.report.verdicts if v.against}
        return against | ({v.row.tool_id for v in self.report.unasked} if self.drafts else set())


def rule(
    gate: str | None, min_gain: float, no_falls: bool, config: settings.Settings
) -> Rule | None:
    if gate is None:
        if no_falls:
            raise UsageError(
                "--no-falls is for --gate", hint="gloss enrich --gate SUITE --no-falls"
            )
        return None
    if gate == DRAFTED and not config.llm.base_url:
        raise UsageError(
            "--gate drafted needs a model to write the questions",
            hint="set [llm] base_url and model in gloss.toml, or gloss enrich --gate SUITE",
        )
    return Rule(gate, min_gain, no_falls)


def expected(
    connection: Connection, work: list[ServiceWork], config: settings.Settings, again: bool
) -> Iterator[tuple[str, Estimate]]:
    """By service, what the questions would take that --gate drafted would have written."""
    from enrichment.drafting import estimate_questions, unasked

    for service in work:
        pending = {entry.evidence.tool_id for group in service.groups for entry in group}
        opened = {row.tool_id for row in _open(connection, [service])}
        left = unasked(connection, service, config.llm.model, pending | opened, again)
        yield service.service.name, estimate_questions(left, wiring.prices(config))


def judge(
    connection: Connection,
    work: list[ServiceWork],
    config: settings.Settings,
    by: Rule,
    done: EnrichReport,
    cap: float | None,
    again: bool,
) -> Judgement:
    """Every open proposal of a writer for the services at hand, also of earlier runs."""
    from pipeline.gate import gate

    rows = _open(connection, work)
    drafts = _drafts(connection, work, config, rows, done, cap, again) if by.drafted else None
    suite = _suite(by, work, drafts)
    encoder = wiring.open_encoder(config)
    trying = gate(connection, encoder, suite, rows, by.min_gain, by.no_falls, wiring.mix(config))
    return Judgement(progress("asking", trying), drafts)


def _open(connection: Connection, work: list[ServiceWork]) -> list[EnrichmentRow]:
    """Never what a person wrote: that is for persons to decide on."""
    from enrichment.deciding import OPEN, chosen

    found = chosen(connection, OPEN, [service.service.name for service in work])
    return [row for row in found if not row.by_hand]


def _drafts(
    connection: Connection,
    work: list[ServiceWork],
    config: settings.Settings,
    rows: list[EnrichmentRow],
    done: EnrichReport,
    cap: float | None,
    again: bool,
) -> DraftReport:
    """Under the cap of the whole run; after an error that ended it, only questions from before."""
    from enrichment.drafting import draft, unasked
    from enrichment.flight import Purse

    endpoint = wiring.open_endpoint(config)
    assert endpoint is not None
    tools = set() if done.ended_by else {row.tool_id for row in rows}
    left: list[Unasked] = [
        unasked(connection, service, config.llm.model, tools, again) for service in work
    ]
    purse = Purse(endpoint.settings, cap, done.cost_usd)
    return progress("drafting questions", draft(connection, left, endpoint, purse))


def _suite(by: Rule, work: list[ServiceWork], drafts: DraftReport | None) -> Suite:
    from evaluation.suites import read_suite
    from pipeline.drafted_gate import drafted_suite

    if drafts is None:
        return read_suite(Path(by.suite))
    return drafted_suite(drafts.questions, (ids for service in work for ids in service.alike))
