"""Short forms that the identifiers of a service are made of, learnt from its own texts.

`getWhseStk` beside "Stock of a warehouse" in several operations says that whse is a warehouse: an
identifier's word that no prose uses, spelt with letters of a word that the prose beside it does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from psycopg import Connection

from search.abbreviations import READINGS
from search.fields import FIELDS
from search.intents import VERBS
from search.synonyms import keyed
from store.short_forms import indexed_terms, spellings
from store.synonyms import replace_learnt

SEEN_IN = 2
"""Operations that must have both, the short form and the word."""
AHEAD = 2
"""How many times as often as the next word that it could stand for."""

_SHORTEST, _LONGEST = 3, 6
_LEFT_OUT = 2
"""Letters that a short form saves at least."""
_USED_IN_PROSE = 0.1
_PROSE = frozenset(("summary", "description"))
_IDENTIFIERS = frozenset(("name", "path", "parameters", "response"))
_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class Told:
    """The words of one operation: those of its identifiers, and those of its prose."""

    identifiers: frozenset[str]
    prose: frozenset[str]


def learn(conn: Connection, service_id: int, service: str) -> int:
    """Replaces what was learnt from the service before; how many short forms there are now."""
    words = spellings(conn, service_id)
    rows = (_told(fields, live, words) for fields, live in indexed_terms(conn, service_id))
    found = short_forms(list(rows))
    entries = keyed(conn, [(service, word, short) for short, word in sorted(found.items())])
    replace_learnt(conn, service, entries)
    return len(entries)


def short_forms(told: Sequence[Told]) -> dict[str, str]:
    """The word that each short form stands for; ambiguous ones are left out."""
    named = Counter(word for one in told for word in one.identifiers if _may_be_short(word))
    said = Counter(word for one in told for word in one.prose)
    shorts = {w for w, n in named.items() if n >= SEEN_IN and said[w] <= _USED_IN_PROSE * n}
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for one in told:
        for short in one.identifiers & shorts:
            beside[short].update(word for word in one.prose if shortens(short, word))
    return {short: word for short, counts in beside.items() for word in _clear(counts)}


def shortens(short: str, word: str) -> bool:
    """Whether the word's letters in order give the short form: its beginning up to a consonant, or
    its first letter and no vowel after it but at the end."""
    if len(word) < len(short) + _LEFT_OUT or word[0] != short[0]:
        return False
    if word.startswith(short):
        return short[-1] not in _VOWELS
    letters = iter(word)
    bare = short if len(short) == _SHORTEST else short[1:-1]
    return _VOWELS.isdisjoint(bare) and all(letter in letters for letter in short)


def _may_be_short(word: str) -> bool:
    told = word in READINGS or word in VERBS
    return _SHORTEST <= len(word) <= _LONGEST and word.isalpha() and not told


def _clear(counts: Counter[str]) -> Iterator[str]:
    (word, most), (_, next_most) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    if most >= max(SEEN_IN, AHEAD * next_most):
        yield word


def _told(fields: list[str], live: list[str] | None, words: Mapping[str, str]) -> Told:
    kinds: dict[bool, set[str]] = {True: set(), False: set()}
    for field, text in zip(FIELDS, fields, strict=False):
        if field.name in _PROSE | _IDENTIFIERS:
            kinds[field.name in _PROSE].update(text.split())
    kinds[True].update(term for text in live or () for term in text.split())
    spelt = [frozenset(words.get(t, t) for t in kinds[prose]) for prose in (False, True)]
    return Told(*spelt)
