"""Texts out of a file held against the rules, as those are that somebody writes by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from psycopg import Connection

from catalog.enrichment import Enrichment
from enrichment.checker import check_by_hand
from enrichment.collecting import evidence_of, surroundings
from enrichment.planning import fingerprint
from store.rows import ServiceRow


class Judge:
    """Knows a service's evidence, and the names that its tools will have after the import."""

    def __init__(
        self, connection: Connection, service: ServiceRow, names: Sequence[tuple[str, str]]
    ) -> None:
        tools = [tool for tool, _ in evidence_of(connection, service)]
        self._evidence = {tool.name: tool for tool in tools}
        self._around = surroundings(connection, service, tools)
        self._names = names

    def faults(self, tool: str, text: Enrichment) -> list[str]:
        others = frozenset(name for owner, name in self._names if owner != tool)
        around = replace(
            self._around,
            taken=(self._around.taken - {tool}) | others,
            siblings=self._around.siblings | others,
        )
        return [fault.message for fault in check_by_hand(text, self._evidence[tool], around)]

    def fingerprint(self, tool: str) -> str:
        return fingerprint(self._evidence[tool])
