"""On a terminal: aligned, fitting, coloured unless told otherwise, and asking before it decides."""

import re

import pytest

from tests.cli.conftest import SAMPLES
from tests.cli.terminal import on_terminal

LONG = """
openapi: 3.0.3
info: {title: Long, version: "1"}
paths:
  /a:
    get:
      operationId: long
      description: "%s"
      responses: {"200": {description: ok}}
""" % ("many words that go on " * 20)


def bare(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize(
    "words", [("tools",), ("services",), ("stats",), ("search", "open invoices")], ids=" ".join
)
def test_a_table_fits(samples, words):
    shown, code = on_terminal(samples, *words)

    assert code == 0
    assert max(map(len, bare(shown).splitlines())) <= 80
    assert "\t" not in shown


def test_a_wide_terminal_shows_more(samples):
    narrow, _ = on_terminal(samples, "tools", "billing")
    wide, _ = on_terminal(samples, "tools", "billing", columns=200)

    assert "…" in narrow
    assert "…" not in wide


def test_headings_are_bold_unless_told_otherwise(samples):
    assert "\x1b[1m" in on_terminal(samples, "services")[0]
    assert "\x1b" not in on_terminal(samples, "services", NO_COLOR="1")[0]
    assert "\x1b" not in on_terminal(samples, "services", TERM="dumb")[0]


def test_a_page_fits(gloss):
    gloss.write("long.yaml", LONG)
    crm = SAMPLES / "crm.wsdl"
    for words in (("ingest", "long.yaml", crm), ("opt-in", "crm"), ("enrich", "crm")):
        assert gloss(*words).exit_code == 0

    for words in (("show", "long/long"), ("diff", "crm")):
        shown, _ = on_terminal(gloss, *words, columns=60)

        assert max(map(len, bare(shown).splitlines())) <= 60


def test_status_is_aligned(gloss):
    shown, _ = on_terminal(gloss, "db", "status")

    assert "\t" not in shown
    assert re.search(r"^kind +server$", shown, re.MULTILINE)


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        (b"y\n", 0, "26"),
        (b"n\n", 1, "nothing was changed"),
        (b"\n", 1, "nothing was changed"),
        (b"\x03", 130, "interrupted"),
        (b"\x04", 130, "interrupted"),
    ],
    ids=["yes", "no", "enter", "ctrl-c", "ctrl-d"],
)
def test_a_decision_is_asked_for(gloss, typed, code, said):
    for words in (("ingest", SAMPLES / "crm.wsdl"), ("opt-in", "crm"), ("enrich", "crm")):
        assert gloss(*words).exit_code == 0

    shown, ended = on_terminal(gloss, "apply", typed=typed)

    assert ended == code
    assert said in shown
    assert "Traceback" not in shown


def test_long_work_is_shown_and_leaves_nothing(gloss):
    shown, code = on_terminal(gloss, "ingest", str(SAMPLES / "hr.swagger.json"))

    last = bare(re.split(r"\x1b\[2K|\x1b\[\?25h", shown)[-1])
    assert code == 0
    assert "reading specs: 0" in shown
    assert "reading" not in last
    assert "OPERATIONS" in last
