"""Files that come back: each line or tool that can be read, and a word on each that cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from catalog.enrichment import Enrichment
from catalog.errors import UsageError
from catalog.text import storable
from pipeline.exchange.entry import Entry, Origin, Original, ground_from, tidy
from pipeline.exchange.lines import SCHEMA

FileForm = Literal["jsonl", "sidecar"]
_NEWER = "this gloss reads schema 1: take the gloss that wrote it"


@dataclass(frozen=True, slots=True)
class Unread:
    place: str
    message: str


Read = Entry | Unread


class _Ground(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    claim: str
    evidence: str


class _Text(BaseModel):
    """A misspelt key is said, not passed over: what stands under it would be lost."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    description: str
    aliases: list[str] = Field(default_factory=list)
    not_for: str = ""
    evidence: list[str | _Ground] = Field(default_factory=list)


class _Original(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    name: str
    summary: str = ""
    description: str = ""


class _Written(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    provider: str = ""
    model: str = ""
    prompt_version: str = ""
    author: str = ""
    text: str = ""
    for_: str = Field(default="", alias="for")


class _Tool(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    tool: str = Field(pattern=r"^[^/]+/[^/]+$")
    wire: str = ""
    original: _Original | None = None
    enriched: _Text | None
    written: _Written | None = None
    content_hash: str = ""
    base: str | None = None


def read(data: bytes, form: FileForm | None = None) -> list[Read]:
    """What a file says of each tool; UsageError for one that is no such file as a whole."""
    form = form or guessed(data)
    if form == "sidecar":
        from pipeline.exchange.reading_sidecar import tools_of

        return list(tools_of(data))
    return list(_lines(data))


def guessed(data: bytes) -> FileForm:
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] == b"[" or (text[:1] == b"{" and _is_other_json(text)):
        raise _not_ours("a JSON document")
    if not text or text[:1] == b"{":
        return "jsonl"
    first = next((line for line in text.split(b"\n") if line[:1] not in (b"#", b"", b"\r")), b"")
    if first.startswith(b"overlay:"):
        raise _not_ours("an overlay")
    if first.split(b":")[0] in (b"schema", b"service", b"tools"):
        return "sidecar"
    return "jsonl"


def _is_other_json(text: bytes) -> bool:
    """One document over several lines, such as an overlay or tool definitions."""
    try:
        json.loads(text.partition(b"\n")[0])
    except (ValueError, RecursionError):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return False
        return "tool" not in value
    return False


def _not_ours(what: str) -> UsageError:
    return UsageError(
        f"{what}: only lines and sidecars come back",
        hint="gloss export --format jsonl, or --format sidecar",
    )


def _lines(data: bytes) -> Iterator[Read]:
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            yield _line(f"line {number}", line)


def _line(place: str, line: bytes) -> Read:
    if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")):
        return Unread(place, "git left a conflict here: keep one of the lines")
    try:
        value = json.loads(line.decode())
    except UnicodeDecodeError:
        return Unread(place, "not UTF-8")
    except json.JSONDecodeError as fault:
        return Unread(place, f"no JSON: {fault.msg} at column {fault.colno}")
    except (ValueError, RecursionError):
        return Unread(place, "no JSON that can be read")
    if not isinstance(value, dict):
        return Unread(place, "not a JSON object")
    return entry_from(place, value)


def entry_from(place: str, value: dict[str, Any]) -> Read:
    """One tool as a file has it, held against the form; what no database keeps is replaced."""
    if value.get("schema") != SCHEMA:
        said = json.dumps(value.get("schema"))[:40]
        return Unread(place, f"schema {said}: {_NEWER}" if "schema" in value else "no `schema`")
    try:
        return _entry(place, _Tool.model_validate(storable(value)[0]))
    except ValidationError as fault:
        named = f"{value['tool']}: " if isinstance(value.get("tool"), str) else ""
        return Unread(place, named + _first_fault(fault))


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"] if part not in ("str", "_Ground"))
    if fault["type"] == "extra_forbidden":
        return f"{place}: no such key; there are {', '.join(_Text.model_fields)}"
    if fault["type"] == "missing":
        return f"{place}: missing"
    if place == "tool":
        return "tool: write service/name"
    return f"{place}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"


def _entry(place: str, tool: _Tool) -> Entry:
    written = tool.written or _Written()
    said = (written.provider, written.model, written.prompt_version, written.author)
    return Entry(
        tool=tool.tool,
        text=_text(tool.enriched) if tool.enriched else None,
        base=tool.base,
        content_hash=tool.content_hash,
        written_for=written.for_,
        origin=Origin(*said, written.text),
        original=_original(tool.original, tool.wire) if tool.original else None,
        place=place,
    )


def _text(text: _Text) -> Enrichment:
    said = [part if isinstance(part, str) else part.model_dump() for part in text.evidence]
    grounds = tuple(ground_from(part) for part in said)
    return tidy(Enrichment(text.name, text.description, tuple(text.aliases), text.not_for, grounds))


def _original(original: _Original, wire: str) -> Original:
    return Original(original.name, wire, original.summary, original.description)
