"""Any OpenAI-compatible chat endpoint: asked in the strictest form it takes, one retry layer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from catalog.errors import (
    BudgetReached,
    CredentialsRefused,
    UsageError,
)
from catalog.retrying import Again, persist, retry_after, words
from enrichment.forms import (
    RUNGS,
    ItemFailed,
    Reply,
    asks_for_json,
    minds_form,
    minds_parameter,
    reply_of,
    request_body,
)
from enrichment.prompt import Message
from enrichment.throttle import Throttle

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

_ROOM = 1.5


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
        self._minded: set[str] = set()
        self._lock = threading.Lock()
        self._gate = Throttle(settings.max_concurrency)
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
                body = request_body(self.settings.model, messages, schema, max_tokens, RUNGS[rung])
                return self._with_retries(self._adjusted(body))
            except _ParameterRefused as refusal:
                with self._lock:
                    self._minded.add(refusal.name)
            except _FormRefused as refusal:
                with self._lock:
                    self.rung = max(self.rung, min(rung + 1, len(RUNGS) - 1))
                if rung == len(RUNGS) - 1:
                    raise ItemFailed(str(refusal)) from None

    def _adjusted(self, body: dict[str, Any]) -> dict[str, Any]:
        """Without what the endpoint minded: reasoning models set their own temperature, and call
        the limit by another name."""
        if "temperature" in self._minded:
            del body["temperature"]
        if "max_tokens" in self._minded:
            body["max_completion_tokens"] = body.pop("max_tokens")
        return body

    def _with_retries(self, body: dict[str, Any]) -> Reply:
        address = self.settings.base_url
        return persist(lambda: self._once(body), self._wait, address, self._gate.slow_down)

    def _once(self, body: dict[str, Any]) -> Reply:
        import openai

        with self._lock:
            self.requests += 1
        try:
            answer = self._open().chat.completions.create(**body)
        except openai.APITimeoutError:
            raise Again(f"no answer within {self.settings.timeout_s:g} s") from None
        except openai.APIConnectionError as error:
            raise Again(f"cannot be reached: {error.__cause__ or error}") from None
        except openai.APIStatusError as error:
            raise self._translated(error, asks_for_json(body)) from None
        except openai.APIError as error:
            raise ItemFailed(f"the answer could not be read: {words(error)}") from None
        self._gate.went_well()
        return reply_of(answer)

    def _translated(self, error: APIStatusError, in_form: bool) -> Exception:
        said = words(error)
        where = f"{self.settings.base_url}: {said}"
        status = error.status_code
        if status in (401, 403):
            return CredentialsRefused(where, hint="check the key that [llm] api_key_env names")
        if status == 402 or _is_quota(said, error):
            return BudgetReached(where, hint="the endpoint's own quota is used up; raise it there")
        if status == 500 and in_form and "response_format" in said:  # llama-cpp-python
            return _FormRefused(said)
        if status == 429 or status >= 500 or status in (408, 409):
            return Again(said, retry_after(error.response.headers))
        if status == 404:
            return UsageError(where, hint="check [llm] base_url and model")
        for name in ("max_tokens", "temperature"):
            if name not in self._minded and minds_parameter(said, name):
                return _ParameterRefused(name)
        if in_form and minds_form(said):
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


class _ParameterRefused(Exception):
    """The endpoint does not take this parameter; it can be asked without."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class _FormRefused(Exception):
    """The endpoint does not know the parameter that asks for JSON."""


def _added(last: Reply, before: Reply) -> Reply:
    """The last reply, with what both cost."""
    return Reply(
        last.text,
        last.input_tokens + before.input_tokens,
        last.output_tokens + before.output_tokens,
        last.cut,
        last.refused,
    )


def _is_quota(said: str, error: APIStatusError) -> bool:
    code = str(getattr(error, "code", "") or "")
    return code in ("insufficient_quota", "billing_hard_limit_reached") or (
        error.status_code == 429
        and "quota" in said.lower()
        and "exceeded your current" in said.lower()
    )
