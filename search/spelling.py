"""Words that differ from another by a slip of the fingers."""

from __future__ import annotations

from collections.abc import Iterable


def nearest_words(word: str, known: Iterable[str], most: int) -> list[str]:
    """The known words at the least distance, if that is at most `most`; alphabetical."""
    best = most
    found: list[str] = []
    for other in known:
        if other == word or abs(len(other) - len(word)) > best:
            continue
        apart = distance(word, other, best)
        if apart < best:
            best, found = apart, [other]
        elif apart == best:
            found.append(other)
    return sorted(found)


def distance(one: str, other: str, most: int) -> int:
    """Letters inserted, left out, replaced or swapped with a neighbour; more than `most` is just
    that (restricted Damerau-Levenshtein)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            swapped = i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted
            row.append(min(cost, earlier[j - 2] + 1) if swapped else cost)
        if min(row) > most <= min(before):
            return most + 1
    return row[-1]
