"""Texts out of a file held against the rules, as those are that somebody writes by hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from psycopg import Connection

from catalog.enrichment import Enrichment
from catalog.words import split_identifier
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
        self._siblings = self._around.siblings | {name for _, name in names}
        self._owners: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for owner, name in [*((tool, tool) for tool in self._evidence), *names]:
            self._owners[_plain(name)].append((owner, name))

    def faults(self, tool: str, text: Enrichment) -> list[str]:
        near = self._owners[_plain(text.name)]  # all others would only be compared in vain
        taken = frozenset(name for owner, name in near if owner != tool)
        around = replace(self._around, taken=taken, siblings=self._siblings)
        return [fault.message for fault in check_by_hand(text, self._evidence[tool], around)]

    def fingerprint(self, tool: str) -> str:
        return fingerprint(self._evidence[tool])


def _plain(name: str) -> str:
    """Names that differ in case and separators only are one name."""
    return "".join(split_identifier(name))
