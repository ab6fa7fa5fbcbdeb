"""Proposals in the order of a reviewer: by service, look-alikes one after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from psycopg import Connection

from enrichment.collecting import evidence_of
from enrichment.deciding import Change
from enrichment.lookalikes import families as families_of
from store.catalog import find_service


def families(
    connection: Connection, changes: Sequence[Change], size: int
) -> list[tuple[Change, ...]]:
    """At most `size` to a family; tools without look-alikes are families of one."""
    by_service: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        by_service[change.proposal.service].append(change)
    return [
        family
        for service, found in by_service.items()
        for family in _of_service(connection, service, found, size)
    ]


def _of_service(
    connection: Connection, service: str, changes: Sequence[Change], size: int
) -> list[tuple[Change, ...]]:
    by_tool = {change.proposal.tool: change for change in changes}
    if len(by_tool) < 2:
        return [tuple(changes)]
    tools = [
        tool for tool, _ in evidence_of(connection, find_service(connection, service), by_tool)
    ]
    return [tuple(by_tool[tool.name] for tool in group) for group in families_of(tools, size)]
