"""`gloss probe`: what the operations return, from safe calls to the address the user names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import UsageError
from cli import completing, console, output, settings, wiring
from cli.output import Format, FormatOption, JsonOption
from cli.probing import Asked, requests
from cli.progress import progress

if TYPE_CHECKING:
    from pipeline.probe import ProbeReport
    from probing.limits import Limits
    from probing.plan import ServicePlan
    from probing.planfile import SavedService

HELP = """See what operations return, from live calls.

Only what is safe is called: GET, HEAD, and SOAP and gRPC operations that read; never what a name
or text calls deleting, sending, resetting, running. Kept are shapes (names, types, formats) and
no values. Addresses and credentials come from gloss.toml or --base-url. Operations that have a
sample are not called again until they change.

NAME is a service, or a tool that is then called again.

\b
  gloss probe --plan
  gloss probe crm --base-url https://crm.internal/soap
  gloss probe --plan --plan-file plan.json
  gloss probe --plan-file plan.json
"""
SHOWN_CONTRADICTIONS = 5


def register(app: typer.Typer) -> None:
    app.command("probe", help=HELP)(probe)


def probe(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            hidden=True,
            metavar="NAME",
            show_default=False,
            autocompletion=completing.services_and_tools,
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print what would be sent; send nothing.")
    ] = False,
    plan_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --plan: save it there. Else: run it as saved."),
    ] = None,
    base_url: Annotated[
        str, typer.Option(metavar="URL", help="Stands in place of the spec's own address.")
    ] = "",
    spec_address: Annotated[
        bool, typer.Option("--spec-address", help="I confirm the address that the spec gives.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="Host that may have a private address."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also what has a sample and did not change.")
    ] = False,
    max_requests: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Stop after N requests.")
    ] = None,
    rate: Annotated[
        float, typer.Option(metavar="N", min=0.01, help="Requests a second to one host.")
    ] = 10.0,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Requests at once to one host.")
    ] = 4,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.01, help="For one call as a whole.")
    ] = 10.0,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.01, help="For all calls together.")
    ] = 600.0,
    max_size: Annotated[
        float, typer.Option(metavar="MB", min=0.001, help="Largest answer that is read.")
    ] = 2.0,
    keep_values: Annotated[
        bool, typer.Option("--keep-values", help="Keep a few values of each field too.")
    ] = False,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    asked = Asked(
        tuple(names or ()),
        base_url,
        spec_address,
        frozenset(host.lower() for host in allow_host or ()),
        keep_values,
        again,
    )
    limits = _limits(rate, concurrency, timeout, time_limit, max_size, max_requests)
    chosen = output.chosen(form, as_json)
    saved = _saved(plan_file) if plan_file and not plan else None
    return _run(asked, limits, saved, plan, plan_file, chosen)


def _run(
    asked: Asked,
    limits: Limits,
    saved: list[SavedService] | None,
    plan_only: bool,
    plan_file: Path | None,
    form: Format,
) -> int:
    from datetime import date

    from pipeline.probe import plan as planned
    from pipeline.probe import probe as run

    config = settings.load()
    with wiring.open_catalog(config) as connection:
        plans = planned(connection, requests(connection, config, asked, saved), date.today())
        _tell_unknown(plans)
        if plan_only:
            return _show_plan(plans, plan_file, form)
        _require_address(plans)
        report = progress("probing", run(connection, plans, limits))
    return _show(report, form)


def _limits(
    rate: float,
    concurrency: int,
    timeout: float,
    time_limit: float,
    max_size: float,
    max_requests: int | None,
) -> Limits:
    from probing.limits import Limits

    return Limits(
        rate=rate,
        concurrency=concurrency,
        connect_s=min(3.0, timeout),
        read_s=min(5.0, timeout),
        total_s=timeout,
        run_s=time_limit,
        size_bytes=int(max_size * 2**20),
        max_requests=max_requests,
    )


def _saved(file: Path) -> list[SavedService]:
    from probing.planfile import PlanRefused, read_plan

    try:
        return read_plan(json.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(
            f"{file}: {error.strerror}", hint="gloss probe --plan --plan-file …"
        ) from None
    except ValueError:
        raise PlanRefused(f"{file}: not a plan of gloss probe") from None


def _require_address(plans: list[ServicePlan]) -> None:
    if any(plan.rules.base for plan in plans):
        return
    raise UsageError(
        "no address to call",
        hint="--base-url URL with one service, or base_url for it in gloss.toml",
    )


def _tell_unknown(plans: list[ServicePlan]) -> None:
    for plan in plans:
        for name in plan.unknown_allow:
            console.warning(f"{plan.service.name}: probe.allow names {name}, which is no operation")


# --- what is shown -----------------------------------------------------------------------------


def _show_plan(plans: list[ServicePlan], file: Path | None, form: Format) -> int:
    from probing.planfile import plan_json

    value = plan_json(plans)
    if file is not None:
        text = json.dumps({"schema": output.SCHEMA, **value}, indent=2, ensure_ascii=False)
        try:
            file.write_text(console.masked(text) + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror}") from None
        console.log(f"saved to {file}; run it with: gloss probe --plan-file {file}")
    if form is Format.text:
        rows = [row for service in value["services"] for row in _plan_rows(service)]
        output.records("plan", rows, form, ("tool", "send", "address", "why", "values"))
    else:
        output.record(value, form)
    calls = sum(len(plan.calls) for plan in plans)
    left = sum(len(plan.left) for plan in plans)
    console.log(f"plan: at most {calls} requests, {left} operations left alone; nothing was sent")
    return 0


def _plan_rows(service: dict[str, Any]) -> list[dict[str, str]]:
    sent = [
        {
            "tool": call["tool"],
            "send": call["method"],
            "address": call["address"],
            "why": call["allowed"] + (", again for its values" if call["for_values"] else ""),
            "values": "; ".join(_value_words(call)),
        }
        for call in service["calls"]
    ]
    left = [
        {"tool": left["tool"], "send": "-", "address": left["wire"], "why": left["reason"]}
        for left in service["left"]
    ]
    return sent + left


def _value_words(call: dict[str, Any]) -> list[str]:
    known = [
        f"{key} = {'***' if value['secret'] else value['value']} ({value['from']})"
        for key, value in call["values"].items()
    ]
    return known + [f"{key} from {source}" for key, source in call["waits_for"].items()]


def _show(report: ProbeReport, form: Format) -> int:
    from pipeline.probe import left_json, result_json

    rows = [result_json(result) for result in report.results]
    if form is Format.text:
        output.records("probes", rows, form, ("tool", "outcome", "detail"))
    else:
        rows += [left_json(left) for left in report.left]
        output.records("probes", rows, form, ())
    for row in rows:
        for sentence in row["contradictions"][:SHOWN_CONTRADICTIONS]:
            console.warning(f"{row['tool']}: {sentence}")
    console.log(_summary(report))
    return int(report.exit_code)


def _summary(report: ProbeReport) -> str:
    counts = ", ".join(f"{count} {outcome}" for outcome, count in report.counts.most_common())
    settled = sum(left.settled for left in report.left)
    alone = len(report.left) - settled
    words = [f"{report.sent} requests sent" + (f": {counts}" if counts else "")]
    if settled:
        words.append(f"{settled} unchanged")
    if alone:
        words.append(f"{alone} left alone (gloss probe --plan says why)")
    if report.stopped:
        words.append(f"stopped: {report.stopped}")
    if any(result.shape for result in report.results):
        words.append("next: gloss index")
    return "; ".join(words)
