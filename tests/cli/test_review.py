"""`gloss review` at a terminal: one key a decision, each of them saved at once."""

import pytest

from tests.cli.talking import talking
from tests.enrichment import conftest as enrichment
from tests.enrichment.conftest import TOOLS
from tests.fakes import model

desk = enrichment.desk
ASKED = "[areusq?] "


@pytest.fixture
def proposed(desk):
    with model() as served:
        desk.point_at(served.url, price_in=2.5, price_out=10.0)
        assert desk.enrich().exit_code == 0
    return desk.gloss


def reviewing(gloss, *words, **more):
    return talking(gloss.folder, gloss.environment, "review", *words, **more)


def live(gloss):
    found = gloss("tools", "legacy", "--json").json["tools"]
    return {tool["name"]: tool["enriched"]["name"] for tool in found if tool["enriched"]}


def waiting(gloss):
    found = gloss("diff", "--json").json["proposals"]
    return sorted(entry["tool"].partition("/")[2] for entry in found)


def test_off_a_terminal_it_says_what_to_do_instead(gloss):
    done = gloss("review")

    assert done.exit_code == 2
    assert "gloss diff" in done.stderr


def test_each_key_does_what_it_says(proposed):
    with reviewing(proposed) as talk:
        first = talk.answer(ASKED, "a")
        second = talk.answer(ASKED, "r")
        talk.answer("why? (Enter: no reason) ", "too vague\n")
        talk.answer(ASKED, "s")
        talk.answer(ASKED, "q")
        code = talk.end()

    assert code == 0
    assert "1/4 legacy/delNote" in first
    assert "live: delete_customer_note" in second
    assert "1 applied, 1 rejected, 1 skipped, 1 left; next: gloss index" in talk.shown
    assert live(proposed) == {"delNote": "delete_customer_note"}
    assert waiting(proposed) == ["getProcInfo4", "updAcctSt"]


def test_look_alikes_are_shown_together_and_can_be_decided_together(proposed):
    with reviewing(proposed) as talk:
        talk.answer(ASKED, "s")
        family = talk.answer(ASKED, "A")
        rest = talk.until(ASKED)
        talk.send("q")
        talk.end()

    assert "== look-alikes in legacy: getProcInfo3, getProcInfo4" in family
    assert family.index("get_order_progress") < family.index("get_complaint_handling")
    assert "live: get_order_progress" in rest
    assert "4/4 legacy/updAcctSt" in rest
    assert sorted(live(proposed)) == ["getProcInfo3", "getProcInfo4"]


def test_the_last_decisions_are_taken_back_one_by_one(proposed):
    with reviewing(proposed) as talk:
        talk.answer(ASKED, "a")
        talk.answer(ASKED, "a")
        talk.answer(ASKED, "u")
        talk.until("taken back: legacy/getProcInfo3")
        talk.answer(ASKED, "u")
        talk.until("taken back: legacy/delNote")
        talk.answer("1/4 legacy/delNote", "")
        talk.answer(ASKED, "u")
        talk.until("nothing to take back")
        talk.answer(ASKED, "q")
        talk.end()

    assert live(proposed) == {}
    assert waiting(proposed) == sorted(TOOLS)


def test_what_was_live_before_is_live_again_after_undo(proposed):
    proposed("apply", "legacy/delNote")
    page = proposed("edit", "legacy/delNote", "--print").replace(
        "delete_customer", "remove_customer"
    )
    proposed("edit", "legacy/delNote", "--from", "-", "--propose", stdin=page)
    with reviewing(proposed, "legacy/delNote") as talk:
        talk.answer(ASKED, "a")
        talk.end()
    assert live(proposed) == {"delNote": "remove_customer_note"}
    proposed("revert", "legacy/delNote")

    proposed("edit", "legacy/delNote", "--from", "-", "--propose", stdin=page)
    with reviewing(proposed, "legacy/delNote", "legacy/updAcctSt") as talk:
        talk.answer(ASKED, "a")
        talk.answer(ASKED, "u")
        talk.answer(ASKED, "q")
        talk.end()
    assert live(proposed) == {"delNote": "delete_customer_note"}
    assert "delNote" in waiting(proposed)


def test_an_edit_in_the_middle_is_a_proposal_of_its_author(proposed):
    with reviewing(proposed, EDITOR="sed -i s/delete_customer/remove_customer/") as talk:
        talk.answer(ASKED, "e")
        edited = talk.answer(ASKED, "a")
        talk.answer(ASKED, "q")
        talk.end()

    assert "remove_customer_note" in edited
    assert "by hand" in edited
    assert live(proposed) == {"delNote": "remove_customer_note"}


def test_an_edit_can_be_taken_back(proposed):
    with reviewing(proposed, EDITOR="sed -i s/delete_customer/remove_customer/") as talk:
        talk.answer(ASKED, "e")
        talk.answer(ASKED, "u")
        talk.answer(ASKED, "q")
        talk.end()

    (found,) = proposed("diff", "legacy/delNote", "--json").json["proposals"]
    assert found["proposal"]["name"] == "delete_customer_note"
    assert found["provider"] == "chat"


def test_a_failing_editor_costs_nothing(proposed):
    with reviewing(proposed, EDITOR="false") as talk:
        talk.answer(ASKED, "e")
        talk.until("false ended with status 1; nothing was saved")
        talk.answer(ASKED, "q")
        code = talk.end()

    assert code == 0
    assert waiting(proposed) == sorted(TOOLS)


def test_an_arrow_key_is_no_decision(proposed):
    with reviewing(proposed) as talk:
        talk.answer(ASKED, "\x1b[A")
        talk.until("no such key")
        talk.answer(ASKED, "?")
        talk.until("q  quit")
        talk.answer(ASKED, "\x04")
        code = talk.end()

    assert code == 0
    assert live(proposed) == {}


def test_ctrl_d_typed_ahead_ends_it(proposed):
    with reviewing(proposed) as talk:
        talk.send("\x04")
        code = talk.end()

    assert code == 0
    assert waiting(proposed) == sorted(TOOLS)


def test_a_kill_keeps_what_was_decided_and_the_next_review_goes_on(proposed):
    with reviewing(proposed) as talk:
        talk.answer(ASKED, "a")
        talk.until("2/4 ")
        talk.running.kill()
        talk.running.wait()
    assert live(proposed) == {"delNote": "delete_customer_note"}

    with reviewing(proposed) as talk:
        shown = talk.answer(ASKED, "\x03")
        code = talk.end()

    assert "1/3 legacy/getProcInfo3" in shown
    assert code == 130


def test_a_decision_of_somebody_else_meanwhile_stands(proposed):
    with reviewing(proposed) as talk:
        talk.until(ASKED)
        proposed("reject", "legacy/delNote")
        talk.send("a")
        talk.until("somebody else decided on it meanwhile")
        talk.answer(ASKED, "q")
        talk.end()

    assert live(proposed) == {}


def test_applying_twice_at_once_leaves_the_text_live(proposed):
    with reviewing(proposed) as talk:
        talk.until(ASKED)
        proposed("apply", "legacy/delNote")
        talk.send("a")
        talk.until("somebody else decided")
        talk.answer(ASKED, "q")
        talk.end()

    assert live(proposed) == {"delNote": "delete_customer_note"}


def test_a_proposal_whose_tool_changed_is_not_applied(proposed):
    changed = enrichment.LEGACY.read_text().replace("noteId", "noteNumber")
    proposed.write("legacy.yaml", changed)
    proposed("ingest", "legacy.yaml", "--service", "legacy")
    with reviewing(proposed, "legacy/delNote") as talk:
        shown = talk.answer(ASKED, "a")
        talk.until("changed since it was proposed")
        talk.answer(ASKED, "q")
        talk.end()

    assert "CHANGED SINCE" in shown
    assert live(proposed) == {}


def test_the_reason_of_a_rejection_is_kept(proposed, conn):
    proposed("reject", "legacy/delNote", "--reason", "says nothing of visits")

    (kept,) = conn.execute("SELECT reason FROM enrichments WHERE state = 'rejected'").fetchone()
    assert kept == "says nothing of visits"


def test_nothing_to_review(gloss):
    with reviewing(gloss) as talk:
        code = talk.end()

    assert code == 0
    assert "nothing to review" in talk.shown
