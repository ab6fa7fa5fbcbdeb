"""Identifiers as English phrases, and the thing that a tool is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from catalog.abbreviations import is_ambiguous, written_out
from catalog.words import split_identifier
from enrichment.evidence import Evidence, Fact
from enrichment.vocabulary import READING, WRITING

_KEYS = frozenset("identifier number code key uuid reference sku ean ref".split())
_WRAPPERS = frozenset(
    "res result results row rows item items data entry entries list records record response "
    "output out return content contents payload body value values object element elements info "
    "information details header set collection arr array page".split()
)
_TECHNICAL = frozenset(
    "page size token next previous cursor limit offset more etag link links self href version "
    "locale option options flag has count total idempotency key request trace sort order by "
    "pageable first last empty".split()
)
_WEAK = frozenset(
    "name type kind date time text description title status value day days percent quantity amount"
    " number total count level unit".split()
)
_A_SENTENCE = 6
_PREPOSITIONS = frozenset("of by for from to in on at with per and or until since as".split())


def spoken(identifier: str) -> str:
    """`percentPicked` → percent picked; short forms in full, numbers at the end left out."""
    words = [written_out(word) for word in split_identifier(identifier)]
    while words and words[-1].isdigit():
        words.pop()
    return " ".join(words)


def named(fact: Fact) -> str:
    """What a field is called: `fr`, a date → from date."""
    phrase = spoken(fact.name)
    alone = phrase in _PREPOSITIONS or phrase == "fr"
    if alone and fact.type.startswith("date"):
        return {"fr": "from"}.get(phrase, phrase) + " date"
    return "" if alone else phrase


def listed(parts: Sequence[str], last: str = "and") -> str:
    kept = list(dict.fromkeys(part for part in parts if part))
    return f" {last} ".join(filter(None, [", ".join(kept[:-1]), *kept[-1:]]))


def plural(phrase: str) -> str:
    head, _, word = phrase.rpartition(" ")
    if word.endswith("s") and not word.endswith(("ss", "us")):
        return phrase
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        word = word[:-1] + "ies"
    else:
        word += "es" if word.endswith(("s", "x", "ch", "sh")) else "s"
    return f"{head} {word}".strip()


def singular(phrase: str) -> str:
    if phrase.endswith("ies") and len(phrase) > 5:
        return phrase[:-3] + "y"
    if phrase.endswith(("sses", "shes", "ches", "xes")):
        return phrase[:-2]
    return phrase[:-1] if phrase.endswith("s") and not phrase.endswith(("ss", "us")) else phrase


def article(phrase: str) -> str:
    return f"{'an' if phrase[:1] in 'aeiou' else 'a'} {phrase}"


def is_word(word: str) -> bool:
    """Whether it can stand in a sentence: not one of the short forms that nobody can read."""
    voiced = any(letter in "aeiouy" for letter in word)
    return len(word) > 2 and voiced and not is_ambiguous(word)


def readable(phrase: str) -> bool:
    return bool(phrase) and all(is_word(w) or w in _PREPOSITIONS for w in phrase.split())


def is_key(fact: Fact) -> bool:
    words = spoken(fact.name).split()
    return bool(words) and words[-1] in _KEYS


def thing_of(fact: Fact) -> str:
    """What a key identifies: `custId` → customer; "" when the name says only that it is a key."""
    words = spoken(fact.name).split()
    while words and (words[-1] in _KEYS or words[-1] in _PREPOSITIONS):
        words.pop()
    phrase = " ".join(words)
    return phrase if readable(phrase) else ""


def leaves(facts: Sequence[Fact]) -> list[Fact]:
    """Facts that hold a value of their own and say something: no containers, no paging."""
    holders = {fact.path.rpartition(".")[0].removesuffix("[]") for fact in facts}
    return [
        fact
        for fact in facts
        if fact.path.removesuffix("[]") not in holders
        and not set(spoken(fact.name).split()) <= _TECHNICAL
    ]


@dataclass(frozen=True, slots=True)
class Topic:
    """`owner` is what the tool is asked with ("customer"), `subject` what comes of it ("order");
    `fields` tell it from others, the strongest first."""

    owner: str
    subject: str
    many: bool
    fields: tuple[Fact, ...]

    @property
    def phrase(self) -> str:
        said = self.subject.split()
        owner = [word for word in self.owner.split() if word not in said]
        return " ".join([*owner, *said])


def speaks_for_itself(tool: Evidence) -> bool:
    """Whether the spec says in a sentence what the operation does, or in words what it is called
    and a little beside."""
    said = [w for w in split_identifier(f"{tool.summary} {tool.description}") if is_word(w)]
    return len(said) >= _A_SENTENCE or (bool(_named(tool, whole=True)) and len(said) > 2)


def topic(tool: Evidence, reads: bool, weights: Mapping[str, float]) -> Topic:
    given, returned = leaves(tool.given), leaves(tool.returned)
    keys = [fact for fact in given if is_key(fact) and thing_of(fact)]
    owner = singular(thing_of(keys[0])) if keys else ""
    asked = {fact.name.lower() for fact in given}
    new = [fact for fact in returned if fact.name.lower() not in asked]
    inputs = [fact for fact in given if fact not in keys]
    fields = new or returned if reads else [*inputs, *new]
    ranked = _strongest(fields, weights)
    many = tool.returns_list or any("[]" in fact.path for fact in tool.returned)
    subject = (
        _named(tool, whole=True)
        or _container(tool, reads)
        or _repeated(fields, owner, 3)
        or _identified(fields, owner)
        or _named(tool, whole=False)
        or _repeated(fields, owner, 2)
        or _strong_word(ranked)
    )
    return Topic(owner, subject, many, tuple(ranked))


def _strongest(fields: Sequence[Fact], weights: Mapping[str, float]) -> list[Fact]:
    def strength(fact: Fact) -> float:
        words = spoken(fact.name).split()
        weak = all(word in _WEAK | _KEYS for word in words)
        dull = is_key(fact) or words[-1:] in (["at"], ["on"], ["value"], ["unit"])
        told = weights.get(fact.name, 1.0) / (1 + 0.3 * fact.path.count("."))
        return told / (3 if weak else 2 if dull else 1)

    order = {id(fact): at for at, fact in enumerate(fields)}
    return sorted(fields, key=lambda fact: (-strength(fact), order[id(fact)]))


def _container(tool: Evidence, reads: bool) -> str:
    """The list or object that the answer consists of, where its name says what it is."""
    held = {id(fact) for fact in leaves(tool.returned)}
    tops = [
        fact
        for fact in tool.returned
        if "." not in fact.path and (id(fact) not in held or fact.path.endswith("[]"))
    ]
    if not reads or len({fact.path for fact in tops}) > 2:
        return ""
    for fact in tops:
        phrase = spoken(fact.name)
        if readable(phrase) and not set(phrase.split()) <= _WRAPPERS | _TECHNICAL:
            return singular(phrase) if fact.path.endswith("[]") else phrase
    return ""


def _identified(fields: Sequence[Fact], owner: str) -> str:
    """What the first key among the fields identifies: `orderNo` → order."""
    for fact in fields:
        thing = thing_of(fact) if is_key(fact) else ""
        if thing and thing != owner and not set(thing.split()) <= (_WRAPPERS - {"return"}) | _WEAK:
            return singular(thing)
    return ""


def _named(tool: Evidence, whole: bool) -> str:
    """What the operation's own name says, where it is made of words; short forms count unless
    `whole`."""
    raw = [word for word in split_identifier(tool.own_name) if not word.isdigit()]
    if whole and any(written_out(word) != word for word in raw):
        return ""
    words = raw if whole else [written_out(word) for word in raw]
    acting = READING | WRITING
    if any(not is_word(w) and w not in acting | _PREPOSITIONS for w in words):
        return ""
    if whole and len(words) != len(split_identifier(tool.own_name)):
        return ""
    things = [w for w in words if w not in acting | _WRAPPERS | _PREPOSITIONS]
    return singular(" ".join(things[:3])) if things and (len(words) > 1 or not whole) else ""


def _strong_word(ranked: Sequence[Fact]) -> str:
    """What the most telling field speaks of: `surveyDate` → survey."""
    words = spoken(ranked[0].name).split() if ranked else []
    kept = [w for w in words if w not in _WEAK | _KEYS | _TECHNICAL | _PREPOSITIONS]
    return singular(" ".join(kept)) if readable(" ".join(kept)) else ""


def _repeated(fields: Sequence[Fact], owner: str, times: int) -> str:
    """The word that most fields share."""
    words = Counter(
        word
        for fact in fields
        for word in dict.fromkeys(spoken(fact.name).split())
        if is_word(word) and word not in _WEAK | _KEYS | _TECHNICAL | _PREPOSITIONS
    )
    words.pop(owner, None)
    common = words.most_common(1)
    return common[0][0] if common and common[0][1] >= times else ""
