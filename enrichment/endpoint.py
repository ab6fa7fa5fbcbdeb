"""Any OpenAI-compatible chat endpoint: asked in the strictest form it takes, one retry layer."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from catalog.errors import (
    BudgetReached,
    CredentialsRefused,
    TryLater,
    UsageError,
)
from enrichment.prompt import Message

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

MAX_REQUESTS = 3
"""Requests for one question, retries included; there is no other retry layer."""
MAX_WAIT_S = 60.0
_ROOM = 1.5

RUNGS = ("strict-schema", "schema", "tool-call", "json-object", "text")


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """`price_in` and `price_out` are USD per million tokens; None means not known."""

    base_url: str
    model: str
    api_key: str = "none"
    api_version: str = ""
    timeout_s: float = 60.0
    max_concurrency: int = 4
    price_in: float | None = None
    price_out: float | None = None


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


class Endpoint:
    """Asks one question at a time per thread; safe to share between threads.

    `clock` waits: `time.sleep` in production. Raises ItemFailed for what concerns one question,
    and a GlossError (credentials, quota, no such model, unreachable) for what ends the run.
    """

    def __init__(
        self, settings: EndpointSettings, wait: Callable[[float], None] = time.sleep
    ) -> None:
        self.settings = settings
        self.rung = 0
        self.requests = 0
        self._wait = wait
        self._lock = threading.Lock()
        self._gate = _Gate(settings.max_concurrency)
        self._client: OpenAI | None = None

    def ask(self, messages: Sequence[Message], schema: Mapping[str, Any], max_tokens: int) -> Reply:
        with self._gate.entered():
            reply = self._climb_down(messages, schema, max_tokens)
        if reply.cut:
            with self._gate.entered():
                more = self._climb_down(messages, schema, round(max_tokens * _ROOM * 2))
            reply = _added(more, reply)
        return reply

    def _climb_down(
        self, messages: Sequence[Message], schema: Mapping[str, Any], max_tokens: int
    ) -> Reply:
        """Ask in the form that worked last; one form weaker each time the endpoint minds it."""
        while True:
            rung = self.rung
            try:
                return self._with_retries(messages, _form(RUNGS[rung], schema), max_tokens)
            except _FormRefused as refusal:
                with self._lock:
                    self.rung = max(self.rung, min(rung + 1, len(RUNGS) - 1))
                if rung == len(RUNGS) - 1:
                    raise ItemFailed(str(refusal)) from None

    def _with_retries(
        self, messages: Sequence[Message], form: Mapping[str, Any], max_tokens: int
    ) -> Reply:
        for attempt in range(1, MAX_REQUESTS + 1):
            try:
                return self._once(messages, form, max_tokens)
            except _Again as again:
                self._gate.slow_down()
                if attempt == MAX_REQUESTS:
                    raise TryLater(
                        f"{self.settings.base_url}: {again}",
                        hint="run the same command later; what is done stays done",
                    ) from None
                own = min(MAX_WAIT_S, 2.0**attempt * random.uniform(0.5, 1))
                self._wait(own if again.after_s is None else again.after_s)
        raise AssertionError("unreachable")

    def _once(self, messages: Sequence[Message], form: Mapping[str, Any], max_tokens: int) -> Reply:
        import openai

        with self._lock:
            self.requests += 1
        try:
            answer = self._open().chat.completions.create(
                model=self.settings.model,
                messages=list(messages),  # type: ignore[arg-type]
                temperature=0,
                max_tokens=max_tokens,
                **form,
            )
        except openai.APITimeoutError:
            raise _Again(f"no answer within {self.settings.timeout_s:.0f} s") from None
        except openai.APIConnectionError as error:
            raise _Again(f"cannot be reached: {error.__cause__ or error}") from None
        except openai.APIStatusError as error:
            raise self._translated(error, form) from None
        except openai.APIError as error:
            raise ItemFailed(f"the answer could not be read: {_words(error)}") from None
        self._gate.went_well()
        return _reply(answer)

    def _translated(self, error: APIStatusError, form: Mapping[str, Any]) -> Exception:
        said = _words(error)
        where = f"{self.settings.base_url}: {said}"
        status = error.status_code
        if status in (401, 403):
            return CredentialsRefused(where, hint="check the key that [llm] api_key_env names")
        if status == 402 or _is_quota(said, error):
            return BudgetReached(where, hint="the endpoint's own quota is used up; raise it there")
        if status == 429 or status >= 500 or status in (408, 409):
            return _Again(said, _retry_after(error))
        if status == 404:
            return UsageError(where, hint="check [llm] base_url and model")
        if form and _minds_form(said, form):
            return _FormRefused(said)
        return ItemFailed(said)

    def _open(self) -> OpenAI:
        import openai

        with self._lock:
            if self._client is None:
                given = self.settings
                shared: dict[str, Any] = {"timeout": given.timeout_s, "max_retries": 0}
                if given.api_version:
                    self._client = openai.AzureOpenAI(
                        azure_endpoint=given.base_url,
                        api_key=given.api_key,
                        api_version=given.api_version,
                        **shared,
                    )
                else:
                    self._client = openai.OpenAI(
                        base_url=given.base_url, api_key=given.api_key, **shared
                    )
            return self._client


class _Again(Exception):
    def __init__(self, message: str, after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


class _FormRefused(Exception):
    """The endpoint does not know the parameter that asks for JSON."""


class _Gate:
    """At most `limit` questions at once: halved when told to slow down, then slowly up again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(most)
        self._inside = 0
        self._turn = threading.Condition()

    @contextmanager
    def entered(self) -> Iterator[None]:
        with self._turn:
            self._turn.wait_for(lambda: self._inside < max(1, int(self._limit)))
            self._inside += 1
        try:
            yield
        finally:
            with self._turn:
                self._inside -= 1
                self._turn.notify_all()

    def slow_down(self) -> None:
        with self._turn:
            self._limit = max(1.0, self._limit / 2)

    def went_well(self) -> None:
        with self._turn:
            self._limit = min(float(self._most), self._limit + 0.25)
            self._turn.notify_all()


def _form(rung: str, schema: Mapping[str, Any]) -> dict[str, Any]:
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


def _minds_form(said: str, form: Mapping[str, Any]) -> bool:
    words = said.lower()
    named = ("response_format", "json_schema", "schema", "strict", "tool", "function", "json")
    too_long = "context" in words or "too long" in words or "maximum" in words
    return not too_long and any(name in words for name in named)


def _reply(answer: Any) -> Reply:
    choice = answer.choices[0] if getattr(answer, "choices", None) else None
    if choice is None:
        raise ItemFailed("the answer has no choices")
    message = choice.message
    called = getattr(message, "tool_calls", None)
    text = called[0].function.arguments if called else message.content
    usage = answer.usage
    return Reply(
        text=text or "",
        input_tokens=getattr(usage, "prompt_tokens", 0) or 0,
        output_tokens=getattr(usage, "completion_tokens", 0) or 0,
        cut=choice.finish_reason == "length",
        refused=getattr(message, "refusal", None)
        or ("content filter" if choice.finish_reason == "content_filter" else ""),
    )


def _added(last: Reply, before: Reply) -> Reply:
    """The last reply, with what both cost."""
    return Reply(
        last.text,
        last.input_tokens + before.input_tokens,
        last.output_tokens + before.output_tokens,
        last.cut,
        last.refused,
    )


def _words(error: Exception) -> str:
    body = getattr(error, "body", None)
    said = body.get("message") if isinstance(body, dict) else None
    return " ".join(str(said or getattr(error, "message", error)).split())[:300]


def _is_quota(said: str, error: APIStatusError) -> bool:
    code = str(getattr(error, "code", "") or "")
    return code in ("insufficient_quota", "billing_hard_limit_reached") or (
        error.status_code == 429
        and "quota" in said.lower()
        and "exceeded your current" in said.lower()
    )


def _retry_after(error: APIStatusError) -> float | None:
    """Seconds to wait (RFC 9110 §10.2.3: seconds or a date), at most a minute."""
    given = error.response.headers.get("retry-after", "")
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(given).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return min(max(seconds, 0.0), MAX_WAIT_S)
