"""The writer that needs no model: names, parameters and response shape put into words.

Deterministic, plain, and labelled as what it is (`provider = "shapes"`): it makes air-gapped sites
work, and it is the least that a model has to beat.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from catalog.abbreviations import expanded
from catalog.enrichment import Enrichment, Ground
from catalog.words import split_identifier
from enrichment.evidence import Evidence, Fact
from enrichment.lookalikes import telling
from enrichment.vocabulary import GENERAL, READING, content_words, same_words, verb_of

PROVIDER = "shapes"
_SAYS = {"get": "Returns", "list": "Lists", "search": "Finds", "find": "Finds", "check": "Checks"}


def write(
    tool: Evidence, weights: Mapping[str, float], taken: Iterable[str] = ()
) -> Enrichment | None:
    """A draft from the evidence alone; None when there is nothing to say beyond the name."""
    verb = _verb(tool)
    fields = telling(_subject(tool), weights, 6)
    words = _topic(tool, fields, weights)
    if not words:
        return None
    name = _distinct_name(verb, words, tool, frozenset(taken))
    if name is None:
        return None
    return Enrichment(
        name=name,
        description=_description(tool, verb, words, fields),
        aliases=_aliases(verb, words, tool),
        grounds=tuple(Ground(_spoken(fact.name), fact.path) for fact in fields[:4])
        or (Ground(" ".join(words), tool.name),),
    )


def _verb(tool: Evidence) -> str:
    verb = verb_of(tool.name)
    if verb == "get" and tool.returns_list and len({f.path for f in tool.returned}) > 1:
        only = [fact for fact in tool.returned if "." not in fact.path]
        verb = "list" if len(only) == 1 and only[0].path.endswith("[]") else verb
    if verb:
        return verb
    if tool.read_only is not None:
        return "get" if tool.read_only else "update"
    return "get" if tool.returned else "submit"


def _subject(tool: Evidence) -> tuple[Fact, ...]:
    """What the tool is about: what it returns when it reads, else what it is given."""
    reads = verb_of(tool.name) in READING or tool.read_only is True
    return tool.returned if (reads or not tool.given) and tool.returned else tool.given


def _topic(tool: Evidence, fields: Sequence[Fact], weights: Mapping[str, float]) -> list[str]:
    """Two or three words, those that the telling fields repeat and few other tools have."""
    score: dict[str, float] = defaultdict(float)
    for fact in fields:
        weight = weights.get(fact.name, 1.0) / (1 + fact.path.count("."))
        for word in _content(fact.name):
            score[word] += weight
    for word in _content(f"{tool.name} {tool.summary}"):
        score[word] += 1.0
    return sorted(score, key=lambda word: (-score[word], word))[:3]


def _content(text: str) -> list[str]:
    whole = " ".join(expanded(word) for word in split_identifier(text))
    return [word for word in content_words(whole) if word not in GENERAL]


def _distinct_name(
    verb: str, words: Sequence[str], tool: Evidence, taken: frozenset[str]
) -> str | None:
    given = [word for fact in tool.given for word in _content(fact.name)]
    extra = [word for word in given if word not in words]
    for parts in (words[:2], words[:3], [*words, "by", *extra[:1]], [*words, "by", *extra[:2]]):
        name = "_".join([verb, *parts]).removesuffix("_by")
        if name not in taken and split_identifier(name) != split_identifier(tool.name):
            return name
    return None


def _description(tool: Evidence, verb: str, words: Sequence[str], fields: Sequence[Fact]) -> str:
    topic = " ".join(words[:2])
    what = _listed([_spoken(fact.name) for fact in fields[:5]]) or topic
    by = [_spoken(fact.name) for fact in tool.given if fact.required][:2]
    source = f" for a given {_listed(by)}" if by and verb in READING else ""
    says = _SAYS.get(verb, verb.capitalize() + ("s" if not verb.endswith("s") else ""))
    first = f"{says} {what}{source}."
    if verb not in READING:
        first = f"{verb.capitalize()} {topic}: takes {what}."
    return f"{first} Use it when {topic} is asked for."


def _spoken(identifier: str) -> str:
    return " ".join(expanded(word) for word in split_identifier(identifier))


def _listed(parts: Sequence[str]) -> str:
    parts = list(dict.fromkeys(part for part in parts if part))
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _aliases(verb: str, words: Sequence[str], tool: Evidence) -> tuple[str, ...]:
    topic = " ".join(words[:2])
    given = next((_spoken(fact.name) for fact in tool.given if fact.required), "")
    found = [f"{verb} {topic}", f"{' '.join(words)} information", f"look up {topic}"]
    found += [f"{topic} by {given}"] if given else []
    found += [f"{other} {' '.join(words[1:2])}".strip() for other in same_words(words[0])[:2]]
    found += [f"show {topic}", f"{topic} overview"]
    return tuple(list(dict.fromkeys(found))[:4])
