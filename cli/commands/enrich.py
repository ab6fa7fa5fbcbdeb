"""`gloss opt-in`, `opt-out`, `enrich`: clearer text proposed beside the original."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import Exit, UsageError
from cli import console, output, settings, wiring
from cli.output import Format, FormatOption, JsonOption
from cli.progress import progress

if TYPE_CHECKING:
    from psycopg import Connection

    from enrichment.planning import ServiceWork
    from enrichment.run import EnrichReport

OPT_IN_HELP = """Allow enrichment of services.

Nothing is ever written about a service that is not opted in.

\b
  gloss opt-in crm hr
"""
OPT_OUT_HELP = """Allow it no longer.

Text that is live stays live; take it back with gloss revert.

\b
  gloss opt-out crm
"""
ENRICH_HELP = """Write clearer names and descriptions, as proposals.

For the services named, or all that are opted in; only what changed since the last time. The
endpoint comes from [llm] in gloss.toml; without one, a plain writer that needs no model drafts
from names and response shapes. Look at the proposals with gloss diff.

\b
  gloss enrich --plan
  gloss enrich crm --max-cost 0.50
  gloss enrich --show-prompt crm/getProcInfo3
"""

Services = Annotated[list[str] | None, typer.Argument(metavar="SERVICE", show_default=False)]


def register(app: typer.Typer) -> None:
    app.command("opt-in", help=OPT_IN_HELP)(opt_in)
    app.command("opt-out", help=OPT_OUT_HELP)(opt_out)
    app.command("enrich", help=ENRICH_HELP)(enrich)


def opt_in(services: Annotated[list[str], typer.Argument(metavar="SERVICE")]) -> None:
    from store.catalog import opt_in as allow

    with wiring.open_catalog(settings.load()) as connection:
        allow(connection, services)
    console.log(f"opted in: {', '.join(services)}; next: gloss enrich --plan")


def opt_out(services: Annotated[list[str], typer.Argument(metavar="SERVICE")]) -> None:
    from store.catalog import opt_out as forbid

    with wiring.open_catalog(settings.load()) as connection:
        forbid(connection, services)
    console.log(f"opted out: {', '.join(services)}")


def enrich(
    services: Services = None,
    changed: Annotated[
        bool, typer.Option("--changed", help="Only what changed: the default, for scripts.")
    ] = True,
    rewrite: Annotated[
        bool, typer.Option("--rewrite", help="Also what another model wrote before.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print tools, tokens and cost; call nothing.")
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="Stop before this run costs more.")
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Make the proposals live at once.")
    ] = False,
    show_prompt: Annotated[
        str | None, typer.Option(metavar="TOOL", help="Print what would be sent about TOOL.")
    ] = None,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    config = settings.load()
    names, chosen = services or [], output.chosen(form, as_json)
    with wiring.open_catalog(config) as connection:
        if show_prompt:
            return _show_prompt(connection, show_prompt, config)
        work = _work(connection, names, config, rewrite)
        if plan:
            return _show_plan(work, config, chosen)
        report = _run(connection, work, config, max_cost)
        if apply:
            _apply(connection, report)
    return _show(report, chosen)


def _work(
    connection: Connection, names: list[str], config: settings.Settings, rewrite: bool
) -> list[ServiceWork]:
    from enrichment.planning import chosen_services
    from enrichment.planning import plan as planned

    services = chosen_services(connection, names)
    if not services:
        raise UsageError("no service is opted in", hint="gloss opt-in SERVICE")
    model, size = wiring.writer_model(config), config.llm.tools_per_request
    return planned(connection, services, model, rewrite, size)


def _run(
    connection: Connection,
    work: list[ServiceWork],
    config: settings.Settings,
    max_cost: float | None,
) -> EnrichReport:
    from enrichment.run import enrich as run

    endpoint = wiring.open_endpoint(config)
    cap = max_cost if max_cost is not None else config.llm.max_cost
    return progress("enriching", run(connection, work, endpoint, cap if endpoint else None))


def _apply(connection: Connection, report: EnrichReport) -> None:
    from enrichment.deciding import apply_proposals

    fresh = [*report.proposed, *report.reused]
    if fresh:
        apply_proposals(connection, fresh, "enrich --apply")


def _show_plan(work: list[ServiceWork], config: settings.Settings, form: Format) -> int:
    from enrichment.planning import estimate

    rows = []
    for service in work:
        expected = estimate([service], wiring.endpoint_settings(config))
        rows.append(
            {
                "service": service.service.name,
                **asdict(expected),
                "unchanged": service.unchanged,
                "other_model": service.other_model,
                "alike": [list(ids) for ids in service.alike],
            }
        )
    columns = ("service", "tools", "requests", "input_tokens", "output_tokens", "cost_usd")
    output.records("plan", rows, form, columns)
    _say_alike(work)
    return Exit.OK


def _say_alike(work: list[ServiceWork]) -> None:
    for service in work:
        for ids in service.alike:
            console.warning(f"nothing but the name tells these apart: {', '.join(ids)}")


def _show(report: EnrichReport, form: Format) -> int:
    if form is not Format.text:
        output.record(_as_json(report), form)
    for tool_id, reason in report.failed:
        console.warning(f"{tool_id}: not enriched: {reason}")
    if form is Format.text:
        console.out(_sentence(report))
    if report.ended_by is not None:
        console.error(report.ended_by.message, report.ended_by.hint)
        return report.ended_by.exit_code
    return Exit.PARTIAL if report.failed else Exit.OK


def _as_json(report: EnrichReport) -> dict[str, Any]:
    value = asdict(report)
    value["run_id"] = str(report.run_id)
    value["failed"] = [{"tool": tool, "reason": reason} for tool, reason in report.failed]
    value["ended_by"] = report.ended_by.message if report.ended_by else None
    return value


def _sentence(report: EnrichReport) -> str:
    written = len(report.proposed) + len(report.reused)
    parts = [
        f"{written} proposals",
        f"{len(report.failed)} failed",
        f"{report.unchanged} unchanged",
    ]
    if report.left:
        parts.append(f"{len(report.left)} left: their own text is clear")
    if report.other_model:
        parts.append(f"{report.other_model} written by another model (--rewrite)")
    if report.requests:
        parts.append(f"{report.requests} requests")
        parts.append(f"{report.input_tokens} tokens in, {report.output_tokens} out")
        parts.append("cost not known" if report.cost_usd is None else f"${report.cost_usd:.4f}")
    return ", ".join(parts) + ("; look at them: gloss diff" if written else "")


def _show_prompt(connection: Connection, tool_id: str, config: settings.Settings) -> int:
    from enrichment.planning import prompt_for

    for message in prompt_for(connection, tool_id, config.llm.tools_per_request):
        console.out(f"--- {message['role']}\n{message['content']}")
    return Exit.OK
