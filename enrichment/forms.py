"""The forms in which JSON is asked for, and what is read from a chat completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from enrichment.prompt import Message

RUNGS = ("strict-schema", "schema", "tool-call", "json-object", "text")
"""From the strictest form to none at all."""


@dataclass(frozen=True, slots=True)
class Reply:
    """`cut` when the endpoint ran out of room; `refused` holds its words when it would not."""

    text: str
    input_tokens: int
    output_tokens: int
    cut: bool = False
    refused: str = ""


class ItemFailed(Exception):
    """The endpoint would not answer this one question; others may go well."""


def request_body(
    model: str,
    messages: Sequence[Message],
    schema: Mapping[str, Any],
    max_tokens: int,
    rung: str = RUNGS[0],
) -> dict[str, Any]:
    """A chat completion request as it goes over the wire."""
    return {
        "model": model,
        "messages": list(messages),
        "temperature": 0,
        "max_tokens": max_tokens,
        **form(rung, schema),
    }


def form(rung: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that ask for JSON, from the strictest form to none at all."""
    if rung in ("strict-schema", "schema"):
        named: dict[str, Any] = {"name": "index_entries", "schema": dict(schema)}
        if rung == "strict-schema":
            named["strict"] = True
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    if rung == "tool-call":
        function = {"name": "write_index_entries", "parameters": dict(schema)}
        choice = {"type": "function", "function": {"name": "write_index_entries"}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    return {"response_format": {"type": "json_object"}} if rung == "json-object" else {}


def minds_form(said: str) -> bool:
    """Whether a refusal is about the parameter that asks for JSON, and not about the prompt."""
    words = said.lower()
    named = ("response_format", "json_schema", "schema", "strict", "tool", "function", "json")
    too_long = "context" in words or "too long" in words or "maximum" in words
    return not too_long and any(name in words for name in named)


def minds_parameter(said: str, name: str) -> bool:
    """Whether a refusal says that the endpoint does not know or allow a parameter."""
    words = said.lower()
    no = ("unsupported", "not supported", "does not support", "unknown", "unrecognized")
    return name in words and any(word in words for word in no)


def reply_of(answer: Any) -> Reply:
    choice = answer.choices[0] if getattr(answer, "choices", None) else None
    if choice is None:
        raise ItemFailed("the answer has no choices")
    message = choice.message
    called = getattr(message, "tool_calls", None)
    text = called[0].function.arguments if called else getattr(message, "content", None)
    usage = getattr(answer, "usage", None)
    return Reply(
        text=text if isinstance(text, str) else "",
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=_count(usage, "completion_tokens"),
        cut=getattr(choice, "finish_reason", "") == "length",
        refused=getattr(message, "refusal", None)
        or ("content filter" if getattr(choice, "finish_reason", "") == "content_filter" else ""),
    )


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value > 0 else 0


def asks_for_json(body: Mapping[str, Any]) -> bool:
    return "response_format" in body or "tools" in body
