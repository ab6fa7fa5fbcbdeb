import numpy as np
import pytest

from search.background import load_background, save_background
from search.encoder import load_encoder
from search.fits import FEATURES, Model, load_model
from search.query import search


@pytest.mark.parametrize("kind", ["hybrid", "plain", "lexical"])
def test_the_packaged_card_fits_the_features(kind):
    model = load_model()[kind]

    assert len(model.weights) == len(model.means) == len(model.scales) == len(FEATURES[kind])
    assert min(model.scales) > 0
    assert 0 < model.threshold < 1


def test_the_background_is_of_the_packaged_encoder_and_of_no_other():
    found = load_background(load_encoder().model)

    assert found is not None
    assert found.tools.shape[1] == load_encoder().width
    assert load_background("another@1") is None


def test_a_background_comes_back_as_it_was_saved(tmp_path):
    tools, questions = np.eye(12, 4, dtype=np.float32), np.eye(2, 4, dtype=np.float32)
    save_background(tmp_path / "b.npz", "m", tools, questions)

    found = load_background("m", tmp_path / "b.npz")

    assert found.tools == pytest.approx(tools, abs=0.01)
    # ten of twelve cosines: one 1 and nine 0
    assert found.usual == pytest.approx([0.1, 0.1], abs=0.01)


def test_another_model_is_judged_without_the_background(conn, save, index, encoder):
    save("crm", getCustomer="Reads one customer of the company by number.")
    index()

    found = search(conn, "reads one customer by number", encoder=encoder)

    assert 0 < found.chance < 1


def test_a_chance_is_between_0_and_1_whatever_it_is_made_of():
    model = Model((1.0,), (0.0,), (1.0,), 0.0, 0.5)

    assert model.chance([0.0]) == 0.5
    assert 0 < model.chance([-1e9]) < model.chance([1e9]) <= 1


def test_what_has_nothing_to_do_with_the_catalog_is_declined(conn, save, index):
    builtin = load_encoder()
    save(
        "crm",
        getCustomer="Reads one customer of the company by number.",
        listInvoices="Lists the open invoices of a customer.",
        updateAccount="Changes the status of a customer's account.",
    )
    index(using=builtin)

    fits = search(conn, "show the open invoices of a customer", encoder=builtin)
    not_at_all = search(conn, "bake a sourdough bread with rye flour", encoder=builtin)

    assert not fits.nothing_fits
    assert not_at_all.nothing_fits
    assert not_at_all.chance < fits.chance
    assert not_at_all.hits
