"""One tiny question that shows what an endpoint can do."""

from __future__ import annotations

import time
from dataclasses import dataclass

from enrichment.endpoint import Endpoint
from enrichment.forms import RUNGS, ItemFailed
from enrichment.prompt import SCHEMA, Message
from enrichment.replies import ReplyUnreadable, read_reply

_QUESTION: list[Message] = [
    {"role": "system", "content": "Answer with JSON only."},
    {"role": "user", "content": 'Answer with exactly this object: {"tools": []}'},
]
_ROOM = 400
"""Tokens: enough for a model that thinks a little first."""


@dataclass(frozen=True, slots=True)
class Trial:
    """`form` is the strictest way of asking for JSON that the endpoint takes; `fault` says what
    was wrong with its answer."""

    form: str
    took_ms: float
    requests: int
    reports_usage: bool
    fault: str = ""


def attempt(endpoint: Endpoint) -> Trial:
    """Raises the GlossError that a run would end with."""
    started = time.perf_counter()
    fault, usage = "", False
    try:
        reply = endpoint.ask(_QUESTION, SCHEMA, _ROOM)
        usage = reply.input_tokens > 0 and reply.output_tokens > 0
        read_reply(reply.text)
    except (ItemFailed, ReplyUnreadable) as failure:
        fault = str(failure)
    took_ms = (time.perf_counter() - started) * 1000
    return Trial(RUNGS[endpoint.rung], took_ms, endpoint.requests, usage, fault)
