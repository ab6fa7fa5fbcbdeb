"""`gloss stats`: what is found, what is ignored, what to enrich first."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.errors import Exit, GlossError, UsageError
from cli import completing, console, files, metrics, output, periods, settings, wiring
from cli.commands import stats_text
from cli.output import Format, FormatOption, JsonOption

if TYPE_CHECKING:
    from psycopg import Connection

    from enrichment.endpoint import EndpointSettings
    from pipeline.statistics import Report

TOP = 10
HTML_TEXTS = 500  # enriched texts shown beside their originals

HELP = """Say what searches find and what they miss.

Counts the log of searches, by service and tool: how often returned and at which rank, chosen,
passed over, never found; what nothing fitted and what was asked again. docs/statistics.md defines
each number. --html writes one page that needs no network.

\b
  gloss stats
  gloss stats crm --since 7d --top 20
  gloss stats --html stats.html --prometheus gloss_stats.prom
  gloss stats --forget 90d
"""


def register(app: typer.Typer) -> None:
    app.command("stats", help=HELP)(stats)


def stats(
    services: Annotated[
        list[str] | None,
        typer.Argument(
            hidden=True, metavar="SERVICE", show_default=False, autocompletion=completing.services
        ),
    ] = None,
    since: Annotated[
        str, typer.Option(metavar="PERIOD", help="Searches since 7d, 36h, 2w, a date, or all.")
    ] = "30d",
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Rows of each table. [default: 10; all in JSON and HTML]"
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page for a browser.")
    ] = None,
    prometheus: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write metrics for a textfile collector.")
    ] = None,
    forget: Annotated[
        str, typer.Option(metavar="PERIOD", help="Delete searches older than that; count nothing.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --forget: do not ask.")] = False,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    chosen = output.chosen(form, as_json)
    if forget:
        return _forget(forget, yes, chosen)
    start = periods.since(since, "--since")
    with wiring.open_catalog(settings.load()) as connection:
        report = _report(connection, start, services or [], top, chosen, html)
    if html:
        _write_html(report, html)
    if prometheus:
        _write_prometheus(report, prometheus)
    if not (html or prometheus) or chosen is not Format.text:
        stats_text.show(report, chosen, top or TOP)
    return Exit.OK


def _report(
    connection: Connection,
    start: datetime | None,
    services: list[str],
    top: int | None,
    form: Format,
    html: Path | None,
) -> Report:
    from pipeline.statistics import report

    config = settings.load()
    whole = form is not Format.text or html is not None
    return report(
        connection,
        start,
        services,
        endpoint=_prices(config),
        model=wiring.writer_model(config),
        top=top or (1000 if whole else TOP),
        live=HTML_TEXTS if whole else 0,
    )


def _prices(config: settings.Settings) -> EndpointSettings | None:
    """What the endpoint takes for its tokens; its key is not needed."""
    from dataclasses import replace

    return wiring.endpoint_settings(replace(config, llm=replace(config.llm, api_key="")))


def _write_html(report: Report, file: Path) -> None:
    from cli.report import page

    files.write(file, page(report), "gloss stats --html FILE")
    console.log(f"wrote {file}")


def _write_prometheus(report: Report, file: Path) -> None:
    from pipeline.metrics import render
    from pipeline.statistics_metrics import metrics as counted

    metrics.write_text(render(counted(report)), file, "gloss stats --prometheus FILE")
    console.log(f"wrote {file}")


def _forget(period: str, yes: bool, form: Format) -> int:
    from store.searches import forget

    before = periods.since(period, "--forget")
    if before is None:
        raise UsageError("--forget all is not done", hint="gloss stats --forget 1d")
    _require_consent(period, yes)
    with wiring.open_catalog(settings.load()) as connection:
        gone = forget(connection, before)
    if form is not Format.text:
        output.record({"searches": gone.searches, "choices": gone.choices}, form)
    else:
        labelled = f", {gone.choices} of them labelled" if gone.choices else ""
        console.out(f"{gone.searches} searches forgotten{labelled}")
    return Exit.OK


def _require_consent(period: str, yes: bool) -> None:
    """On a terminal a question: labelled searches go too."""
    if yes or sys.stdin is None or not sys.stdin.isatty():
        return
    console.log("labelled searches go too; gloss feedback --export keeps them as cases")
    if not typer.confirm(f"forget searches older than {period}?", err=True):
        raise GlossError("nothing was changed")
