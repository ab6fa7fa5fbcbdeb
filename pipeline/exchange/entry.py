"""One tool in a file: its original, the text beside it, and what a merge has to know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from catalog.enrichment import Enrichment, Ground
from catalog.hashing import canonical, digest
from store.enrichments import EnrichmentRow

MARK_LENGTH = 16
"""Hex digits: 64 bits tell the texts of a catalog apart."""


@dataclass(frozen=True, slots=True)
class Original:
    """What the spec says; never changed by anything that comes back."""

    name: str
    wire: str
    summary: str
    description: str
    protocol: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who wrote a text; `mark` is the text's own, so that an edited one is known."""

    provider: str = ""
    model: str = ""
    prompt_version: str = ""
    author: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """`base` is the mark of the text that was live at the export, "" for none and None where the
    file does not say. `written_for` is the content hash of the operation that the text was written
    for, where that is not `content_hash`. `place` is where in the file it stands.
    """

    tool: str
    text: Enrichment | None
    base: str | None = None
    content_hash: str = ""
    written_for: str = ""
    origin: Origin = field(default_factory=Origin)
    original: Original | None = None
    place: str = ""

    @property
    def service(self) -> str:
        return self.tool.partition("/")[0]

    @property
    def name(self) -> str:
        return self.tool.partition("/")[2]

    @property
    def edited(self) -> bool:
        """By a person, since it was exported."""
        return mark(self.text) != self.origin.mark


def mark(text: Enrichment | None) -> str:
    """Stands for a text: equal when a reader sees the same. "" for none."""
    return digest(canonical(text))[:MARK_LENGTH] if text is not None else ""


def tidy(text: Enrichment) -> Enrichment:
    """The same text whatever an editor or a folded line did to its blanks."""
    return Enrichment(
        name=text.name.strip(),
        description=_one_line(text.description),
        aliases=tuple(_one_line(alias) for alias in text.aliases),
        not_for=_one_line(text.not_for),
        grounds=tuple(Ground(_one_line(g.claim), _one_line(g.evidence)) for g in text.grounds),
    )


def text_of(row: EnrichmentRow) -> Enrichment:
    grounds = tuple(Ground(g.get("claim", ""), g.get("evidence", "")) for g in row.evidence)
    return tidy(Enrichment(row.name, row.description, tuple(row.aliases), row.limits, grounds))


def ground_from(said: str | Mapping[str, str]) -> Ground:
    """`claim = evidence`, or a piece of evidence that speaks for itself."""
    if not isinstance(said, str):
        return Ground(said["claim"], said["evidence"])
    claim, equals, evidence = said.partition(" = ")
    return Ground(claim, evidence) if equals else Ground(said, said)


def grounds_said(grounds: Iterable[Ground]) -> list[str | dict[str, str]]:
    """Each in the shortest form that `ground_from` reads back."""
    return [_said(ground) for ground in grounds]


def _said(ground: Ground) -> str | dict[str, str]:
    for short in (ground.evidence, f"{ground.claim} = {ground.evidence}"):
        if ground_from(short) == ground:
            return short
    return {"claim": ground.claim, "evidence": ground.evidence}


def _one_line(text: str) -> str:
    return " ".join(text.split())
