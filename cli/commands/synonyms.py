"""`gloss synonyms`: words that mean the same to the people who ask."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import completing, console, output, settings, wiring
from cli.output import Format, FormatOption, JsonOption

if TYPE_CHECKING:
    from psycopg import Connection

HELP = """Let words of a query ask for others too.

A query that says a word also finds tools that say its synonym, which counts somewhat less.
The next search has it; nothing is indexed anew.

\b
  gloss synonyms add client customer "account holder"
  gloss synonyms add PO "purchase order" --service billing
  gloss synonyms import words.tsv
"""
app = typer.Typer(no_args_is_help=True, help=HELP)

Service = Annotated[
    str,
    typer.Option(
        "--service",
        "-s",
        metavar="NAME",
        help="For tools of this service alone.",
        autocompletion=completing.services,
    ),
]


def register(main: typer.Typer) -> None:
    main.add_typer(app, name="synonyms")


@app.command("add")
def add(
    word: Annotated[str, typer.Argument(metavar="WORD", show_default=False)],
    synonyms: Annotated[list[str], typer.Argument(metavar="SYNONYM", show_default=False)],
    service: Service = "",
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> None:
    """Let WORD also ask for each SYNONYM."""
    with wiring.open_catalog(settings.load()) as connection:
        name = _service(connection, service)
        added = _add(connection, [(name, word, synonym) for synonym in synonyms])
    _report({"added": added, "known": len(synonyms) - added}, output.chosen(form, as_json))


@app.command("remove")
def remove(
    word: Annotated[str, typer.Argument(metavar="WORD", show_default=False)],
    synonyms: Annotated[
        list[str] | None, typer.Argument(metavar="[SYNONYM]", show_default=False)
    ] = None,
    service: Service = "",
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> None:
    """Take some or all synonyms of WORD away."""
    from catalog.errors import NotFound
    from store.connection import translated
    from store.synonyms import remove_synonyms

    with wiring.open_catalog(settings.load()) as connection, translated():
        gone = remove_synonyms(connection, service, word, synonyms or ())
    if not gone:
        raise NotFound(f"{word} has no such synonym", hint="gloss synonyms list")
    _report({"removed": gone}, output.chosen(form, as_json))


@app.command("list")
def show(
    service: Service = "", form: FormatOption = Format.text, as_json: JsonOption = False
) -> None:
    """Show the synonyms there are: people's, and short forms that the index learnt."""
    from store.connection import translated
    from store.synonyms import list_synonyms

    with wiring.open_catalog(settings.load()) as connection, translated():
        found = list_synonyms(connection, service or None)
    rows = [
        {
            "word": entry.word,
            "synonym": entry.synonym,
            "service": entry.service or None,
            "origin": entry.origin,
        }
        for entry in found
    ]
    columns = ("word", "synonym", "service", "origin")
    output.records("synonyms", rows, output.chosen(form, as_json), columns)


@app.command("import")
def load(
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False)],
    service: Service = "",
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> None:
    """Add the synonyms of a file, once.

    A line holds a word and its synonyms (.tsv, .csv); or .json: {"word": ["synonym"]}, or what
    gloss synonyms list --json printed. --service takes the place of services that it names.
    """
    from search.synonym_files import read_synonyms

    read = read_synonyms(file)
    with wiring.open_catalog(settings.load()) as connection:
        name = _service(connection, service)
        entries = [(name or own, word, synonym) for own, word, synonym in read]
        added = _add(connection, entries)
        _warn_waiting(connection, {own for own, _, _ in entries if own})
    _report({"added": added, "known": len(entries) - added}, output.chosen(form, as_json))


def _warn_waiting(connection: Connection, named: set[str]) -> None:
    from store.catalog import list_services

    waiting = sorted(named - {row.name for row in list_services(connection)})
    if waiting:
        console.warning(f"no such service yet: {', '.join(waiting)}; its synonyms wait for it")


def _service(connection: Connection, name: str) -> str:
    from store.catalog import find_service

    return find_service(connection, name).name if name else ""


def _add(connection: Connection, given: list[tuple[str, str, str]]) -> int:
    from catalog.errors import UsageError
    from search.synonyms import keyed
    from store.connection import translated
    from store.synonyms import add_synonyms

    with translated():
        entries = keyed(connection, given)
        kept = {(entry.service, entry.word, entry.synonym) for entry in entries}
        for service, word, synonym in given:
            if (service, " ".join(word.split()), " ".join(synonym.split())) not in kept:
                raise UsageError(
                    f"“{word}” and “{synonym}”: search sees no word there, or more than four",
                    hint='gloss synonyms add WORD SYNONYM, such as: client "account holder"',
                )
        return add_synonyms(connection, entries)


def _report(counts: dict[str, Any], form: Format) -> None:
    if form is not Format.text:
        output.record(counts, form)
        return
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    console.out(told or "nothing to do")
