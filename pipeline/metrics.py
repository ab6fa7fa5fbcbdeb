"""What the catalog tells a monitoring system, in Prometheus' text format (version 0.0.4).

`gloss sync --prometheus` writes what is read here from the database, so that a run that failed
still says when the last one succeeded; `gloss stats --prometheus` renders names of its own, since
a collector refuses a name that two files give.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import Connection

from store import runs, syncs
from store.catalog import catalog_counts
from store.runs import RunRow

SEARCH_HOURS = 24


@dataclass(frozen=True, slots=True)
class Metric:
    """A gauge: `samples` are pairs of labels and value."""

    name: str
    help: str
    samples: tuple[tuple[Mapping[str, str], float], ...]


def exposition(connection: Connection) -> str:
    """The whole text; what is not known yet is left out rather than told as 0."""
    return render(_metrics(connection))


def render(metrics: Iterable[Metric]) -> str:
    return "".join(_lines(metrics))


def _metrics(connection: Connection) -> Iterator[Metric]:
    last = runs.last_run(connection, "sync")
    succeeded = runs.last_run(connection, "sync", succeeded=True)
    if succeeded is not None and succeeded.finished_at is not None:
        yield _one(
            "gloss_sync_last_success_timestamp_seconds",
            "When gloss sync last ended with exit code 0.",
            succeeded.finished_at.timestamp(),
        )
    if last is not None:
        yield from _of_run(last)
    yield from _of_services(last, syncs.synced_since(connection, None))
    counts = catalog_counts(connection)
    yield _one("gloss_services", "Services in the catalog.", counts.services)
    yield _one("gloss_tools", "Tools in the catalog.", counts.operations)
    yield _one("gloss_tools_enriched", "Tools with a live text.", counts.enriched)
    yield _one(
        "gloss_proposals_waiting", "Texts that wait for gloss apply or reject.", counts.proposed
    )
    searches, empty = syncs.searches_lately(connection, SEARCH_HOURS)
    yield _one("gloss_searches", f"Searches in the last {SEARCH_HOURS} hours.", searches)
    yield _one(
        "gloss_searches_empty",
        f"Searches in the last {SEARCH_HOURS} hours that nothing fitted.",
        empty,
    )


def _of_run(run: RunRow) -> Iterator[Metric]:
    """Of the last run that came to its end."""
    told = run.summary
    if run.finished_at is not None:
        yield _one(
            "gloss_sync_last_run_timestamp_seconds",
            "When gloss sync last ended.",
            run.finished_at.timestamp(),
        )
    values = {
        "exit_code": (run.exit_code, "Exit code of the last gloss sync."),
        "duration_seconds": (told.get("took_s"), "How long the last gloss sync took."),
        "services": (len(told.get("services", ())), "Services of the last gloss sync."),
        "services_changed": (told.get("changed"), "Services that the last gloss sync changed."),
        "services_failed": (told.get("failed"), "Services that failed in the last gloss sync."),
        "spend_usd": (told.get("cost_usd"), "US dollars that the last gloss sync spent."),
        "budget_left_usd": (
            told.get("budget_left_usd"),
            "US dollars of its budget that the last gloss sync left.",
        ),
    }
    for name, (value, words) in values.items():
        if value is not None:
            yield _one(f"gloss_sync_{name}", words, value)
    tokens = tuple(
        ({"direction": direction}, told.get(f"{direction}_tokens", 0))
        for direction in ("input", "output")
    )
    yield Metric("gloss_sync_tokens", "Tokens that the last gloss sync used.", tokens)


def _of_services(run: RunRow | None, succeeded: Mapping[str, datetime]) -> Iterator[Metric]:
    told: list[Mapping[str, Any]] = list(run.summary.get("services", ())) if run else []
    failed = tuple(
        ({"service": each["service"], "owner": each.get("owner", "")}, each["state"] == "failed")
        for each in told
    )
    if failed:
        yield Metric("gloss_sync_service_failed", "1 where the service failed.", failed)
    times = tuple(({"service": name}, when.timestamp()) for name, when in succeeded.items())
    if times:
        yield Metric(
            "gloss_sync_service_last_success_timestamp_seconds",
            "When gloss sync last brought the service in step.",
            times,
        )


def _one(name: str, words: str, value: float) -> Metric:
    return Metric(name, words, (({}, value),))


def _lines(metrics: Iterable[Metric]) -> Iterator[str]:
    for metric in metrics:
        words = metric.help.replace("\\", r"\\").replace("\n", r"\n")
        yield f"# HELP {metric.name} {words}\n# TYPE {metric.name} gauge\n"
        for labels, value in metric.samples:
            yield f"{metric.name}{_labels(labels)} {_number(value)}\n"


def _labels(labels: Mapping[str, str]) -> str:
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(round(float(value), 6))
