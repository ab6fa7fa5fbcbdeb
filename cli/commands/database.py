"""`gloss db …`: the embedded server, and where the catalog is kept."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from catalog.errors import UsageError
from cli import console, output, settings, wiring
from cli.output import Format, FormatOption, JsonOption

app = typer.Typer(
    help="The database: start, stop, status, dump, …",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command(
    help="Start the embedded server and keep it until `gloss db stop`.\n\n\b\n  gloss db start"
)
def start() -> None:
    from store import server

    config = _embedded_only()
    started = server.start(config.data_dir, runtime_dir=config.runtime_dir)
    console.out(f"running, kept until `gloss db stop`: {started.url}")


@app.command(help="Stop the embedded server once nobody uses it.\n\n\b\n  gloss db stop")
def stop() -> None:
    from store import server

    left = server.stop(_embedded_only().data_dir)
    console.out("stopping with its last user" if left.running else "stopped")


@app.command(help="Say where the catalog is and how it does.\n\n\b\n  gloss db status --json")
def status(form: FormatOption = Format.text, as_json: JsonOption = False) -> None:
    config = settings.load()
    value = _remote_status(config) if config.database_url else _embedded_status(config)
    chosen = output.chosen(form, as_json)
    if chosen is not Format.text:
        output.record(value, chosen)
        return
    for key, entry in value.items():
        label = f"{key:<15}" if console.on_terminal() else f"{key}\t"
        console.out(label + output.cell(entry))


@app.command(
    help="Print the address for psql and others, without a password.\n\nThe embedded server must "
    "be kept running."
    '\n\n\b\n  gloss db start\n  gloss db url\n  psql "$(gloss db url)"'
)
def url() -> None:
    from store import server
    from store.connection import without_password

    config = settings.load()
    if config.database_url:
        console.out(without_password(config.database_url))
        return
    state = server.status(config.data_dir)
    if not state.running:
        raise UsageError("the embedded server is not running", hint="gloss db start")
    console.out(state.url or "")


@app.command(
    help="Bring the catalog to this version.\n\nIts schema, pgvector, and the format of the "
    "embedded server.\n\n\b\n  gloss db upgrade"
)
def upgrade() -> None:
    from store import copies
    from store.migrate import schema_version, update_vector, vector_version

    config = settings.load()
    if not config.database_url:
        done = copies.upgrade(config.data_dir)
        if done.backup:
            console.out(f"PostgreSQL {done.was} became {done.now}; the old data: {done.backup}")
    with wiring.open_catalog(config) as connection:
        update_vector(connection)
        version, vector = schema_version(connection), vector_version(connection)
        console.out(f"the catalog has schema {version} and pgvector {vector}")


@app.command(
    help="Write the whole catalog to a file.\n\nIn the format of pg_dump -Fc."
    "\n\n\b\n  gloss db dump catalog.dump"
)
def dump(file: Annotated[Path, typer.Argument(hidden=True, metavar="FILE")]) -> None:
    from store import copies

    with wiring.database_url(settings.load()) as address:
        copies.dump(address, file)
    console.log(f"wrote {file}")


@app.command(
    help="Make the catalog what a dump says.\n\nAll or nothing: a restore that fails changes "
    "nothing.\n\n\b\n  gloss db restore catalog.dump --replace"
)
def restore(
    file: Annotated[Path, typer.Argument(hidden=True, metavar="FILE")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Drop the catalog that is there.")
    ] = False,
) -> None:
    from store import copies

    with wiring.database_url(settings.load()) as address:
        copies.restore(address, file, replace=replace)
    console.out(f"restored from {file}")


def _embedded_only() -> settings.Settings:
    config = settings.load()
    if config.database_url:
        raise UsageError(
            "the catalog is on a server of your own, which gloss does not start or stop",
            hint="gloss db status",
        )
    return config


def _embedded_status(config: settings.Settings) -> dict[str, Any]:
    from store import server

    state = asdict(server.status(config.data_dir))
    return {"kind": "embedded", **{key: _plain(value) for key, value in state.items()}}


def _remote_status(config: settings.Settings) -> dict[str, Any]:
    from store.connection import shown
    from store.migrate import schema_version

    with wiring.open_catalog(config) as connection:
        info = connection.info
        return {
            "kind": "server",
            "running": True,
            "url": shown(config.database_url),
            "version": f"{info.server_version // 10000}.{info.server_version % 10000}",
            "schema_version": schema_version(connection),
        }


def _plain(value: Any) -> Any:
    return value if isinstance(value, (int, bool, str, type(None))) else str(value)
