"""`gloss diff`: fit for a terminal of any width, whole in a pipe, complete as JSON."""

import pytest

from cli.output import display_width
from tests.cli.talking import talking
from tests.enrichment import conftest as enrichment
from tests.fakes import Response, entries, model

desk = enrichment.desk


@pytest.fixture
def proposed(desk):
    bad = {"delNote": {"name": "get_customer_note"}}

    def script(request, _number):
        again = len(request.body["messages"]) > 2
        return Response(entries(request) if again else entries(request, **bad))

    with model(script) as served:
        desk.point_at(served.url, price_in=2.5, price_out=10.0)
        assert desk.enrich().exit_code == 0
    return desk.gloss


def shown(gloss, columns, **env):
    with talking(gloss.folder, gloss.environment, "diff", columns=columns, **env) as talk:
        talk.end()
    return talk


@pytest.mark.parametrize("columns", [40, 80, 120, 200])
def test_it_fits(proposed, columns):
    lines = shown(proposed, columns).shown.splitlines()
    diff = lines[: next(n for n, line in enumerate(lines) if "proposals; decide" in line)]

    assert max(map(display_width, diff)) <= columns


def test_side_by_side_where_there_is_room(proposed):
    wide, narrow = shown(proposed, 120).shown, shown(proposed, 119).shown

    assert "original" in wide
    assert "rests on" in wide
    assert "- name  getProcInfo3" not in wide
    assert "- name  getProcInfo3" in narrow


def test_only_what_differs_is_coloured_and_nothing_when_told_so(proposed):
    raw = shown(proposed, 80).raw

    assert "\x1b[32morder_progress" in raw.replace("\x1b[0m", "") or "\x1b[32m" in raw
    assert "\x1b" not in shown(proposed, 80, NO_COLOR="1").raw


def test_in_a_pipe_every_text_is_whole_on_its_line(proposed):
    page = proposed("diff")

    assert "\x1b" not in page
    assert (
        "+ text  Returns how far a customer's order has come: its step, status and due date. "
        "Use it when someone asks where an order stands.\n"
    ) in page


def test_what_was_mended_and_spent_is_said(proposed):
    done = proposed("diff")

    assert "mended: verb-and-protocol" in done
    assert "run of 4 texts: " in done.stderr
    assert "$0.0" in done.stderr


def test_json_has_all_of_it(proposed):
    page = proposed("diff", "--json").json
    found = {entry["tool"]: entry for entry in page["proposals"]}
    one = found["legacy/getProcInfo3"]

    assert one["look_alikes"] == ["legacy/getProcInfo4"]
    assert one["evidence"] == [
        {"claim": "order", "evidence": "orderNo"},
        {"claim": "status", "evidence": "orderStatus"},
    ]
    assert found["legacy/delNote"]["mended"] == ["verb-and-protocol"]
    assert page["runs"][0]["texts"] == 4
    assert page["runs"][0]["cost_usd"] == pytest.approx(
        sum(entry["cost_usd"] for entry in page["proposals"])
    )


def test_the_question_says_how_many(proposed):
    with talking(proposed.folder, proposed.environment, "apply", "legacy") as talk:
        talk.answer("Apply 4 proposals in legacy? [y/N]", "y\n")
        assert talk.end() == 0
    with talking(proposed.folder, proposed.environment, "revert", "legacy/delNote") as talk:
        talk.answer("Revert 1 live text in legacy/delNote? [y/N]", "n\n")
        assert talk.end() == 1
