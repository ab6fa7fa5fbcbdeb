"""A proposal held against the evidence, rule by rule; docs/enrichment-rules.md explains each."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from catalog.enrichment import Enrichment
from catalog.words import split_identifier
from enrichment import wording
from enrichment.evidence import Evidence
from enrichment.vocabulary import (
    READING,
    WRITING,
    Grounds,
    content_words,
    things_without_ground,
    verb_of,
)

MAX_NAME = 64
MAX_DESCRIPTION = 400
MAX_ALIAS = 60
MAX_NOT_FOR = 200
MAX_INVENTED = 1
"""Nouns that neither the tool's evidence nor the service's carries, which a description may have:
a synonym we do not know is not worth a refusal."""
MAX_FOREIGN = 1
"""Nouns not its own that a description may have; aliases two more, being other people's words."""
OWN_SHARE = 0.3
"""Of the words that claim something, how many have to be in a tool's own evidence."""
_ENOUGH = 6
"""Words, of the evidence and of the description, below which that share says nothing."""

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")
_SENTENCE_END = re.compile(r"[.!?](?=\s+[A-Z]|\s*$)")
IDENTIFIER = re.compile(r"\b(?:[a-z]+[0-9]*(?:[A-Z][a-z0-9]*)+|\w+_\w+|[A-Za-z]+\.[A-Za-z]\w+)\b")


@dataclass(frozen=True, slots=True)
class Fault:
    """`rule` is a heading of docs/enrichment-rules.md; `message` is what the writer is told."""

    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Names a proposal may not take, and names it may mention.

    `taken` are the names of the service's other tools, original and enriched; `services` the other
    services of the catalog; `spoken` the words of the service as a whole.
    """

    taken: frozenset[str] = field(default_factory=frozenset)
    siblings: frozenset[str] = field(default_factory=frozenset)
    services: frozenset[str] = field(default_factory=frozenset)
    spoken: Grounds = field(default_factory=lambda: Grounds(()))


def check(enrichment: Enrichment, evidence: Evidence, around: Surroundings) -> tuple[Fault, ...]:
    """Every rule that the enrichment breaks; none means that it may become a proposal."""
    return _faults(RULES, enrichment, evidence, around)


def check_by_hand(
    enrichment: Enrichment, evidence: Evidence, around: Surroundings
) -> tuple[Fault, ...]:
    """The same for what a person wrote, who may know what the evidence does not say."""
    return _faults(HAND_RULES, enrichment, evidence, around)


def misfits(enrichment: Enrichment, evidence: Evidence, around: Surroundings) -> tuple[Fault, ...]:
    """What of a live text no longer holds, now that its operation is what `evidence` says."""
    return _faults(FITTING_RULES, enrichment, evidence, around)


def _faults(
    names: Collection[str], enrichment: Enrichment, evidence: Evidence, around: Surroundings
) -> tuple[Fault, ...]:
    return tuple(
        Fault(name, message)
        for name, rule in _RULES.items()
        if name in names
        for message in rule(enrichment, evidence, around)
    )


def _texts(enrichment: Enrichment) -> list[str]:
    return [enrichment.name, enrichment.description, *enrichment.aliases, enrichment.not_for]


def _form(e: Enrichment, _: Evidence, __: Surroundings) -> Iterator[str]:
    if not _NAME.fullmatch(e.name) or len(e.name) > MAX_NAME:
        yield f"name {e.name!r}: not snake_case of two words or more, at most {MAX_NAME} letters"
    sentences = len(_SENTENCE_END.findall(e.description))
    if not 1 <= sentences <= 2 or not 20 <= len(e.description) <= MAX_DESCRIPTION:
        yield f"description: one or two sentences of 20 to {MAX_DESCRIPTION} letters in all"
    if not 3 <= len({alias.lower() for alias in e.aliases}) == len(e.aliases) <= 5:
        yield "aliases: three to five different ones"
    if any(not 3 <= len(alias) <= MAX_ALIAS for alias in e.aliases):
        yield f"aliases: 3 to {MAX_ALIAS} letters each"
    if len(e.not_for) > MAX_NOT_FOR:
        yield f"not_for: at most {MAX_NOT_FOR} letters"


def _own_name(e: Enrichment, evidence: Evidence, _: Surroundings) -> Iterator[str]:
    if _plain(e.name) == _plain(evidence.name):
        yield f"name {e.name!r} only repeats the original"


def _taken(e: Enrichment, _: Evidence, around: Surroundings) -> Iterator[str]:
    if _plain(e.name) in {_plain(name) for name in around.taken}:
        yield f"name {e.name!r} is taken by another tool of the service"


def _plain(name: str) -> str:
    return "".join(split_identifier(name))


def _identifiers(e: Enrichment, evidence: Evidence, around: Surroundings) -> Iterator[str]:
    known = {part.lower() for text in evidence.texts for part in _pieces(text)}
    known |= {name.lower() for name in around.siblings} | {e.name}
    for text in (e.description, *e.aliases, e.not_for):
        for found in IDENTIFIER.findall(text):
            if found.lower() not in known and found.lower() not in ("e.g", "i.e"):
                yield f"{found!r} is no parameter, field or name in the evidence"


def _pieces(text: str) -> list[str]:
    dotted = text.replace("[]", "")
    return [dotted, dotted.rpartition(".")[2], *re.findall(r"[\w.]+", dotted)]


def _cited(e: Enrichment, evidence: Evidence, _: Surroundings) -> Iterator[str]:
    if not e.grounds:
        yield "grounds: name at least one piece of evidence"
    haystack = "\n".join(evidence.texts).replace("[]", "").lower()
    for ground in e.grounds:
        cited = ground.evidence.replace("[]", "").strip(" `\"'").lower()
        if not cited or cited not in haystack:
            yield f"grounds: {ground.evidence!r} is not in the evidence"


def _named_fields(e: Enrichment, evidence: Evidence, _: Surroundings) -> Iterator[str]:
    """Cited parameters and fields only: words of the spec may change and the text still fits."""
    haystack = "\n".join(evidence.texts).replace("[]", "").lower()
    for ground in e.grounds:
        cited = ground.evidence.replace("[]", "").strip(" `\"'").lower()
        whole = rf"(?<!\w){re.escape(cited)}(?!\w)"
        if _FIELD.fullmatch(cited) and not re.search(whole, haystack):
            yield f"{ground.evidence!r} is gone"


_FIELD = re.compile(r"[\w.-]+")


def _nouns(e: Enrichment, evidence: Evidence, around: Surroundings) -> Iterator[str]:
    own = Grounds(evidence.texts)
    yield from _name_words(e.name, own, around.spoken)
    for label, text, most in (
        ("description", e.description, 0),
        ("aliases", " ".join(e.aliases), 2),
    ):
        foreign = things_without_ground(text, own)
        invented = [word for word in foreign if not around.spoken.carry(word)]
        if len(invented) > MAX_INVENTED + most or len(foreign) > MAX_FOREIGN + most:
            yield f"{label}: nothing in the evidence speaks of {', '.join(foreign)}"
    claimed = content_words(e.description)
    kept = sum(own.carry(word) for word in claimed)
    if kept < OWN_SHARE * len(claimed) and min(len(own), len(claimed)) >= _ENOUGH:
        yield "description: hardly a word of it is in the evidence"


def _name_words(name: str, own: Grounds, spoken: Grounds) -> Iterator[str]:
    """All words from the evidence; beside one that is, one may come from the service's other
    tools."""
    words = content_words(name)
    borrowed = [word for word in words if not own.carry(word)]
    if len(borrowed) == 1 and len(words) > 1 and spoken.carry(borrowed[0]):
        return
    for word in borrowed:
        yield f"name: nothing in the evidence speaks of {word!r}"


def _verb(e: Enrichment, evidence: Evidence, _: Surroundings) -> Iterator[str]:
    verb = verb_of(e.name)
    if not verb:
        yield "name: begin with a verb such as get, list, find, create, update, delete"
    original = verb_of(evidence.own_name)
    silent = evidence.read_only is None
    reads = evidence.read_only is True or (
        silent and original in READING and evidence.protocol != "rest"
    )
    writes = evidence.read_only is False or (silent and original in WRITING)
    if reads and verb in WRITING:
        yield f"name: {verb!r} would change something, and this operation only reads"
    if writes and verb in READING:
        yield f"name: {verb!r} only reads, and this operation changes something"
    if "DELETE" in evidence.wire[0].split()[:1] and verb in _MAKING:
        yield f"name: {verb!r} for a DELETE"


_MAKING = frozenset(
    "create add insert make register submit post place book schedule update set edit change modify "
    "adjust correct upload import save store issue hire enroll pay charge send notify email open "
    "start run approve accept confirm apply write record receive order request".split()
)


def _lists(e: Enrichment, evidence: Evidence, _: Surroundings) -> Iterator[str]:
    if verb_of(e.name) == "list" and evidence.returned and not evidence.returns_list:
        yield "name: 'list', but what comes back holds no list"


def _orders(e: Enrichment, _: Evidence, __: Surroundings) -> Iterator[str]:
    for text in _texts(e):
        found = wording.order_in(text.replace("_", " "))
        if found:
            yield f"{found!r} gives orders or boasts; say what the tool does"


def _clean(e: Enrichment, _: Evidence, __: Surroundings) -> Iterator[str]:
    for text in (e.name.replace("_", " "), e.description, *e.aliases, e.not_for):
        yield from wording.uncleanness(text)


def _language(e: Enrichment, _: Evidence, __: Surroundings) -> Iterator[str]:
    if not wording.is_english(e.description):
        yield "description: in English"


def _strangers(e: Enrichment, evidence: Evidence, around: Surroundings) -> Iterator[str]:
    own = {word for text in _structure(evidence) for word in split_identifier(text)}
    said = {word for text in _texts(e) for word in split_identifier(text)}
    for service in sorted(around.services):
        words = set(split_identifier(service))
        if words and words <= said and not words <= own and len(service) > 3:
            yield f"{service!r} is another service"


def _structure(evidence: Evidence) -> Iterator[str]:
    """What calls depend on, and so no place for a stranger to write what he likes."""
    yield from (evidence.name, *evidence.wire, *evidence.tags, evidence.service)
    yield from (fact.path for fact in (*evidence.given, *evidence.returned))


Rule = Callable[[Enrichment, Evidence, Surroundings], Iterator[str]]
_RULES: dict[str, Rule] = {
    "form": _form,
    "own-name": _own_name,
    "free-name": _taken,
    "known-identifiers": _identifiers,
    "cited-evidence": _cited,
    "grounded-nouns": _nouns,
    "verb-and-protocol": _verb,
    "lists": _lists,
    "no-orders": _orders,
    "clean-text": _clean,
    "english": _language,
    "other-services": _strangers,
    "named-fields": _named_fields,
}
FITTING_RULES = ("known-identifiers", "named-fields", "verb-and-protocol", "lists")
RULES = tuple(name for name in _RULES if name != "named-fields")
_FOR_WRITERS = ("own-name", "cited-evidence", "grounded-nouns")
HAND_RULES = tuple(name for name in RULES if name not in _FOR_WRITERS)
