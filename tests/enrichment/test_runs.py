"""Opt-in, what is sent again, caps, decisions: the life of a proposal."""

import pytest

from tests.enrichment.conftest import LEGACY, TOOLS
from tests.fakes import ENTRIES, Response, entries, model

PRICES = {"price_in": 2.5, "price_out": 10.0}


def test_nothing_is_written_about_a_service_that_is_not_opted_in(desk):
    desk.gloss("opt-out", "legacy")
    with model() as served:
        desk.point_at(served.url)
        by_name, at_all = desk.enrich("legacy"), desk.enrich()

    assert by_name.exit_code == at_all.exit_code == 2
    assert "gloss opt-in legacy" in by_name.stderr
    assert served.requests == []


def test_look_alikes_are_asked_about_together(desk):
    with model() as served:
        desk.point_at(served.url)
        desk.enrich()

    assert ["getProcInfo3", "getProcInfo4"] in [r.operations for r in served.requests]


def test_what_did_not_change_is_never_sent_again(desk):
    with model() as served:
        desk.point_at(served.url)
        desk.enrich()
        served.requests.clear()
        again = desk.enrich("--json")

    assert served.requests == []
    assert again.exit_code == 0
    assert again.json["unchanged"] == len(TOOLS)


def test_only_the_tool_that_changed_is_sent_again(desk):
    with model() as served:
        desk.point_at(served.url)
        desk.enrich()
        served.requests.clear()
        changed = LEGACY.read_text().replace("complaintNo", "complaintNumber")
        desk.gloss.write("legacy.yaml", changed)
        desk.gloss("ingest", "legacy.yaml", "--service", "legacy")
        served.script = lambda request, _: Response(
            entries(request, getProcInfo4={"grounds": ["complaint = complaintNumber"]})
        )
        desk.enrich()

    assert served.asked_about == ["getProcInfo4"]


def test_another_model_is_said_and_spends_only_when_asked(desk):
    with model() as served:
        desk.point_at(served.url)
        desk.enrich()
        served.requests.clear()
        desk.point_at(served.url, model="newer")
        quiet = desk.enrich("--json")
        assert served.requests == []
        desk.enrich("--rewrite")

    assert quiet.json["other_model"] == len(TOOLS)
    assert served.asked_about == sorted(TOOLS)


def test_the_same_operation_in_two_services_is_written_about_once(desk):
    desk.gloss("ingest", LEGACY, "--service", "twin")
    desk.gloss("opt-in", "twin")
    with model() as served:
        desk.point_at(served.url)
        desk.enrich("legacy")
        served.requests.clear()
        done = desk.enrich("twin", "--json")

    assert served.requests == []
    assert sorted(done.json["reused"]) == sorted(f"twin/{tool}" for tool in TOOLS)


def test_a_plan_calls_nothing_and_prices_the_run(desk):
    with model() as served:
        desk.point_at(served.url, **PRICES)
        (row,) = desk.enrich("--plan", "--json").json["plan"]

    assert served.requests == []
    assert row["tools"] == 4
    assert row["cost_usd"] == pytest.approx(
        (row["input_tokens"] * 2.5 + row["output_tokens"] * 10) / 1e6
    )
    assert row["input_tokens"] / row["tools"] <= 600


def test_the_run_stops_clean_before_the_cap(desk):
    with model() as served:
        desk.point_at(served.url, max_concurrency=1, **PRICES)
        done = desk.enrich("--max-cost", "0.019", "--json")
        first = served.asked_about
        rest = desk.enrich("--max-cost", "1", "--json")

    assert done.exit_code == 6
    assert 0 < len(first) < len(TOOLS)
    assert done.json["cost_usd"] <= 0.019
    assert rest.exit_code == 0
    assert served.asked_about == sorted(TOOLS), "nothing is sent twice"


def test_a_cap_without_prices_is_a_usage_error(desk):
    with model() as served:
        desk.point_at(served.url)
        done = desk.enrich("--max-cost", "1")

    assert done.exit_code == 2
    assert served.requests == []


def test_usage_that_cannot_be_true_is_counted_by_letters(desk):
    def lying(request, _):
        return Response(entries(request), usage=(1, 1))

    with model(lying) as served:
        desk.point_at(served.url, **PRICES)
        done = desk.enrich("--json")

    assert done.json["input_tokens"] > 100 * len(served.requests)


def test_a_rejected_answer_gets_one_repair_that_quotes_the_fault(desk):
    bad = {
        "getProcInfo3": {"description": "Returns the `shoeSize` of a customer. Use it for shoes."}
    }

    def script(request, number):
        repair = len(request.body["messages"]) > 2
        return Response(entries(request)) if repair else Response(entries(request, **bad))

    with model(script) as served:
        desk.point_at(served.url)
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    (repair,) = [r for r in served.requests if len(r.body["messages"]) > 2]
    assert "shoeSize" in repair.body["messages"][-1]["content"]


def test_an_answer_that_stays_bad_leaves_the_original_and_says_why(desk):
    bad = {"delNote": {"name": "get_customer_note"}}
    with model(lambda request, _: Response(entries(request, **bad))) as served:
        desk.point_at(served.url)
        done = desk.enrich()

    assert done.exit_code == 5
    assert "legacy/delNote: not enriched" in done.stderr
    assert "only reads" in done.stderr
    assert sorted(desk.proposals()) == sorted(set(TOOLS) - {"delNote"})


@pytest.fixture
def proposed(desk):
    with model() as served:
        desk.point_at(served.url)
        desk.enrich()
    return desk


def test_diff_shows_original_and_proposal_and_exits_3_on_request(proposed):
    page = proposed.gloss("diff", "legacy/getProcInfo3")

    assert page.exit_code == 0
    assert "- text  See documentation." in page
    assert "+ name  get_order_progress" in page
    assert proposed.gloss("diff", "--exit-code").exit_code == 3


def test_applied_text_is_for_discovery_and_the_original_stays(proposed):
    proposed.gloss("apply", "legacy")

    tool = proposed.gloss("show", "legacy/getProcInfo3", "--json").json
    assert tool["name"] == "getProcInfo3"
    assert tool["description"] == "See documentation."
    assert tool["enriched"]["name"] == "get_order_progress"
    assert proposed.gloss("diff", "--exit-code").exit_code == 0


def test_search_reads_the_text_once_it_is_live(proposed):
    proposed.gloss("apply", "legacy")
    proposed.gloss("index")

    answer = proposed.gloss("search", "what became of the complaint", "--json").json

    assert answer["hits"][0]["id"] == "legacy/getProcInfo4"
    assert answer["hits"][0]["enriched_name"] == "get_complaint_handling"


def test_reverting_gives_the_original_back_and_can_be_undone(proposed):
    proposed.gloss("apply", "legacy")
    proposed.gloss("revert", "legacy/delNote")
    reverted = proposed.gloss("show", "legacy/delNote", "--json").json["enriched"]
    proposed.gloss("apply", "legacy/delNote")
    again = proposed.gloss("show", "legacy/delNote", "--json").json["enriched"]

    assert reverted is None
    assert again["name"] == ENTRIES["delNote"]["name"]


def test_reverting_a_second_text_brings_the_first_back(proposed):
    proposed.gloss("apply", "legacy")
    second = {"delNote": {"name": "remove_customer_note"}}
    with model(lambda request, _: Response(entries(request, **second))) as served:
        proposed.point_at(served.url, model="newer")
        proposed.enrich("--rewrite", "--apply")
    after = proposed.gloss("show", "legacy/delNote", "--json").json["enriched"]["name"]
    proposed.gloss("revert", "legacy/delNote")
    before = proposed.gloss("show", "legacy/delNote", "--json").json["enriched"]["name"]

    assert (after, before) == ("remove_customer_note", "delete_customer_note")


def test_a_rejected_proposal_is_gone_and_not_written_again(proposed):
    proposed.gloss("reject", "legacy/delNote")
    with model() as served:
        proposed.point_at(served.url)
        proposed.enrich()

    assert served.requests == []
    assert "delNote" not in proposed.proposals()


def test_deciding_on_everything_off_a_terminal_needs_yes(proposed):
    assert proposed.gloss("apply").exit_code == 2
    assert proposed.gloss("apply", "--yes").exit_code == 0


def test_a_text_that_rests_on_a_field_that_is_gone_is_taken_out(proposed):
    proposed.gloss("apply", "legacy")
    changed = LEGACY.read_text().replace("complaintNo", "complaintNumber")
    proposed.gloss.write("legacy.yaml", changed)
    proposed.gloss("ingest", "legacy.yaml", "--service", "legacy")

    tool = proposed.gloss("show", "legacy/getProcInfo4", "--json").json

    assert tool["enriched"] is None


def test_the_prompt_can_be_read_before_it_is_sent(desk):
    with model() as served:
        desk.point_at(served.url)
        page = desk.enrich("--show-prompt", "legacy/getProcInfo3")
        desk.enrich()
    sent = next(r for r in served.requests if "getProcInfo3" in r.operations)

    for message in sent.body["messages"]:
        assert message["content"] in page


def test_the_prompt_of_a_lone_look_alike_is_the_one_that_is_sent(proposed):
    changed = LEGACY.read_text().replace("complaintNo", "complaintNumber")
    proposed.gloss.write("legacy.yaml", changed)
    proposed.gloss("ingest", "legacy.yaml", "--service", "legacy")
    with model() as served:
        proposed.point_at(served.url)
        page = proposed.enrich("--show-prompt", "legacy/getProcInfo4")
        done = proposed.enrich("--show-prompt", "legacy/getProcInfo3")
        proposed.enrich()

    asked = served.requests[0].body["messages"][1]["content"]
    assert served.requests[0].operations == ["getProcInfo4"]
    assert asked in page
    assert "- getProcInfo3 (now get_order_progress): " in asked, "its neighbour is only told of"
    assert "legacy/getProcInfo3: nothing would be sent now" in done.stderr


def test_without_an_endpoint_the_draft_is_labelled_as_one_without_a_model(desk):
    done = desk.gloss("enrich")
    page = desk.gloss("diff")

    assert done.exit_code in (0, 5)
    assert "drafted without a model" in page
    assert {entry["provider"] for entry in desk.proposals().values()} == {"shapes"}


def test_a_proposal_whose_tool_changed_since_is_not_applied(proposed):
    changed = LEGACY.read_text().replace("complaintNo", "complaintNumber")
    proposed.gloss.write("legacy.yaml", changed)
    proposed.gloss("ingest", "legacy.yaml", "--service", "legacy")

    alone = proposed.gloss("apply", "legacy/getProcInfo4")
    rest = proposed.gloss("apply", "legacy")

    assert alone.exit_code == 1
    assert "changed since" in alone.stderr
    assert rest.exit_code == 0
    assert list(proposed.proposals()) == ["getProcInfo4"]
