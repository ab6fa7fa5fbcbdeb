"""Search: build an index, ask it. `from search import Searcher` loads it when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from search.encoder import load_encoder
    from search.index import build_index
    from search.query import Searcher, search

__all__ = ["Searcher", "build_index", "load_encoder", "search"]
_HOMES = {
    "Searcher": "search.query",
    "search": "search.query",
    "build_index": "search.index",
    "load_encoder": "search.encoder",
}


def __getattr__(name: str) -> Any:
    """Light until used (PEP 562): the commands that do not search import none of it."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'search' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
