from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from catalog.binding import Argument, Endpoint, GrpcBinding, SoapBinding
from catalog.errors import NotFound, TryLater
from catalog.spec import Operation, Problem
from store import catalog, saving
from store.connection import connect
from tests.store.specs import operation, spec

ROOT = Path(__file__).parents[2]


def ids(conn: psycopg.Connection) -> list[str]:
    return [tool.id for tool in catalog.list_tools(conn)]


def enrich(conn: psycopg.Connection, tool: str, state: str = "applied") -> None:
    """A live text for a tool, as the enrichment layer will write it."""
    conn.execute(
        "INSERT INTO enrichments (service_id, tool, state, name, description, aliases,"
        " content_hash, fingerprint) SELECT service_id, name, %s, 'find_it', 'Finds it.',"
        " '{seek}', content_hash, 'f' FROM operations WHERE name = %s",
        (state, tool),
    )


class TestSaving:
    def test_first_save_adds_every_operation(self, conn: psycopg.Connection) -> None:
        saved = catalog.save_spec(conn, spec(operation("b"), operation("a")), "crm.yaml")
        assert saved == catalog.SavedSpec("crm", added=("a", "b"))
        assert ids(conn) == ["crm/a", "crm/b"]

    def test_saving_twice_changes_nothing(self, conn: psycopg.Connection) -> None:
        same = spec(operation("a", description="An a."), definitions={"T": {"type": "string"}})
        catalog.save_spec(conn, same, "crm.yaml")
        before = conn.execute("SELECT ctid, * FROM operations").fetchall()
        assert catalog.save_spec(conn, same, "crm.yaml").unchanged == ("a",)
        assert conn.execute("SELECT ctid, * FROM operations").fetchall() == before

    def test_each_operation_is_told_apart(self, conn: psycopg.Connection) -> None:
        first = spec(operation("stays"), operation("changes"), operation("goes"))
        catalog.save_spec(conn, first, "crm.yaml")
        ids_before = {tool.name: tool.operation_id for tool in catalog.list_tools(conn)}
        second = spec(operation("stays"), operation("changes", summary="New."), operation("comes"))
        saved = catalog.save_spec(conn, second, "crm.yaml")
        assert saved == catalog.SavedSpec("crm", ("comes",), ("changes",), ("stays",), ("goes",))
        assert catalog.find_tool(conn, "crm/changes").summary == "New."
        assert catalog.find_tool(conn, "crm/changes").operation_id == ids_before["changes"]
        assert catalog.find_tool(conn, "crm/comes").operation_id not in ids_before.values()

    def test_a_changed_definition_changes_the_operations_that_reach_it(
        self, conn: psycopg.Connection
    ) -> None:
        reaching = operation("far", output_schema={"$ref": "#/$defs/A"})
        definitions = {"A": {"$ref": "#/$defs/B"}, "B": {"type": "string"}}
        catalog.save_spec(conn, spec(reaching, operation("near"), definitions=definitions), "f")
        definitions["B"] = {"type": "integer"}
        saved = catalog.save_spec(
            conn, spec(reaching, operation("near"), definitions=definitions), "f"
        )
        assert saved.changed == ("far",)
        assert saved.unchanged == ("near",)

    def test_definitions_that_the_spec_lost_go(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(definitions={"A": True, "B": {"type": "null"}}), "f")
        catalog.save_spec(conn, spec(definitions={"B": {"type": "string"}}), "f")
        service = catalog.find_service(conn, "crm").service_id
        assert catalog.definitions_of(conn, service) == {"B": {"type": "string"}}

    def test_nul_and_lone_surrogates_are_replaced_and_counted(
        self, conn: psycopg.Connection
    ) -> None:
        schema = {
            "type": "object",
            "properties": {"k\0ey": {"example": "\0"}, "b": {"x": "\ud800"}},
        }
        bad = operation("nul", summary="before\0after", input_schema=schema, tags=("t\0",))
        hurt = spec(bad, operation("good"), definitions={"D": {"title": "\0"}}, title="t\udfff")
        saved = catalog.save_spec(conn, hurt, "f\0")
        assert saved.mended == 8
        kept = catalog.operation_of(conn, "crm/nul")
        assert kept.summary == "before\ufffdafter"
        assert kept.tags == ("t\ufffd",)
        assert kept.input_schema == {
            "type": "object",
            "properties": {"k\ufffdey": {"example": "\ufffd"}, "b": {"x": "\ufffd"}},
        }
        assert catalog.save_spec(conn, hurt, "f\0").unchanged == ("good", "nul")

    def test_order_of_properties_is_kept(self, conn: psycopg.Connection) -> None:
        schema = {"type": "object", "properties": {"zebra": {}, "a": {}, "mm": {}}}
        catalog.save_spec(conn, spec(operation("a", input_schema=schema)), "f")
        kept = catalog.operation_of(conn, "crm/a").input_schema
        assert isinstance(kept, dict)
        assert list(kept["properties"]) == ["zebra", "a", "mm"]

    def test_two_operations_of_one_name_are_refused(self, conn: psycopg.Connection) -> None:
        with pytest.raises(ValueError, match="share a name"):
            catalog.save_spec(conn, spec(operation("a"), operation("a")), "f")

    def test_problems_of_the_last_ingest_are_kept(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(problems=(Problem("error", "/paths/x", "no response"),)), "f")
        problems = conn.execute("SELECT problems FROM services").fetchone()
        assert problems == ([{"level": "error", "location": "/paths/x", "message": "no response"}],)

    def test_a_spec_without_operations_is_a_service(self, conn: psycopg.Connection) -> None:
        assert catalog.save_spec(conn, spec(), "f") == catalog.SavedSpec("crm")
        assert catalog.list_tools(conn, "crm") == []

    def test_a_failure_leaves_the_old_state(
        self, conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        catalog.save_spec(conn, spec(operation("old"), definitions={"T": True}), "f")
        monkeypatch.setattr(saving, "_add", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            catalog.save_spec(conn, spec(operation("new")), "f")
        assert ids(conn) == ["crm/old"]
        assert catalog.definitions_of(conn, 1) == {"T": True}

    def test_the_second_of_two_gives_up_when_the_first_takes_too_long(
        self, conn: psycopg.Connection, database_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        catalog.save_spec(conn, spec(operation("a")), "f")
        monkeypatch.setattr(saving, "_WAIT", "20ms")
        with connect(database_url) as other, other.transaction():
            other.execute("SELECT FROM services WHERE name = 'crm' FOR UPDATE")
            with pytest.raises(TryLater):
                catalog.save_spec(conn, spec(operation("b")), "f")
        assert ids(conn) == ["crm/a"]


INGEST = """
import sys
from catalog.binding import HttpBinding
from catalog.spec import Operation, ParsedSpec
from store import catalog, saving
from store.connection import connect
if sys.argv[2] == "hang":
    def hang(*args):
        print("adding", flush=True)
        input()
    saving._add = hang
names = [f"op{n}" for n in range(300)]
operations = tuple(Operation("crm", n, "rest", HttpBinding("GET", "/" + n)) for n in names)
with connect(sys.argv[1]) as conn:
    saved = catalog.save_spec(conn, ParsedSpec("crm", "openapi", "3.1", operations=operations), "f")
    print(len(saved.added), len(saved.unchanged))
"""


def ingest(url: str, how: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", INGEST, url, how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


class TestImportTwiceKilledAndAtOnce:
    """The number of tools is the same after each."""

    def test_killed_in_the_middle(self, conn: psycopg.Connection, database_url: str) -> None:
        killed = ingest(database_url, "hang")
        assert killed.stdout is not None
        assert killed.stdout.readline() == "adding\n"
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
        assert catalog.list_services(conn) == []
        assert ingest(database_url).communicate()[0] == "300 0\n"
        assert catalog.catalog_counts(conn).operations == 300

    def test_two_at_once(self, conn: psycopg.Connection, database_url: str) -> None:
        both = [ingest(database_url) for _ in range(2)]
        results = sorted(process.communicate() for process in both)
        assert results == [("0 300\n", ""), ("300 0\n", "")]
        assert catalog.catalog_counts(conn).operations == 300


class TestReading:
    def test_services(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(operation("a"), operation("b"), title="The CRM"), "crm.yaml")
        [service] = catalog.list_services(conn)
        assert (service.name, service.kind, service.version) == ("crm", "openapi", "3.1.0")
        assert (service.identity, service.title, service.source) == ("CRM", "The CRM", "crm.yaml")
        assert (service.operations, service.opted_in) == (2, False)

    @pytest.mark.parametrize(
        ("protocol", "binding"),
        [
            (
                "soap",
                SoapBinding(
                    "getCust2",
                    "Crm",
                    endpoints=(Endpoint("S", "P", "http://x", "soap11"),),
                    arguments=(Argument("id", "custId", "part", {"namespace": "urn:x"}),),
                    faults=("F",),
                ),
            ),
            ("grpc", GrpcBinding("/inv.Stock/Get", "inv.Req", "inv.Res", server_streaming=True)),
        ],
    )
    def test_binding_comes_back_as_it_was(
        self, conn: psycopg.Connection, protocol: str, binding: SoapBinding | GrpcBinding
    ) -> None:
        given = Operation("crm", "x", protocol, binding, output_schema=None)  # type: ignore[arg-type]
        catalog.save_spec(conn, spec(given), "f")
        assert catalog.operation_of(conn, "crm/x") == given
        assert catalog.find_tool(conn, "crm/x").binding == binding

    def test_live_enrichment_stands_beside_the_original(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(operation("a"), operation("b")), "f")
        enrich(conn, "a")
        enrich(conn, "b", "proposed")
        a, b = catalog.list_tools(conn)
        assert a.name == "a"
        assert a.enriched == catalog.Enriched("find_it", "Finds it.", ("seek",), "", stale=False)
        assert b.enriched is None
        assert catalog.catalog_counts(conn) == catalog.CatalogCounts(1, 2, 1, 1)

    def test_enrichment_of_a_changed_operation_is_stale(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(operation("a")), "f")
        enrich(conn, "a")
        catalog.save_spec(conn, spec(operation("a", summary="New.")), "f")
        enriched = catalog.find_tool(conn, "crm/a").enriched
        assert enriched is not None
        assert enriched.stale

    def test_enrichment_finds_an_operation_that_comes_back(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(operation("a")), "f")
        enrich(conn, "a")
        catalog.save_spec(conn, spec(operation("b")), "f")
        catalog.remove_service(conn, "crm")
        catalog.save_spec(conn, spec(operation("a")), "f")
        assert catalog.find_tool(conn, "crm/a").enriched is not None

    def test_unknown_tool_hints_at_near_names(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(operation("get_user")), "f")
        for wanted in ("crm/get_usr", "get_user", "crn/GET_USER"):
            with pytest.raises(NotFound) as caught:
                catalog.find_tool(conn, wanted)
            assert caught.value.hint == "did you mean crm/get_user?"

    def test_names_that_are_no_text_are_not_found(self, conn: psycopg.Connection) -> None:
        for wanted in ("crm/\udcff", "\udcff/a", "\0"):
            with pytest.raises(NotFound):
                catalog.find_tool(conn, wanted)
        assert catalog.service_identity(conn, "\udcff") is None

    def test_unknown_service_hints_at_near_names(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(operation("a")), "f")
        with pytest.raises(NotFound, match="no service named CRN") as caught:
            catalog.list_tools(conn, "CRN")
        assert caught.value.hint == "did you mean crm?"

    def test_empty_catalog_says_what_to_type(self, conn: psycopg.Connection) -> None:
        with pytest.raises(NotFound) as caught:
            catalog.list_tools(conn, "crm")
        assert caught.value.hint == "gloss ingest SPEC…"

    def test_reached_definitions_follow_references_through_cycles(
        self, conn: psycopg.Connection
    ) -> None:
        definitions = {
            "A": {"properties": {"b": {"$ref": "#/$defs/B"}, "lost": {"$ref": "#/$defs/Lost"}}},
            "B": {"items": {"$ref": "#/$defs/A"}},
            "C": {"type": "string"},
        }
        catalog.save_spec(conn, spec(definitions=definitions), "f")
        service = catalog.find_service(conn, "crm").service_id
        assert catalog.reached_definitions(conn, service, ["B"]).keys() == {"A", "B"}
        assert catalog.definitions_of(conn, service, ["C", "Lost"]) == {"C": {"type": "string"}}
        assert catalog.reached_definitions(conn, service, []) == {}

    def test_operations_to_index_come_in_batches(
        self, conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(catalog, "_BATCH", 2)
        catalog.save_spec(conn, spec(*(operation(f"op{n}") for n in range(5))), "f")
        rows = list(catalog.operations_to_index(conn, "crm"))
        assert [operation.name for _, operation, _, _ in rows] == [f"op{n}" for n in range(5)]
        assert {service.name for service, _, _, _ in rows} == {"crm"}
        assert len({(id_, hash_) for _, _, id_, hash_ in rows}) == 5


class TestServices:
    def test_identity_of_a_taken_name(self, conn: psycopg.Connection) -> None:
        assert catalog.service_identity(conn, "crm") is None
        catalog.save_spec(conn, spec(), "crm.yaml")
        assert catalog.service_identity(conn, "crm") == ("CRM", "crm.yaml")

    def test_a_removed_service_is_gone(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(operation("a"), definitions={"T": True}), "f")
        assert catalog.remove_service(conn, "crm") == 1
        assert catalog.list_services(conn) == []
        assert catalog.service_identity(conn, "crm") is None
        assert catalog.catalog_counts(conn) == catalog.CatalogCounts(0, 0, 0, 0)

    def test_removing_an_unknown_service(self, conn: psycopg.Connection) -> None:
        with pytest.raises(NotFound):
            catalog.remove_service(conn, "crm")

    def test_opt_in_and_out(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(), "f")
        catalog.opt_in(conn, ["crm"])
        assert catalog.find_service(conn, "crm").opted_in
        catalog.save_spec(conn, spec(operation("a")), "f")
        assert catalog.find_service(conn, "crm").opted_in
        catalog.opt_out(conn, ["crm"])
        assert not catalog.find_service(conn, "crm").opted_in

    def test_an_unknown_name_opts_in_nobody(self, conn: psycopg.Connection) -> None:
        catalog.save_spec(conn, spec(), "f")
        with pytest.raises(NotFound):
            catalog.opt_in(conn, ["crm", "erp"])
        assert not catalog.find_service(conn, "crm").opted_in
