"""`gloss init`: a commented gloss.toml, and a database that answers."""

from __future__ import annotations

from pathlib import Path

import typer

from cli import console, settings, wiring

HELP = """Write a commented gloss.toml, check the database.

The file goes into this folder. A gloss.toml that is already there is left alone.

\b
  gloss init
"""


def register(app: typer.Typer) -> None:
    app.command("init", help=HELP)(init)


def init() -> None:
    from importlib.resources import files

    file = Path(settings.FILE_NAME)
    if file.exists():
        console.log(f"{file} is already there and stays as it is")
    else:
        file.write_text(files("cli").joinpath("gloss.toml").read_text("utf-8"), encoding="utf-8")
        console.out(f"wrote {file}")
    config = settings.load()
    with wiring.open_catalog(config) as connection:
        number = connection.info.server_version
    where = "the database of the url" if config.database_url else f"embedded, in {config.data_dir}"
    console.out(f"database: PostgreSQL {number // 10000} ({where})")
    console.log("next: gloss ingest specs/")
