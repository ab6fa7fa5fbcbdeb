"""What a REST handler may give back besides a plain JSON value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any = None


@dataclass(frozen=True)
class Document:
    """The same thing in several media types, the first being the one sent unasked."""

    bodies: dict[str, Any] = field(default_factory=dict)

    def choose(self, accept: str) -> tuple[str, Any]:
        wanted = [part.split(";")[0].strip() for part in accept.split(",")]
        media_type = next((w for w in wanted if w in self.bodies), next(iter(self.bodies)))
        return media_type, self.bodies[media_type]


def pdf(title: str) -> bytes:
    """The smallest file that a PDF reader opens."""
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        b"trailer<</Root 1 0 R/Info<</Title(" + title.encode() + b")>>>>\n%%EOF\n"
    )
