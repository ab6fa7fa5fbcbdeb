import json

import numpy as np
import pytest

from catalog.errors import GlossError, UsageError
from search.encoder import load_encoder


@pytest.fixture(scope="module")
def builtin():
    return load_encoder()


def test_vectors_have_length_one_and_come_in_the_order_given(builtin):
    texts = ["cancel an order", "x" * 9000, "", "list the storage bins of a warehouse"]

    together = builtin.encode(texts)
    alone = np.concatenate([builtin.encode([text]) for text in texts])

    assert together.shape == (4, builtin.width)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-4)
    np.testing.assert_allclose((together * alone).sum(1), 1, atol=2e-2)


def test_like_is_nearer_than_unlike(builtin):
    query, near, far = builtin.encode(
        ["who looks after this client", "Get the manager of a customer", "Weather forecast by city"]
    )

    assert query @ near > query @ far + 0.1


def test_no_texts_give_no_vectors(builtin):
    assert builtin.encode([]).shape == (0, builtin.width)


def test_the_card_alone_tells_the_model(builtin):
    fresh = load_encoder()

    assert fresh.model == builtin.model
    assert "_session" not in vars(fresh)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(UsageError, match="no-such-folder"):
        load_encoder(str(tmp_path / "no-such-folder"))


def test_missing_files_are_named(tmp_path):
    (tmp_path / "config.json").write_text("{}")

    with pytest.raises(UsageError, match=r"model\.onnx, tokenizer\.json"):
        load_encoder(str(tmp_path))


@pytest.mark.parametrize("card", ["not json", "[]", json.dumps({"name": "m"})])
def test_a_card_that_is_none_is_said(tmp_path, card):
    (tmp_path / "config.json").write_text(card)
    (tmp_path / "model.onnx").touch()
    (tmp_path / "tokenizer.json").touch()

    with pytest.raises(GlossError, match=r"config\.json"):
        load_encoder(str(tmp_path))
