"""What search reads of a tool: its fields kept apart, and the one text that is embedded."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.binding import GrpcBinding, HttpBinding, SoapBinding
from catalog.spec import Operation, Schema
from catalog.words import split_identifier
from search.abbreviations import readings, spelled_out
from search.words import lexical

TEXT_VERSION = 3
"""Rises whenever the same operation would give another text, so that an old index is rebuilt."""

_MAX_DESCRIPTION = 1200
_MAX_NAMES = 300
_EMPTY_PHRASE = re.compile(
    r"(?:please )?(?:see|refer to|cf\.?) (?:the )?(?:docs?|documentation|manual|wiki)\b.*"
    r"|to ?do|tbd|tba|n/?a|none|no description(?: available)?|description|-+|\.+|\?+",
    re.IGNORECASE,
)
_MAX_PARAMETERS = 40
_MAX_RESPONSE_FIELDS = 60
_MAX_DEPTH = 4
_REF_PREFIX = "#/$defs/"
_PLACEHOLDER = re.compile(r"\{[^{}]*\}|(?<=/):[A-Za-z_]\w*")
_MARKUP = re.compile(r"<[^<>]{1,200}>|`+|\*{2,}|\]\([^()\s]*\)|https?://\S+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_VERSION = re.compile(r"v\d+(?:\.\d+)?|api", re.IGNORECASE)
_COMBINERS = ("allOf", "oneOf", "anyOf")


@dataclass(frozen=True, slots=True)
class ToolText:
    """The fields of one tool, each as plain text; identifiers still in one piece."""

    name: str
    path: str
    scope: str
    summary: str
    description: str
    parameters: str
    response: str


def tool_text(operation: Operation, definitions: Mapping[str, Schema]) -> ToolText:
    """The fields of an operation; `definitions` holds at least what its schemas reach."""
    return ToolText(
        name=" ".join(dict.fromkeys(_names(operation))),
        path=" ".join(_path(operation)),
        scope=" ".join(dict.fromkeys((operation.service, *operation.tags, *_scopes(operation)))),
        summary=_plain(operation.summary),
        description=_description(operation),
        parameters=_parameters(operation.input_schema, definitions),
        response=_response(operation.output_schema, definitions),
    )


@dataclass(frozen=True, slots=True)
class EnrichedText:
    """The live text beside the original; docs/decisions/0003-search.md on what reads aliases."""

    name: str
    description: str
    aliases: tuple[str, ...]


def lexical_fields(text: ToolText) -> tuple[str, ...]:
    """The fields as words, in the order of `search.fields.FIELDS`; short forms also in full."""
    named = lexical(text.name)
    return (
        " ".join([named, *readings(named.split())]),
        *(lexical(part) for part in (text.path, text.scope, text.summary)),
        *(lexical(part) for part in (text.description, text.parameters, text.response)),
    )


def enriched_fields(text: EnrichedText) -> tuple[str, ...]:
    return lexical(text.name), lexical(text.description), lexical(" ".join(text.aliases))


def enriched_embedding_text(text: EnrichedText) -> str:
    aliases = _plain(" ".join(text.aliases))
    whole = f"{_spoken(text.name)}. {_plain(text.description)} {aliases}"
    return shortened(whole.rstrip(), _MAX_DESCRIPTION)


def phrases(text: EnrichedText) -> tuple[str, ...]:
    """The enriched text in pieces: name and description first, then each name by itself."""
    told = shortened(f"{_spoken(text.name)}. {_plain(text.description)}", _MAX_DESCRIPTION)
    names = (_spoken(text.name), *(_plain(alias) for alias in text.aliases))
    return (told, *dict.fromkeys(name for name in names if name))


def _spoken(identifiers: str) -> str:
    return " ".join(spelled_out(split_identifier(identifiers)))


def embedding_text(text: ToolText) -> str:
    """What the encoder reads: name and path as words, then what the spec says in prose.

    Where it says nothing, what goes in and comes out has to tell.
    """
    parts = [_spoken(text.name), _spoken(text.path), text.summary, text.description]
    if not _tells(text):
        parts += [_spoken(text.parameters)[:_MAX_NAMES], _spoken(text.response)[:_MAX_NAMES]]
    said: set[str] = set()
    kept = []
    for part in parts:
        new = set(split_identifier(part)) - said
        if new:
            said |= new
            kept.append(part.rstrip(". "))
    return shortened(". ".join(kept), _MAX_DESCRIPTION)


def _tells(text: ToolText) -> bool:
    """Whether summary or description say more than the name."""
    said = set(split_identifier(text.name)) | set(split_identifier(text.path))
    return any(
        not _EMPTY_PHRASE.fullmatch(part.strip(" .")) and set(split_identifier(part)) - said
        for part in (text.summary, text.description)
        if part
    )


def _names(operation: Operation) -> Iterator[str]:
    yield operation.name
    binding = operation.binding
    if isinstance(binding, HttpBinding):
        wire = binding.operation_id
    elif isinstance(binding, GrpcBinding):
        wire = binding.method.rpartition("/")[2]
    else:
        wire = binding.operation
    if wire and split_identifier(wire) != split_identifier(operation.name):
        yield wire


def _path(operation: Operation) -> list[str]:
    binding = operation.binding
    if isinstance(binding, HttpBinding):
        return path_words(binding.path)
    return path_words(binding.http_path) if isinstance(binding, GrpcBinding) else []


def _scopes(operation: Operation) -> Iterator[str]:
    binding = operation.binding
    if isinstance(binding, GrpcBinding):
        yield binding.method.lstrip("/").partition("/")[0].rpartition(".")[2]
    elif isinstance(binding, SoapBinding):
        yield binding.interface


def path_words(path: str) -> list[str]:
    """Parts of a path that say something: no placeholders, no `v1`, no `api`."""
    bare = _PLACEHOLDER.sub("", path)
    return [part for part in re.split(r"[/.:]+", bare) if part and not _VERSION.fullmatch(part)]


def _description(operation: Operation) -> str:
    """The description without the summary that many specs repeat in it."""
    text = _plain(operation.description)
    summary = _plain(operation.summary).rstrip(".")
    if summary and text.lower().startswith(summary.lower()):
        text = text[len(summary) :].lstrip(" .:-")
    return shortened(text, _MAX_DESCRIPTION)


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).split())


def shortened(text: str, limit: int) -> str:
    """At most `limit` letters, cut after a sentence where there is one, else at a blank."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    ends = [match.start() for match in _SENTENCE_END.finditer(head)]
    if ends and ends[-1] > limit // 3:
        return head[: ends[-1]]
    return head.rpartition(" ")[0] or head


def _parameters(schema: Schema, definitions: Mapping[str, Schema]) -> str:
    """Names of the arguments with the first sentence on each."""
    properties = _properties(schema, definitions)
    parts = []
    for name, body in list(properties.items())[:_MAX_PARAMETERS]:
        note = body.get("description") if isinstance(body, dict) else None
        first = _SENTENCE_END.split(_plain(note), maxsplit=1)[0] if isinstance(note, str) else ""
        parts.append(f"{name} {shortened(first, 120)}".rstrip())
    return ". ".join(parts)


def _properties(schema: Any, definitions: Mapping[str, Schema]) -> dict[str, Any]:
    node = _resolved(schema, definitions)
    found = node.get("properties")
    return found if isinstance(found, dict) else {}


def _resolved(schema: Any, definitions: Mapping[str, Schema]) -> dict[str, Any]:
    for _ in range(8):
        name = _reference(schema)
        if name is None:
            break
        schema = definitions.get(name)
    return schema if isinstance(schema, dict) else {}


def _reference(schema: Any) -> str | None:
    ref = schema.get("$ref") if isinstance(schema, dict) else None
    return ref[len(_REF_PREFIX) :] if isinstance(ref, str) and ref.startswith(_REF_PREFIX) else None


def _response(schema: Schema | None, definitions: Mapping[str, Schema]) -> str:
    """Names of the types and fields that come back, nearest levels first, each once."""
    names: dict[str, None] = {}
    for name in _field_names(schema, definitions):
        names.setdefault(name)
        if len(names) >= _MAX_RESPONSE_FIELDS:
            break
    return " ".join(names)


def _field_names(schema: Any, definitions: Mapping[str, Schema]) -> Iterator[str]:
    queue: deque[tuple[Any, int]] = deque([(schema, 0)])
    seen: set[str] = set()
    while queue:
        node, depth = queue.popleft()
        name = _reference(node)
        if name is not None:
            if name in seen:
                continue
            seen.add(name)
            yield name
            node = definitions.get(name)
        if not isinstance(node, dict):
            continue
        properties = node.get("properties")
        if isinstance(properties, dict):
            yield from properties
        if depth < _MAX_DEPTH:
            queue.extend((child, depth + 1) for child in _children(node))


def _children(node: dict[str, Any]) -> Iterable[Any]:
    for key in _COMBINERS:
        branches = node.get(key)
        yield from branches if isinstance(branches, list) else ()
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            yield node[key]
    properties = node.get("properties")
    if isinstance(properties, dict):
        yield from properties.values()
