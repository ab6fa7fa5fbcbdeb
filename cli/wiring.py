"""From settings to the things that commands work with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli import console
from cli.settings import Settings

if TYPE_CHECKING:
    from psycopg import Connection

    from search.encoder import Encoder


@contextmanager
def open_catalog(settings: Settings) -> Iterator[Connection]:
    """A connection to an up-to-date catalog; the embedded server runs while it is open."""
    with database_url(settings) as url:
        from store.migrate import open_catalog as opened

        with opened(url) as connection:
            yield connection


@contextmanager
def database_url(settings: Settings) -> Iterator[str]:
    if settings.database_url:
        console.keep_secret(_password(settings.database_url))
        yield settings.database_url
        return
    from store.server import embedded

    with embedded(settings.data_dir, runtime_dir=settings.runtime_dir) as url:
        yield url


def open_encoder(settings: Settings) -> Encoder:
    from search.encoder import load_encoder

    return load_encoder(settings.embedding_model)


def _password(url: str) -> str:
    from urllib.parse import unquote, urlsplit

    try:
        return unquote(urlsplit(url).password or "")
    except ValueError:
        return ""
