"""`gloss search`: which tool does this?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from catalog.errors import Exit, UsageError
from catalog.text import printable
from cli import completing, console, output, settings, wiring
from cli.output import EmbeddingModel, Format, FormatOption, JsonOption

if TYPE_CHECKING:
    from psycopg import Connection

    from search.query import SearchResult

HELP = """Find the tool that does what QUERY says, in plain words.

Exits 1 when nothing fits. --stdin answers one query a line, each as a line of JSON.

\b
  gloss search "who manages this customer's account"
  gloss search "open invoices" -k 3 --service billing --explain
  gloss search --stdin < intents.txt > hits.jsonl
"""


def register(app: typer.Typer) -> None:
    app.command("search", help=HELP)(search)


def search(
    query: Annotated[
        str | None, typer.Argument(hidden=True, metavar="QUERY", show_default=False)
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=100, metavar="N", help="How many hits.")] = 4,
    services: Annotated[
        list[str] | None,
        typer.Option(
            "--service",
            "-s",
            metavar="NAME",
            help="Only in this service.",
            autocompletion=completing.services,
        ),
    ] = None,
    context: Annotated[
        str,
        typer.Option(metavar="TEXT|@FILE", help="What the agent did or said lately."),
    ] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each hit is where it is.")
    ] = False,
    chosen_tool: Annotated[
        str,
        typer.Option(
            "--chosen",
            metavar="TOOL",
            help="Note in the log that this tool is the right one.",
            autocompletion=completing.tools,
        ),
    ] = "",
    stdin: Annotated[
        bool, typer.Option("--stdin", help="One query a line from standard input.")
    ] = False,
    embedding_model: EmbeddingModel = "",
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    from search.query import Searcher

    queries = _queries(query, stdin)
    if stdin and chosen_tool:
        raise UsageError("--chosen is for one query", hint="gloss search QUERY --chosen TOOL")
    chosen = Format.jsonl if stdin else output.chosen(form, as_json)
    config = settings.load(embedding_model=embedding_model)
    found = False
    with wiring.open_catalog(config) as connection:
        session = "" if stdin else settings.session()  # a file of queries asks nothing again
        searcher = Searcher(
            connection,
            lambda: wiring.open_encoder(config),
            session=session,
            reranker=config.reranker,
            mix=wiring.mix(config),
            picker=wiring.picker(config),
        )
        used = _known(connection, chosen_tool)
        said: set[str] = set()
        for text in queries:
            result = searcher.search(
                text, k=k, services=tuple(services or ()), context=context_text(context)
            )
            _warn(result, said)
            _show(result, chosen, explain)
            if used:
                _note(connection, result, used, context_text(context))
            found = found or not result.nothing_fits
    return Exit.OK if found or stdin else Exit.FAILED


def _queries(query: str | None, stdin: bool) -> Iterator[str]:
    if stdin == (query is not None):
        raise UsageError(
            "give a query, or --stdin for one a line", hint='gloss search "list open invoices"'
        )
    if query is not None:
        if not query.strip():
            raise UsageError("the query is empty", hint='gloss search "list open invoices"')
        return iter((_as_text(query),))
    lines = (line.decode("utf-8", "replace").rstrip("\r\n") for line in sys.stdin.buffer)
    return (line for line in lines if line.strip())


def _as_text(word: str) -> str:
    """An argument in UTF-8, though the locale may have read it as something else."""
    return os.fsencode(word).decode("utf-8", "replace")


def context_text(text: str) -> str:
    if not text.startswith("@"):
        return _as_text(text)
    try:
        return Path(text[1:]).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(
            f"{text[1:]}: {error.strerror}", hint="--context @FILE reads a file"
        ) from None


def _known(connection: Connection, tool: str) -> str:
    from store.catalog import find_tool

    return find_tool(connection, tool).id if tool else ""


def _note(connection: Connection, result: SearchResult, tool: str, context: str) -> None:
    from cli.commands.feedback import sentence
    from store.searches import choose

    if result.search_id:
        console.log(sentence(choose(connection, UUID(result.search_id), tool, context)))


def _warn(result: SearchResult, said: set[str]) -> None:
    """Each word of warning once, however many queries there are."""
    for note in result.notes:
        if note not in said:
            console.warning(note)
    said.update(result.notes)


def _show(result: SearchResult, form: Format, explain: bool) -> None:
    if form is Format.text:
        _show_text(result, explain)
    elif form is Format.json:
        output.record(_as_json(result), form)
    else:
        console.out_json({"schema": output.SCHEMA, **_as_json(result)})
        console.flush()


def _as_json(result: SearchResult) -> dict[str, Any]:
    hits = [_hit(hit) for hit in result.hits]
    value: dict[str, Any] = {
        "query": result.query,
        "took_ms": round(result.took_ms, 1),
        "hits": [] if result.nothing_fits else hits,
        "notes": list(result.notes),
        "search_id": result.search_id or None,
    }
    if result.nothing_fits:
        value["nearest"] = hits
    return value


def _hit(hit: Any) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "id": hit.tool_id,
        "service": hit.service,
        "name": hit.name,
        "protocol": hit.protocol,
        "score": round(hit.score, 4),
        "description": hit.description,
        "enriched_name": hit.enriched_name,
        "why": hit.why,
        "differs": hit.differs,
    }


def _show_text(result: SearchResult, explain: bool) -> None:
    if result.nothing_fits:
        console.log("nothing fits" + ("; the nearest:" if result.hits else ""))
    rows = [
        (str(hit.rank), printable(hit.tool_id), f"{hit.score:.2f}", output.cell(hit.description))
        for hit in result.hits
    ]
    if rows and not explain:
        _table(result, rows)
    if explain:
        for hit, row in zip(result.hits, rows, strict=True):
            console.out(("  " if console.on_terminal() else "\t").join(row))
            for name, value in hit.why.items():
                console.out(f"    {name}: {output.cell(_plain(value))}")
            if hit.differs:
                console.out(f"    differs: {output.cell(hit.differs)}")
        if result.search_id:
            console.log(f"search {result.search_id}")


def _table(result: SearchResult, rows: Sequence[tuple[str, ...]]) -> None:
    """On a terminal what parts look-alikes comes below; for programs it is one more column."""
    columns = ("rank", "tool", "score", "description")
    if console.on_terminal():
        output.table(columns, rows)
        for hit in result.hits:
            if hit.differs:
                console.out(f"{hit.rank}: {printable(hit.differs)}")
        return
    differs = [output.cell(hit.differs) for hit in result.hits]
    output.table(
        (*columns, "differs"),
        [(*row, told) if told else row for row, told in zip(rows, differs, strict=True)],
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(entry)}" for key, entry in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(str(entry) for entry in value)
    return f"{value:.3f}" if isinstance(value, float) else value
