"""What is known of a candidate beside both scores: where the words meet, names, verbs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from catalog.words import split_identifier
from search.fields import FIELDS
from search.pool import Pool
from search.question import Question
from store.retrieval import Candidate

if TYPE_CHECKING:
    from search.encoder import Vectors

_POSITION = {field.name: n for n, field in enumerate(FIELDS)}
_BEST = 2.2  # K1 + 1: what a term can weigh at most
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")

PART_FEATURES = (
    "lexical",
    "lexical_spread",
    "lexical_rank",
    "coverage",
    "cosine",
    "cosine_spread",
    "cosine_rank",
    "name_coverage",
    "name_precision",
    "summary_precision",
    "description_coverage",
    "parameter_coverage",
    "response_coverage",
    "scope_coverage",
    "both_spread",
)
"""For the whole request and for each part; 0 to 1."""

TOOL_FEATURES = ("same_name", "same_verb", "other_verb", "brevity", "depth", "arguments")
"""For the tool, whatever the part."""


@dataclass(frozen=True, slots=True)
class _Fields:
    """The lexemes of a candidate, original and enriched together."""

    title: frozenset[str]
    name: frozenset[str]
    summary: frozenset[str]
    description: frozenset[str]
    parameters: frozenset[str]
    response: frozenset[str]
    scope: frozenset[str]


def features(question: Question, pool: Pool) -> tuple[Vectors, Vectors]:
    """(parts x candidates x PART_FEATURES, candidates x TOOL_FEATURES)"""
    import numpy as np

    fields = [_fields(tool) for tool in pool.candidates]
    parts = np.stack(
        [_part_features(question, pool, fields, n) for n in range(len(question.parts))]
    )
    verbs = [_verb(text) for text in question.texts]
    tools = np.array(
        [_tool_features(question, tool, verbs) for tool in pool.candidates], dtype=np.float32
    )
    return parts, tools


def _part_features(question: Question, pool: Pool, fields: Sequence[_Fields], part: int) -> Vectors:
    import numpy as np

    weights = question.parts[part]
    total = sum(weights.values()) or 1.0
    lexical = pool.lexical[part]
    cosine = np.zeros_like(lexical) if pool.cosine is None else pool.cosine[part]
    lexical_spread, cosine_spread = _spread(lexical), _spread(cosine)
    met = np.array([_meetings(weights, total, entry) for entry in fields], dtype=np.float32)
    return np.column_stack(
        [
            lexical / (total * _BEST),
            lexical_spread,
            _reciprocal(lexical),
            met[:, 0],
            cosine,
            cosine_spread,
            _reciprocal(cosine),
            met[:, 1:],
            lexical_spread * cosine_spread,
        ]
    ).astype(np.float32)


def _meetings(weights: Mapping[str, float], total: float, entry: _Fields) -> list[float]:
    def share(terms: frozenset[str]) -> float:
        return sum(weight for term, weight in weights.items() if term in terms) / total

    everything = entry.title | entry.description | entry.parameters | entry.response | entry.scope
    return [
        share(everything),
        share(entry.title),
        _precision(weights, entry.name),
        _precision(weights, entry.summary),
        share(entry.description),
        share(entry.parameters),
        share(entry.response),
        share(entry.scope),
    ]


def _precision(weights: Mapping[str, float], terms: frozenset[str]) -> float:
    return sum(term in weights for term in terms) / len(terms) if terms else 0.0


def _fields(tool: Candidate) -> _Fields:
    held = [frozenset(text.split()) for text in tool.terms]
    own = {name: held[at] for name, at in _POSITION.items()}
    live = [frozenset(text.split()) for text in tool.enriched_terms or ("", "", "")]
    name = own["name"] | own["path"] | live[0]
    return _Fields(
        title=name | own["summary"] | live[2],
        name=name,
        summary=own["summary"],
        description=own["description"] | live[1],
        parameters=own["parameters"],
        response=own["response"],
        scope=own["scope"],
    )


def _spread(scores: Vectors) -> Vectors:
    """Between 0, the least of the candidates, and 1, the best."""
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / max(high - low, 1e-6)


def _reciprocal(scores: Vectors) -> Vectors:
    """1 for the first, 1/2 for the second …"""
    import numpy as np

    places = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
    return (1.0 / (places + 1.0)).astype(np.float32)


def _tool_features(question: Question, tool: Candidate, verbs: Sequence[str | None]) -> list[float]:
    wanted = {verb for verb in (verbs[1:] or verbs) if verb}
    does = _tool_verb(tool)
    return [
        float(same_name(question.texts[0], tool)),
        float(does in wanted),
        float(bool(wanted) and does is not None and does not in wanted),
        1.0 / (1.0 + len(split_identifier(tool.name))),
        min(tool.wire.count("/"), 6) / 6,
        min(len(_PLACEHOLDER.findall(tool.wire)), 3) / 3,
    ]


def same_name(query: str, tool: Candidate) -> bool:
    """Whether the query is the name, id, path or wire name of the tool in whatever spelling."""
    asked = _bare(query)
    if not asked:
        return False
    names = (tool.name, f"{tool.service}/{tool.name}", tool.wire, f"{tool.method} {tool.wire}")
    return asked in {_bare(name) for name in names} or (
        tool.protocol == "grpc" and asked == _bare(tool.wire.rpartition("/")[2])
    )


def _bare(text: str) -> str:
    """Letters and digits, slashes where there is a path, any placeholder as `{}`."""
    kept = "".join(split_identifier(_PLACEHOLDER.sub(" ", text)))
    shape = "/" * text.strip("/ ").count("/") if "/" in text else ""
    return f"{kept}{shape}{'{}' * len(_PLACEHOLDER.findall(text))}" if kept else ""


_VERBS = {
    "read": "get read retrieve fetch show view display find search list query lookup check see "
    "obtain access what who where when which how describe inspect look tell return browse count",
    "create": "create add new register submit post insert make open book order schedule "
    "place generate upload send invite issue start initiate publish",
    "update": "update change modify edit set rename adjust put patch replace configure assign "
    "move reschedule mark upd",
    "delete": "delete remove cancel drop clear revoke unsubscribe archive close terminate del",
}
_CLASS = {verb: kind for kind, verbs in _VERBS.items() for verb in verbs.split()}
_METHODS = {"GET": "read", "PUT": "update", "PATCH": "update", "DELETE": "delete"}


def _verb(text: str) -> str | None:
    """The kind of thing asked for: the first word of the text that says one."""
    for word in split_identifier(text)[:6]:
        if word in _CLASS:
            return _CLASS[word]
    return None


def _tool_verb(tool: Candidate) -> str | None:
    named = _CLASS.get((split_identifier(tool.name) or [""])[0])
    return named or _METHODS.get(tool.method)
