"""The trained reranker: what it is told of candidates, and the arithmetic that fits it."""

import numpy as np
import pytest

from search.rerank import EXAMPLE_FEATURES, FEATURES, Reranker, example_features, from_json
from search.training_cases import Example, Memory, gains_of, same_intents, slices
from search.training_fit import chance_of_luck, fit, ideal_gain, padded, quality
from store.catalog import remove_service
from store.rerankers import Likeness, Remembered, likeness, save_reranker, stored_reranker

N = len(FEATURES)


def reranker(**weights):
    values = tuple(float(weights.get(name, 0.0)) for name in FEATURES)
    return Reranker(values, (0.0,) * N, (1.0,) * N, 12.0, "m")


def row(**values):
    return [float(values.get(name, 0.0)) for name in FEATURES]


def test_without_weights_the_packaged_order_stays():
    scores = reranker().scores([0.2, 0.9, 0.5], np.zeros((3, N)))

    assert np.argsort(scores).tolist() == [0, 2, 1]
    assert all(0 < score < 1 for score in scores)


def test_a_weight_turns_the_order():
    features = np.array([row(like_best=1.0), row()])

    assert np.argmax(reranker().scores([0.4, 0.5], features)) == 1
    assert np.argmax(reranker(like_best=3.0).scores([0.4, 0.5], features)) == 0


def test_what_is_stored_comes_back_and_unknown_features_count_nothing():
    made = reranker(verb=2.0)
    stored = made.as_json()
    del stored["features"]["cosine"]

    assert from_json(made.as_json(), "m") == made
    assert from_json({**stored, "more": 1}, "m").weights == made.weights


def test_likeness_as_features():
    found = [Likeness(1, 1, 0.9, 0.6, 3.0, 3), Likeness(2, 1, 0.5, 0.2, 1.0, 1)]

    values = [dict(zip(EXAMPLE_FEATURES, row, strict=True)) for row in example_features(found)]

    assert values[0]["like_lead"] == pytest.approx(0.4)
    assert values[1]["like_lead"] == pytest.approx(-0.4)
    assert [v["like_vote"] for v in values] == pytest.approx([0.75, 0.25])
    assert [v["service_share"] for v in values] == pytest.approx([0.75, 0.25])


# ---- arithmetic -----------------------------------------------------------------------------


def test_quality_by_hand():
    lists = padded([np.array([0.9, 0.5])], [np.zeros((2, N))], [np.array([0.0, 1.0])], [1.0])

    ndcg, hit = quality(lists.base, lists)

    assert ndcg[0] == pytest.approx(1 / np.log2(3))
    assert not hit[0]


def test_ideal_gain_counts_right_tools_that_were_not_found():
    assert ideal_gain([1.0, 1.0]) == pytest.approx(1 + 1 / np.log2(3))


def test_fit_learns_the_feature_that_tells_and_gives_the_same_twice():
    draw = np.random.default_rng(1)
    telling = FEATURES.index("in_name")

    def lists(cases):
        features, gains = np.zeros((cases, 5, N)), np.zeros((cases, 5))
        for case, right in enumerate(draw.integers(0, 5, cases)):
            features[case] = draw.normal(size=(5, N)) * 0.1
            features[case, right, telling] += 1
            gains[case, right] = 1
        base = draw.random((cases, 5))
        return padded(list(base), list(features), list(gains), [1.0] * cases)

    train, validation, test = lists(80), lists(30), lists(60)
    made = fit(train, validation, "m")
    scores = [made.scores(b, f) for b, f in zip(test.base, test.features, strict=True)]

    assert np.argmax(np.abs(made.weights)) == telling
    assert quality(np.array(scores), test)[0].mean() > 0.9
    assert quality(test.base, test)[0].mean() < 0.8
    assert fit(train, validation, "m") == made


def test_the_chance_of_luck():
    apart = list(range(20))

    assert chance_of_luck(np.full(20, 0.1), apart, 0) < 0.001
    assert chance_of_luck(np.full(20, -0.1), apart, 0) > 0.99
    assert chance_of_luck(np.zeros(20), apart, 0) == 1
    assert chance_of_luck(np.full(20, 0.1), [1] * 20, 0) > 0.4  # one intent twenty times


# ---- cases ----------------------------------------------------------------------------------


def example(vector, right=((1, 1),), keys=((1, 1), (1, 2))):
    vectors = np.array([vector], dtype=np.float32)
    return Example(
        str(vector), dict.fromkeys(right, 1.0), vectors / np.linalg.norm(vectors), list(keys),
        np.zeros(2), np.zeros((2, 1)),
    )  # fmt: skip


def test_paraphrases_are_one_intent_through_others_too():
    far, near = example([0, 0, 1]), [example([1, 0, 0]), example([1, 0.4, 0]), example([1, 0.9, 0])]

    groups = same_intents([*near, far])

    assert len(set(groups[:3])) == 1
    assert groups[3] not in groups[:3]


def test_slices_hold_every_case_once_and_intents_whole():
    examples = [example([np.cos(i), np.sin(i)], right=((i % 3, 1),)) for i in range(60)]
    groups = [i // 2 * 2 for i in range(60)]

    parts = slices(examples, groups, seed=1)

    assert sorted(place for part in parts for place in part) == list(range(60))
    assert all({groups[i] for i in part} & {groups[i] for i in other} == set()
               for part in parts for other in parts if part is not other)  # fmt: skip
    assert parts != slices(examples, groups, seed=2)


def test_memory_does_not_remember_the_intent_it_is_asked_about():
    a, b = example([1, 0]), example([1, 1])
    memory = Memory([a, b], [0, 1])

    own, _ = memory.likeness(a, 0)
    stranger, _ = memory.likeness(a, 7)

    assert own.best == pytest.approx(1 / np.sqrt(2), abs=1e-5)
    assert (own.examples, stranger.examples) == (1, 2)
    assert stranger.best == pytest.approx(1)


def test_gains_are_in_the_order_of_the_candidates():
    assert gains_of([(1, 2), (1, 1)], {(1, 1): 2.0}).tolist() == [0, 2]


def test_the_database_remembers_as_training_does(conn, save):
    save("crm", a="A.", b="B.")
    keys = conn.execute("SELECT service_id, operation_id FROM operations ORDER BY name").fetchall()
    examples = [
        example([1, 0], right=keys[:1], keys=keys),
        example([1, 1], right=keys[:1], keys=keys),
    ]
    remembered = [Remembered(*keys[0], e.query_hash, e.vectors[0].tolist()) for e in examples]
    asked = example([0.2, 1], keys=keys)

    save_reranker(conn, "m", reranker().as_json(), {"seed": 1}, remembered)
    found = likeness(conn, keys, asked.vectors.tolist())
    without = likeness(conn, keys, asked.vectors.tolist(), [examples[1].query_hash])

    for ours, theirs in zip(Memory(examples, [0, 1]).likeness(asked, 9), found, strict=True):
        assert (ours.best, ours.three, ours.mass) == pytest.approx(
            (theirs.best, theirs.three, theirs.mass), abs=0.01
        )
        assert ours.examples == theirs.examples
    assert without[0].best == pytest.approx(
        float(asked.vectors[0] @ examples[0].vectors[0]), abs=0.01
    )
    stored = stored_reranker(conn)
    assert stored.card == {"seed": 1}


def test_a_service_that_is_taken_out_takes_its_examples_along(conn, save):
    save("crm", a="A.")
    key = conn.execute("SELECT service_id, operation_id FROM operations").fetchone()
    save_reranker(conn, "m", {}, {}, [Remembered(*key, "h", [1.0, 0.0])])

    remove_service(conn, "crm")

    assert conn.execute("SELECT count(*) FROM reranker_examples").fetchone() == (0,)
