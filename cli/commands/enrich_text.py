"""What `gloss enrich` prints: plans, prompts, reports."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from catalog.errors import Exit
from cli import console, output, settings, wiring
from cli.output import Format

if TYPE_CHECKING:
    from psycopg import Connection

    from enrichment.batchfile import BatchReport
    from enrichment.planning import ServiceWork
    from enrichment.run import EnrichReport
    from pipeline.gate import GateReport


def show_plan(work: list[ServiceWork], config: settings.Settings, form: Format) -> int:
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


def show(report: EnrichReport, judged: GateReport | None, form: Format) -> int:
    if form is not Format.text:
        output.record(_as_json(report) | ({"gate": _gate_json(judged)} if judged else {}), form)
    for tool_id, reason in report.failed:
        console.warning(f"{tool_id}: not enriched: {reason}")
    for verdict in judged.verdicts if judged else ():
        if verdict.against:
            console.warning(f"{verdict.row.tool_id}: rejected: {verdict.against}")
    for tool_id in report.misfits:
        console.warning(f"{tool_id}: its text by hand fits no more; gloss edit {tool_id}")
    if form is Format.text:
        console.out(_sentence(report))
        if judged:
            console.out(_gate_sentence(judged))
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


def _gate_sentence(judged: GateReport) -> str:
    return (
        f"gate: {len(judged.kept)} of {len(judged.verdicts)} proposals kept; mean reciprocal rank "
        f"{judged.before:.3f} before, {judged.after:.3f} with them ({judged.cases} cases)"
    )


def _gate_json(judged: GateReport) -> dict[str, Any]:
    verdicts = [
        {"tool": verdict.row.tool_id, "gain": verdict.gain, "rejected": verdict.against}
        for verdict in judged.verdicts
    ]
    figures = {"cases": judged.cases, "before": judged.before, "after": judged.after}
    return {**figures, "verdicts": verdicts}


def _sentence(report: EnrichReport) -> str:
    written = len(report.proposed) + len(report.reused)
    parts = [
        f"{written} proposals",
        f"{len(report.failed)} failed",
        f"{report.unchanged} unchanged",
    ]
    if report.left:
        parts.append(f"{len(report.left)} left: their own text is clear")
    if report.by_hand:
        parts.append(f"{len(report.by_hand)} left: written by hand")
    if report.other_model:
        parts.append(f"{report.other_model} written by another model (--rewrite)")
    if report.requests:
        parts.append(f"{report.requests} requests")
        parts.append(f"{report.input_tokens} tokens in, {report.output_tokens} out")
        parts.append("cost not known" if report.cost_usd is None else f"${report.cost_usd:.4f}")
    return ", ".join(parts) + ("; look at them: gloss diff" if written else "")


def show_prompt(connection: Connection, tool_id: str, config: settings.Settings) -> int:
    from enrichment.planning import prompt_for

    for message in prompt_for(connection, tool_id, config.llm.tools_per_request):
        console.out(f"--- {message['role']}\n{message['content']}")
    return Exit.OK


def say_batch(report: BatchReport) -> None:
    for name in report.strangers:
        console.warning(f"{name}: answers nothing that is waiting; written already, or changed")
    if report.unanswered:
        shown = ", ".join(report.unanswered[:10])
        more = f" and {len(report.unanswered) - 10} more" if len(report.unanswered) > 10 else ""
        console.warning(f"no answer for {shown}{more}; they wait for the next run")
