"""Vectors from any OpenAI-compatible `/v1/embeddings`: every answer checked, one retry layer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from catalog.errors import BudgetReached, CredentialsRefused, GlossError, UsageError
from catalog.retrying import Again, persist, retry_after, words
from search.text import shortened

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

    from search.encoder import Vectors

LEAST_LETTERS = 200
"""A text that is too long is halved down to this; one that is still too long is refused."""
_REMEMBERED = 500
_TOO_LONG = ("too long", "too large", "context length", "maximum", "max_", "exceed", "tokens",
             "batch size")  # fmt: skip


@dataclass(slots=True)
class RemoteEncoder:
    """An `Encoder`. Its identity is made of address, model and asked width; the width itself is
    learnt from the first answer.

    Raises CredentialsRefused, UsageError, BudgetReached, TryLater, and GlossError for an answer
    that cannot be vectors. `wait` sleeps; `note` is told what was shortened, once.
    """

    base_url: str
    name: str
    api_key: str = "none"
    dimensions: int | None = None
    batch: int = 64
    timeout_s: float = 60.0
    wait: Callable[[float], None] = time.sleep
    note: Callable[[str], None] = lambda _said: None
    _width: int = 0
    _noted: bool = False
    _client: OpenAI | None = None
    _queries: dict[str, Vectors] = field(default_factory=dict)

    @property
    def model(self) -> str:
        told = f"{self.base_url.rstrip('/')} {self.name} {self.dimensions or ''}"
        return f"{self.name}@{sha256(told.encode()).hexdigest()[:16]}"

    @property
    def width(self) -> int:
        if not self._width:
            self.encode(["width"])
        return self._width

    def encode(self, texts: Sequence[str], *, queries: bool = False) -> Vectors:
        import numpy as np

        new = [t for t in dict.fromkeys(texts) if t not in self._queries] if queries else texts
        rows: list[Vectors] = []
        for start in range(0, len(new), self.batch):
            rows += self._embedded([text or " " for text in new[start : start + self.batch]])
        if queries:
            if len(self._queries) > _REMEMBERED:
                self._queries.clear()
            self._queries.update(zip(new, rows, strict=True))
            rows = [self._queries[text] if text in self._queries else self._one(text)
                    for text in texts]  # fmt: skip
        return np.array(rows, dtype=np.float32).reshape(len(texts), self._width or 1)

    def _one(self, text: str) -> Vectors:
        return self._embedded([text or " "])[0]

    def _embedded(self, texts: list[str]) -> list[Vectors]:
        """A batch; halved where the endpoint finds it too long, then its texts shortened."""
        try:
            return self._checked(self._asked(texts), len(texts))
        except _TooLong as refusal:
            if len(texts) > 1:
                half = len(texts) // 2
                return self._embedded(texts[:half]) + self._embedded(texts[half:])
            if len(texts[0]) <= LEAST_LETTERS:
                raise self._refused(str(refusal)) from None
            self._note_shortened()
            return self._embedded([shortened(texts[0], max(len(texts[0]) // 2, LEAST_LETTERS))])

    def _note_shortened(self) -> None:
        if not self._noted:
            self.note(f"{self.name} takes no texts this long; the longest were shortened")
        self._noted = True

    def _asked(self, texts: list[str]) -> Any:
        return persist(lambda: self._once(texts), self.wait, self.base_url)

    def _once(self, texts: list[str]) -> Any:
        import openai

        body: dict[str, Any] = {"model": self.name, "input": texts, "encoding_format": "float"}
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        try:
            return self._open().embeddings.create(**body)
        except openai.APITimeoutError:
            raise Again(f"no answer within {self.timeout_s:g} s") from None
        except openai.APIConnectionError as error:
            raise Again(f"cannot be reached: {error.__cause__ or error}") from None
        except openai.APIStatusError as error:
            raise self._translated(error) from None
        except (openai.APIError, ValueError, TypeError) as error:
            raise self._refused(f"the answer could not be read: {words(error)}") from None

    def _translated(self, error: APIStatusError) -> Exception:
        said = words(error)
        where = f"{self.base_url}: {said}"
        status = error.status_code
        if status in (401, 403):
            return CredentialsRefused(
                where, hint="check the key that [embedding] api_key_env names"
            )
        if status == 402 or getattr(error, "code", "") == "insufficient_quota":
            return BudgetReached(where, hint="raise the quota at the endpoint")
        if status in (408, 409, 429) or (status >= 500 and not _is_too_long(said)):
            return Again(said, retry_after(error.response.headers))
        if status == 404:
            return UsageError(where, hint="check [embedding] base_url and model")
        if status == 413 or _is_too_long(said):
            return _TooLong(said)
        if "dimension" in said.lower():
            return UsageError(where, hint="leave [embedding] dimensions out")
        return self._refused(said)

    def _checked(self, answer: Any, count: int) -> list[Vectors]:
        """The rows in the order of the texts, of length one."""
        import numpy as np

        data = getattr(answer, "data", None)
        if not isinstance(data, list) or len(data) != count:
            got = len(data) if isinstance(data, list) else 0
            raise self._refused(f"{got} vectors for {count} texts")
        if sorted(row.index for row in data if isinstance(row.index, int)) == list(range(count)):
            data = sorted(data, key=lambda row: int(row.index))
        elif any(row.index is not None for row in data):
            raise self._refused("the vectors are numbered otherwise than the texts")
        rows = [self._row(row.embedding) for row in data]
        width = self._width or self.dimensions or len(rows[0])
        if any(len(row) != width for row in rows):
            found = next(len(row) for row in rows if len(row) != width)
            raise self._refused(f"a vector of {found} numbers where {width} were expected")
        self._width = width
        return [row / np.linalg.norm(row) for row in rows]

    def _row(self, values: Any) -> Vectors:
        import numpy as np

        try:
            with np.errstate(over="ignore"):
                row = np.array(values, dtype=np.float32)
        except (TypeError, ValueError):
            raise self._refused("a vector that is no list of numbers") from None
        if row.ndim != 1 or not row.size or not np.isfinite(row).all():
            raise self._refused("a vector with numbers that are none")
        if not row.any():
            raise self._refused("a vector of nothing but zeros")
        return row

    def _refused(self, said: str) -> GlossError:
        return GlossError(
            f"{self.base_url}: {self.name}: {said}",
            hint="check [embedding] base_url and model; nothing of this batch was kept",
        )

    def _open(self) -> OpenAI:
        import openai

        if self._client is None:
            self._client = openai.OpenAI(
                base_url=self.base_url,
                api_key=self.api_key,
                timeout=self.timeout_s,
                max_retries=0,
            )
        return self._client


class _TooLong(Exception):
    """The texts are more than the endpoint takes at once."""


def _is_too_long(said: str) -> bool:
    told = said.lower()
    return any(sign in told for sign in _TOO_LONG) and "dimension" not in told
