"""The modes of `gloss eval`: the same search, with parts of it left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from catalog.errors import UsageError
from cli import console, wiring

if TYPE_CHECKING:
    from psycopg import Connection

    from cli.settings import Settings
    from evaluation.run import Answer, Ask
    from evaluation.suites import Judged
    from search.picking import Option
    from search.query import Searcher

MODES = ("bm25", "vector", "hybrid", "rerank", "original", "enriched", "mixed")
"""`rerank` is what `gloss search` answers with; `hybrid` the packaged ranking."""
OFFERED = 8
"""Hits that a picking model is shown."""


@contextmanager
def searching(connection: Connection, config: Settings, mode: str) -> Iterator[Searcher]:
    """A searcher for the mode. Other shares of the texts are made aside, for this run alone."""
    from search.mixing import aside
    from search.query import Searcher
    from store.retrieval import Mix

    if mode not in MODES:
        raise UsageError(f"no such mode: {mode}", hint=f"--compare {'|'.join(MODES)}")
    alone = mode if mode in ("bm25", "vector") else ""
    only = {"original": Mix(1.0, 0.0), "enriched": Mix(0.0, 1.0)}.get(mode)
    packaged = bool(alone) or mode == "hybrid"
    encoder = wiring.open_encoder(config) if mode != "bm25" else None
    searcher = Searcher(
        connection,
        None if encoder is None else lambda: encoder,
        mix=only or wiring.mix(config),
        log=False,
        reranker="builtin" if packaged else config.reranker,
        picker=None if packaged else wiring.picker(config),
        alone=alone,
    )
    if only is None or encoder is None:
        yield searcher
        return
    with aside(connection, encoder.model, only):
        yield searcher


@contextmanager
def asking(
    connection: Connection, config: Settings, mode: str, services: tuple[str, ...]
) -> Iterator[Ask]:
    from evaluation.run import Answer

    with searching(connection, config, mode) as searcher:
        said: set[str] = set()

        def ask(judged: Judged, depth: int) -> Answer:
            case = judged.case
            result = searcher.search(case.query, k=depth, services=services, context=case.context)
            for note in _warnings(result.notes) - said:
                console.warning(note)
                said.add(note)
            return Answer(tuple(hit.tool_id for hit in result.hits), result.nothing_fits)

        yield ask


def _warnings(notes: Sequence[str]) -> set[str]:
    """What is wrong with the index or a model, not what was made of single words."""
    return {note for note in notes if "searched by words only" in note or "without the" in note}


@dataclass(frozen=True, slots=True)
class Offer:
    """The hits of a case as a picking model is shown them."""

    connection: Connection
    searcher: Searcher
    services: tuple[str, ...]

    def __call__(self, judged: Judged) -> list[Option]:
        from search.picking import options_of

        case = judged.case
        result = self.searcher.search(
            case.query, k=OFFERED, services=self.services, context=case.context
        )
        return options_of(self.connection, [hit.tool_id for hit in result.hits])
