"""`gloss services`, `tools`, `show`: for people and for programs."""

import pytest

ODD = r"""
openapi: 3.0.3
info: {title: Odd, version: "1"}
paths:
  /a:
    get:
      operationId: markup_in_text
      summary: "Gives [bold]everything[/bold] [x] back"
      responses: {"200": {description: ok}}
  /b:
    get:
      operationId: controls
      summary: "ring\a and \e[31mred\e[0m and \u202Ereversed"
      responses: {"200": {description: ok}}
  /c:
    get:
      operationId: sizes
      summary: "Größe ändern, 尺寸"
      responses: {"200": {description: ok}}
"""


@pytest.fixture
def odd(gloss):
    gloss.write("odd.yaml", ODD)
    gloss("ingest", "odd.yaml")
    return gloss


def test_a_tool_has_the_keys_of_the_contract(samples):
    tool = samples("show", "billing/get_customer", "--json").json

    assert {
        "schema",
        "id",
        "service",
        "name",
        "protocol",
        "binding",
        "description",
        "enriched",
        "input_schema",
        "output_schema",
    } <= set(tool)
    assert tool["binding"]["method"] == "GET"
    assert tool["enriched"] is None


def test_text_in_a_pipe_is_tab_separated_and_whole(samples):
    lines = samples("tools", "crm").splitlines()

    assert all(line.count("\t") == 3 for line in lines)
    assert not any("…" in line for line in lines)


def test_jsonl_is_one_tool_a_line(samples):
    rows = samples("tools", "hr", "--format", "jsonl").jsonl

    assert {row["service"] for row in rows} == {"hr"}
    assert all(row["schema"] == 1 for row in rows)


def test_an_unknown_tool_is_named_with_the_nearest(samples):
    done = samples("show", "crm/getProcInfo33")

    assert done.exit_code == 1
    assert "crm/getProcInfo33" in done.stderr
    assert "crm/getProcInfo3" in done.stderr.partition("try:")[2] + done.stderr


def test_an_unknown_service_is_an_error_not_an_empty_list(samples):
    done = samples("tools", "nosuch")

    assert done.exit_code == 1
    assert "nosuch" in done.stderr


def test_an_empty_catalog_says_what_to_type(gloss):
    done = gloss("tools")

    assert done.exit_code == 0
    assert done == ""
    assert "gloss ingest" in done.stderr


def test_brackets_are_shown_as_written(odd):
    assert "[bold]everything[/bold] [x]" in odd("show", "odd/markup_in_text")


@pytest.mark.parametrize("words", [("show", "odd/controls"), ("tools",), ("tools", "--json")])
def test_controls_of_the_input_never_reach_the_terminal(odd, words):
    text = odd(*words)

    assert not set(text) & {"\x1b", "\x07", "\u202e"}


def test_harmless_json_has_the_same_value(odd):
    tool = odd("show", "odd/controls", "--json").json

    assert tool["summary"] == "ring\x07 and \x1b[31mred\x1b[0m and \u202ereversed"


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "ascii:strict"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_letters_the_terminal_lacks_are_no_error(odd, env):
    for words in (("tools",), ("show", "odd/sizes"), ("tools", "--json")):
        done = odd.process(*words, env=env)

        assert done.exit_code == 0, done.stderr
    assert (
        odd.process("tools", "--json", env=env).json["tools"][2]["summary"] == "Größe ändern, 尺寸"
    )


def test_show_as_text_names_wire_parameters_and_response(samples):
    page = samples("show", "crm/getProcInfo3")

    assert "getProcInfo3" in page
    assert "custId" in page
    assert "returns" in page


def test_a_service_can_be_taken_out(odd):
    done = odd("services", "--remove", "odd", "--json")

    assert done.json["services"] == []
    assert "3 tools" in done.stderr
    assert odd("tools", "odd").exit_code == 1
    assert odd("services", "--remove", "odd").exit_code == 1
