"""Small catalogs saved for real, and an encoder that counts what it is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from catalog.binding import HttpBinding
from catalog.spec import Operation, ParsedSpec
from search.index import IndexReport, build_index
from search.words import words
from store.catalog import save_spec


class WordEncoder:
    """Texts that share words are near each other; which text was read is kept in `read`."""

    def __init__(self, name: str = "words", width: int = 64) -> None:
        self.name = name
        self.width = width
        self.read: list[str] = []

    @property
    def model(self) -> str:
        return f"{self.name}@{self.width}"

    def encode(self, texts: Sequence[str], *, queries: bool = False) -> np.ndarray:
        if not queries:
            self.read.extend(texts)
        rows = np.full((len(texts), self.width), 1e-3, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words(text):
                row[int(hashlib.sha256(word.encode()).hexdigest(), 16) % self.width] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def encoder() -> WordEncoder:
    return WordEncoder()


@pytest.fixture
def make_encoder() -> type[WordEncoder]:
    return WordEncoder


def operation(service: str, name: str, description: str = "", **rest: object) -> Operation:
    path = rest.pop("path", f"/{name}")
    method = rest.pop("method", "GET")
    binding = HttpBinding(str(method), str(path), operation_id=name)
    return Operation(service, name, "rest", binding, description=description, **rest)  # type: ignore[arg-type]


Save = Callable[..., None]


@pytest.fixture
def save(conn) -> Save:
    """save("crm", getCust2="Reads a customer.") → a service with those tools and no others."""

    def save(service: str, *operations: Operation, **described: str) -> None:
        given = (*operations, *(operation(service, n, text) for n, text in described.items()))
        save_spec(conn, ParsedSpec(service, "openapi", "3", service, operations=given), "test")

    return save


@pytest.fixture
def index(conn, encoder) -> Callable[..., IndexReport]:
    """Runs an index to its end and returns its report."""

    def index(*services: str, using: object = encoder, rebuild: bool = False) -> IndexReport:
        work = build_index(conn, using, services, rebuild)  # type: ignore[arg-type]
        while True:
            try:
                next(work)
            except StopIteration as end:
                return end.value

    return index


@pytest.fixture
def make_operation() -> Callable[..., Operation]:
    return operation
