"""Words with a style, folded into columns of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from catalog.text import printable
from cli import console
from cli.output import display_width


@dataclass(frozen=True, slots=True)
class Word:
    """`style` is "", "gone", "new", "dim" or "bold"; a `glued` word follows without a space."""

    text: str
    style: str = ""
    glued: bool = False


Line = Sequence[Word]
_SHOWN: dict[str, Callable[[str], str]] = {
    "gone": console.gone,
    "new": console.new,
    "dim": console.dim,
    "bold": console.bold,
}


def words(text: str, style: str = "") -> list[Word]:
    return [Word(part, style) for part in printable(" ".join(text.split())).split(" ") if part]


def fold(given: Iterable[Word], width: int) -> list[list[Word]]:
    """Lines of at most `width` columns; a word that fits on none is cut into pieces."""
    lines: list[list[Word]] = [[]]
    used = 0
    for word in _pieces(given, width):
        gap = 0 if word.glued or not lines[-1] else 1
        if lines[-1] and used + gap + display_width(word.text) > width:
            lines.append([])
            used = gap = 0
        lines[-1].append(word)
        used += gap + display_width(word.text)
    return lines


def _pieces(given: Iterable[Word], width: int) -> Iterator[Word]:
    for word in given:
        rest = word
        while display_width(rest.text) > width:
            at = _fitting(rest.text, width)
            yield replace(rest, text=rest.text[:at])
            rest = replace(rest, text=rest.text[at:], glued=True)
        if rest.text:
            yield rest


def _fitting(text: str, width: int) -> int:
    """How many letters fit, marks staying with their letter; one at least."""
    used = 0
    for at, letter in enumerate(text):
        used += display_width(letter)
        if used > width:
            return max(at, 1)
    return len(text)


def shown(line: Line) -> str:
    """The line as a terminal takes it; words of one style share its escapes."""
    runs: list[tuple[str, str]] = []
    for at, word in enumerate(line):
        gap = "" if word.glued or not at else " "
        style, text = runs[-1] if runs else ("", "")
        if runs and style == word.style:
            runs[-1] = (style, text + gap + word.text)
        else:
            runs += [("", gap), (word.style, word.text)]
    return "".join(_SHOWN[style](text) if style else text for style, text in runs)


def line_width(line: Line) -> int:
    gaps = sum(not word.glued for word in line[1:])
    return sum(display_width(word.text) for word in line) + gaps


def side_by_side(cells: Sequence[Iterable[Word]], widths: Sequence[int], gap: int = 2) -> list[str]:
    """The cells beside one another, as many lines as the longest of them has."""
    columns = [fold(cell, width) for cell, width in zip(cells, widths, strict=True)]
    height = max(len(column) for column in columns)
    rows = []
    for at in range(height):
        text = ""
        for column, width in zip(columns, widths, strict=True):
            line = column[at] if at < len(column) else []
            text += shown(line) + " " * (width - line_width(line) + gap)
        rows.append(text.rstrip())
    return rows
