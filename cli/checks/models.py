"""The models that search needs, and whether the index was made with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from catalog.errors import GlossError
from cli import wiring
from cli.checks.finding import Finding, failed, of_error, ok, warning
from cli.settings import Settings

if TYPE_CHECKING:
    from psycopg import Connection

    from search.encoder import Encoder


def checks(connection: Connection, config: Settings) -> Iterator[Finding]:
    try:
        encoder = wiring.open_encoder(config)
    except GlossError as error:
        yield of_error("embedding model", error)
        return
    broken = _trial(encoder)
    yield (
        failed("embedding model", f"{encoder.name}: {broken[0]}", broken[1])
        if broken
        else ok("embedding model", encoder.name)
    )
    yield from _index(connection, encoder)
    yield from _reranker(connection, encoder)


def _trial(encoder: Encoder) -> tuple[str, str] | None:
    """What goes wrong when the model reads a word, and what mends it."""
    mend = "pip install --force-reinstall apigloss, or gloss index --embedding-model NAME"
    try:
        encoder.encode(["gloss"])
    except GlossError as error:
        return error.message, error.hint or mend
    except Exception as error:  # noqa: BLE001 - whatever the runtime says of a broken file
        return " ".join(str(error).split())[:200] or type(error).__name__, mend
    return None


def _index(connection: Connection, encoder: Encoder) -> Iterator[Finding]:
    from search.index import index_status
    from store.inspection import vector_widths

    status = index_status(connection, encoder)
    widths = vector_widths(connection, status.model)
    if status.model_changed:
        yield failed("index", f"made with {status.model}", "gloss index")
    elif widths not in ([], [encoder.width]):
        told = ", ".join(map(str, widths))
        found = f"vectors {told} wide, the model makes {encoder.width}"
        yield failed("index", found, "gloss index --rebuild")
    elif status.pending:
        found = f"{status.pending} tools are newer than the index"
        yield warning("index", found if status.indexed else f"{status.pending} tools not indexed",
                      "gloss index")  # fmt: skip
    else:
        yield ok("index", f"{status.indexed} tools")


def _reranker(connection: Connection, encoder: Encoder) -> Iterator[Finding]:
    """One trained for this catalog; without it, or beside another model, the packaged ranking."""
    from store.rerankers import stored_reranker

    trained = stored_reranker(connection)
    if trained is None:
        return
    if trained.model == encoder.model:
        yield ok("reranker", f"trained {trained.trained_at:%Y-%m-%d}")
    else:
        found = f"trained beside {trained.model.partition('@')[0]}, so it is not used"
        yield warning("reranker", found, "gloss train CASES")
