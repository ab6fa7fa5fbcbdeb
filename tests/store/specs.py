"""Small specs to save."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.binding import Argument, HttpBinding
from catalog.spec import Operation, ParsedSpec, Schema


def operation(name: str, **changes: Any) -> Operation:
    binding = HttpBinding("GET", f"/{name}/{{id}}", arguments=(Argument("id", "id", "path"),))
    return Operation("crm", name, "rest", binding, **changes)


def spec(
    *operations: Operation, definitions: Mapping[str, Schema] | None = None, **changes: Any
) -> ParsedSpec:
    shared = definitions or {}
    return ParsedSpec(
        "crm", "openapi", "3.1.0", "CRM", operations=operations, definitions=shared, **changes
    )
