"""The shares of original and enriched text that an index is ranked with, kept and changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace

from psycopg import Connection

from store.index import IndexState
from store.index_saving import set_index_state
from store.mixing import forget_aside, is_mixed, mix_aside, mixed_with, try_mix_again
from store.retrieval import Mix


def mix_of(state: IndexState | None) -> Mix:
    """The mix that an index was made with."""
    return Mix(**state.weights["mix"]) if state and "mix" in state.weights else Mix()


def settle(
    conn: Connection, state: IndexState, wanted: Mix | None
) -> tuple[Mix | None, tuple[str, ...]]:
    """The mix to search with, after mixing the vectors anew where they have another one.

    None, with a note, where they have two and the database takes no writes: two mixes are never
    compared.
    """
    mix = wanted or mix_of(state)
    if is_mixed(conn, state.model, mix):
        return mix, ()
    count = try_mix_again(conn, state.model, mix)
    if count is not None:
        set_index_state(conn, replace(state, weights={**state.weights, "mix": asdict(mix)}))
        return mix, (f"{count} tools ranked with other weights now ({_told(mix)})",)
    held = mixed_with(conn, state.model)
    if len(held) > 1:
        return None, ("the weights were being changed; searched by words only. `gloss index`",)
    kept = Mix(round(held[0], 6), round(1 - held[0], 6))
    return kept, (f"the database takes no writes, so the weights stay ({_told(kept)})",)


@contextmanager
def aside(conn: Connection, model: str, mix: Mix) -> Iterator[None]:
    """Inside, this connection sees vectors of another mix; nobody else does."""
    mix_aside(conn, model, mix)
    try:
        yield
    finally:
        forget_aside(conn)


def _told(mix: Mix) -> str:
    return f"original {mix.original:.3g}, enriched {mix.enriched:.3g}"
