"""A query as the lexical side asks it: weighted terms for the whole and for each part."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from psycopg import Connection

from search.abbreviations import READINGS
from search.intents import Request
from search.spelling import nearest_words
from search.synonyms import NOT_WIDENED, Widened, widen
from search.words import lexical
from store.index import lexemes, stems
from store.retrieval import indexed_tools, similar_words, tools_with_terms

_COMMON = 0.1
"""Terms in more than this share of the tools are not scanned while rarer ones are there."""

_READING_WEIGHT = 0.6
_GUESS_WEIGHT = 0.7
_MIN_GUESSED = 5
_MAX_GUESSED = 8
_SIMILAR_LIMIT = 2000


@dataclass(frozen=True, slots=True)
class Question:
    """Terms by weight: how telling each is among the tools searched (IDF), less for guesses.

    `parts[0]` is the whole request. `asked` is what each part would weigh if every word of it were
    known. `query` is as typed. `guesses` maps words that no tool knows to what was taken
    instead.
    """

    query: str
    texts: tuple[str, ...]
    parts: tuple[dict[str, float], ...]
    asked: tuple[float, ...]
    tools: int
    guesses: dict[str, str]
    widened: Widened = NOT_WIDENED

    def scanned(self) -> list[dict[str, float]]:
        """The parts without the terms that nearly every tool has, where others are left."""
        limit = _idf(self.tools, int(self.tools * _COMMON))
        return [{t: w for t, w in part.items() if w >= limit} or part for part in self.parts]

    @property
    def terms(self) -> list[str]:
        own = (part for parts in self.widened.within.values() for part in parts)
        return list({term for part in (*self.parts, *own) for term in part})

    def asked_of(self, service_id: int) -> tuple[dict[str, float], ...]:
        """The parts with what this service's own synonyms ask for besides."""
        own = self.widened.within.get(service_id)
        if own is None:
            return self.parts
        return tuple({**more, **part} for part, more in zip(self.parts, own, strict=True))

    @property
    def spoken(self) -> tuple[str, ...]:
        """The texts as they are embedded."""
        more = self.widened.aloud or ((),) * len(self.texts)
        return tuple(
            f"{text} ({', '.join(said)})" if said else text
            for text, said in zip(self.texts, more, strict=True)
        )


def ask(conn: Connection, request: Request, services: Sequence[int] | None) -> Question:
    texts = (request.whole, *request.parts)
    worded = [lexical(text) for text in texts]
    found = lexemes(conn, worded)
    tools = indexed_tools(conn, services)
    counts = tools_with_terms(conn, list({t for terms in found for t in terms}), services)
    extra = _readings(conn, worded[0], services)
    widened = widen(conn, worded, services, partial(_idf, tools))
    guesses = {} if counts.keys() >= found[0].keys() else _guesses(conn, worded[0], counts)
    guesses = {word: near for word, near in guesses.items() if word not in widened.words}
    if guesses:
        counts |= tools_with_terms(conn, [term for _, term in guesses.values()], services)
    parts = tuple(
        _weights(terms, words.split(), counts, tools, extra, guesses)
        for terms, words in zip(found, worded, strict=True)
    )
    if widened.everywhere:
        both = zip(parts, widened.everywhere, strict=True)
        parts = tuple({**more, **part} for part, more in both)
    asked = tuple(sum(_idf(tools, counts.get(t, 0)) for t in terms) for terms in found)
    return Question(
        request.query,
        texts,
        parts,
        asked,
        tools,
        {w: word for w, (word, _) in guesses.items()},
        widened,
    )


def _weights(
    terms: Mapping[str, int],
    words: Sequence[str],
    counts: Mapping[str, int],
    tools: int,
    extra: Mapping[str, tuple[str, float]],
    guesses: Mapping[str, tuple[str, str]],
) -> dict[str, float]:
    weights = {term: _idf(tools, counts[term]) for term in terms if term in counts}
    for word in words:
        if word in guesses:
            term = guesses[word][1]
            weights.setdefault(term, _GUESS_WEIGHT * _idf(tools, counts.get(term, 0)))
    for short, (term, weight) in extra.items():
        if short.partition(" ")[0] in words:
            weights.setdefault(term, weight)
    return weights


def _idf(tools: int, having: int) -> float:
    return math.log(1 + (max(tools, having) - having + 0.5) / (having + 0.5))


def _readings(
    conn: Connection, words: str, services: Sequence[int] | None
) -> dict[str, tuple[str, float]]:
    """Short forms in the query: `acct` also asks for tools that write `account` in full."""
    full = {f"{w} {long}": long for w in words.split() for long in READINGS.get(w, ())}
    if not full:
        return {}
    terms = stems(conn, list(set(full.values())))
    counts = tools_with_terms(conn, list(terms.values()), services)
    tools = indexed_tools(conn, services)
    return {
        key: (terms[long], _READING_WEIGHT * _idf(tools, counts[terms[long]]))
        for key, long in full.items()
        if long in terms and terms[long] in counts
    }


def _guesses(conn: Connection, words: str, counts: Mapping[str, int]) -> dict[str, tuple[str, str]]:
    """For words that no tool has: the word most alike, with its lexeme."""
    typed = [w for w in dict.fromkeys(words.split()) if w.isalpha() and len(w) >= _MIN_GUESSED]
    lexeme = stems(conn, typed) if typed else {}
    found: dict[str, tuple[str, str]] = {}
    for word in [w for w in typed if w in lexeme and lexeme[w] not in counts][:_MAX_GUESSED]:
        slack = 1 if len(word) < 8 else 2
        known = dict(similar_words(conn, word, slack, _SIMILAR_LIMIT))
        near = nearest_words(word, known, slack)
        if near:
            found[word] = (near[0], known[near[0]])
    return found
