import pytest

from search.spelling import distance, nearest_words


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("customer", "customer", 0),
        ("custmer", "customer", 1),
        ("recieve", "receive", 1),
        ("invoces", "invoices", 1),
        ("kitten", "sitting", 3),
        ("", "abc", 3),
    ],
)
def test_slips_are_counted(one, other, apart):
    assert distance(one, other, 5) == apart == distance(other, one, 5)


def test_beyond_the_limit_is_just_beyond():
    assert distance("customer", "warehouse", 2) == 3


def test_the_nearest_come_first_and_the_far_not_at_all():
    assert nearest_words("invoces", ["invoice", "invoices", "voices", "orders"], 2) == ["invoices"]
    assert nearest_words("parcel", ["customer"], 2) == []
