"""What is written about a tool, beside the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["proposed", "applied", "rejected", "reverted", "superseded"]


@dataclass(frozen=True, slots=True)
class Ground:
    """A claim and the piece of evidence it rests on: a parameter, a response field, a word."""

    claim: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Enrichment:
    """Text for discovery only: calls go on using the original name and schema.

    `name` is snake_case, at most 64; `description` one or two sentences; `not_for` may be empty.
    """

    name: str
    description: str
    aliases: tuple[str, ...] = ()
    not_for: str = ""
    grounds: tuple[Ground, ...] = ()
