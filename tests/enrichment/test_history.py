"""`gloss show --history`: every text about a tool, what it took, and why it is not live."""

import json

from tests.fakes import Response, entries, model

PRICES = {"price_in": 2.5, "price_out": 10.0}


def test_the_history_says_what_was_written_by_whom_and_what_became_of_it(desk):
    with model() as served:
        desk.point_at(served.url, **PRICES)
        desk.enrich("--apply")
    desk.gloss("revert", "legacy/delNote")

    shown = desk.gloss("show", "legacy/delNote", "--history")
    (text,) = desk.gloss("show", "legacy/delNote", "--history", "--json").json["history"]

    assert (text["state"], text["model"], text["prompt_version"]) == ("reverted", "m", "2")
    # A request about two tools: 400 tokens in and 120 out, half of it each.
    assert (text["input_tokens"], text["output_tokens"], text["cost_usd"]) == (200, 60, 0.0011)
    assert text["evidence_hash"]
    assert text["decided_by"]
    assert "reverted     delete_customer_note" in shown
    assert "by m, 200 tokens in, 60 out, $0.0011, decided by " in shown
    assert "history" not in desk.gloss("show", "legacy/delNote", "--json").json


def test_a_refused_and_a_rejected_text_say_why(desk):
    bad = {"updAcctSt": {"name": "list_accounts"}}
    with model(lambda request, _: Response(entries(request, **bad))) as served:
        desk.point_at(served.url)
        desk.enrich()
    desk.gloss("reject", "legacy/delNote", "--reason", "we say remark here")

    (failed,) = desk.gloss("show", "legacy/updAcctSt", "--history", "--json").json["history"]
    assert failed["state"] == "failed"
    assert "'list' only reads, and this operation changes something" in failed["reason"]
    rejected = desk.gloss("show", "legacy/delNote", "--history")
    assert "because: we say remark here" in rejected


def test_what_the_gate_rejected_keeps_its_figure(desk):
    lines = [{"query": "take a note about a customer away", "relevant": ["legacy/delNote"]}]
    desk.gloss.write("suite.jsonl", "\n".join(map(json.dumps, lines)))
    with model() as served:
        desk.point_at(served.url)
        desk.enrich("--gate", "suite.jsonl", "--min-gain", "1.5")

    (text,) = desk.gloss("show", "legacy/delNote", "--history", "--json").json["history"]
    assert (text["state"], text["decided_by"]) == ("rejected", "gate")
    assert (text["gate"], text["questions"]) == ("suite", 1)
    assert text["reason"].startswith("search finds its tool no better (gain ")
