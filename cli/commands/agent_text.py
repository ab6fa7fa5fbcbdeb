"""`gloss eval --agent`: the figures as text and as records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.text import printable
from cli import console, output
from cli.output import Format

COLUMNS = ("suite", "mode", "n", "accuracy", "offered", "tokens in", "tokens out", "cost")


def show(rows: Sequence[dict[str, Any]], form: Format, worst: int) -> None:
    if form is not Format.text:
        kept = [{**row, "misses": list(row["misses"][:worst])} for row in rows]
        output.records("agent", kept, form, ())
        return
    output.table(COLUMNS, [_line(row) for row in rows])
    for row in rows:
        console.log(_declined(row))
        if row["stopped"]:
            console.warning(row["stopped"])
        for miss in row["misses"][:worst]:
            console.out(printable(_miss(miss)))


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    cost = "unknown" if row["cost_usd"] is None else f"${row['cost_usd']:.4f}"
    accuracy = row["accuracy"]
    interval = f"{accuracy['mean']:.3f} ({accuracy['low']:.3f}-{accuracy['high']:.3f})"
    return (
        row["suite"],
        row["mode"],
        str(row["n"]),
        interval,
        f"{row['offered']['mean']:.3f}",
        str(row["input_tokens"]),
        str(row["output_tokens"]),
        cost,
    )


def _declined(row: dict[str, Any]) -> str:
    failed = f"; {row['failed']} answers could not be used" if row["failed"] else ""
    return (
        f"{row['suite']}: the model said that none fits to {row['rightly_declined']} of "
        f"{row['unanswerable']} cases that no tool answers, and wrongly to {row['declined']} of "
        f"{row['answerable']}{failed}"
    )


def _miss(miss: dict[str, Any]) -> str:
    picked = miss["picked"] or "none"
    why = "" if miss["offered"] or not miss["right"] else "\tnot among the hits"
    return f"miss\t{miss['query']}\t{', '.join(miss['right']) or 'none'}\t{picked}{why}"
