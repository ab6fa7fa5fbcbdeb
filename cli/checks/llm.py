"""The chat endpoint, asked a tiny question."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.errors import GlossError, TryLater
from cli import wiring
from cli.checks.finding import Finding, failed, of_error, ok, warning
from cli.settings import Settings

NAME = "llm"


def checks(config: Settings) -> Iterator[Finding]:
    from enrichment.trial import attempt

    try:
        endpoint = wiring.open_endpoint(config)
        if endpoint is None:
            mend = "set [llm] base_url and model for texts by a model"
            yield Finding(NAME, "ok", "none; the writer that needs no model", mend)
            return
        trial = attempt(endpoint)
    except TryLater as error:
        yield failed(NAME, error.message, "check that it runs and that [llm] base_url names it")
        return
    except GlossError as error:
        yield of_error(NAME, error)
        return
    found = f"{config.llm.model}, {trial.form}, {trial.took_ms:.0f} ms, {trial.requests} requests"
    if trial.fault:
        yield failed(NAME, f"{found}: {trial.fault}", "try another model")
        return
    yield ok(NAME, found)
    if not trial.reports_usage:
        yield Finding("llm usage", "warning", "not reported; counted by letters")
    if config.llm.price_in is None or config.llm.price_out is None:
        mend = "set [llm] price_in and price_out (USD per million) for --max-cost"
        yield warning("llm prices", "not known", mend)
