import pytest

from search.fits import FEATURES, Model, load_model


@pytest.mark.parametrize("kind", ["hybrid", "lexical"])
def test_the_packaged_card_fits_the_features(kind):
    model = load_model()[kind]

    assert len(model.weights) == len(model.means) == len(model.scales) == len(FEATURES)
    assert min(model.scales) > 0
    assert 0 < model.threshold < 1


def test_a_chance_is_between_0_and_1_whatever_it_is_made_of():
    model = Model((1.0,), (0.0,), (1.0,), 0.0, 0.5)

    assert model.chance([0.0]) == 0.5
    assert 0 < model.chance([-1e9]) < model.chance([1e9]) <= 1


def test_what_has_nothing_to_do_with_the_catalog_is_declined(conn, save, index):
    from search.encoder import load_encoder
    from search.query import search

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
