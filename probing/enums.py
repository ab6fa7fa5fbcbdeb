"""Words that are one of a few choices and say nothing about a person: what a shape may hold.

Kept are single words of letters, at most 24 long and eight different ones, and only where
- the field's name says that it is a choice (`status`, `type`, `currency`, …), or
- the word is a constant (`ON_HOLD`, or a word in capitals that came up again and again).
Never kept: a field whose name is about a person or a place, a word with digits, whatever the
detectors of `personal` know.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from catalog.abbreviations import expanded
from catalog.words import split_identifier

MAX_WORDS = 8
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{0,23}")
_CONSTANT = re.compile(r"[A-Z]{2,}(?:_[A-Z]+)+")
_CAPITALS = re.compile(r"[A-Z]{2,}")
_CHOICES = frozenset(
    """status state type kind category currency unit mode method stage class priority language
    channel result outcome severity frequency level direction shift format scope phase action
    visibility tier relationship availability protocol""".split()
)
_PERSONAL = frozenset(
    """name first last middle surname given family nick user login owner author person people
    contact customer employee manager member patient client claimant driver picker approver buyer
    email mail phone mobile fax street address city town postcode zip village county birth gender
    sex religion nationality race ethnicity password secret token key pin note comment remark text
    title subject message""".split()
)
PERSONAL_FORMATS = frozenset(
    {"email", "phone", "iban", "card-number", "ip-address", "secret", "uuid", "uri"}
)


@dataclass(slots=True)
class Words:
    """Texts seen at one place, as long as each could be a choice. `spoilt`: one could not."""

    counts: Counter[str] = field(default_factory=Counter)
    spoilt: bool = False

    def add(self, text: str) -> None:
        if self.spoilt:
            return
        if not _WORD.fullmatch(text):
            self._spoil()
            return
        self.counts[text] += 1
        if len(self.counts) > MAX_WORDS:
            self._spoil()

    def absorb(self, other: Words) -> None:
        if other.spoilt or self.spoilt:
            self._spoil()
            return
        self.counts.update(other.counts)
        if len(self.counts) > MAX_WORDS:
            self._spoil()

    def _spoil(self) -> None:
        self.spoilt = True
        self.counts.clear()

    def enumeration(self, name: str) -> list[str]:
        """The words in order, or none when they are not clearly choices."""
        if self.spoilt or not self.counts:
            return []
        about = [expanded(word) for word in split_identifier(name)]
        if _PERSONAL & set(about):
            return []
        chosen = bool(about) and about[-1] in _CHOICES
        return sorted(self.counts) if chosen or self._are_constants() else []

    def _are_constants(self) -> bool:
        if all(_CONSTANT.fullmatch(word) for word in self.counts):
            return True
        seen = sum(self.counts.values())
        repeated = seen >= 4 and len(self.counts) * 2 <= seen
        return repeated and all(_CAPITALS.fullmatch(word) for word in self.counts)
