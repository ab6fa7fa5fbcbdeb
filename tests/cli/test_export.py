"""`gloss export`: one tool a line, the same bytes everywhere."""

import json

import pytest

from tests.cli.exchanging import LEGACY, NOTE, PROGRESS, Exchange, enriched, with_text

ODD = """
openapi: 3.0.3
info: {title: Odd, version: "1"}
paths:
  /b:
    get:
      operationId: Zeta
      summary: "Größe, \\u2028 and \\u202E 尺寸"
      responses: {"200": {description: ok}}
  /a:
    get: {operationId: alpha, description: "two\\nlines", responses: {"200": {description: ok}}}
"""


@pytest.fixture
def desk(gloss):
    gloss("ingest", LEGACY, "--service", "legacy")
    desk = Exchange(gloss)
    done = desk.edit(with_text(PROGRESS, NOTE))
    assert done.exit_code == 0, done.stderr
    return desk


def test_a_line_has_the_original_and_the_text_beside_it(desk):
    line = desk.lines()[PROGRESS]

    assert list(line) == [
        "schema", "tool", "wire", "original", "enriched", "written", "content_hash", "base",
    ]  # fmt: skip
    assert line["wire"] == "GET /p3"
    assert line["original"] == {
        "name": "getProcInfo3",
        "summary": "",
        "description": "See documentation.",
    }
    assert line["enriched"] == enriched(PROGRESS)
    assert line["written"]["text"] == line["base"] != ""


def test_every_tool_has_its_line_with_or_without_text(desk):
    lines = desk.lines()

    assert list(lines) == sorted(lines)
    assert len(lines) == 4
    assert lines["legacy/updAcctSt"]["enriched"] is None
    assert lines["legacy/updAcctSt"]["base"] == ""


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
        {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "COLUMNS": "20"},
    ],
    ids=["C", "latin-1", "elsewhere"],
)
def test_the_same_bytes_everywhere(gloss, env):
    gloss("ingest", gloss.write("odd.yaml", ODD))
    gloss("export", "-o", "here.jsonl")

    there = gloss.process("export", env=env)

    assert there.encode() == (gloss.folder / "here.jsonl").read_bytes()
    assert "Größe, \\u2028 and \\u202e 尺寸" in there
    assert [line["tool"] for line in there.jsonl] == ["odd/Zeta", "odd/alpha"]


def test_only_the_services_named(desk):
    desk.gloss("ingest", desk.gloss.write("odd.yaml", ODD))

    assert {line.partition("/")[0] for line in desk.lines("odd")} == {"odd"}
    assert desk.gloss("export", "nosuch").exit_code == 1


def test_a_file_that_is_up_to_date_is_not_written_again(desk):
    file = desk.gloss.folder / "gloss.jsonl"
    desk.gloss("export", "-o", "gloss.jsonl")
    before = file.stat()
    again = desk.gloss("export", "-o", "gloss.jsonl")

    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert "up to date" in again.stderr


def test_check_says_which_tools_differ(desk):
    desk.gloss("export", "-o", "gloss.jsonl")
    same = desk.gloss("export", "--check", "gloss.jsonl")
    desk.gloss("revert", NOTE)
    differs = desk.gloss("export", "--check", "gloss.jsonl")
    absent = desk.gloss("export", "--check", "nowhere.jsonl")

    assert (same.exit_code, differs.exit_code, absent.exit_code) == (0, 3, 3)
    assert NOTE in differs.stderr
    assert PROGRESS not in differs.stderr
    assert "gloss export -o gloss.jsonl" in differs.stderr


def test_nothing_of_the_machine_is_in_it(desk):
    text = str(desk.gloss("export"))

    assert str(desk.gloss.folder) not in text
    assert str(LEGACY.parent) not in text
    assert "legacy.yaml" not in text


def test_proposals_can_be_reviewed_in_git_before_they_are_live(desk):
    desk.gloss("opt-in", "legacy")
    desk.gloss("enrich")
    proposed = {p["tool"]: p["proposal"] for p in desk.gloss("diff", "--json").json["proposals"]}
    tool = next(name for name in proposed if name not in (PROGRESS, NOTE))
    assert desk.live(tool) is None

    line = desk.lines("--proposals")[tool]
    done = desk.take({tool: line})

    assert line["enriched"]["name"] == proposed[tool]["name"]
    assert line["base"] == ""
    assert done.exit_code == 0, done.stderr
    assert desk.live(tool)["name"] == proposed[tool]["name"]
    assert desk.lines()[tool]["written"]["provider"] == "shapes"


def test_an_empty_catalog_is_an_empty_file(gloss):
    done = gloss("export")

    assert (done, done.exit_code) == ("", 0)


def test_lines_are_json_one_by_one(desk):
    for line in desk.gloss("export").encode().split(b"\n")[:-1]:
        assert json.loads(line)["schema"] == 1
