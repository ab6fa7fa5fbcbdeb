"""One proposal beside what is there: word by word, with what each line rests on."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from catalog.text import printable
from catalog.words import split_identifier
from cli import console
from cli.commands.gate_text import gate_figure
from cli.folding import Word, fold, shown, side_by_side, words

if TYPE_CHECKING:
    from enrichment.deciding import Change
    from store.enrichments import EnrichmentRow

WIDE = 120
_MOST = 180
_LABEL = 6
_GAP = 2
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z\d]+")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a text, as it is and as it would be, and the evidence for the latter."""

    label: str
    old: list[Word]
    new: list[Word]
    why: list[str]


def page(change: Change) -> list[str]:
    """Side by side where there is room, else one below the other; in a pipe nothing is folded."""
    width = shutil.get_terminal_size((80, 24)).columns if console.on_terminal() else 0
    rows = list(_rows(change))
    if width >= WIDE:
        return [_heading(change, width), *_beside(change, rows, min(width, _MOST))]
    return [_heading(change, width), *_below(rows, width)]


def family_line(family: Sequence[Change]) -> str:
    """Says that the proposals which follow are of tools easily taken for one another."""
    names = ", ".join(printable(change.proposal.tool) for change in family)
    service = printable(family[0].proposal.service)
    width = shutil.get_terminal_size((80, 24)).columns if console.on_terminal() else 0
    said = words(f"== look-alikes in {service}: {names}", "dim")
    return "\n".join(shown(line) for line in (fold(said, width) if width else [said]))


def _heading(change: Change, width: int) -> str:
    """The tool, who wrote the text, what it gains and what was mended; and what stands against."""
    new, live = change.proposal, change.live
    parts = [*words(new.tool_id, "bold"), *words(f" ({', '.join(remarks(new))})", "dim")]
    if new.stale:
        parts += words("CHANGED SINCE: gloss enrich writes it anew", "gone")
    if live is not None and live.by_hand and not new.by_hand:
        parts += words(f"REPLACES what {live.author or 'a person'} wrote", "gone")
    lines = fold(parts, width) if width else [parts]
    return "\n".join(shown(line) for line in lines)


def remarks(row: EnrichmentRow) -> Iterator[str]:
    """Who wrote a text, what it gains, what was mended in it."""
    if row.by_hand:
        yield f"by hand: {printable(row.author) or 'somebody'}"
    elif row.provider == "shapes":
        yield "drafted without a model"
    else:
        yield f"by {printable(row.model)}"
    if row.gain is not None:
        yield gate_figure(row)
    if row.checks:
        yield f"mended: {', '.join(map(printable, row.checks))}"


def _rows(change: Change) -> Iterator[Row]:
    new, live = change.proposal, change.live
    said = new.original_description or new.original_summary or "(nothing)"
    names = _compared(_parts(live.name if live else new.tool), _parts(new.name), least=2)
    texts = _compared(words(live.description if live else said), words(new.description))
    also = _aliases(live.aliases if live else (), new.aliases)
    limits = _compared(words(live.limits if live else ""), words(new.limits))
    grounds = _shared_out(new)
    for label, (old, now) in (("name", names), ("text", texts), ("also", also), ("not", limits)):
        if old or now:
            yield Row(label, old, now, grounds.get(label, []))


def _parts(name: str) -> list[Word]:
    found = _PART.findall(printable(name))
    return [Word(part, glued=at > 0) for at, part in enumerate(found)]


def _compared(old: list[Word], new: list[Word], least: int = 4) -> tuple[list[Word], list[Word]]:
    """What only one side has, marked. Words in common shorter than `least` letters, where no longer
    one is beside them, count as nothing."""
    left, right = [_key(word) for word in old], [_key(word) for word in new]
    same_left, same_right = set[int](), set[int]()
    for at, to, size in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
        if any(len(left[at + n]) >= least for n in range(size)):
            same_left.update(range(at, at + size))
            same_right.update(range(to, to + size))
    return (
        [_styled(word, "" if at in same_left else "gone") for at, word in enumerate(old)],
        [_styled(word, "" if at in same_right else "new") for at, word in enumerate(new)],
    )


def _key(word: Word) -> str:
    return word.text.strip(".,;:!?()'\"").lower()


def _styled(word: Word, style: str) -> Word:
    return Word(word.text, style, word.glued)


def _aliases(old: Sequence[str], new: Sequence[str]) -> tuple[list[Word], list[Word]]:
    return (
        _listed(old, dict.fromkeys(set(old) - set(new), "gone")),
        _listed(new, dict.fromkeys(set(new) - set(old), "new")),
    )


def _listed(aliases: Sequence[str], styles: dict[str, str]) -> list[Word]:
    last = len(aliases) - 1
    return [
        word
        for at, alias in enumerate(aliases)
        for word in words(alias + (";" if at < last else ""), styles.get(alias, ""))
    ]


def _shared_out(row: EnrichmentRow) -> dict[str, list[str]]:
    """Each ground to the first line that its claim speaks of, or else to the description."""
    lines = {
        "name": set(split_identifier(row.name)),
        "text": set(split_identifier(row.description)),
        "also": set(split_identifier(" ".join(row.aliases))),
        "not": set(split_identifier(row.limits)),
    }
    found: dict[str, list[str]] = {}
    for ground in row.evidence:
        claimed = set(split_identifier(ground["claim"]))
        label = next((k for k, said in lines.items() if claimed and claimed <= said), "text")
        found.setdefault(label, []).append(_ground(ground))
    return found


def _ground(ground: dict[str, Any]) -> str:
    claim, evidence = ground["claim"], ground["evidence"]
    return evidence if claim == evidence else f"{claim} = {evidence}"


def _below(rows: Sequence[Row], width: int) -> Iterator[str]:
    """Signs and labels as in a diff; the sign stands on every line of a text."""
    for row in rows:
        yield from _signed("-", row.label, row.old, width)
        yield from _signed("+", row.label, row.new, width)
        yield from _signed(" ", "why", words("; ".join(row.why), "dim"), width)


def _signed(sign: str, label: str, text: Sequence[Word], width: int) -> Iterator[str]:
    lines = fold(text, max(width - 8, 12)) if width else [list(text)]
    coloured = {"-": console.gone, "+": console.new}.get(sign, str)
    for at, line in enumerate(lines if text else ()):
        yield f"{coloured(sign)} {label if not at else '':<5} {shown(line)}"


def _beside(change: Change, rows: Sequence[Row], width: int) -> Iterator[str]:
    left = "live" if change.live else "original"
    room = width - _LABEL - 2 * _GAP
    widths = [_LABEL - _GAP, room * 30 // 100, room * 44 // 100, room * 26 // 100]
    heads = [words(text, "dim") for text in ("", left, "proposal", "rests on")]
    if not any(row.why for row in rows):
        widths, heads = [widths[0], room * 45 // 100, room * 55 // 100], heads[:3]
    yield from side_by_side(heads, widths, _GAP)
    for row in rows:
        cells = [[Word(row.label, "dim")], row.old, row.new, words("; ".join(row.why), "dim")]
        yield from side_by_side(cells[: len(widths)], widths, _GAP)
