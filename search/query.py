"""Which tool does this? Both first passes, their candidates weighed together, an honest answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from psycopg import Connection

from catalog.errors import NotFound, TryLater
from search.context import context_nudges
from search.differences import differences
from search.encoder import Encoder
from search.intents import understand
from search.mixing import mix_of, settle
from search.picking import PICKED_FROM, Picker, by_vector, picked
from search.pool import Pool, gather
from search.question import Question, ask
from search.ranking import Answer, Ranked, rank
from search.rerank import Trained, load_trained
from search.synonyms import synonyms_met
from store import index as stored
from store.catalog import catalog_counts, find_service
from store.connection import translated
from store.retrieval import Mix, indexed_tools
from store.searches import Searched, log_search
from store.vector_search import has_approximate_index

if TYPE_CHECKING:
    from search.encoder import Vectors

MAX_QUERY = 4000
"""Letters of a query that are read; the rest of a pasted page would only blur it."""


RERANKERS = ("trained", "builtin", "off", "llm")
"""What puts candidates in order: what `gloss train` kept for this catalog, where there is anything;
the packaged formula; the two lists alone; or a model that picks among the best."""


@dataclass(frozen=True, slots=True)
class Hit:
    """`score` is between 0 and 1; `why` says what it came from, `differs` how it differs from
    the hit that it is most easily mistaken for."""

    rank: int
    tool_id: str
    service: str
    name: str
    protocol: str
    score: float
    description: str
    enriched_name: str | None
    why: dict[str, Any]
    differs: str | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """With `nothing_fits` the hits are only the nearest, for a person to see; `chance` is that of
    the first hit to be right; `search_id` names it in the log, empty where it was not logged."""

    query: str
    hits: tuple[Hit, ...]
    took_ms: float
    nothing_fits: bool = False
    notes: tuple[str, ...] = ()
    chance: float = 0.0
    search_id: str = ""


@dataclass(slots=True)
class Searcher:
    """Answers queries over one catalog; the model is opened for the first query that needs it.

    `origin` and `session` say in the log who asks; without a session no search counts as asked
    again in other words. `mix` None is the one that the index has. `reranker` is one of
    RERANKERS; for "llm" a `picker` puts the best in order. `alone` "bm25" or "vector" ranks by one
    list, for comparison.
    """

    conn: Connection
    open_encoder: Callable[[], Encoder] | None
    mix: Mix | None = None
    origin: str = "cli"
    log: bool = True
    session: str = ""
    reranker: str = "trained"
    picker: Picker | None = None
    alone: str = ""
    _encoder: Encoder | None = None

    def search(
        self, query: str, *, k: int = 4, services: Sequence[str] = (), context: str = ""
    ) -> SearchResult:
        started = time.perf_counter()
        with translated():
            chosen = self._chosen(services)
            state = self._state(chosen)
            mix, notes = settle(self.conn, state, self.mix)
            question = ask(self.conn, understand(query[:MAX_QUERY]), chosen)
            encoder, vectors, more = self._vectors(state, question, mix is not None)
            notes += more
            pool = gather(
                self.conn,
                question,
                encoder,
                chosen,
                mix or mix_of(state),
                self._approximate(state),
                vectors,
            )
            answer, more = self._ranked(question, pool, k, context, encoder)
            notes += (*more, *_guess_notes(question.guesses))
            hits = self._hits(question, answer.hits[:k])
            took_ms = (time.perf_counter() - started) * 1000
            result = SearchResult(query, hits, took_ms, not answer.fits, notes, answer.chance)
            return self._logged(result, k, services, context) if self.log else result

    def _vectors(
        self, state: stored.IndexState, question: Question, comparable: bool
    ) -> tuple[Encoder | None, Vectors | None, tuple[str, ...]]:
        """The question embedded; without an encoder to compare with, why."""
        encoder, notes = self._encoder_for(state) if comparable else (None, ())
        if encoder is None:
            return None, None, notes
        try:
            vectors = encoder.encode(question.spoken, queries=True)
        except TryLater as error:
            return None, None, (f"{error.message}; searched by words only",)
        if vectors.shape[1] != state.width:
            told = f"{vectors.shape[1]} numbers a text now, the index holds {state.width}"
            return None, None, (f"{encoder.name} gives {told}; searched by words only. "
                                "`gloss index --rebuild` embeds the catalog anew",)  # fmt: skip
        return encoder, vectors, notes

    def _ranked(
        self, question: Question, pool: Pool, k: int, context: str, encoder: Encoder | None
    ) -> tuple[Answer, tuple[str, ...]]:
        if self.alone == "vector":
            return by_vector(pool, k), ()
        extra = context_nudges(context, pool, encoder)
        rules = self.reranker != "off" and not self.alone
        depth = max(k, PICKED_FROM) if self.picker else k
        answer = rank(question, pool, depth, extra, rules=rules, reorder=self._reorder(encoder))
        if self.picker is None or not answer.hits:
            return answer, ()
        return picked(self.conn, self.picker, question.query, answer)

    def _hits(self, question: Question, ranked: Sequence[Ranked]) -> tuple[Hit, ...]:
        differ = differences(self.conn, [entry.candidate for entry in ranked])
        return tuple(
            _hit(n, entry, question, differ.get(n - 1)) for n, entry in enumerate(ranked, 1)
        )

    def _chosen(self, services: Sequence[str]) -> list[int] | None:
        if not services:
            return None
        return [find_service(self.conn, name).service_id for name in dict.fromkeys(services)]

    def _state(self, chosen: Sequence[int] | None) -> stored.IndexState:
        state = stored.index_state(self.conn)
        if state is not None and indexed_tools(self.conn, chosen):
            return state
        if not catalog_counts(self.conn).services:
            raise NotFound("the catalog is empty", hint="gloss ingest SPEC…, then gloss index")
        what = "these services are" if chosen else "the catalog is"
        raise NotFound(f"{what} not indexed yet", hint="gloss index")

    def _encoder_for(self, state: stored.IndexState) -> tuple[Encoder | None, tuple[str, ...]]:
        """The encoder whose vectors the index holds, or none and a note: models never mix."""
        if self.open_encoder is None:
            return None, ()
        if self._encoder is None:
            self._encoder = self.open_encoder()
        if self._encoder.model == state.model:
            return self._encoder, ()
        made_by = state.model.partition("@")[0]
        return None, (
            f"the index was made with another embedding model ({made_by}); searched by words only. "
            "`gloss index` embeds the catalog anew",
        )

    def _reorder(self, encoder: Encoder | None) -> Trained | None:
        if self.reranker != "trained" or encoder is None:
            return None
        return load_trained(self.conn, encoder.model)

    def _approximate(self, state: stored.IndexState) -> bool:
        return has_approximate_index(self.conn, state.model, state.width)

    def _logged(
        self, result: SearchResult, k: int, services: Sequence[str], context: str
    ) -> SearchResult:
        searched = Searched(
            origin=self.origin,
            session=self.session,
            query=result.query,
            context=context,
            services=tuple(services),
            k=k,
            took_ms=result.took_ms,
            fits=not result.nothing_fits,
            chance=result.chance,
            tools=tuple(hit.tool_id for hit in result.hits),
            scores=tuple(round(hit.score, 4) for hit in result.hits),
        )
        if log_search(self.conn, searched):
            return replace(result, search_id=str(searched.search_id))
        return replace(result, notes=(*result.notes, "the database takes no writes; not logged"))


def search(
    conn: Connection,
    query: str,
    *,
    k: int = 4,
    services: Sequence[str] = (),
    context: str = "",
    encoder: Encoder | None,
) -> SearchResult:
    """One query; see `Searcher` for several."""
    searcher = Searcher(conn, None if encoder is None else lambda: encoder)
    return searcher.search(query, k=k, services=services, context=context)


def _hit(number: int, entry: Ranked, question: Question, differs: str | None) -> Hit:
    tool = entry.candidate
    taken = synonyms_met(question, entry)
    return Hit(
        number,
        f"{tool.service}/{tool.name}",
        tool.service,
        tool.name,
        tool.protocol,
        entry.score,
        tool.enriched_description or tool.description or tool.summary,
        tool.enriched_name,
        {**entry.why, "synonyms": taken} if taken else entry.why,
        differs,
    )


def _guess_notes(guesses: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"no tool says “{typed}”; took “{word}”" for typed, word in guesses.items())
