"""A query widened by the synonyms that people named: more words to find by, never fewer tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from psycopg import Connection

from search.words import lexical
from store.index import lexemes, stems
from store.retrieval import tools_with_terms
from store.synonyms import Synonym, widenings

if TYPE_CHECKING:
    from search.question import Question
    from search.ranking import Ranked

WEIGHT = 0.6
"""What a synonym counts beside the word that was typed."""
LEARNT = 0.4
"""What a short form counts that the index learnt."""
LONGEST = 4
"""Words of a phrase that has synonyms."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A synonym that widened a query; `terms` are what it asks for, of `service_id` or of all."""

    key: str
    synonym: str
    terms: tuple[str, ...]
    service_id: int | None
    learnt: bool = False


@dataclass(frozen=True, slots=True)
class Widened:
    """Weights of further terms for each part: for all tools, and for those of one service.

    `aloud` holds what is embedded beside each part, `words` all typed words that have a synonym.
    """

    everywhere: tuple[dict[str, float], ...] = ()
    within: Mapping[int, tuple[dict[str, float], ...]] = field(default_factory=dict)
    taken: tuple[Taken, ...] = ()
    aloud: tuple[tuple[str, ...], ...] = ()
    words: frozenset[str] = frozenset()


NOT_WIDENED = Widened()


def keyed(conn: Connection, entries: Sequence[tuple[str, str, str]]) -> list[Synonym]:
    """(service, word, synonym) with the keys by which queries find them; words that search would
    not see, such as signs, give none."""
    worded = [lexical(word) for _, word, _ in entries]
    found = stems(conn, sorted({w for text in worded for w in text.split()}))
    keys = [_key(text.split(), found) for text in worded]
    return [
        Synonym(service, " ".join(word.split()), " ".join(synonym.split()), key)
        for (service, word, synonym), key in zip(entries, keys, strict=True)
        if key and len(key.split()) <= LONGEST and lexical(synonym)
    ]


def widen(
    conn: Connection,
    worded: Sequence[str],
    services: Sequence[int] | None,
    idf: Callable[[int], float],
) -> Widened:
    """What the synonyms of a query's words ask for besides; `worded` are its parts as words."""
    found = stems(conn, sorted({w for text in worded for w in text.split()}))
    phrases = [_phrases(text.split(), found) for text in worded]
    keys = sorted({key for said in phrases for key in said})
    known = widenings(conn, keys, services) if keys else []
    if not known:
        return Widened()
    counted = lexemes(conn, [lexical(entry.synonym) for entry in known])
    taken = [
        Taken(entry.key, entry.synonym, tuple(terms), entry.service_id, entry.learnt)
        for entry, terms in zip(known, counted, strict=True)
        if terms
    ]
    counts = tools_with_terms(conn, list({t for entry in taken for t in entry.terms}), services)
    within = {entry.service_id for entry in taken if entry.service_id is not None}
    return Widened(
        _weights(taken, phrases, counts, idf, None),
        {service: _weights(taken, phrases, counts, idf, service) for service in within},
        tuple(taken),
        tuple(_aloud(taken, said, services) for said in phrases),
        frozenset(word for entry in taken for said in phrases for word in said.get(entry.key, ())),
    )


def _aloud(
    taken: Sequence[Taken], said: Mapping[str, Sequence[str]], services: Sequence[int] | None
) -> tuple[str, ...]:
    """A service's own synonyms are embedded only where it alone is searched, and short forms
    nowhere: they say less than the word."""
    alone = list(services or ())
    named = (
        entry.synonym
        for entry in taken
        if entry.key in said
        and not entry.learnt
        and (entry.service_id is None or alone == [entry.service_id])
    )
    return tuple(dict.fromkeys(named))


def synonyms_met(question: Question, entry: Ranked) -> dict[str, list[str]]:
    """For each of the query's words the synonyms by which this hit was found."""
    met = set(entry.why.get("terms", ()))
    found: dict[str, list[str]] = {}
    for taken in question.widened.taken:
        if taken.service_id in (None, entry.candidate.service_id) and met & set(taken.terms):
            found.setdefault(taken.key, []).append(taken.synonym)
    return found


def _weights(
    taken: Sequence[Taken],
    phrases: Sequence[Mapping[str, Sequence[str]]],
    counts: Mapping[str, int],
    idf: Callable[[int], float],
    service: int | None,
) -> tuple[dict[str, float], ...]:
    """For each part; the words of a phrase share what one word would count."""
    parts: list[dict[str, float]] = []
    for said in phrases:
        weights: dict[str, float] = {}
        for entry in taken:
            if entry.key in said and entry.service_id == service:
                for term in (term for term in entry.terms if term in counts):
                    weight = (LEARNT if entry.learnt else WEIGHT) * idf(counts[term])
                    weight /= len(entry.terms)
                    weights[term] = max(weight, weights.get(term, 0.0))
        parts.append(weights)
    return tuple(parts)


def _phrases(words: Sequence[str], found: Mapping[str, str]) -> dict[str, Sequence[str]]:
    """Every run of words that could have a synonym, by its key."""
    ends = ((i, j) for i in range(len(words)) for j in range(i + 1, i + 1 + LONGEST))
    return {_key(words[i:j], found): words[i:j] for i, j in ends if j <= len(words)}


def _key(words: Sequence[str], found: Mapping[str, str]) -> str:
    return " ".join(found.get(word, word) for word in words)
