"""What a model sent back, read with care: thoughts and fences off, then one balanced object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from catalog.enrichment import Enrichment, Ground

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*\Z", re.DOTALL | re.IGNORECASE)


Form = TypeVar("Form", bound=BaseModel)


class ReplyUnreadable(Exception):
    """No complete JSON object of the right form is in the reply; the message says what is."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    number: int
    name: str = Field(max_length=200)
    description: str = Field(max_length=2000)
    aliases: list[str] = Field(max_length=20)
    not_for: str = Field(default="", max_length=1000)
    grounds: list[str] = Field(default_factory=list, max_length=20)


class _Whole(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    tools: list[_Entry]


class _Questions(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    number: int
    questions: list[str] = Field(max_length=20)


class _Asked(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    tools: list[_Questions]


def read_reply(text: str) -> dict[int, Enrichment]:
    """Number in the request → what was written about it; numbers that repeat keep the first."""
    found: dict[int, Enrichment] = {}
    for entry in _first(text, _Whole).tools:
        found.setdefault(entry.number, _enrichment(entry))
    return found


def read_questions(text: str) -> dict[int, list[str]]:
    """Number in the request → the questions written for it."""
    found: dict[int, list[str]] = {}
    for entry in _first(text, _Asked).tools:
        found.setdefault(entry.number, [" ".join(q.split()) for q in entry.questions])
    return found


def _first(text: str, form: type[Form]) -> Form:
    """The first object of the right form after the thoughts."""
    spoken = _OPEN_THOUGHT.sub("", _THOUGHTS.sub("", text))
    if not spoken.strip():
        raise ReplyUnreadable("the reply is empty" + (" but for thoughts" if text.strip() else ""))
    fault = "the reply holds no complete JSON object"
    for value in objects(spoken):
        try:
            whole = value if "tools" in value else {"tools": [value]}
            return form.model_validate(whole)
        except ValidationError as error:
            fault = _first_fault(error)
    raise ReplyUnreadable(fault)


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Every complete JSON object in the text, outermost ones in order."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"


def _enrichment(entry: _Entry) -> Enrichment:
    return Enrichment(
        name=entry.name.strip(),
        description=" ".join(entry.description.split()),
        aliases=tuple(alias.strip() for alias in entry.aliases),
        not_for=" ".join(entry.not_for.split()),
        grounds=tuple(_ground(text) for text in entry.grounds),
    )


def _ground(text: str) -> Ground:
    """`claim = evidence`; a model that gives only evidence claims just that."""
    claim, equals, evidence = text.partition(" = ")
    return Ground(claim.strip(), evidence.strip()) if equals else Ground(text, text.strip())
