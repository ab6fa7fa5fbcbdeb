"""`gloss index`: embed and index what changed."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import completing, console, output, settings, wiring
from cli.output import EmbeddingModel, Format, FormatOption, JsonOption
from cli.progress import progress

HELP = """Embed and index what changed since the last time.

\b
  gloss index
  gloss index crm --rebuild
"""


def register(app: typer.Typer) -> None:
    app.command("index", help=HELP)(index)


def index(
    services: Annotated[
        list[str] | None,
        typer.Argument(
            hidden=True, metavar="SERVICE", show_default=False, autocompletion=completing.services
        ),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Embed everything again, changed or not.")
    ] = False,
    embedding_model: EmbeddingModel = "",
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> None:
    from search.index import build_index

    config = settings.load(embedding_model=embedding_model)
    with wiring.open_catalog(config) as connection:
        encoder = wiring.open_encoder(config, exporting=True)
        report = progress(
            "indexing",
            build_index(connection, encoder, tuple(services or ()), rebuild, wiring.mix(config)),
        )
    chosen = output.chosen(form, as_json)
    if chosen is not Format.text:
        output.record(report.as_json(), chosen)
        return
    console.out(report.sentence())
