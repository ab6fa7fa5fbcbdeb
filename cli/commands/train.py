"""`gloss train`: a reranker of the catalog's own, from labelled cases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import UsageError
from cli import console, output, settings, wiring
from cli.output import EmbeddingModel, Format, FormatOption, JsonOption
from cli.progress import progress

if TYPE_CHECKING:
    from psycopg import Connection

    from evaluation.suites import Judged
    from search.training_cases import LabelledCase
    from store.retrieval import Mix

HELP = """Teach search from labelled cases of your own.

CASES are files as for gloss eval: {"query": "…", "relevant": ["service/tool"]}. Most of the cases
train; a quarter is held out. The new reranker is kept only when it ranks those better than the old
one, and not by luck: exit 0 either way, with the figures. --forget goes back to the packaged one.

\b
  gloss train cases.jsonl
  gloss train cases.jsonl more.jsonl --dry-run --json
  gloss train --forget
"""


def register(app: typer.Typer) -> None:
    app.command("train", help=HELP)(train)


def train(
    cases: Annotated[
        list[Path] | None, typer.Argument(hidden=True, metavar="CASES", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Draws what is held out.")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the figures and change nothing.")
    ] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Go back to the packaged ranking.")
    ] = False,
    embedding_model: EmbeddingModel = "",
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> None:
    if forget == bool(cases):
        raise UsageError("give files of cases, or --forget", hint="gloss train cases.jsonl")
    config = settings.load(embedding_model=embedding_model)
    chosen = output.chosen(form, as_json)
    with wiring.open_catalog(config) as connection:
        if forget:
            _forget(connection, chosen, dry_run)
        else:
            _train(connection, config, cases or [], seed, dry_run, chosen)


def _train(
    connection: Connection,
    config: settings.Settings,
    files: Sequence[Path],
    seed: int,
    dry_run: bool,
    form: Format,
) -> None:
    from search.training import train as fitted

    cases = _labelled(connection, files)
    encoder = wiring.open_encoder(config)
    mix = _mix(connection, config, encoder.model)
    events = fitted(connection, encoder, cases, mix, seed=seed, dry_run=dry_run)
    report = progress("training", events)
    if form is Format.text:
        console.out(report.sentence())
    else:
        output.record(report.as_json(), form)


def _labelled(connection: Connection, files: Sequence[Path]) -> list[LabelledCase]:
    """Cases with the tools that they mean; of tools that are gone nothing is learnt."""
    from evaluation.suites import Names, read_suite
    from search.training_cases import LabelledCase
    from store.catalog import list_tools

    tools = list_tools(connection)
    names = Names(tools)
    keys = {tool.id: (tool.service_id, tool.operation_id) for tool in tools}
    judged = [names.judge(case) for file in files for case in read_suite(file).cases]
    _warn_missing(judged)
    return [
        LabelledCase(
            j.case.query, {keys[name]: grade for name, grade in j.grades.items()}, j.case.context
        )
        for j in judged
    ]


def _warn_missing(judged: Sequence[Judged]) -> None:
    missing = sorted({name for entry in judged for name in entry.missing})
    if missing:
        console.warning(f"{len(missing)} right tools are not in the catalog, such as {missing[0]}")


def _mix(connection: Connection, config: settings.Settings, model: str) -> Mix:
    """The weights that searches rank with, which is what the cases are learnt over."""
    from search.mixing import mix_of, settle
    from store.index import index_state

    state = index_state(connection)
    if state is None:
        raise UsageError("the catalog is not indexed yet", hint="gloss index")
    if state.model != model:
        made_by = state.model.partition("@")[0]
        raise UsageError(
            f"the index was made with another embedding model ({made_by})", hint="gloss index"
        )
    mix, notes = settle(connection, state, wiring.mix(config))
    for note in notes:
        console.warning(note)
    return mix or mix_of(state)


def _forget(connection: Connection, form: Format, dry_run: bool) -> None:
    from store.rerankers import forget_reranker, stored_reranker

    known = stored_reranker(connection) is not None
    if known and not dry_run:
        forget_reranker(connection)
    record: dict[str, Any] = {"forgotten": known and not dry_run}
    if form is not Format.text:
        output.record(record, form)
    elif not known:
        console.out("search uses the packaged ranking already")
    else:
        console.out(
            "the trained reranker would go" if dry_run else "search uses the packaged ranking again"
        )
