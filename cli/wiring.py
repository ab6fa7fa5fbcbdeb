"""From settings to the things that commands work with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from catalog.errors import GlossError
from cli import console
from cli.settings import EmbeddingSettings, Settings, secret

if TYPE_CHECKING:
    from psycopg import Connection

    from enrichment.endpoint import Endpoint, EndpointSettings
    from search.encoder import Encoder
    from search.picking import Picker
    from store.retrieval import Mix


PICK_WITHIN_S = 10.0
"""How long a search waits for the model that picks; then it answers without."""


@contextmanager
def open_catalog(settings: Settings) -> Iterator[Connection]:
    """A connection to an up-to-date catalog; the embedded server runs while it is open."""
    with database_url(settings) as url, opened(url) as connection:
        yield connection


def opened(url: str) -> Connection:
    from store.migrate import open_catalog

    return open_catalog(url)


@contextmanager
def database_url(settings: Settings) -> Iterator[str]:
    """The address, of the embedded server where none is set; hints say where it stands."""
    from store.connection import passwords
    from store.server import embedded

    try:
        if settings.database_url:
            for password in passwords(settings.database_url):
                console.keep_secret(password)
            yield settings.database_url
        else:
            with embedded(settings.data_dir, runtime_dir=settings.runtime_dir) as url:
                yield url
    except GlossError as error:
        error.hint = _in_place(error.hint, settings)
        raise


def _in_place(hint: str, settings: Settings) -> str:
    from store.connection import ADDRESS

    if settings.database_url or ADDRESS not in hint:
        return hint.replace(ADDRESS, settings.database_from)
    return "gloss db stop, which ends a server that hangs; then run it again"


def open_encoder(settings: Settings, *, exporting: bool = False) -> Encoder:
    """The model of the settings; with `exporting`, one named there is made fit to run, once."""
    from catalog.words import safe_name
    from search.encoder import load_encoder

    if settings.embedding:
        return _remote_encoder(settings.embedding)
    source = settings.embedding_model
    if not _is_exportable(source):
        return load_encoder(source)
    folder = settings.data_dir / "models" / safe_name(Path(source).name)
    if exporting and not (folder / "config.json").is_file():
        _export(source, folder)
    return load_encoder(str(folder) if folder.is_dir() else source)


def _remote_encoder(given: EmbeddingSettings) -> Encoder:
    from search.remote import RemoteEncoder

    return RemoteEncoder(
        base_url=given.base_url,
        name=given.model,
        api_key=secret(given.api_key) or "none",
        dimensions=given.dimensions,
        batch=given.batch,
        timeout_s=given.timeout_s,
        note=console.warning,
    )


def mix(settings: Settings) -> Mix | None:
    """The chosen shares of original and enriched text; None leaves them as the index has them."""
    from store.retrieval import Mix

    return Mix(*settings.weights) if settings.weights else None


def _is_exportable(source: str) -> bool:
    """A folder of sentence-transformers, or what can only be the name of a model."""
    folder = Path(source).expanduser()
    if folder.exists():
        return (folder / "modules.json").is_file() and not (folder / "model.onnx").is_file()
    return source != "builtin" and not source.startswith(("/", ".", "~"))


def _export(source: str, folder: Path) -> None:
    from search.export import export

    console.log(f"exporting the embedding model {source}, once")
    export(source, folder)


def writer_model(settings: Settings) -> str:
    """The name under which texts are kept: the endpoint's model, or the writer without one."""
    if settings.llm.base_url:
        return settings.llm.model
    from enrichment.shapes import PROVIDER

    return PROVIDER


def endpoint_settings(settings: Settings) -> EndpointSettings | None:
    """What the endpoint needs to know; None means the writer that needs no model."""
    from enrichment.endpoint import EndpointSettings

    llm = settings.llm
    if not llm.base_url:
        return None
    return EndpointSettings(
        base_url=llm.base_url,
        model=llm.model,
        api_key=secret(llm.api_key) or "none",
        api_version=llm.api_version,
        timeout_s=llm.timeout_s,
        max_concurrency=llm.max_concurrency,
        price_in=llm.price_in,
        price_out=llm.price_out,
    )


def prices(settings: Settings) -> EndpointSettings | None:
    """What the endpoint takes for its tokens; its key is not needed."""
    from dataclasses import replace

    return endpoint_settings(replace(settings, llm=replace(settings.llm, api_key="")))


def batch_settings(settings: Settings) -> EndpointSettings:
    """The endpoint that a batch file is for; its key is not needed."""
    from dataclasses import replace

    from catalog.errors import UsageError

    given = endpoint_settings(replace(settings, llm=replace(settings.llm, api_key="")))
    if given is None:
        raise UsageError("batch files are for a model", hint="set [llm] base_url and model")
    return given


def picker(settings: Settings) -> Picker | None:
    """The model that puts hits in order, where the settings want one."""
    from dataclasses import replace

    from catalog.errors import UsageError
    from enrichment.endpoint import Endpoint
    from evaluation.picking import picker as picking

    if settings.reranker != "llm":
        return None
    given = endpoint_settings(settings)
    if given is None:
        raise UsageError(
            'reranker = "llm" needs a model', hint="set [llm] base_url and model in gloss.toml"
        )
    hurried = replace(given, timeout_s=min(given.timeout_s, PICK_WITHIN_S))
    return picking(lambda wait: Endpoint(hurried, wait))


def open_endpoint(settings: Settings) -> Endpoint | None:
    from enrichment.endpoint import Endpoint

    given = endpoint_settings(settings)
    return Endpoint(given) if given else None
