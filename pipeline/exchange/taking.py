"""The change that a plan asks for: each tool on its own, and only if nobody was quicker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from psycopg import Connection, Rollback

from pipeline.exchange.entry import Entry
from pipeline.exchange.importing import Step, is_open_proposal
from pipeline.exchange.merging import spec_changed
from store.catalog import ToolRow
from store.enrichments import HAND, Written, apply, enrichments, save_proposal, set_state
from store.exchange import held

_MEANWHILE = "somebody else decided about it just now"


def take(connection: Connection, steps: Sequence[Step], by: str) -> Iterator[Step]:
    """Every step as it ended; those that are no change come back as they are."""
    for step in steps:
        if step.outcome not in ("apply", "revert") or _taken(connection, step, by):
            yield step
        else:
            yield replace(step, outcome="conflict", reason=_MEANWHILE, hint="gloss import again")


def _taken(connection: Connection, step: Step, by: str) -> bool:
    assert step.tool is not None
    expected = step.live.enrichment_id if step.live else 0
    done = False
    with connection.transaction() as deciding:
        if held(connection, step.tool.service_id, step.tool.name) == expected:
            done = _withdrawn(connection, step, by) or _made_live(connection, step, by)
        if not done:
            raise Rollback(deciding)
    return done


def _withdrawn(connection: Connection, step: Step, by: str) -> bool:
    """Without `gloss revert`'s way back to the text before: the file says that there is none."""
    if step.outcome != "revert" or step.live is None:
        return False
    return bool(set_state(connection, step.live, "reverted", by, "taken out by an import"))


def _made_live(connection: Connection, step: Step, by: str) -> bool:
    if step.outcome != "apply":
        return False
    if is_open_proposal(step):
        assert step.proposal is not None
        return apply(connection, [step.proposal], by) == 1
    number = save_proposal(connection, _written(step, by))
    rows = enrichments(connection, ("proposed",), tools=[step.entry.tool])
    return apply(connection, [row for row in rows if row.enrichment_id == number], by) == 1


def _written(step: Step, by: str) -> Written:
    """A text that was edited is by who imports it; one that comes as it left keeps its writer."""
    text, tool, entry = step.entry.text, step.tool, step.entry
    assert text is not None
    assert tool is not None
    meant = tool.content_hash if entry.edited else _written_for(entry, tool)
    origin = entry.origin
    return Written(
        service_id=tool.service_id,
        tool=tool.name,
        content_hash=meant,
        fingerprint=step.fingerprint if meant == tool.content_hash else "",
        name=text.name,
        description=text.description,
        aliases=text.aliases,
        limits=text.not_for,
        evidence=tuple(asdict(ground) for ground in text.grounds),
        provider=HAND if entry.edited else origin.provider,
        model="" if entry.edited else origin.model,
        prompt_version="" if entry.edited else origin.prompt_version,
        author=by if entry.edited else origin.author,
    )


def _written_for(entry: Entry, tool: ToolRow) -> str:
    if entry.written_for:
        return entry.written_for
    return entry.content_hash if spec_changed(entry, tool) else tool.content_hash
