"""The measures, against values worked out by hand from their definitions."""

import math

import pytest

from evaluation.metrics import measure, score


def test_the_right_tool_first_is_perfect():
    assert set(score(["a", "b"], {"a": 1.0}).values()) == {1.0}


def test_the_right_tool_third():
    values = score(["x", "y", "a"], {"a": 1.0})

    assert values["hit@1"] == 0
    assert values["hit@3"] == 1
    assert values["mrr"] == pytest.approx(1 / 3)
    assert values["ndcg@10"] == pytest.approx(1 / math.log2(4))


def test_two_right_tools_of_which_one_is_found():
    values = score(["a", "x", "y"], {"a": 1.0, "b": 1.0})

    assert values["hit@1"] == 1
    assert values["recall@5"] == 0.5
    assert values["comp@10"] == 0
    # DCG 1, ideal 1 + 1/log2(3)
    assert values["ndcg@10"] == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_grades_are_gains():
    # found 1 then 3; ideal 3 then 1
    values = score(["low", "high"], {"low": 1.0, "high": 3.0})

    dcg, ideal = 1 + 3 / math.log2(3), 3 + 1 / math.log2(3)
    assert values["ndcg@10"] == pytest.approx(dcg / ideal)


def test_nothing_found_is_zero():
    assert set(score([], {"a": 1.0}).values()) == {0.0}


def test_beyond_ten_does_not_count_for_ndcg():
    found = [f"x{n}" for n in range(10)] + ["a"]

    assert score(found, {"a": 1.0})["ndcg@10"] == 0
    assert score(found, {"a": 1.0})["mrr"] == pytest.approx(1 / 11)


def test_an_interval_holds_the_mean_and_is_the_same_each_time():
    values = [0.0, 1.0] * 50

    first, second = measure(values), measure(values)

    assert first == second
    assert first.mean == 0.5
    # standard error .05: the interval is about .5 ± .1
    assert 0.38 < first.low < 0.44
    assert 0.56 < first.high < 0.62


def test_no_cases_have_no_mean():
    assert math.isnan(measure([]).mean)
