"""An operation changes under its live text: it stays while it fits, and comes back when it does."""

import pytest

from tests.enrichment.conftest import LEGACY
from tests.fakes import model


@pytest.fixture
def live(desk):
    with model() as served:
        desk.point_at(served.url)
        desk.enrich("--apply")
    return desk


def ingest(desk, *changes):
    text = LEGACY.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    desk.gloss.write("legacy.yaml", text)
    return desk.gloss("ingest", "legacy.yaml", "--service", "legacy")


def enriched(desk, tool="getProcInfo4"):
    return desk.gloss("show", f"legacy/{tool}", "--json").json["enriched"]


def test_a_text_whose_fields_are_all_there_stays_live_and_is_stale(live):
    done = ingest(live, ("handledBy:", "assignedTo:"))

    assert enriched(live)["stale"] is True
    assert "fits no more" not in done.stderr


def test_a_text_whose_field_is_gone_is_taken_out_and_said(live):
    done = ingest(live, ("complaintNo:", "ticketNo:"))

    assert enriched(live) is None
    assert "legacy/getProcInfo4: its text fits no more" in done.stderr
    assert "'complaintNo' is gone" in done.stderr
    assert live.gloss("index").exit_code == 0
    hits = live.gloss("search", "what became of a complaint", "--json").json["hits"]
    assert all(hit["enriched_name"] != "get_complaint_handling" for hit in hits)


def test_a_text_that_was_taken_out_is_queued(live):
    ingest(live, ("complaintNo:", "ticketNo:"))
    (row,) = live.enrich("--plan", "--json").json["plan"]

    assert row["tools"] == 1


def test_a_reading_text_on_an_operation_that_now_deletes_is_taken_out(live):
    done = ingest(live, ("/p4:\n    get:", "/p4:\n    delete:"))

    assert enriched(live) is None
    assert "changes something" in done.stderr


def test_an_operation_that_is_again_what_it_was_has_its_text_back(live):
    ingest(live, ("complaintNo:", "ticketNo:"))
    done = ingest(live)

    assert enriched(live)["name"] == "get_complaint_handling"
    assert enriched(live)["stale"] is False
    assert "its text is live again" in done.stderr


def test_a_dry_run_takes_nothing_out(live):
    live.gloss.write("legacy.yaml", LEGACY.read_text().replace("complaintNo:", "ticketNo:"))
    live.gloss("ingest", "legacy.yaml", "--service", "legacy", "--dry-run")

    assert enriched(live)["name"] == "get_complaint_handling"


def test_a_lone_look_alike_is_asked_about_beside_its_neighbour(live):
    ingest(live, ("complaintNo:", "ticketNo:"))
    with model() as served:
        live.point_at(served.url)
        live.enrich()
    asked = served.requests[0].body["messages"][1]["content"]

    assert served.requests[0].operations == ["getProcInfo4"]
    assert "- getProcInfo3 (now get_order_progress): Returns how far" in asked


def test_tools_asked_about_together_have_no_one_beside_them(desk):
    with model() as served:
        desk.point_at(served.url)
        desk.enrich()

    assert all("Has its entry" not in r.body["messages"][1]["content"] for r in served.requests)
