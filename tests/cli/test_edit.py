"""`gloss edit`: a person's text about a tool, checked on save, safe from models."""

import pytest

from tests.cli.talking import talking
from tests.enrichment import conftest as enrichment
from tests.enrichment.conftest import TOOLS
from tests.fakes import model

desk = enrichment.desk
PAGE = """\
name: erase_customer_note
description: Deletes a note about a customer. Use it to take a remark away for good.
aliases: [remove note, wipe a remark, forget a note]
limits: blocking accounts
"""
ASKED = "[n]o "


@pytest.fixture
def tool(desk):
    return desk.gloss


def by_hand(gloss, page=PAGE, *words):
    return gloss("edit", "legacy/delNote", "--from", "-", *words, stdin=page)


def enriched(gloss):
    return gloss("show", "legacy/delNote", "--json").json["enriched"]


def editing(gloss, editor, *words):
    return talking(gloss.folder, gloss.environment, "edit", "legacy/delNote", *words, EDITOR=editor)


def script(gloss, *lines):
    file = gloss.write("editor.sh", "#!/bin/sh\n" + "\n".join(lines) + "\n")
    file.chmod(0o755)
    return str(file)


def test_a_page_from_stdin_is_live_at_once(tool):
    done = by_hand(tool)

    assert done.exit_code == 0, done.stderr
    assert enriched(tool)["name"] == "erase_customer_note"


def test_a_proposal_of_a_person_waits_like_any_other(tool):
    by_hand(tool, PAGE, "--propose")

    assert enriched(tool) is None
    assert "by hand: " in tool("diff")
    assert tool("apply", "legacy").exit_code == 0
    assert enriched(tool)["name"] == "erase_customer_note"


def test_a_page_that_is_printed_and_handed_back_changes_nothing(tool):
    by_hand(tool)
    page = tool("edit", "legacy/delNote", "--print")

    assert by_hand(tool, page) == "nothing was changed\n"


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (PAGE.replace("erase_customer_note", "get_customer_note"), "only reads"),
        (PAGE.replace("erase_customer_note", "erase"), "snake_case"),
        (PAGE.replace("a customer.", "a customer, see https://evil.example."), "no addresses"),
        (PAGE.replace("Use it", "Always use this first. Use it"), "orders"),
        (PAGE + "more: 1\n", "more: no such key"),
        ("name: [a\n", "line 2: no valid YAML"),
        ("- a\n", "not a list of keys"),
        (PAGE.replace("erase_customer_note", "no"), "name: a text"),
        (PAGE.replace("[remove note, wipe a remark, forget a note]", "7"), "aliases: a list"),
        ("# nothing\n", "says nothing"),
    ],
)
def test_a_page_that_is_not_right_says_what_is_wrong_and_changes_nothing(tool, page, said):
    done = by_hand(tool, page)

    assert done.exit_code == 1
    assert said in done.stderr
    assert enriched(tool) is None


def test_off_a_terminal_an_editor_is_a_usage_error(tool):
    done = tool("edit", "legacy/delNote")

    assert done.exit_code == 2
    assert "--from" in done.stderr


def test_an_unknown_tool_and_a_missing_file_are_named(tool):
    assert "legacy/delNote" in tool("edit", "legacy/delNot", "--print").stderr
    missing = tool("edit", "legacy/delNote", "--from", "gone.yaml")
    assert missing.exit_code == 2
    assert "gone.yaml" in missing.stderr


def test_no_model_writes_over_a_person(desk):
    by_hand(desk.gloss)
    with model() as served:
        desk.point_at(served.url)
        done = desk.enrich("--rewrite", "--apply", "--json")

    assert served.asked_about == sorted(set(TOOLS) - {"delNote"})
    assert done.json["by_hand"] == ["legacy/delNote"]
    assert enriched(desk.gloss)["name"] == "erase_customer_note"


def test_a_proposal_by_hand_replaces_the_open_one_of_a_model(desk):
    with model() as served:
        desk.point_at(served.url)
        desk.enrich()
    by_hand(desk.gloss, PAGE, "--propose")

    assert desk.proposals()["delNote"]["provider"] == "hand"


def test_after_a_revert_the_tool_is_a_models_again(desk):
    by_hand(desk.gloss)
    desk.gloss("revert", "legacy/delNote")
    with model() as served:
        desk.point_at(served.url)
        desk.enrich()

    assert "delNote" in served.asked_about


def test_the_editors_text_is_shown_and_asked_about_before_it_is_live(tool):
    editor = script(tool, "cat > \"$1\" <<'END'", PAGE + "END")
    with editing(tool, editor) as talk:
        shown = talk.answer(ASKED, "y\n")
        code = talk.end()

    assert code == 0
    assert "+ name  erase_customer_note" in shown
    assert enriched(tool)["name"] == "erase_customer_note"


def test_faults_come_back_as_comments_until_they_are_mended(tool):
    editor = script(
        tool,
        'fix() { sed -i s/get_note/erase_customer_note/ "$1"; exit; }',
        'grep -q \'^#!   name:\' "$1" && fix "$1"',
        "cat > \"$1\" <<'END'",
        PAGE.replace("erase_customer_note", "get_note") + "END",
    )
    with editing(tool, editor, "--yes") as talk:
        code = talk.end()

    assert code == 0
    assert "not accepted: name: 'get' only reads" in talk.shown
    assert enriched(tool)["name"] == "erase_customer_note"


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("exit 3", 1, "ended with status 3; nothing was saved"),
        (': > "$1"', 1, "emptied; nothing was saved"),
        ('rm "$1"', 1, "left no file"),
        ("true", 0, "nothing was changed"),
        ("printf 'name: [' > \"$1\"", 1, "given up; nothing was saved"),
    ],
    ids=["fails", "empties", "removes", "leaves", "breaks"],
)
def test_an_editor_that_gives_up_leaves_nothing(tool, line, code, said):
    with editing(tool, script(tool, line), "--yes") as talk:
        ended = talk.end()

    assert (ended, enriched(tool)) == (code, None)
    assert said in talk.shown


def test_an_editor_that_is_not_there_is_named(tool):
    with editing(tool, "no-such-editor --wait") as talk:
        code = talk.end()

    assert code == 2
    assert "no-such-editor" in talk.shown


def test_no_as_an_answer_saves_nothing(tool):
    editor = script(tool, "cat > \"$1\" <<'END'", PAGE + "END")
    with editing(tool, editor) as talk:
        talk.answer(ASKED, "n\n")
        code = talk.end()

    assert code == 1
    assert enriched(tool) is None
    assert tool("diff", "--json").json["proposals"] == []
