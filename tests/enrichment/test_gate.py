"""`--gate`: a proposal earns its place in search, or is rejected before it is live."""

import json

import pytest

from tests.enrichment.conftest import TOOLS
from tests.fakes import Response, entries, model

SUITE = [
    ("how far is the order of this customer", "legacy/getProcInfo3"),
    ("where does an order stand, and when is it due", "legacy/getProcInfo3"),
    ("what became of the complaint", "legacy/getProcInfo4"),
    ("who handles a complaint of this customer", "legacy/getProcInfo4"),
    ("block an account", "legacy/updAcctSt"),
    ("take a note about a customer away", "legacy/delNote"),
]


@pytest.fixture
def suite(desk):
    lines = [json.dumps({"query": query, "relevant": [tool]}) for query, tool in SUITE]
    desk.gloss.write("suite.jsonl", "\n".join(lines))
    return "suite.jsonl"


def live(desk):
    found = desk.gloss("tools", "legacy", "--json").json["tools"]
    return sorted(tool["name"] for tool in found if tool["enriched"])


def test_texts_that_help_are_kept_with_their_figure(desk, suite):
    with model() as served:
        desk.point_at(served.url)
        done = desk.enrich("--gate", suite, "--json")

    judged = done.json["gate"]
    assert judged["cases"] == len(SUITE)
    assert judged["after"] >= judged["before"]
    assert {entry["tool"] for entry in judged["verdicts"]} == {f"legacy/{tool}" for tool in TOOLS}
    gains = {name: entry["gain"] for name, entry in desk.proposals().items()}
    assert all(gain is not None and gain >= 0 for gain in gains.values())
    shown = desk.gloss("diff")
    assert "gate: suite, 2 questions, rank " in shown, "the figure says what it was measured on"
    assert "gain +" in shown
    assert live(desk) == [], "nothing is live before it is applied"


TAKES_ALL = {
    "delNote": {
        "description": "Deletes a note about what became of a complaint. Use it for who handles a "
        "complaint of this customer.",
        "aliases": ["what became of the complaint", "who handles a complaint", "delete note"],
    },
    "getProcInfo4": {
        "description": "Returns an outcome for a customer. Use it for the outcome of this.",
        "aliases": ["outcome", "handled by", "outcome of this"],
        "name": "get_customer_outcome",
    },
}


def test_a_text_that_loses_or_takes_a_neighbours_place_is_rejected(desk, suite):
    with model(lambda request, _: Response(entries(request, **TAKES_ALL))) as served:
        desk.point_at(served.url)
        done = desk.enrich("--gate", suite, "--apply", "--json")

    against = {entry["tool"]: entry["rejected"] for entry in done.json["gate"]["verdicts"]}
    assert against["legacy/delNote"] or against["legacy/getProcInfo4"]
    kept = sorted(tool.partition("/")[2] for tool, words in against.items() if not words)
    assert live(desk) == kept
    for tool, words in against.items():
        assert not words or f"{tool}: rejected: " in done.stderr


def test_a_bar_that_none_reaches_rejects_all(desk, suite):
    with model() as served:
        desk.point_at(served.url)
        desk.enrich("--gate", suite, "--min-gain", "1.5", "--apply")

    assert live(desk) == []
    assert desk.proposals() == {}


def test_the_trial_leaves_no_trace_in_the_index(desk, suite):
    desk.gloss("index")
    before = desk.gloss("search", "what became of the complaint", "--json").json["hits"]
    with model() as served:
        desk.point_at(served.url)
        desk.enrich("--gate", suite)
    after = desk.gloss("search", "what became of the complaint", "--json").json["hits"]

    assert [(hit["id"], hit["score"]) for hit in after] == [
        (hit["id"], hit["score"]) for hit in before
    ]


def test_what_a_person_proposed_is_not_judged(desk, suite):
    page = (
        "name: erase_customer_note\naliases: [remove note, wipe a remark, forget a note]\n"
        "description: Deletes a note about a customer. Use it to take a remark away for good.\n"
    )
    desk.gloss("edit", "legacy/delNote", "--from", "-", "--propose", stdin=page)
    with model() as served:
        desk.point_at(served.url)
        done = desk.enrich("--gate", suite, "--min-gain", "1.5", "--json")

    assert "legacy/delNote" not in {entry["tool"] for entry in done.json["gate"]["verdicts"]}
    assert list(desk.proposals()) == ["delNote"], "the others are rejected, none gains that much"


def test_with_no_falls_whoever_puts_a_neighbour_down_goes(desk, suite):
    with model(lambda request, _: Response(entries(request, **TAKES_ALL))) as served:
        desk.point_at(served.url)
        strict = desk.enrich("--gate", suite, "--no-falls", "--json").json["gate"]

    kept = [entry for entry in strict["verdicts"] if not entry["rejected"]]
    assert len(kept) < len(TOOLS)
    assert strict["after"] >= strict["before"]
