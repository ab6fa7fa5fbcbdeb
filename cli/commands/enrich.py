"""`gloss opt-in`, `opt-out`, `enrich`: clearer text proposed beside the original."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.errors import Exit, UsageError
from cli import completing, console, output, settings, wiring
from cli.commands.enrich_gate import expected, judge, rule
from cli.commands.enrich_text import say_batch, show, show_plan
from cli.commands.enrich_text import show_prompt as show_prompt_of
from cli.output import Format, FormatOption, JsonOption
from cli.progress import progress

if TYPE_CHECKING:
    from psycopg import Connection

    from cli.commands.enrich_gate import Judgement
    from enrichment.planning import ServiceWork
    from enrichment.run import EnrichReport

OPT_IN_HELP = """Allow enrichment of services.

Nothing is ever written about a service that is not opted in.

\b
  gloss opt-in crm hr
"""
OPT_OUT_HELP = """Allow enrichment of services no longer.

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
  gloss enrich crm --gate intents.jsonl --apply
  gloss enrich crm --gate drafted --apply
  gloss enrich --show-prompt crm/getProcInfo3
  gloss enrich --batch-out ask.jsonl && gloss enrich --batch-in answers.jsonl
"""

Services = Annotated[
    list[str] | None,
    typer.Argument(
        hidden=True, metavar="SERVICE", show_default=False, autocompletion=completing.services
    ),
]


def register(app: typer.Typer) -> None:
    app.command("opt-in", help=OPT_IN_HELP)(opt_in)
    app.command("opt-out", help=OPT_OUT_HELP)(opt_out)
    app.command("enrich", help=ENRICH_HELP)(enrich)


def opt_in(
    services: Annotated[
        list[str],
        typer.Argument(hidden=True, metavar="SERVICE", autocompletion=completing.services),
    ],
) -> None:
    from store.catalog import opt_in as allow

    with wiring.open_catalog(settings.load()) as connection:
        allow(connection, services)
    console.log(f"opted in: {', '.join(services)}; next: gloss enrich --plan")


def opt_out(
    services: Annotated[
        list[str],
        typer.Argument(hidden=True, metavar="SERVICE", autocompletion=completing.services),
    ],
) -> None:
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
    gate: Annotated[
        str | None,
        typer.Option(
            metavar="SUITE|drafted",
            help="Keep only what search finds as well with as without, asked with a suite or with "
            "questions that the model drafts from the original evidence.",
        ),
    ] = None,
    no_falls: Annotated[
        bool, typer.Option("--no-falls", help="With --gate: no neighbour may be found later.")
    ] = False,
    min_gain: Annotated[
        float, typer.Option(metavar="X", help="With --gate: mean gain in reciprocal rank to keep.")
    ] = 0.0,
    show_prompt: Annotated[
        str | None,
        typer.Option(
            metavar="TOOL",
            help="Print what would be sent about TOOL.",
            autocompletion=completing.tools,
        ),
    ] = None,
    batch_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the questions to a batch file; call nothing."),
    ] = None,
    batch_in: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take the answers from a batch file.")
    ] = None,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    config = settings.load()
    names, chosen = services or [], output.chosen(form, as_json)
    by = rule(gate, min_gain, no_falls, config)
    if by and batch_out:
        raise UsageError(
            "--gate judges proposals, and --batch-out only writes questions",
            hint=f"gloss enrich --batch-in FILE --gate {by.suite}",
        )
    with wiring.open_catalog(config) as connection:
        if show_prompt:
            return show_prompt_of(connection, show_prompt, config)
        work = _work(connection, names, config, rewrite)
        if plan:
            drafts = expected(connection, work, config, rewrite) if by and by.drafted else ()
            return show_plan(work, dict(drafts), config, chosen)
        if batch_out:
            return _batch_out(work, config, batch_out)
        cap = max_cost if max_cost is not None else config.llm.max_cost
        report = (
            _batch_in(connection, work, config, batch_in)
            if batch_in
            else _run(connection, work, config, cap)
        )
        judged = judge(connection, work, config, by, report, cap, rewrite) if by else None
        if apply:
            _apply(connection, report, judged)
    return show(report, judged, chosen)


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
    cap: float | None,
) -> EnrichReport:
    from enrichment.run import enrich as run

    endpoint = wiring.open_endpoint(config)
    return progress("enriching", run(connection, work, endpoint, cap if endpoint else None))


def _batch_out(work: list[ServiceWork], config: settings.Settings, file: Path) -> int:
    from enrichment.batchfile import questions

    lines = list(questions(work, wiring.batch_settings(config).model))
    try:
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{file}: {error.strerror}", hint="gloss enrich --batch-out FILE"
        ) from None
    tools = sum(service.tools for service in work)
    console.log(f"{file}: {len(lines)} questions about {tools} tools; answers: --batch-in FILE")
    return Exit.OK


def _batch_in(
    connection: Connection, work: list[ServiceWork], config: settings.Settings, file: Path
) -> EnrichReport:
    from enrichment.batchfile import answers

    try:
        lines = file.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint="gloss enrich --batch-in FILE") from None
    endpoint = wiring.batch_settings(config)
    report = progress("checking", answers(connection, work, endpoint, lines))
    say_batch(report)
    return report.run


def _apply(connection: Connection, report: EnrichReport, judged: Judgement | None) -> None:
    """What this run proposed and the gate, if there was one, kept."""
    from enrichment.deciding import apply_proposals

    held_back = judged.held_back if judged else set()
    fresh = [tool for tool in (*report.proposed, *report.reused) if tool not in held_back]
    if fresh:
        apply_proposals(connection, fresh, "enrich --apply")
