from __future__ import annotations

import psycopg
import pytest

from catalog.binding import Argument, HttpBinding
from catalog.errors import NotFound
from catalog.spec import Operation, ParsedSpec
from store import catalog


def _operation(name: str, **changes: object) -> Operation:
    binding = HttpBinding("GET", f"/{name}", arguments=(Argument("id", "id", "path"),))
    return Operation("crm", name, "rest", binding, **changes)  # type: ignore[arg-type]


def _spec(*operations: Operation, **changes: object) -> ParsedSpec:
    return ParsedSpec("crm", "openapi", "3.1.0", "CRM", operations=operations, **changes)  # type: ignore[arg-type]


def test_first_save_adds_every_operation(conn: psycopg.Connection) -> None:
    saved = catalog.save_spec(conn, _spec(_operation("a"), _operation("b")), "crm.yaml")
    assert saved.added == ("a", "b")
    assert [tool.id for tool in catalog.list_tools(conn)] == ["crm/a", "crm/b"]


def test_saving_twice_changes_nothing(conn: psycopg.Connection) -> None:
    spec = _spec(_operation("a", description="An a."), definitions={"T": {"type": "string"}})
    catalog.save_spec(conn, spec, "crm.yaml")
    again = catalog.save_spec(conn, spec, "crm.yaml")
    assert (again.added, again.changed, again.unchanged, again.removed) == ((), (), ("a",), ())


def test_unknown_tool_hints_at_near_names(conn: psycopg.Connection) -> None:
    catalog.save_spec(conn, _spec(_operation("get_user")), "crm.yaml")
    with pytest.raises(NotFound) as caught:
        catalog.find_tool(conn, "crm/get_usr")
    assert caught.value.hint == "did you mean crm/get_user?"
