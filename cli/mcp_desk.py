"""What `gloss mcp` answers from: one connection and one model for the questions of all clients."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from catalog.errors import GlossError, NotFound
from catalog.hashing import digest
from catalog.spec import Schema
from catalog.text import printable
from cli import wiring
from cli.settings import Settings

if TYPE_CHECKING:
    from types import TracebackType

    from psycopg import Connection

    from search.encoder import Encoder
    from search.query import SearchResult

Answer = TypeVar("Answer")


@dataclass
class Desk:
    """Answers one question at a time.

    What was lost, a connection or the embedded server under it, is opened again for a second try
    of the same question. `session` is that of searches whose client has none of its own.
    """

    settings: Settings
    session: str
    services: tuple[str, ...] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _server: ExitStack = field(default_factory=ExitStack)
    _connection: Connection | None = None
    _encoder: Encoder | None = None

    def __enter__(self) -> Desk:
        self._open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()

    def search(
        self, query: str, *, context: str, k: int, service: str | None, client: str
    ) -> tuple[SearchResult, list[Schema]]:
        """What was found, and the input schema of each hit."""
        within = (self._allowed(service),) if service else self.services
        return self._asked(lambda conn: self._search(conn, query, context, k, within, client))

    def tool(self, tool_id: str) -> dict[str, Any]:
        """All of a tool, `differs` from its look-alikes among what is served here included."""
        self._allowed(tool_id.partition("/")[0])
        return self._asked(lambda conn: _described(conn, tool_id, self.services))

    def _allowed(self, service: str) -> str:
        if self.services and service not in self.services:
            raise NotFound(
                f"{printable(service)} is not served here",
                hint=f"one of {', '.join(self.services)}",
            )
        return service

    def _asked(self, question: Callable[[Connection], Answer]) -> Answer:
        with self._lock:
            try:
                return self._once(question)
            except GlossError:
                if self._connection is None or not self._connection.broken:
                    raise
            self._connection = None
            return self._once(question)

    def _once(self, question: Callable[[Connection], Answer]) -> Answer:
        from store.connection import translated

        with translated(self.settings.database_url):
            return question(self._open())

    def _open(self) -> Connection:
        if self._connection is None or self._connection.closed:
            with ExitStack() as opened:
                url = opened.enter_context(wiring.database_url(self.settings))
                self._connection = wiring.opened(url)
                self._server.close()
                self._server = opened.pop_all()
        return self._connection

    def _search(
        self,
        conn: Connection,
        query: str,
        context: str,
        k: int,
        within: Sequence[str],
        client: str,
    ) -> tuple[SearchResult, list[Schema]]:
        from search.query import Searcher
        from store.catalog import operation_of

        searcher = Searcher(
            conn,
            self._model,
            mix=wiring.mix(self.settings),
            origin="mcp",
            session=self._session_of(client),
            reranker=self.settings.reranker,
            picker=wiring.picker(self.settings),
        )
        result = searcher.search(query, k=k, services=within, context=context)
        return result, [operation_of(conn, hit.tool_id).input_schema for hit in result.hits]

    def _session_of(self, client: str) -> str:
        """As a hash: whoever knows the id of a session could speak in it."""
        return digest(self.session.encode(), client.encode())[:16] if client else self.session

    def _model(self) -> Encoder:
        if self._encoder is None:
            self._encoder = wiring.open_encoder(self.settings)
        return self._encoder


def _described(conn: Connection, tool_id: str, services: Sequence[str]) -> dict[str, Any]:
    from cli.commands.catalog import described
    from search.differences import from_look_alikes
    from store.catalog import find_tool

    row = find_tool(conn, tool_id)
    return {
        **described(conn, row, full=False),
        "differs": from_look_alikes(conn, (row.service_id, row.operation_id), services),
    }
