"""What the catalog answers: its rows as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from catalog.binding import Binding, Protocol
from catalog.spec import Kind


@dataclass(frozen=True, slots=True)
class SavedSpec:
    """What one ingest changed, by tool name; `mended` counts characters no database can keep."""

    service: str
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    mended: int = 0


@dataclass(frozen=True, slots=True)
class ServiceRow:
    service_id: int
    name: str
    kind: Kind
    version: str
    identity: str
    title: str
    description: str
    source: str
    operations: int
    opted_in: bool
    ingested_at: datetime


@dataclass(frozen=True, slots=True)
class Enriched:
    """The live text beside the original; `stale` when the original changed since."""

    name: str
    description: str
    aliases: tuple[str, ...]
    limits: str
    stale: bool


@dataclass(frozen=True, slots=True)
class ToolRow:
    service_id: int
    operation_id: int
    service: str
    name: str
    protocol: Protocol
    binding: Binding
    summary: str
    description: str
    tags: tuple[str, ...]
    deprecated: bool
    content_hash: str
    enriched: Enriched | None

    @property
    def id(self) -> str:
        return f"{self.service}/{self.name}"


@dataclass(frozen=True, slots=True)
class CatalogCounts:
    services: int
    operations: int
    enriched: int
    proposed: int
