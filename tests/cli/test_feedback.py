"""`gloss feedback` and `gloss search --chosen`: what was used becomes part of the log."""

import json

import psycopg
import pytest

from tests.cli.conftest import Gloss, bare_environment

SPEC = """openapi: 3.0.3
info: {title: toys, version: "1"}
paths:
  /kites: {get: {operationId: listKites, summary: List all kites, responses: {}}}
  /boats: {get: {operationId: listBoats, summary: List all boats, responses: {}}}
  /kites/{id}: {delete: {operationId: dropKite, summary: Delete a kite, responses: {}}}
"""


@pytest.fixture(scope="module")
def shared_toys(server_url, template_database, tmp_path_factory):
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE gloss_toys TEMPLATE {template_database}")
    folder = tmp_path_factory.mktemp("toys")
    address = server_url.replace("/postgres?", "/gloss_toys?")
    run = Gloss(folder, {**bare_environment(folder), "GLOSS_DATABASE_URL": address})
    run.write("toys.yaml", SPEC)
    run("ingest", "toys.yaml")
    run("index")
    return run


@pytest.fixture
def toys(shared_toys):
    with psycopg.connect(shared_toys.environment["GLOSS_DATABASE_URL"]) as conn:
        conn.execute("DELETE FROM search_log")
    return shared_toys


def found(toys, query="list kites", *words):
    return toys("search", query, "--json", *words).json


def logged(toys, column):
    with psycopg.connect(toys.environment["GLOSS_DATABASE_URL"]) as conn:
        rows = conn.execute(f"SELECT {column} FROM search_log ORDER BY searched_at").fetchall()
    return [value for (value,) in rows]


def test_a_choice_is_noted_with_its_rank(toys):
    answer = found(toys)
    second = answer["hits"][1]["id"]

    done = toys("feedback", answer["search_id"], second, "--json")

    assert done.exit_code == 0, done.stderr
    assert done.json == {
        "schema": 1,
        "search_id": answer["search_id"],
        "query": "list kites",
        "tool": second,
        "rank": 2,
        "missed": False,
        "replaced": None,
    }


def test_choosing_again_replaces_and_a_tool_beyond_the_hits_is_missed(toys):
    answer = found(toys, "list kites", "-k", "1")
    assert answer["hits"][0]["id"] == "toys/listKites"
    toys("feedback", answer["search_id"], "toys/listKites")

    done = toys("feedback", answer["search_id"], "toys/listBoats", "--json").json

    assert (done["rank"], done["missed"], done["replaced"]) == (None, True, "toys/listKites")
    assert logged(toys, "chosen") == ["toys/listBoats"]
    assert logged(toys, "chosen_rank") == [None]


def test_the_first_letters_of_an_id_are_enough(toys):
    answer = found(toys)

    done = toys("feedback", answer["search_id"][:8], "toys/listKites")

    assert done == "noted: toys/listKites (hit 1)\n"


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("0b7c9a52-0000-4000-8000-000000000000", "toys/listKites"), 1, "gloss search"),
        (("zz", "toys/listKites"), 2, "gloss search"),
        (("0b7c9a52",), 2, "gloss feedback SEARCH_ID TOOL"),
        (("0b7c9a52", "toys/listKites", "--none"), 2, "gloss feedback SEARCH_ID TOOL"),
        ((), 2, "gloss feedback SEARCH_ID TOOL"),
        (("0b7c9a52", "--export", "-"), 2, "gloss feedback --export"),
        (("--export", "-", "--since", "yesterday"), 2, "--since 7d"),
        (("--export", "no/such/folder/cases.jsonl"), 2, "--export FILE"),
    ],
)
def test_what_cannot_be_noted_says_what_to_type(toys, words, code, hint):
    done = toys("feedback", *words)

    assert done.exit_code == code
    assert hint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_tool_that_is_not_there_names_those_that_are_near(toys):
    answer = found(toys)

    done = toys("feedback", answer["search_id"], "toys/listKite")

    assert done.exit_code == 1
    assert "toys/listKites" in done.stderr


def test_chosen_notes_the_tool_for_this_very_search(toys):
    done = toys("search", "list kites", "--chosen", "toys/listKites", "--context", "windy day")

    assert done.exit_code == 0
    assert "noted: toys/listKites (hit 1)" in done.stderr
    assert logged(toys, "chosen") == ["toys/listKites"]
    assert logged(toys, "context") == ["windy day"]


def test_chosen_refuses_an_unknown_tool_before_it_searches(toys):
    done = toys("search", "list kites", "--chosen", "toys/nothing")

    assert done.exit_code == 1
    assert logged(toys, "query") == []
    assert toys("search", "--stdin", "--chosen", "toys/listKites").exit_code == 2


def test_a_context_is_kept_only_where_a_search_was_labelled(toys):
    found(toys, "list kites", "--context", "secret plans")

    assert logged(toys, "context") == [None]


def test_explain_prints_the_id_that_feedback_takes(toys):
    done = toys("search", "list kites", "--explain")

    search_id = done.stderr.splitlines()[-1].removeprefix("search ")
    assert toys("feedback", search_id, "toys/listKites").exit_code == 0


def test_choices_become_cases_of_a_suite(toys):
    first = found(toys, "list kites")["search_id"]
    toys("feedback", first, "toys/listKites", "--context", "we spoke of wind")
    again = found(toys, "list kites")["search_id"]
    toys("feedback", again, "toys/dropKite")
    for _ in range(2):
        toys("search", "boats, please", "--chosen", "toys/listBoats")
    toys("search", "boats, please", "--chosen", "toys/listKites")
    nothing = found(toys, "rye bread")["search_id"]
    toys("feedback", nothing, "--none")
    found(toys, "not labelled")

    done = toys("feedback", "--export", "-")

    cases = [json.loads(line) for line in done.splitlines()]
    assert [(c["query"], c["relevant"], c.get("context")) for c in cases] == [
        ("list kites", ["toys/listKites"], "we spoke of wind"),
        ("list kites", ["toys/dropKite"], None),
        ("boats, please", ["toys/listBoats", "toys/listKites"], None),
        ("rye bread", [], None),
    ]
    assert [c["source_id"] for c in cases][:2] == [first, again]
    assert cases[3]["source_id"] == nothing
    assert toys("feedback", "--export", "cases.jsonl").exit_code == 0
    assert (toys.folder / "cases.jsonl").read_text("utf-8") == done
    report = toys("eval", "cases.jsonl", "--json").json["suites"][0]
    assert (report["n"], report["unanswerable"]) == (3, 1)


def test_a_choice_whose_tool_has_left_the_catalog_is_no_case(toys):
    toys("search", "list boats", "--chosen", "toys/listBoats")
    toys.write("toys.yaml", SPEC.replace("operationId: listBoats", "operationId: allBoats"))
    toys("ingest", "toys.yaml")

    done = toys("feedback", "--export", "-")
    toys.write("toys.yaml", SPEC)
    toys("ingest", "toys.yaml")
    toys("index")

    assert done == ""
    assert "1 choices of tools that have left" in done.stderr


def test_what_is_asked_again_in_other_words_is_linked(toys):
    for query in ("show kites", "list kites", "list kites", "list boats", "rye bread"):
        found(toys, query)

    again = logged(toys, "again_of")
    ids = logged(toys, "search_id")
    # kites → kites share a word; the same text is a repeat; kites → boats share "list"
    assert again == [None, ids[0], None, ids[2], None]


def test_a_file_of_queries_and_another_session_ask_nothing_again(toys):
    toys("search", "--stdin", stdin="list kites\nshow kites\n")
    found(toys, "list kites", "-k", "1")
    toys("search", "show kites", env={"GLOSS_SESSION": "another"})

    assert logged(toys, "again_of") == [None] * 4
