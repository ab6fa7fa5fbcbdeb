"""`[search]` and `[embedding]`: weights, endpoints and models that pick."""

import json

import psycopg
import pytest

from tests.fakes import Response, model
from tests.search.embeddings import embeddings, good, refusal

SPEC = """
openapi: 3.0.0
info: {title: crm, version: "1"}
paths:
  /customers/{id}:
    get: {operationId: getCust, summary: Reads a customer., responses: {}}
    delete: {operationId: delCust, summary: Deletes a customer., responses: {}}
  /orders:
    get: {operationId: listOrd, summary: Lists orders., responses: {}}
"""


def settings(gloss, text):
    gloss.write("gloss.toml", text)


@pytest.fixture
def crm(gloss):
    spec = gloss.write("crm.yaml", SPEC)
    assert gloss("ingest", spec).exit_code == 0
    return gloss


def endpoint(served, more=""):
    return f'[embedding]\nbase_url = "{served.url}"\nmodel = "m"\n{more}'


def ids(done):
    return [hit["id"] for hit in done.json["hits"]]


def mixed(gloss):
    with psycopg.connect(gloss.environment["GLOSS_DATABASE_URL"]) as conn:
        query = "SELECT mixed::text, original_share FROM embeddings WHERE enriched_hash IS NOT NULL"
        return conn.execute(query).fetchone()


@pytest.mark.parametrize("weights", ["[1]", "[-1, 2]", "[0, 0]", '"x"', "[nan, 1]"])
def test_weights_that_are_none_are_refused(crm, weights):
    settings(crm, f"[search]\nweights = {weights}\n")
    assert crm("search", "orders").exit_code == 2


def test_other_weights_mix_stored_vectors_and_embed_nothing(crm):
    with embeddings() as served:
        settings(crm, endpoint(served))
        for words in (("opt-in", "crm"), ("enrich", "crm"), ("apply", "crm")):
            assert crm(*words).exit_code in (0, 5)
        assert crm("index").exit_code == 0
        before = mixed(crm)
        asked = len(served.requests)
        settings(crm, endpoint(served) + "[search]\nweights = [1, 1]\n")
        done = crm("index", "--json").json
        after = mixed(crm)
        settings(crm, endpoint(served) + "[search]\nweights = [3, 7]\n")
        first = crm("search", "customer", "--json")
        again = crm("search", "customer", "--json")
    assert done["embedded"] == 0
    assert done["mixed_again"] >= 1
    assert after[1] == pytest.approx(0.5)
    assert after[0] != before[0]
    assert "ranked with other weights" in first.stderr
    assert "weights" not in again.stderr
    assert mixed(crm)[1] == pytest.approx(0.3)
    assert len(served.requests) - asked <= 3


def test_training_learns_over_the_weights_that_searches_rank_with(crm):
    for words in (("opt-in", "crm"), ("enrich", "crm"), ("apply", "crm"), ("index",)):
        assert crm(*words).exit_code in (0, 5)
    lines = [json.dumps({"query": f"order {n}", "relevant": ["crm/listOrd"]}) for n in range(60)]
    crm.write("cases.jsonl", "\n".join(lines))
    settings(crm, "[search]\nweights = [1, 1]\n")

    done = crm("train", "cases.jsonl", "--dry-run")

    assert "ranked with other weights" in done.stderr
    assert mixed(crm)[1] == pytest.approx(0.5)


def test_an_endpoint_embeds_and_finds(crm):
    with embeddings() as served:
        settings(crm, endpoint(served))
        assert crm("index", "--json").json["embedded"] == 3
        done = crm("search", "Lists orders", "--json")
    assert ids(done)[0] == "crm/listOrd"
    assert "vector" in done.json["hits"][0]["why"]


def test_a_refused_key_exits_4_and_is_not_shown(crm):
    with embeddings(lambda _b, _n: refusal(401, "bad key s3cr3t-key")) as served:
        settings(crm, endpoint(served, 'api_key_env = "EMBED_KEY"\n'))
        done = crm("index", env={"EMBED_KEY": "s3cr3t-key"})
    assert done.exit_code == 4
    assert served.requests[0]["key"] == "Bearer s3cr3t-key"
    assert "s3cr3t" not in done.stderr


def test_another_width_is_not_compared_and_says_what_mends_it(crm):
    with embeddings() as served:
        settings(crm, endpoint(served))
        crm("index")
        served.script = lambda body, n: good(body, n, width=8)
        searched = crm("search", "Lists orders", "--json")
        refused = crm("index")
        rebuilt = crm("index", "--rebuild", "--json")
        after = crm("search", "Lists orders", "--json")
    assert "gloss index --rebuild" in searched.stderr
    assert ids(searched)[0] == "crm/listOrd"
    assert (refused.exit_code, rebuilt.exit_code) == (2, 0)
    assert "gloss index --rebuild" in refused.stderr
    assert rebuilt.json["embedded"] == 3
    assert "vector" in after.json["hits"][0]["why"]


def test_an_endpoint_that_is_gone_leaves_search_by_words(crm):
    with embeddings() as served:
        settings(crm, endpoint(served, "timeout_s = 1\n"))
        crm("index")
    done = crm("search", "Lists orders", "--json")
    assert ids(done)[0] == "crm/listOrd"
    assert "by words only" in done.stderr


def test_base_url_without_a_model_is_refused(crm):
    settings(crm, '[embedding]\nbase_url = "http://127.0.0.1:9/v1"\n')
    assert crm("index").exit_code == 2


def picking(served, reply="llm"):
    return f'[llm]\nbase_url = "{served.url}"\nmodel = "m"\n[search]\nreranker = "{reply}"\n'


def choice(number):
    return lambda _request, _n: Response(json.dumps({"choice": number}))


def test_a_model_puts_its_choice_first(crm):
    crm("index")
    plain = ids(crm("search", "customer", "--json"))
    with model(choice(2)) as served:
        settings(crm, picking(served))
        picked = crm("search", "customer", "--json")
    assert ids(picked)[0] == plain[1]
    assert picked.json["hits"][0]["why"]["picked"] is True
    text = served.requests[0].body["messages"][1]["content"]
    assert "Takes: id." in text


def test_a_model_may_say_that_nothing_fits(crm):
    crm("index")
    with model(choice(0)) as served:
        settings(crm, picking(served))
        done = crm("search", "customer", "--json")
    assert done.exit_code == 1
    assert done.json["hits"] == []


@pytest.mark.parametrize(
    "answer",
    [
        Response("I like them all"),
        Response(status=429, error="busy"),
        Response(cut_connection=True),
    ],
    ids=["chatter", "busy", "cut"],
)
def test_a_model_that_fails_leaves_the_packaged_order_and_is_asked_once(crm, answer):
    crm("index")
    plain = ids(crm("search", "customer", "--json"))
    with model(lambda _request, _n: answer) as served:
        settings(crm, picking(served))
        done = crm("search", "customer", "--json")
    assert ids(done) == plain
    assert "without the model" in done.stderr
    assert len(served.requests) == 1


def test_a_picking_model_must_be_named(crm):
    crm("index")
    settings(crm, '[search]\nreranker = "llm"\n')
    done = crm("search", "customer")
    assert done.exit_code == 2
    assert "[llm]" in done.stderr
