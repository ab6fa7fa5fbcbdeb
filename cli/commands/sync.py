"""`gloss sync`: the nightly command."""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.errors import Exit
from cli import completing, console, hostlock, metrics, output, periods, settings, wiring
from cli.commands import sync_text
from cli.commands.sync_parts import chosen_services, means, request, require_writable, write_stamp
from cli.output import Format, FormatOption, JsonOption

if TYPE_CHECKING:
    from psycopg import Connection

    from pipeline.sync_report import SyncReport

HELP = """Bring the services of gloss.toml in step, every night.

Service by service: reads the spec, probes where base_url is set, writes about what changed where
enrich is on, applies where auto_apply is on, indexes. What is unchanged costs nothing. A failure
costs only its own service. One line a service; docs/cron.md has the rest.

\b
  gloss sync
  gloss sync --plan
  gloss sync --only crm --max-cost 0.20
  gloss sync --stamp build/catalog.stamp --prometheus gloss.prom
  gloss sync --history
"""


def register(app: typer.Typer) -> None:
    app.command("sync", help=HELP)(sync)


def sync(
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="This service of gloss.toml alone; may be repeated.",
            autocompletion=completing.services,
        ),
    ] = None,
    since: Annotated[
        str, typer.Option(metavar="PERIOD", help="Skip what succeeded within it: 20h, 7d, 2w.")
    ] = "",
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what would be done; call and write nothing.")
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="USD", min=0, help="Stop writing before this run costs more."),
    ] = None,
    stamp: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it on success, and only then.")
    ] = None,
    prometheus: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write metrics for a node exporter.")
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Show the last runs; do nothing.")
    ] = False,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    chosen = output.chosen(form, as_json)
    console.stamp_log()
    config = settings.load()
    if history:
        return _history(config, chosen)
    start = periods.since(since, "--since") if since else None
    services = chosen_services(config, only or [])
    if plan:
        return _plan(config, services, max_cost, start, chosen)
    for file in (stamp, prometheus):
        require_writable(file)
    report = _run(config, services, max_cost, start, prometheus, chosen)
    if stamp and report.exit_code == Exit.OK:
        write_stamp(stamp, report)
    return int(report.exit_code)


def _run(
    config: settings.Settings,
    services: list[settings.DeclaredService],
    max_cost: float | None,
    since: datetime | None,
    prometheus: Path | None,
    form: Format,
) -> SyncReport:
    from pipeline.sync import sync as run

    requests = [request(config, service) for service in services]
    with (
        hostlock.held(config),
        wiring.database_url(config) as url,
        wiring.opened(url) as connection,
    ):
        try:
            work = run(connection, url, requests, means(config, max_cost), since)
            report = sync_text.told(work, form)
        finally:
            if prometheus and not connection.closed:
                metrics.write(connection, prometheus, "gloss sync --prometheus FILE")
    sync_text.show(report, form)
    return report


def _plan(
    config: settings.Settings,
    services: list[settings.DeclaredService],
    max_cost: float | None,
    since: datetime | None,
    form: Format,
) -> int:
    from pipeline.sync_plan import plan_sync

    requests = [request(config, service) for service in services]
    with wiring.open_catalog(config) as connection:
        prices = wiring.prices(config)
        planned = list(plan_sync(connection, requests, means(config, max_cost), prices, since))
    sync_text.show_plan(planned, form)
    return Exit.OK


def _history(config: settings.Settings, form: Format) -> int:
    with wiring.open_catalog(config) as connection:
        rows = list(_runs(connection))
    sync_text.show_history(rows, form)
    return Exit.OK


def _runs(connection: Connection) -> Generator[dict[str, object], None, None]:
    from pipeline.sync import COMMAND, is_going_on
    from store.runs import list_runs

    going_on = is_going_on(connection)
    for at, row in enumerate(list_runs(connection, command=COMMAND)):
        yield sync_text.run_row(row, going_on=going_on and at == 0)
