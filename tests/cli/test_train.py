"""`gloss train`: labelled cases in, a reranker of one's own when it proves better."""

import itertools
import json
import random

import psycopg
import pytest

from tests.cli.conftest import Gloss, bare_environment

# What people ask for; no tool says any of it, so that only labels can teach it.
TOPICS = {
    "op01": "a parking permit for the garage",
    "op02": "the lunch menu of the canteen",
    "op03": "a lost access badge",
    "op04": "the printer on the third floor",
    "op05": "my holiday request",
    "op06": "the training course on forklifts",
    "op07": "a broken window blind",
    "op08": "travel expenses for the fair",
}
WAYS = (
    "who decides about {}",
    "I have been waiting since Tuesday for {}, what now",
    "tell the people upstairs about {}",
    "Sarah wants to know more on {}",
    "is there news regarding {}?",
    "my colleague in Leeds asked me for {} twice",
    "put {} on the list for next month",
    "how long does it usually take with {}",
    "cancel everything to do with {}",
    "please look into {} before the audit",
)


def specification():
    paths = {
        f"/x/{number}": {
            "post": {
                "operationId": name,
                "summary": "Process record",
                "responses": {"200": {"description": "ok"}},
            }
        }
        for number, name in enumerate(TOPICS, 1)
    }
    return json.dumps({"openapi": "3.0.3", "info": {"title": "x", "version": "1"}, "paths": paths})


def cases(tool_of):
    questions = [(tool, way.format(topic)) for (tool, topic), way in
                 itertools.product(TOPICS.items(), WAYS)]  # fmt: skip
    lines = [
        json.dumps({"query": question, "relevant": [f"desk/{tool_of(tool)}"]})
        for tool, question in questions
    ]
    return "\n".join(lines) + "\n"


def stocked(run):
    for command in (("ingest", run.write("desk.json", specification())), ("index",)):
        done = run(*command)
        assert done.exit_code == 0, done.stderr
    run.write("right.jsonl", cases(lambda tool: tool))
    draw = random.Random(4)
    run.write("random.jsonl", cases(lambda _: draw.choice(list(TOPICS))))
    return run


@pytest.fixture(scope="module")
def desk(server_url, template_database, tmp_path_factory):
    """A catalog that tests leave as it is."""
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE gloss_desk TEMPLATE {template_database}")
    folder = tmp_path_factory.mktemp("desk")
    address = server_url.replace("/postgres?", "/gloss_desk?")
    return stocked(Gloss(folder, {**bare_environment(folder), "GLOSS_DATABASE_URL": address}))


def test_a_reranker_that_proves_better_is_kept_and_search_uses_it(gloss):
    stocked(gloss)
    asked = "has anybody seen a lost access badge"
    hit = lambda: gloss("search", asked, "--json").json  # noqa: E731

    done = gloss("train", "right.jsonl", "--json")

    assert done.exit_code == 0, done.stderr
    card = done.json
    assert (card["kept"], card["saved"], card["old"]) == ("new", True, "builtin")
    assert card["ndcg10_new"] > card["ndcg10_old"] + 0.2
    assert card["p"] < 0.05
    assert (card["cases"], card["seed"], len(card["data_hash"])) == (80, 0, 64)
    assert first(hit()) == "desk/op03"

    again = gloss("train", "right.jsonl", "--json").json  # the same cases teach nothing new
    assert (again["kept"], again["old"]) == ("old", "trained")

    gloss.write("gloss.toml", '[search]\nreranker = "builtin"\n')
    packaged = hit()
    gloss.write("gloss.toml", "")
    assert "better" not in gloss("train", "--forget")
    assert [h["score"] for h in hits(hit())] == [h["score"] for h in hits(packaged)]


def hits(found):
    return found["hits"] or found["nearest"]


def first(found):
    return hits(found)[0]["id"]


def test_random_labels_change_nothing_and_that_is_said(desk):
    done = desk("train", "random.jsonl")

    assert done.exit_code == 0
    assert done.startswith("kept the old one: ")
    assert "each held out once" in done


def test_a_dry_run_shows_the_figures_and_saves_nothing(desk):
    card = desk("train", "right.jsonl", "--dry-run", "--json").json
    again = desk("train", "right.jsonl", "--dry-run", "--json").json

    assert (card["kept"], card["saved"]) == ("new", False)
    assert {**again, "trained_at": ""} == {**card, "trained_at": ""}
    assert "packaged ranking already" in desk("train", "--forget")


def test_too_few_cases_are_refused_with_the_number_that_is_needed(desk):
    desk.write("few.jsonl", "".join(cases(lambda tool: tool).splitlines(keepends=True)[:30]))

    done = desk("train", "few.jsonl")

    assert done.exit_code == 2
    assert "30 cases" in done.stderr
    assert "60" in done.stderr


def test_the_same_question_many_times_is_one_intent(desk):
    line = json.dumps({"query": "who has the badge", "relevant": ["desk/op03"]})
    desk.write("same.jsonl", f"{line}\n" * 100)

    done = desk("train", "same.jsonl")

    assert done.exit_code == 2
    assert "1 different intents" in done.stderr


def test_cases_without_a_right_tool_do_not_count(desk):
    desk.write("none.jsonl", json.dumps({"query": "bake bread", "relevant": []}) + "\n")

    assert "0 cases with a right tool" in desk("train", "none.jsonl").stderr


@pytest.mark.parametrize("words", [(), ("right.jsonl", "--forget")])
def test_cases_or_forget_and_not_both(desk, words):
    assert desk("train", *words).exit_code == 2


def test_a_catalog_that_is_not_indexed_says_what_to_type(gloss):
    gloss("ingest", gloss.write("desk.json", specification()))
    gloss.write("right.jsonl", cases(lambda tool: tool))

    done = gloss("train", "right.jsonl")

    assert done.exit_code == 2
    assert "gloss index" in done.stderr


def test_a_reranker_that_nobody_knows_is_refused_by_name(gloss):
    gloss.write("gloss.toml", '[search]\nreranker = "magic"\n')

    done = gloss("search", "anything")

    assert done.exit_code == 2
    assert "reranker" in done.stderr
