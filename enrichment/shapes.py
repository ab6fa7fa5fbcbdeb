"""The writer that needs no model: names, parameters and response shape put into words.

Deterministic, plain, and labelled as what it is (`provider = "shapes"`): it makes air-gapped sites
work, and it is the least that a model has to beat. It quotes no sentence of the spec.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from catalog.enrichment import Enrichment, Ground
from catalog.words import split_identifier
from enrichment.evidence import Evidence, Fact
from enrichment.phrases import (
    Topic,
    article,
    is_key,
    leaves,
    listed,
    named,
    plural,
    readable,
    spoken,
    topic,
)
from enrichment.vocabulary import (
    READING,
    WRITING,
    content_words,
    same_words,
    verb_of,
)

PROVIDER = "shapes"
_MOST_FIELDS = 7
_MAX_ALIAS = 60
_SAYS = {
    "get": "Returns", "list": "Lists", "search": "Finds", "find": "Finds", "check": "Checks",
    "set": "Sets", "put": "Puts",
}  # fmt: skip


def write(
    tool: Evidence,
    weights: Mapping[str, float],
    taken: Iterable[str] = (),
    beside: Sequence[Evidence] = (),
) -> Enrichment | None:
    """A draft from the evidence alone; None when there is nothing to say beyond the name.

    `beside` are its look-alikes, whose subjects it is not for.
    """
    verb = _verb(tool)
    about = topic(tool, _reads(tool, verb), weights)
    fields = [fact for fact in about.fields if readable(named(fact))][:_MOST_FIELDS]
    if not about.phrase and not fields:
        return None
    name = _name(verb, about, fields, tool, frozenset(taken))
    if name is None:
        return None
    return Enrichment(
        name=name,
        description=_description(verb, about, fields, tool),
        aliases=_aliases(verb, about, fields, tool),
        not_for=_not_for(about, beside, weights),
        grounds=tuple(_grounds(tool, about, fields)),
    )


def _reads(tool: Evidence, verb: str) -> bool:
    return tool.read_only is True or (tool.read_only is None and verb in READING)


def _verb(tool: Evidence) -> str:
    verb = verb_of(tool.own_name)
    if tool.read_only is True and verb in WRITING:
        verb = "get"
    posted = tool.read_only is None and tool.protocol == "rest"
    if verb in ("get", "", "query") and tool.read_only is not False and not posted:
        top = {fact.path.partition(".")[0] for fact in tool.returned}
        if tool.returned and any(path.endswith("[]") for path in top):
            return "list"
    if verb:
        return verb
    if tool.wire[0].startswith("DELETE "):
        return "delete"
    if tool.read_only is not None:
        return "get" if tool.read_only else "update"
    return "get" if tool.returned and not posted else "submit"


def _name(
    verb: str, about: Topic, fields: Sequence[Fact], tool: Evidence, taken: frozenset[str]
) -> str | None:
    """The shortest name that is free: verb and topic, then with one or two telling fields."""
    words = about.phrase.split()[-4:]
    if about.many and words and verb == "list":
        words = plural(" ".join(words)).split()
    telling = [named(fact).split() for fact in fields]
    given = [named(fact).split() for fact in leaves(tool.given)]
    wanted = [words] if words else []
    wanted += [[*words, "with" if words else "", *more[:3]] for more in telling]
    wanted += [[*words, "by", *more[:3]] for more in given]
    names = ("_".join(dict.fromkeys([verb, *filter(None, parts)])) for parts in wanted)
    return next((name for name in names if _is_free(name, tool, taken)), None)


def _is_free(name: str, tool: Evidence, taken: frozenset[str]) -> bool:
    words = split_identifier(name)
    repeats = "".join(words) == "".join(split_identifier(tool.name))
    fits = len(name) <= 64 and len(words) > 1 and bool(content_words(name))
    return fits and not repeats and name not in taken


def _description(verb: str, about: Topic, fields: Sequence[Fact], tool: Evidence) -> str:
    what = about.phrase or "data"
    subject = plural(what) if about.many and verb in ("list", "search", "find") else what
    says = _SAYS.get(verb) or _third_person(verb)
    parts = [_with_values(fact) for fact in fields]
    first = f"{says} {subject}" + (f" with {listed(parts)}" if parts else "")
    asked = [named(fact) for fact in leaves(tool.given) if not is_key(fact)]
    by = listed([phrase for phrase in asked if readable(phrase)][:2], "or")
    why = listed([named(fact) for fact in fields[:2]], "or") or what
    if not _reads(tool, verb):
        return f"{_cut(first, 300)}. Use it to {verb} {article(what)}."
    whose = f" of {article(about.owner)}" if about.owner and about.owner not in why else ""
    known = f" by {by}" if by else ""
    return f"{_cut(first, 270)}. Use it to look up the {why}{whose}{known}."


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1].capitalize() + "ies"
    return verb.capitalize() + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s")


def _with_values(fact: Fact) -> str:
    """A field with the values it can take, where they are words."""
    shown = [spoken(value) for value in fact.values if value.isascii()]
    words = [value for value in shown if readable(value) and "unspecified" not in value][:6]
    return named(fact) + (f" ({listed(words, 'or')})" if len(words) > 1 else "")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rpartition(",")[0] or text[:most]


def _aliases(verb: str, about: Topic, fields: Sequence[Fact], tool: Evidence) -> tuple[str, ...]:
    found = [phrase for phrase in _ways(verb, about, fields, tool) if 3 <= len(phrase) < _MAX_ALIAS]
    padded = [*found, f"look up {about.phrase}".strip(), f"{about.phrase} overview".strip()]
    return tuple(list(dict.fromkeys(padded))[:5])


def _ways(verb: str, about: Topic, fields: Sequence[Fact], tool: Evidence) -> Iterator[str]:
    """Ways to ask, the likeliest first: by topic, by telling field, in other words."""
    what = about.phrase
    names = [named(fact) for fact in fields]
    if what:
        yield what if verb in READING else f"{verb} {what}"
    yield listed(names[:2])
    for word in what.split():
        for other in same_words(word)[:1]:
            if other not in what:
                yield what.replace(word, other)
    yield listed(names[2:4])
    if names and about.owner:
        yield f"{names[0]} of {article(about.owner)}"


def _not_for(about: Topic, beside: Sequence[Evidence], weights: Mapping[str, float]) -> str:
    others = [topic(other, _reads(other, _verb(other)), weights).phrase for other in beside]
    return _cut(
        listed([phrase for phrase in others if phrase and phrase != about.phrase], "or"), 180
    )


def _grounds(tool: Evidence, about: Topic, fields: Sequence[Fact]) -> Iterator[Ground]:
    for fact in fields[:4]:
        yield Ground(named(fact), fact.path)
    if not fields:
        yield Ground(about.phrase, tool.name)
