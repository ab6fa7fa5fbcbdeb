"""`gloss import`: what a file would change, tool by tool, and then the change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from psycopg import Connection

from catalog.enrichment import Enrichment
from pipeline.exchange.checking import Judge
from pipeline.exchange.entry import Entry, mark, text_of
from pipeline.exchange.gathering import original_of
from pipeline.exchange.merging import Side, decide, spec_changed
from store.catalog import list_services, list_tools
from store.enrichments import EnrichmentRow, enrichments
from store.exchange import ever_live
from store.rows import ServiceRow, ToolRow

Outcome = Literal["same", "kept", "apply", "revert", "conflict", "refused"]
_SAME = 0.6


@dataclass(frozen=True, slots=True)
class Step:
    """What becomes of one tool of the file. `live` is the text in the catalog when it was looked
    at; `reason` says why nothing is done where something was asked."""

    entry: Entry
    outcome: Outcome
    reason: str = ""
    hint: str = ""
    tool: ToolRow | None = None
    live: EnrichmentRow | None = None
    proposal: EnrichmentRow | None = None
    fingerprint: str = ""

    @property
    def live_text(self) -> Enrichment | None:
        return text_of(self.live) if self.live else None


@dataclass(frozen=True, slots=True)
class _Service:
    row: ServiceRow
    tools: Mapping[str, ToolRow]
    live: Mapping[str, EnrichmentRow]
    opened: Mapping[str, EnrichmentRow]
    once_live: frozenset[str] = field(default_factory=frozenset)


def plan(connection: Connection, entries: Iterable[Entry], side: Side = "") -> list[Step]:
    """A step for each tool of the file, in its order; one for each service that is not there."""
    by_service: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_service[entry.service].append(entry)
    known = {row.name: row for row in list_services(connection)}
    steps: list[Step] = []
    for name, own in by_service.items():
        if name in known:
            steps += _service_steps(connection, known[name], own, side)
        else:
            steps.append(_no_service(own))
    return steps


def _no_service(entries: Sequence[Entry]) -> Step:
    first = entries[0]
    many = f", nor are the {len(entries) - 1} after it" if len(entries) > 1 else ""
    reason = f"{first.service} is no service of this catalog{many}"
    return Step(first, "refused", reason, "gloss ingest its spec first, or gloss services")


def _service_steps(
    connection: Connection, row: ServiceRow, entries: Sequence[Entry], side: Side
) -> list[Step]:
    service = _service(connection, row)
    twice = _standing_twice(entries)
    steps = [_step(service, entry, twice, side) for entry in entries]
    wanted = [step for step in steps if step.outcome == "apply"]
    if not wanted:
        return steps
    judge = Judge(connection, row, _names_after(service, steps))
    return [_judged(step, judge) if step.outcome == "apply" else step for step in steps]


def _service(connection: Connection, row: ServiceRow) -> _Service:
    texts = enrichments(connection, ("applied", "proposed"), services=[row.service_id])
    return _Service(
        row,
        {tool.name: tool for tool in list_tools(connection, row.name)},
        {text.tool: text for text in texts if text.state == "applied"},
        {text.tool: text for text in texts if text.state == "proposed"},
        ever_live(connection, row.service_id),
    )


def _standing_twice(entries: Sequence[Entry]) -> dict[str, str]:
    places: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        places[entry.tool].append(entry.place)
    return {tool: " and ".join(found) for tool, found in places.items() if len(found) > 1}


def _step(service: _Service, entry: Entry, twice: Mapping[str, str], side: Side) -> Step:
    tool = service.tools.get(entry.name)
    if tool is None:
        return Step(entry, "refused", "no such tool", _near(entry, service))
    live, opened = service.live.get(entry.name), service.opened.get(entry.name)
    step = Step(entry, "same", tool=tool, live=live, proposal=opened)
    if entry.tool in twice:
        reason = f"stands twice: {twice[entry.tool]}"
        return replace(step, outcome="refused", reason=reason, hint="keep one of them")
    touched = _touched(entry, tool)
    if touched:
        reason = f"{touched} differs from the spec's: the original is never changed"
        hint = "edit what stands under `enriched`; the spec itself with its owner"
        return replace(step, outcome="refused", reason=reason, hint=hint)
    found = decide(entry, tool, step.live_text, entry.name in service.once_live, side)
    if found.choice == "take":
        return replace(step, outcome="apply" if entry.text is not None else "revert")
    hint = "--theirs takes the file's, --ours the catalog's" if found.reason else ""
    return replace(step, outcome=found.choice, reason=found.reason, hint=hint)


def _near(entry: Entry, service: _Service) -> str:
    from difflib import get_close_matches

    close = get_close_matches(entry.name, list(service.tools), n=1, cutoff=_SAME)
    return f"did you mean {entry.service}/{close[0]}?" if close else f"gloss tools {entry.service}"


def _touched(entry: Entry, tool: ToolRow) -> str:
    """What of the original somebody changed in the file; a spec that changed is another matter."""
    if entry.original is None or spec_changed(entry, tool):
        return ""
    has, said = original_of(tool), entry.original
    pairs = (
        ("original.name", has.name, said.name),
        ("original.summary", has.summary, said.summary),
        ("original.description", has.description, said.description),
        ("wire", has.wire, said.wire or has.wire),
    )
    return next((name for name, ours, theirs in pairs if ours != theirs), "")


def _names_after(service: _Service, steps: Sequence[Step]) -> list[tuple[str, str]]:
    """(tool, enriched name) as they would be: the file's, else the live and the open ones."""
    decided = {step.entry.name: step for step in steps if step.outcome in ("apply", "revert")}
    after = [(name, s.entry.text.name) for name, s in decided.items() if s.entry.text is not None]
    standing = (*service.live.values(), *service.opened.values())
    return after + [(row.tool, row.name) for row in standing if row.tool not in decided]


def _judged(step: Step, judge: Judge) -> Step:
    assert step.entry.text is not None
    faults = judge.faults(step.entry.name, step.entry.text)
    if faults:
        hint = "docs/enrichment-rules.md has the rules"
        return replace(step, outcome="refused", reason="; ".join(faults), hint=hint)
    return replace(step, fingerprint=judge.fingerprint(step.entry.name))


def pending(steps: Iterable[Step]) -> Iterator[Step]:
    return (step for step in steps if step.outcome in ("apply", "revert"))


def is_open_proposal(step: Step) -> bool:
    """The file took an open proposal as it stands, and so keeps who wrote it."""
    row = step.proposal
    return row is not None and not row.stale and mark(text_of(row)) == mark(step.entry.text)
