"""Identifiers into words, and into names that model providers accept."""

import re

import pytest

from catalog.words import distinct_keys, distinct_names, safe_name, split_identifier


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("getProcInfo3", ["get", "proc", "info", "3"]),
        ("HTTPServerError", ["http", "server", "error"]),
        ("get_user_by_id", ["get", "user", "by", "id"]),
        ("/users/{id}/roles", ["users", "id", "roles"]),
        ("Größe", ["größe"]),
        ("ÜberId", ["über", "id"]),
        ("v2beta1", ["v", "2", "beta", "1"]),
        ("", []),
    ],
)
def test_splitting(identifier, words):
    assert split_identifier(identifier) == words


LONG = "get_repositories_owner_repository_environments_environment_name_secrets_for_"
WANTED = [
    (f"{LONG}reading", "GET /a"),
    (f"{LONG}writing", "PUT /a"),
    ("Get", "GET /one"),
    ("Get", "GET /two"),
    ("get", "GET /three"),
    ("...", "GET /dots"),
    ("Größe lesen (v2) / résumé", "GET /ü"),
    ("日本語", "GET /ja"),
    ("", "GET /empty"),
]


def test_names_are_distinct_also_when_case_is_lost_and_fit_every_provider():
    names = distinct_names(WANTED)

    assert len({name.lower() for name in names}) == len(WANTED)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)


def test_names_do_not_depend_on_the_order_of_the_file():
    forwards = dict(zip(WANTED, distinct_names(WANTED), strict=True))
    backwards = dict(zip(WANTED[::-1], distinct_names(WANTED[::-1]), strict=True))

    assert forwards == backwards


def test_a_name_that_fits_stays_as_it_is():
    assert safe_name("getProcInfo3") == "getProcInfo3"
    assert distinct_names([("getA", "1"), ("getB", "2")]) == ["getA", "getB"]


def test_one_name_in_three_places_becomes_three_keys():
    keys = distinct_keys([("id", "path"), ("id", "query"), ("id", "body"), ("name", "body")])

    assert keys == ["id_path", "id_query", "id_body", "name"]


def test_letters_without_an_accent_are_not_lost():
    assert safe_name("Straße_Œuvre_ødłoń") == "Strasse_OEuvre_odlon"
