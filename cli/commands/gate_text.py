"""What `gloss enrich --gate` prints of its judgement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from catalog.text import printable
from cli import console

if TYPE_CHECKING:
    from cli.commands.enrich_gate import Judgement
    from enrichment.drafting import DraftReport
    from enrichment.run import EnrichReport
    from store.enrichments import EnrichmentRow


def say_judged(judged: Judgement) -> None:
    for tool, reason in judged.drafts.without if judged.drafts else ():
        console.warning(f"{tool}: no questions, so not judged and not applied: {reason}")
    for verdict in judged.report.verdicts:
        if verdict.against:
            console.warning(f"{verdict.row.tool_id}: rejected: {verdict.against}")


def gate_sentences(judged: Judgement) -> Iterator[str]:
    report, drafts = judged.report, judged.drafts
    yield (
        f"gate: {len(report.kept)} of {len(report.verdicts)} proposals kept; mean reciprocal rank "
        f"{report.before:.3f} before, {report.after:.3f} with them ({report.cases} cases)"
    )
    if drafts:
        asked = sum(1 for questions in drafts.questions.values() if questions)
        known = f"questions for {asked} tools, {len(drafts.drafted)} of them asked about now"
        yield known + (f": {spent_text(drafts)}" if drafts.requests else "")


def spent_text(report: EnrichReport | DraftReport) -> str:
    cost = "cost not known" if report.cost_usd is None else f"${report.cost_usd:.4f}"
    used = f"{report.input_tokens} tokens in, {report.output_tokens} out"
    return f"{report.requests} requests, {used}, {cost}"


def gate_json(judged: Judgement) -> dict[str, Any]:
    report = judged.report
    verdicts = [
        {
            "tool": verdict.row.tool_id,
            "gain": verdict.measured.gain,
            "questions": verdict.measured.cases,
            "rank_before": verdict.measured.rank_before,
            "rank_after": verdict.measured.rank_after,
            "rejected": verdict.against,
        }
        for verdict in report.verdicts
    ]
    figures = {"cases": report.cases, "before": report.before, "after": report.after}
    drafted = {"drafted": _drafts_json(judged.drafts)} if judged.drafts else {}
    return {**figures, "verdicts": verdicts, **drafted}


def _drafts_json(drafts: DraftReport) -> dict[str, Any]:
    return {
        "questions": {tool: list(asked) for tool, asked in drafts.questions.items()},
        "asked_about": drafts.drafted,
        "without": [{"tool": tool, "reason": reason} for tool, reason in drafts.without],
        "requests": drafts.requests,
        "input_tokens": drafts.input_tokens,
        "output_tokens": drafts.output_tokens,
        "cost_usd": drafts.cost_usd,
        "ended_by": drafts.ended_by.message if drafts.ended_by else None,
    }


def gate_figure(row: EnrichmentRow) -> str:
    """`gate: drafted, 4 questions, rank 6 → 1 (gain +0.833)`; empty where none asked for it."""
    if row.gain is None:
        return ""
    count = f", {row.gate_cases} question{'' if row.gate_cases == 1 else 's'}"
    ranks = f", rank {_rank(row.rank_before)} → {_rank(row.rank_after)}"
    measured = f"{count}{ranks}" if row.gate_cases else ""
    return f"gate: {printable(row.gate) or 'a suite'}{measured}, gain {row.gain:+.3f}"


def _rank(rank: int | None) -> str:
    return "none" if rank is None else str(rank)
