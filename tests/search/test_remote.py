"""Vectors from an endpoint: every answer is checked before anything is kept."""

import numpy as np
import pytest

from catalog.errors import CredentialsRefused, GlossError, TryLater, UsageError
from search.remote import RemoteEncoder
from tests.search.embeddings import Answer, embeddings, good, refusal, vector


def encoder(served, **given):
    waited = []
    made = RemoteEncoder(served.url, "m", wait=waited.append, **given)
    return made, waited


def rows(answer):
    return answer.body["data"]


def test_batches_keep_the_order_and_have_length_one():
    with embeddings() as served:
        made, _ = encoder(served, batch=2)
        found = made.encode(["get order", "list bins", "delete note"])
    assert [len(request["input"]) for request in served.requests] == [2, 1]
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    wanted = np.array(vector("list bins"))
    assert np.allclose(found[1], wanted / np.linalg.norm(wanted), atol=1e-6)


def test_floats_are_asked_for_by_name_and_a_width_only_when_set():
    with embeddings() as served:
        encoder(served)[0].encode(["a"])
        encoder(served, dimensions=16)[0].encode(["a"])
    assert [request["encoding_format"] for request in served.requests] == ["float", "float"]
    assert "dimensions" not in served.requests[0]
    assert served.requests[1]["dimensions"] == 16


def test_shuffled_vectors_are_put_in_the_order_of_their_index():
    def shuffled(body, _):
        answer = good(body)
        rows(answer).reverse()
        return answer

    with embeddings(shuffled) as served:
        found = encoder(served)[0].encode(["get order", "list bins"])
    wanted = np.array(vector("get order"))
    assert np.allclose(found[0], wanted / np.linalg.norm(wanted), atol=1e-6)


def _without_last(body, _):
    answer = good(body)
    rows(answer).pop()
    return answer


def _twice_the_first(body, _):
    answer = good(body)
    rows(answer)[1]["index"] = 0
    return answer


def _changed(value):
    def script(body, _):
        answer = good(body)
        rows(answer)[1]["embedding"] = value
        return answer

    return script


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (_without_last, "1 vectors for 2 texts"),
        (_twice_the_first, "numbered otherwise"),
        (_changed([float("nan")] * 16), "numbers that are none"),
        (_changed([1e39] * 16), "numbers that are none"),
        (_changed([0.0] * 16), "nothing but zeros"),
        (_changed([1.0] * 4), "a vector of 4 numbers where 16"),
        (_changed([]), "numbers that are none"),
        (lambda _body, _n: Answer({"data": None}), "0 vectors|could not be read"),
    ],
)
def test_what_cannot_be_vectors_is_refused(script, said):
    with embeddings(script) as served, pytest.raises(GlossError, match=said):
        encoder(served)[0].encode(["a", "b"])


def test_another_width_than_asked_for_is_refused():
    with embeddings() as served, pytest.raises(GlossError, match="16 numbers where 8"):
        encoder(served, dimensions=8)[0].encode(["a"])


def test_a_busy_endpoint_is_asked_again_when_it_says():
    def busy_once(body, number):
        return refusal(429, "slow down", retry_after="7") if number == 1 else good(body)

    with embeddings(busy_once) as served:
        made, waited = encoder(served)
        assert made.encode(["a"]).shape == (1, 16)
    assert waited == [7.0]


def test_one_that_stays_busy_is_given_up_after_three_requests():
    with embeddings(lambda _b, _n: refusal(503, "no")) as served, pytest.raises(TryLater):
        encoder(served)[0].encode(["a"])
    assert len(served.requests) == 3


@pytest.mark.parametrize("answer", [Answer(cut=True), Answer({}, wait_s=0.4)], ids=["cut", "hang"])
def test_no_answer_is_try_later(answer):
    with embeddings(lambda _b, _n: answer) as served, pytest.raises(TryLater):
        encoder(served, timeout_s=0.1)[0].encode(["a"])


@pytest.mark.parametrize(
    ("status", "kind"), [(401, CredentialsRefused), (403, CredentialsRefused), (404, UsageError)]
)
def test_what_no_second_try_mends_is_asked_once(status, kind):
    with embeddings(lambda _b, _n: refusal(status, "no")) as served, pytest.raises(kind):
        encoder(served)[0].encode(["a"])
    assert len(served.requests) == 1


def test_dimensions_that_a_model_has_not_say_what_to_leave_out():
    script = lambda _b, _n: refusal(400, "this model does not support dimensions")  # noqa: E731
    with embeddings(script) as served, pytest.raises(UsageError) as caught:
        encoder(served, dimensions=8)[0].encode(["a"])
    assert "dimensions" in caught.value.hint


def test_too_much_at_once_is_halved_and_a_long_text_shortened_with_a_note():
    def narrow(body, _):
        long = any(len(text) > 500 for text in body["input"])
        return refusal(400, "input is too long") if long or len(body["input"]) > 2 else good(body)

    said = []
    with embeddings(narrow) as served:
        found = encoder(served, note=said.append)[0].encode(["word " * 300, "b", "c", "d", "e"])
    assert found.shape == (5, 16)
    assert len(said) == 1
    assert "shortened" in said[0]


def test_one_text_that_stays_too_long_is_an_error_and_ends():
    script = lambda _b, _n: refusal(400, "input is too long")  # noqa: E731
    with embeddings(script) as served, pytest.raises(GlossError, match="too long"):
        encoder(served)[0].encode(["word " * 300])


def test_empty_texts_are_embedded_as_a_blank():
    with embeddings() as served:
        encoder(served)[0].encode(["", "a"])
    assert served.requests[0]["input"] == [" ", "a"]


def test_address_model_and_width_make_the_identity():
    one = RemoteEncoder("http://a/v1", "m").model
    assert one == RemoteEncoder("http://a/v1/", "m").model
    others = (
        RemoteEncoder("http://b/v1", "m").model,
        RemoteEncoder("http://a/v1", "n").model,
        RemoteEncoder("http://a/v1", "m", dimensions=8).model,
    )
    assert one not in others


def test_a_query_is_asked_once():
    with embeddings() as served:
        made, _ = encoder(served)
        first = made.encode(["a", "b"], queries=True)
        again = made.encode(["b"], queries=True)
    assert len(served.requests) == 1
    assert np.array_equal(first[1], again[0])
