"""What `gloss sync` prints: progress, one line a service, the run as a whole."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from catalog.errors import BudgetReached
from cli import console, output
from cli.output import Format
from cli.progress import LINE_EVERY_S

if TYPE_CHECKING:
    from pipeline.sync import News
    from pipeline.sync_night import SyncEvent
    from pipeline.sync_plan import Planned
    from pipeline.sync_report import ServiceReport, SyncReport
    from store.runs import RunRow

COLUMNS = ("service", "state", "summary")
_DOING = {
    "read": "reading the spec",
    "probe": "probing",
    "enrich": "enriching",
    "apply": "applying",
    "index": "indexing",
}


def told(work: Generator[News, None, SyncReport], form: Format) -> SyncReport:
    """Run the work and speak of it as it goes on; records on a terminal come at the end."""
    from pipeline.sync_report import ServiceReport
    from store.runs import RunRow

    show = _Bar() if console.on_terminal(sys.stderr) else _Lines()
    streamed = form is Format.text and not console.on_terminal()
    try:
        while True:
            news = next(work)
            if isinstance(news, RunRow):
                console.warning(_killed(news))
            elif isinstance(news, ServiceReport):
                show.pause()
                _tell_faults(news)
                if streamed:
                    output.records("services", [_row(news)], form, COLUMNS)
                    console.flush()
            else:
                show.update(news)
    except StopIteration as end:
        report: SyncReport = end.value
        return report
    finally:
        show.close()
        work.close()


def _killed(run: RunRow) -> str:
    return (
        f"the run of {run.started_at:%Y-%m-%d %H:%M:%S %Z} (process {run.pid} on {run.host}) was"
        " killed; this one goes on from there"
    )


def _tell_faults(report: ServiceReport) -> None:
    for fault in report.faults:
        console.error(f"{report.service}: {_DOING[fault.stage]}: {fault.message}", fault.hint)


def _row(report: ServiceReport) -> dict[str, Any]:
    return {"service": report.service, "state": report.state, "summary": report.sentence()}


def show(report: SyncReport, form: Format) -> None:
    """The records, except those that came as they were done, and a last line for the log."""
    if form is Format.json:
        output.record(report.as_json(), form)
    elif form is Format.jsonl:
        rows = [each.as_json() for each in report.services]
        output.records("services", rows, form, ())
    elif console.on_terminal():
        output.records("services", [_row(each) for each in report.services], form, COLUMNS)
    if report.stopped is not None:
        tell = console.warning if isinstance(report.stopped, BudgetReached) else console.error
        tell(f"the model was asked no more: {report.stopped.message}")
    console.log(_sentence(report))


def _sentence(report: SyncReport) -> str:
    value = report.as_json()
    words = [f"{len(report.services)} services"]
    words += [f"{value[name]} {name}" for name in ("changed", "failed") if value[name]]
    if value["requests"]:
        words.append(f"{value['requests']} requests")
        words.append(f"{value['input_tokens']} tokens in, {value['output_tokens']} out")
        cost = value["cost_usd"]
        words.append("cost not known" if cost is None else f"${cost:.4f}")
        if report.budget_left_usd is not None:
            words.append(f"${report.budget_left_usd:.4f} of the budget left")
    if not report.changed and not report.exit_code:
        words.append("nothing to do")
    return ", ".join(words) + f" ({report.took_s:.1f} s)"


def show_plan(planned: Sequence[Planned], form: Format) -> None:
    if form is Format.text:
        rows = [{"service": each.service, "plan": each.sentence()} for each in planned]
        output.records("plan", rows, form, ("service", "plan"))
    else:
        output.records("plan", [each.as_json() for each in planned], form, ())
    console.log("plan: nothing was called, nothing was written")


def run_row(run: RunRow, going_on: bool) -> dict[str, Any]:
    """A run of the log; one that never said its end and does not go on was killed."""
    state = "killed" if run.state == "running" and not going_on else run.state
    told = run.summary
    words = [f"{told[name]} {name}" for name in ("changed", "failed") if told.get(name)]
    if told.get("cost_usd"):
        words.append(f"${told['cost_usd']:.4f}")
    if told.get("services"):
        words.insert(0, f"{len(told['services'])} services")
    return {
        "run": str(run.run_id),
        "started": f"{run.started_at:%Y-%m-%d %H:%M:%S %Z}",
        "state": state,
        "exit_code": run.exit_code,
        "host": run.host,
        "pid": run.pid,
        "summary": ", ".join(words),
        "services": told.get("services", []),
    }


def show_history(rows: Sequence[dict[str, Any]], form: Format) -> None:
    columns = ("started", "state", "exit_code", "host", "pid", "summary")
    output.records("runs", rows, form, columns)


class _Bar:
    """One line on a terminal that goes away when the work is done."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(
            "{task.description}", console=Console(stderr=True), transient=True, refresh_per_second=4
        )
        self._task = self._progress.add_task("", total=None)
        self._progress.start()

    def update(self, event: SyncEvent) -> None:
        from rich.markup import escape

        far = f", {event.done} of {event.total}" if event.total else ""
        words = escape(f"{event.service}: {_DOING[event.stage]}{far}")
        self._progress.update(self._task, description=words)
        self._progress.start()

    def pause(self) -> None:
        """Nothing moves while something is said."""
        self._progress.stop()

    def close(self) -> None:
        with suppress(Exception):
            self._progress.stop()


class _Lines:
    """Off a terminal: a line when a stage has work to do, and one now and then while it lasts."""

    def __init__(self) -> None:
        self._stage = ("", "")
        self._next = 0.0

    def update(self, event: SyncEvent) -> None:
        if not event.total:
            return
        label = f"{event.service}: {_DOING[event.stage]}"
        if (event.service, event.stage) != self._stage:
            self._stage = (event.service, event.stage)
            console.log(f"{label}: {event.total} to do")
        elif time.monotonic() < self._next:
            return
        else:
            console.log(f"{label}: {event.done} of {event.total}")
        self._next = time.monotonic() + LINE_EVERY_S

    def pause(self) -> None:
        pass

    def close(self) -> None:
        pass
