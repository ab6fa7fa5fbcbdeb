"""`gloss eval`: suites in, figures and an exit code out."""

import json

import pytest

from tests.fakes import Response, model


def suite(samples, *cases):
    lines = [json.dumps({"query": query, "relevant": right}) for query, right in cases]
    return samples.write("suite.jsonl", "\n".join(lines) + "\n")


def test_a_right_first_hit_scores_one(samples):
    file = suite(samples, ("get_customer_full", ["billing/get_customer_full"]))

    (row,) = samples("eval", file, "--json").json["suites"]

    assert row["n"] == 1
    assert row["hit@1"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert row["misses"] == []


@pytest.mark.parametrize(
    "name",
    [
        "crm/getProcInfo3",
        "getProcInfo3",
        "crm#getProcInfo3",
        "CrmPortType.getProcInfo3",
    ],
)
def test_right_tools_may_be_named_as_on_the_wire(samples, name):
    file = suite(samples, ("getProcInfo3", [name]))

    assert samples("eval", file, "--json").json["suites"][0]["hit@1"]["mean"] == 1


def test_a_right_tool_that_the_catalog_lacks_is_said_and_counts_as_not_found(samples):
    file = suite(samples, ("anything", ["crm/noSuchTool"]))

    done = samples("eval", file, "--json")

    assert "crm/noSuchTool" in done.stderr
    assert done.json["suites"][0]["recall@10"]["mean"] == 0


def test_cases_that_nothing_answers_are_counted_apart(samples):
    file = suite(
        samples,
        ("bake a sourdough bread", []),
        ("get_customer_full", ["billing/get_customer_full"]),
    )

    (row,) = samples("eval", file, "--json").json["suites"]

    assert (row["n"], row["unanswerable"]) == (1, 1)


def test_below_the_bar_exits_1(samples):
    file = suite(samples, ("get_customer_full", ["hr/x17"]))

    assert samples("eval", file, "--min-hit1", "0.5").exit_code == 1
    assert samples("eval", file, "--min-hit1", "0").exit_code == 0


def test_misses_say_what_came_instead(samples):
    file = suite(samples, ("get_customer_full", ["hr/x17"]))

    page = samples("eval", file, "--worst", "5")

    assert "hr/x17" in page
    assert "billing/get_customer_full" in page


def test_modes_are_compared_on_the_same_cases(samples):
    file = suite(samples, ("open invoices", ["billing/list_open_invoices"]))

    rows = samples("eval", file, "--compare", "bm25", "--compare", "hybrid", "--json").json[
        "suites"
    ]

    assert [row["mode"] for row in rows] == ["bm25", "hybrid"]


def test_the_layout_of_beir_is_read(samples):
    samples.write("beir/queries.jsonl", '{"_id": "q1", "text": "get_customer_full"}\n')
    samples.write(
        "beir/qrels/test.tsv",
        "query-id\tcorpus-id\tscore\nq1\tbilling/get_customer_full\t2\nq1\thr/x17\t0\n",
    )

    (row,) = samples("eval", "beir", "--json").json["suites"]

    assert row["ndcg@10"]["mean"] == 1


@pytest.mark.parametrize(
    "line", ["not json", '{"query": "x"}', '{"query": "x", "relevant": 3}', "[]"]
)
def test_a_line_that_is_no_case_is_named_with_its_number(samples, line):
    file = samples.write("bad.jsonl", f'{{"query": "a", "relevant": []}}\n{line}\n')

    done = samples("eval", file)

    assert done.exit_code == 2
    assert "bad.jsonl:2" in done.stderr


def test_an_unknown_mode_is_a_usage_error(samples):
    file = suite(samples, ("x", []))

    assert samples("eval", file, "--compare", "magic").exit_code == 2


def test_a_suite_that_is_not_there_is_a_usage_error(samples):
    assert samples("eval", "nowhere.jsonl").exit_code == 2


def test_every_mode_answers_and_leaves_the_index_as_it_was(samples):
    file = suite(samples, ("get_customer_full", ["billing/get_customer_full"]))
    modes = ("bm25", "vector", "hybrid", "rerank", "original", "enriched", "mixed")

    done = samples("eval", file, *(w for m in modes for w in ("--compare", m)), "--json")

    assert [row["mode"] for row in done.json["suites"]] == list(modes)
    assert all(row["hit@3"]["mean"] == 1 for row in done.json["suites"])


@pytest.mark.parametrize("bar", ["--min-recall5", "--min-ndcg10"])
def test_other_bars_exit_1_too(samples, bar):
    file = suite(samples, ("get_customer_full", ["hr/x17"]))

    assert samples("eval", file, bar, "0.5").exit_code == 1
    assert samples("eval", file, bar, "0").exit_code == 0


def agent_settings(samples, served, more=""):
    return samples.write(
        "agent.toml",
        f'[llm]\nbase_url = "{served.url}"\nmodel = "m"\nprice_in = 1.0\nprice_out = 10.0\n{more}',
    )


def two(samples):
    return suite(
        samples,
        ("get_customer_full", ["billing/get_customer_full"]),
        ("bake a sourdough bread", []),
    )


def test_an_agent_that_picks_first_is_right_once_and_its_tokens_are_counted(samples):
    with model(lambda _r, _n: Response('{"choice": 1}', usage=(100, 10))) as served:
        config = agent_settings(samples, served)
        done = samples("eval", two(samples), "--agent", "--json", env={"GLOSS_CONFIG": str(config)})

    (row,) = done.json["agent"]
    assert row["accuracy"]["mean"] == 0.5
    assert (row["offered"]["mean"], row["rightly_declined"]) == (1, 0)
    assert (row["input_tokens"], row["output_tokens"]) == (200, 20)
    assert row["cost_usd"] == pytest.approx(0.0004)


def test_an_agent_that_always_says_none_is_right_where_nothing_fits(samples):
    with model(lambda _r, _n: Response('Hm. {"choice": 0}')) as served:
        config = agent_settings(samples, served)
        done = samples("eval", two(samples), "--agent", "--json", env={"GLOSS_CONFIG": str(config)})

    (row,) = done.json["agent"]
    assert (row["accuracy"]["mean"], row["declined"], row["rightly_declined"]) == (0.5, 1, 1)


def test_an_agent_is_told_what_was_said_before(samples):
    case = {"query": "and the whole of it?", "relevant": ["billing/get_customer_full"]}
    said = "Get me the customer C-1."
    file = samples.write("told.jsonl", json.dumps(case | {"context": said}))
    with model(lambda _r, _n: Response('{"choice": 1}')) as served:
        config = agent_settings(samples, served)
        samples("eval", file, "--agent", env={"GLOSS_CONFIG": str(config)})

    (request,) = served.requests
    asked = request.body["messages"][1]["content"]
    assert asked.startswith(
        "SAID BEFORE: Get me the customer C-1.\n\nQUESTION: and the whole of it?"
    )


def test_the_cap_stops_an_agent_between_cases(samples):
    with model(lambda _r, _n: Response('{"choice": 1}', usage=(100, 10))) as served:
        config = agent_settings(samples, served)
        done = samples(
            "eval",
            two(samples),
            "--agent",
            "--max-cost",
            "0.0003",
            env={"GLOSS_CONFIG": str(config)},
        )

    assert done.exit_code == 6
    assert len(served.requests) == 1
    assert "after 1 of 2 cases" in done.stderr


def test_an_agent_needs_a_model(samples):
    assert samples("eval", two(samples), "--agent").exit_code == 2
