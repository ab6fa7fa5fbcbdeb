"""Texts that a person writes: one tool as a small YAML page, read back, checked, kept."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from psycopg import Connection

from catalog.enrichment import Enrichment, Ground
from enrichment.checker import Fault, Surroundings, check_by_hand
from enrichment.collecting import evidence_of, surroundings
from enrichment.deciding import Change
from enrichment.evidence import Evidence
from enrichment.lookalikes import rarity
from enrichment.planning import fingerprint
from enrichment.sketch import plain, sketch
from store.catalog import find_service, find_tool
from store.enrichments import (
    HAND,
    EnrichmentRow,
    Written,
    apply,
    enrichments,
    save_proposal,
)
from store.rows import ServiceRow

_KEYS = ("name", "description", "aliases", "limits")
_MOST_LETTERS = 64_000
_WIDTH = 88


class PageUnreadable(Exception):
    """The page is no YAML, or holds something else than the four keys; the message says where."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A tool to be written about by hand; `text` is its open proposal, else its live text, else
    its own name and description."""

    service: ServiceRow
    evidence: Evidence
    content_hash: str
    around: Surroundings
    weights: dict[str, float]
    text: Enrichment
    standing: str
    rows: tuple[EnrichmentRow, ...] = ()

    @property
    def tool_id(self) -> str:
        return self.evidence.tool_id


def draft(connection: Connection, tool_id: str) -> Draft:
    found = find_tool(connection, tool_id)
    service = find_service(connection, found.service)
    tools = evidence_of(connection, service)
    evidence, content_hash = next(pair for pair in tools if pair[0].name == found.name)
    rows = enrichments(connection, ("proposed", "applied"), services=[service.service_id])
    around = surroundings(connection, service, [tool for tool, _ in tools])
    others = frozenset(row.name for row in rows if row.tool != found.name)
    own = tuple(row for row in rows if row.tool == found.name)
    text, standing = _standing(evidence, own)
    return Draft(
        service=service,
        evidence=evidence,
        content_hash=content_hash,
        around=_beside(around, found.name, others),
        weights=dict(rarity([tool for tool, _ in tools])),
        text=text,
        standing=standing,
        rows=own,
    )


def _beside(around: Surroundings, own: str, others: frozenset[str]) -> Surroundings:
    taken = (around.taken - {own}) | others
    return Surroundings(taken, around.siblings | others, around.services, around.spoken)


def _standing(tool: Evidence, rows: Sequence[EnrichmentRow]) -> tuple[Enrichment, str]:
    """What there is to begin with, the open proposal before the live text, and what it is."""
    for state, what in (("proposed", "the open proposal"), ("applied", "the live text")):
        for row in rows:
            if row.state == state:
                grounds = tuple(Ground(g["claim"], g["evidence"]) for g in row.evidence)
                aliases = tuple(row.aliases)
                text = Enrichment(row.name, row.description, aliases, row.limits, grounds)
                return text, what
    said = plain(tool.description or tool.summary, 400)
    return Enrichment(
        tool.name, " ".join(said.split())
    ), "the original; nothing is written about it yet"


def write_page(about: Draft, text: Enrichment, faults: Sequence[str] = ()) -> str:
    """The page as an editor shows it: what was not accepted, then the text, then the evidence."""
    return "\n".join((*_fault_lines(faults), *_body(text), "", *_notes(about))) + "\n"


def with_faults(page: str, faults: Sequence[str]) -> str:
    """The same page with what was not accepted on top, in place of what was the last time."""
    lines = page.splitlines()
    while lines and lines[0].startswith("#!"):
        lines.pop(0)
    return "\n".join((*_fault_lines(faults), *lines)) + "\n"


def _fault_lines(faults: Sequence[str]) -> Iterator[str]:
    if faults:
        yield "#! Not accepted. Mend it and save, or close it as it is to give up:"
    for fault in faults:
        yield f"#!   {plain(fault, 300)}"


def _body(text: Enrichment) -> Iterator[str]:
    import yaml

    given = {"name": text.name, "aliases": list(text.aliases), "limits": text.not_for}
    shown = {
        key: yaml.safe_dump({key: value}, width=1000, allow_unicode=True).rstrip("\n")
        for key, value in given.items()
    }
    yield shown["name"]
    yield "description: >-"
    for line in textwrap.wrap(text.description, _WIDTH, break_on_hyphens=False):
        yield f"  {line}"
    yield shown["aliases"]
    yield shown["limits"]


def _notes(about: Draft) -> Iterator[str]:
    """Comments: what the page is, the rules in short, and the evidence. A comment is one line
    whatever the spec holds."""
    yield f"# {about.tool_id}: how search finds it; calls go on using the original."
    yield f"# Above stands {about.standing}. Lines that begin with # do not count."
    yield "# Save and close to go on; close without a change, or empty the file, to give up."
    yield "#"
    yield "# name         snake_case, a verb first, two words or more"
    yield "# description  one or two sentences: what it does, and when to use it"
    yield "# aliases      three to five ways in which people would ask for it"
    yield "# limits       what it is mistaken for, or nothing"
    yield "#"
    for line in sketch(about.evidence, about.weights).splitlines():
        yield f"# {plain(line, 1000)}"
    for ground in about.text.grounds:
        yield f"# rests on: {plain(ground.claim, 80)} = {plain(ground.evidence, 120)}"


def read_page(page: str) -> Enrichment | None:
    """What the page says; None where nothing is left of it but comments."""
    if len(page) > _MOST_LETTERS:
        raise PageUnreadable(f"more than {_MOST_LETTERS} letters")
    value = _loaded(page)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise PageUnreadable(f"not a list of keys: {', '.join(_KEYS)}")
    unknown = [str(key) for key in value if key not in _KEYS]
    if unknown:
        raise PageUnreadable(f"{unknown[0]}: no such key; there are {', '.join(_KEYS)}")
    return Enrichment(
        name=_line(value, "name"),
        description=_line(value, "description"),
        aliases=_lines(value),
        not_for=_line(value, "limits"),
    )


def _loaded(page: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(page)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        said = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise PageUnreadable(f"{where}no valid YAML: {said}") from None


def _line(value: dict[str, Any], key: str) -> str:
    given = value.get(key)
    if given is None:
        return ""
    if not isinstance(given, str):
        raise PageUnreadable(f"{key}: a text; put it in quotes where YAML reads something else")
    return " ".join(given.split())


def _lines(value: dict[str, Any]) -> tuple[str, ...]:
    given = value.get("aliases") or []
    if not isinstance(given, list) or not all(isinstance(entry, str) for entry in given):
        raise PageUnreadable("aliases: a list of texts, each after a dash")
    return tuple(" ".join(entry.split()) for entry in given)


def faults_of(about: Draft, text: Enrichment) -> tuple[Fault, ...]:
    return check_by_hand(text, about.evidence, about.around)


def preview(about: Draft, text: Enrichment, author: str) -> Change:
    """What keeping it would change, for a look before it is kept."""
    row = EnrichmentRow(
        service_id=about.service.service_id,
        enrichment_id=0,
        service=about.service.name,
        tool=about.evidence.name,
        state="proposed",
        name=text.name,
        description=text.description,
        aliases=text.aliases,
        limits=text.not_for,
        evidence=[],
        reason="",
        fingerprint="",
        provider=HAND,
        model="",
        cost_usd=Decimal(0),
        gain=None,
        created_at=datetime.now(UTC),
        decided_at=None,
        stale=False,
        original_summary=about.evidence.summary,
        original_description=about.evidence.description,
        author=author,
    )
    return Change(row, next((old for old in about.rows if old.state == "applied"), None))


def keep(
    connection: Connection, about: Draft, text: Enrichment, author: str, *, live: bool
) -> None:
    """The text becomes the open proposal, and live at once where asked, in one transaction."""
    with connection.transaction():
        number = save_proposal(connection, _written(about, text, author))
        if live:
            rows = enrichments(connection, ("proposed",), tools=[about.tool_id])
            apply(connection, [row for row in rows if row.enrichment_id == number], author)


def _written(about: Draft, text: Enrichment, author: str) -> Written:
    return Written(
        service_id=about.service.service_id,
        tool=about.evidence.name,
        content_hash=about.content_hash,
        fingerprint=fingerprint(about.evidence),
        name=text.name,
        description=text.description,
        aliases=text.aliases,
        limits=text.not_for,
        provider=HAND,
        author=author,
    )
