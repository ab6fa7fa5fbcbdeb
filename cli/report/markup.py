"""Text, numbers and tables as HTML that cannot be anything else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

from catalog.text import printable
from cli.console import masked


@dataclass(frozen=True, slots=True)
class Cell:
    """`order` is what sorting compares where it is not the text; `html` is markup of ours."""

    html: str
    order: float | str | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """`about` explains the heading; numbers stand to the right and sort from the greatest."""

    name: str
    about: str = ""
    number: bool = True


def text(value: str) -> str:
    """Words of a spec or of a person, made harmless: no markup, no invisible letters."""
    return escape(printable(masked(value)))


def moment(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def number(value: float | None, digits: int = 0) -> Cell:
    """Nothing where there is none, and a zero drawn faintly."""
    if value is None:
        return Cell("", -1.0)
    return Cell(f"{value:,.{digits}f}", value, "" if value else "zero")


def words(value: str, kind: str = "") -> Cell:
    return Cell(text(value), None, kind)


def tool_id(value: str) -> Cell:
    """A tool's id, which may break after the service and between words."""
    return Cell(re.sub("([/_])", r"\1<wbr>", text(value)), None, "id")


def share(part: int, whole: int) -> Cell:
    """A bar and its figure."""
    if not whole:
        return Cell("", -1.0)
    value = part / whole
    width = round(value * 40, 1)
    drawing = (
        '<svg class="share" viewBox="0 0 40 8" width="40" height="8" aria-hidden="true">'
        f'<rect class="rail" width="40" height="8"/><rect class="fill" width="{width}" height="8"/>'
        "</svg>"
    )
    return Cell(f'{drawing} <span class="percent">{100 * value:.0f} %</span>', value)


def section(key: str, title: str, about: str, body: str) -> str:
    return (
        f'<section id="{key}" aria-labelledby="{key}-h"><h2 id="{key}-h">{text(title)}</h2>'
        f"<p>{text(about)}</p>{body}</section>"
    )


def table(key: str, columns: Sequence[Column], rows: Iterable[Sequence[Cell]], label: str) -> str:
    """A table that the page's script sorts and filters; without script it is whole."""
    body = "".join(_row(columns, row) for row in rows)
    if not body:
        return '<p class="none">None.</p>'
    heads = "".join(_head(column) for column in columns)
    return (
        f'<div class="tools"><label>Filter <input type="search" data-for="{key}-t" '
        f'autocomplete="off" spellcheck="false"></label><output data-of="{key}-t"></output> '
        f'<button type="button" data-more="{key}-t" hidden>show all</button></div>'
        f'<div class="scroll" role="region" aria-label="{text(label)}" tabindex="0">'
        f'<table id="{key}-t"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _head(column: Column) -> str:
    kind = ' class="n"' if column.number else ""
    about = f' title="{text(column.about)}"' if column.about else ""
    return (
        f'<th scope="col" aria-sort="none"{kind}><button type="button"{about}>'
        f"{text(column.name)}</button></th>"
    )


def _row(columns: Sequence[Column], row: Sequence[Cell]) -> str:
    return f"<tr>{''.join(map(_cell, columns, row))}</tr>"


def _cell(column: Column, cell: Cell) -> str:
    kinds = " ".join(kind for kind in ("n" if column.number else "", cell.kind) if kind)
    kind = f' class="{kinds}"' if kinds else ""
    order = "" if cell.order is None else f' data-v="{escape(str(cell.order))}"'
    return f"<td{kind}{order}>{cell.html}</td>"
