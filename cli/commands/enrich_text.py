"""What `gloss enrich` prints: plans, prompts, reports."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from catalog.errors import Exit
from cli import console, output, settings, wiring
from cli.commands.gate_text import gate_json, gate_sentences, say_judged, spent_text
from cli.output import Format

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg import Connection

    from cli.commands.enrich_gate import Judgement
    from enrichment.batchfile import BatchReport
    from enrichment.planning import Estimate, ServiceWork
    from enrichment.run import EnrichReport


def show_plan(
    work: list[ServiceWork],
    drafts: Mapping[str, Estimate],
    config: settings.Settings,
    form: Format,
) -> int:
    """A row for the texts of each service, and one for questions that a gate wants drafted."""
    from enrichment.planning import estimate

    rows = []
    for service in work:
        name = service.service.name
        rows.append(
            {
                "service": name,
                "for": "texts",
                **asdict(estimate([service], wiring.prices(config))),
                "unchanged": service.unchanged,
                "other_model": service.other_model,
                "alike": [list(ids) for ids in service.alike],
            }
        )
        if name in drafts:
            rows.append({"service": name, "for": "questions", **asdict(drafts[name])})
    columns = ("service", "tools", "requests", "input_tokens", "output_tokens", "cost_usd")
    output.records("plan", rows, form, ("service", "for", *columns[1:]) if drafts else columns)
    _say_alike(work)
    return Exit.OK


def _say_alike(work: list[ServiceWork]) -> None:
    for service in work:
        for ids in service.alike:
            console.warning(f"nothing but the name tells these apart: {', '.join(ids)}")


def show(report: EnrichReport, judged: Judgement | None, form: Format) -> int:
    if form is not Format.text:
        output.record(_as_json(report) | ({"gate": gate_json(judged)} if judged else {}), form)
    for tool_id, reason in report.failed:
        console.warning(f"{tool_id}: not enriched: {reason}")
    if judged:
        say_judged(judged)
    for tool_id in report.misfits:
        console.warning(f"{tool_id}: its text by hand fits no more; gloss edit {tool_id}")
    if form is Format.text:
        console.out(_sentence(report))
        for line in gate_sentences(judged) if judged else ():
            console.out(line)
    ended = report.ended_by or (judged.drafts.ended_by if judged and judged.drafts else None)
    if ended is not None:
        console.error(ended.message, ended.hint)
        return ended.exit_code
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
    if report.by_hand:
        parts.append(f"{len(report.by_hand)} left: written by hand")
    if report.other_model:
        parts.append(f"{report.other_model} written by another model (--rewrite)")
    if report.requests:
        parts.append(spent_text(report))
    return ", ".join(parts) + ("; look at them: gloss diff" if written else "")


def show_prompt(connection: Connection, tool_id: str, config: settings.Settings) -> int:
    from enrichment.planning import prompt_for

    model, size = wiring.writer_model(config), config.llm.tools_per_request
    messages, pending = prompt_for(connection, tool_id, model, size)
    for message in messages:
        console.out(f"--- {message['role']}\n{message['content']}")
    if not pending:
        console.log(f"{tool_id}: nothing would be sent now: it has a text for this evidence")
    return Exit.OK


def say_batch(report: BatchReport) -> None:
    for name in report.strangers:
        console.warning(f"{name}: answers nothing that is waiting; written already, or changed")
    if report.unanswered:
        shown = ", ".join(report.unanswered[:10])
        more = f" and {len(report.unanswered) - 10} more" if len(report.unanswered) > 10 else ""
        console.warning(f"no answer for {shown}{more}; they wait for the next run")
