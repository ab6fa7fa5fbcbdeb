"""One record, three ways to show it: a table for people, JSON and JSON lines for programs."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from catalog.text import printable
from cli import console

SCHEMA = 1


class Format(StrEnum):
    text = "text"
    json = "json"
    jsonl = "jsonl"


FormatOption = Annotated[Format, typer.Option("--format", help="How to print the records.")]
JsonOption = Annotated[bool, typer.Option("--json", help="The same as --format json.")]

EmbeddingModel = Annotated[
    str, typer.Option(metavar="MODEL", help="Instead of the one in the settings.")
]


def chosen(form: Format, as_json: bool) -> Format:
    return Format.json if as_json else form


def records(key: str, rows: Sequence[dict[str, Any]], form: Format, columns: Sequence[str]) -> None:
    """Show rows under `key`; in text only the named columns."""
    if form is Format.json:
        console.out_json({"schema": SCHEMA, key: list(rows)})
    elif form is Format.jsonl:
        for row in rows:
            console.out_json({"schema": SCHEMA, **row})
    else:
        table(columns, [[cell(row.get(column)) for column in columns] for row in rows])


def record(value: dict[str, Any], form: Format) -> None:
    console.out_json({"schema": SCHEMA, **value}, indent=form is Format.json)


def cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(entry) for entry in value)
    return printable(" ".join(str(value).split()))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """On a terminal aligned under headings and cut to its width; elsewhere whole, tab-separated."""
    rows = list(rows)
    if not console.on_terminal():
        for row in rows:
            console.out("\t".join(row))
        return
    room = shutil.get_terminal_size((80, 24)).columns
    widths = _widths([columns, *rows], room)
    gap = 2 if sum(widths) + 2 * (len(widths) - 1) <= room else 1
    console.out(console.bold(_line([column.upper() for column in columns], widths, gap)))
    for row in rows:
        console.out(_line(row, widths, gap))


def page_width(most: int) -> int:
    """Columns for running text: the terminal's, and `most` at most or where there is none."""
    return min(most, shutil.get_terminal_size().columns) if console.on_terminal() else most


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Natural widths; what is too much is taken from the last column, then from the widest."""
    widths = [max(display_width(row[i]) for row in rows) for i in range(len(rows[0]))]
    excess = sum(widths) + 2 * (len(widths) - 1) - room
    if excess > 0:
        cut = min(excess, max(widths[-1] - 20, 0))
        widths[-1] -= cut
        excess -= cut
    while excess > 0 and max(widths) > 8:
        widest = widths.index(max(widths))
        widths[widest] -= 1
        excess -= 1
    return widths


def _line(row: Sequence[str], widths: Sequence[int], gap: int) -> str:
    cells = [_padded(text, width) for text, width in zip(row, widths, strict=True)]
    return (" " * gap).join(cells).rstrip()


def _padded(text: str, width: int) -> str:
    if display_width(text) > width:
        while text and display_width(text) >= width:
            text = text[:-1]
        text += "…"
    return text + " " * (width - display_width(text))


def display_width(text: str) -> int:
    """Columns on a terminal: two for wide letters (UAX #11), none for marks and joiners."""
    if text.isascii():
        return len(text)
    import unicodedata

    wide = {"W": 2, "F": 2}
    return sum(
        0
        if unicodedata.category(letter) in ("Mn", "Me", "Cf")
        else wide.get(unicodedata.east_asian_width(letter), 1)
        for letter in text
    )
