"""What a service is called when nobody says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.naming import candidate_names, distinct_services

ROOT = Path("/w/specs")


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("/w/specs/crm.wsdl", "crm"),
        ("/w/specs/billing.openapi.yaml", "billing"),
        ("/w/specs/hr.swagger.json", "hr"),
        ("/w/specs/Orders.asmx.wsdl", "Orders"),
        ("/w/specs/Calc.svc", "Calc"),
        ("/w/specs/acme/v1/openapi.yaml", "acme"),
        ("/w/specs/acme/api/2024-01-01/swagger.json", "acme"),
        ("/w/specs/openapi.yaml", "specs"),
        ("/w/specs/petstore.v2.yaml", "petstore_v2"),
        ("/w/specs/Übersicht (neu).json", "Ubersicht_neu"),
        ("https://petstore.test/api/v3/openapi.json", "petstore_test"),
        ("https://h.test:8443/soap/crm?wsdl", "h_test_8443_crm"),
        ("grpc://localhost:50051", "localhost_50051"),
        ("stdin", "stdin"),
    ],
)
def test_the_shortest_name_that_tells_something(location: str, name: str) -> None:
    assert candidate_names(location, ROOT)[0] == name


def test_longer_names_follow_and_the_last_is_its_own() -> None:
    names = candidate_names("/w/specs/acme/v1/openapi.yaml", ROOT)

    assert names[:4] == ["acme", "acme_v1", "acme_v1_openapi", "specs_acme_v1_openapi"]
    assert names[-1] != candidate_names("/w/specs/acme/v2/openapi.yaml", ROOT)[-1]


@pytest.mark.parametrize(
    ("locations", "names"),
    [
        (["/w/a/crm.wsdl", "/w/b/crm.wsdl"], ["a_crm", "b_crm"]),
        (["/w/x/v1/openapi.json", "/w/x/v2/openapi.json"], ["x_v1", "x_v2"]),
        (["/w/crm.wsdl", "/w/crm.yaml"], ["crm_wsdl", "crm_yaml"]),
        (["/w/a/crm.wsdl", "/w/b/CRM.wsdl", "/w/hr.json"], ["a_crm", "b_CRM", "hr"]),
        (["/w/a/x/crm.wsdl", "/w/b/x/crm.wsdl"], ["a_x_crm", "b_x_crm"]),
    ],
)
def test_specs_that_want_one_name_are_told_apart(locations: list[str], names: list[str]) -> None:
    root = Path("/w")

    assert distinct_services([(each, root) for each in locations]) == names
    backwards = distinct_services([(each, root) for each in reversed(locations)])
    assert backwards == names[::-1]


PARTS = st.sampled_from(["a", "b", "v1", "api", "crm", "CRM", "a_crm", "openapi"])
PATHS = st.builds(
    lambda folders, stem, suffix: "/w/" + "/".join([*folders, stem + suffix]),
    st.lists(PARTS, max_size=4),
    PARTS,
    st.sampled_from([".json", ".yaml", ".wsdl", ".openapi.json"]),
)


@given(paths=st.lists(PATHS, unique=True, max_size=12), seed=st.randoms())
def test_names_are_distinct_and_do_not_depend_on_order(paths: list[str], seed: object) -> None:
    shuffled = sorted(paths, key=lambda _: seed.random())  # type: ignore[attr-defined]
    named = dict(zip(paths, distinct_services([(p, Path("/w")) for p in paths]), strict=True))
    again = dict(zip(shuffled, distinct_services([(p, Path("/w")) for p in shuffled]), strict=True))

    assert named == again
    assert len({name.lower() for name in named.values()}) == len(paths)
    assert all(len(name) <= 64 for name in named.values())
