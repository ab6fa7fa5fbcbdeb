"""Questions put to a small catalog, on the real database."""

import numpy as np
import pytest

from catalog.errors import NotFound
from search.encoder import load_encoder
from search.query import Searcher, search
from store.vector_search import make_approximate_index, nearest

QUERIES = """what's the parcel's status?
team:octopus
a & b | !c <-> d
dog,cat
C++ / C# (v2) :*
"unbalanced quote
'
\\
/users/{id}/roles
the of and
-
Größe ändern
日本語の検索
%s %% %(x)s
""".splitlines()


@pytest.fixture
def warehouse(save, index, make_operation):
    save(
        "wms",
        make_operation("wms", "listBins", "Lists the storage bins of a depot.", path="/bins"),
        make_operation("wms", "GetUserByID", "Reads one.", path="/users/{id}"),
        make_operation("wms", "userRoles", "What a user may do.", path="/users/{id}/roles"),
        make_operation("wms", "listUsers", "Lists users.", path="/users"),
        make_operation("wms", "trackParcel", "Where a parcel is.", path="/parcels/{no}"),
        make_operation("wms", "resizeBox", "Ändert die Größe einer Kiste.", path="/boxes"),
        make_operation("wms", "kensaku", "日本語の検索", path="/kensaku"),
    )
    save("crm", getCust2="Reads a customer.", updAcctSt="Sets the status of an account.")
    index()


@pytest.fixture
def find(conn, encoder):
    def find(query, **given):
        return search(conn, query, encoder=encoder, **given)

    return find


def ids(result):
    return [hit.tool_id for hit in result.hits]


@pytest.mark.parametrize("query", QUERIES)
def test_signs_are_no_query_language(warehouse, find, query):
    result = find(query)

    assert result.query == query
    assert len(result.hits) <= 4


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("GetUserByID", "wms/GetUserByID"),
        ("get_user_by_id", "wms/GetUserByID"),
        ("getUserById", "wms/GetUserByID"),
        ("/users/{id}/roles", "wms/userRoles"),
        ("/users", "wms/listUsers"),
        ("GET /users/{user}", "wms/GetUserByID"),
        ("wms/listUsers", "wms/listUsers"),
    ],
)
def test_a_name_or_a_path_in_any_spelling_finds_its_tool_first(warehouse, find, query, tool):
    assert ids(find(query))[0] == tool


@pytest.mark.parametrize(
    "query",
    [
        "list storage bins of my depot",
        "please kindly list all of the storage bins for my favourite depot right now",
    ],
)
def test_filler_words_do_not_matter(warehouse, find, query):
    assert ids(find(query))[0] == "wms/listBins"


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("read a customer", "crm/getCust2"),
        ("acct status", "crm/updAcctSt"),
        ("Grosse andern", "wms/resizeBox"),
        ("検索", "wms/kensaku"),
        ("track my pacrel", "wms/trackParcel"),
    ],
)
def test_words_are_met_in_their_other_forms(warehouse, find, query, tool):
    assert ids(find(query))[0] == tool


def test_what_was_taken_for_a_typing_error_is_said(warehouse, find):
    assert any("pacrel" in note and "parcel" in note for note in find("track my pacrel").notes)


def test_signs_between_words_do_not_change_the_order(warehouse, find):
    assert ids(find("parcel,users")) == ids(find("parcel users"))


def test_a_list_of_intents_gets_a_tool_for_each(warehouse, find):
    result = find("Track a parcel, read a customer and list the storage bins of a depot", k=3)

    assert set(ids(result)) == {"wms/trackParcel", "crm/getCust2", "wms/listBins"}
    assert {hit.why["part"] for hit in result.hits} == {
        "Track a parcel",
        "read a customer",
        "list the storage bins of a depot",
    }


def test_why_says_terms_fields_ranks_and_shares(warehouse, find):
    why = find("list the storage bins").hits[0].why

    assert why["terms"] == ["bin", "list", "storag"]
    assert why["fields"]["description"] == ["bin", "list", "storag"]
    assert why["lexical"]["rank"] == 1
    assert why["vector"]["rank"] == 1
    assert why["lexical"]["share"] + why["vector"]["share"] == pytest.approx(
        find("list the storage bins").hits[0].score, abs=0.02
    )


def test_scores_fall_and_lie_between_0_and_1(warehouse, find):
    scores = [hit.score for hit in find("list users", k=9).hits]

    assert len(scores) == 9
    assert scores == sorted(scores, reverse=True)
    assert scores[0] <= 1
    assert scores[-1] >= 0


def test_a_service_filter_loses_nothing(warehouse, find):
    assert set(ids(find("list users", k=9, services=("crm",)))) == {"crm/getCust2", "crm/updAcctSt"}


def test_an_unknown_service_is_named(warehouse, find):
    with pytest.raises(NotFound, match="crn"):
        find("users", services=("crn",))


def test_a_tool_that_is_gone_is_never_returned(warehouse, save, find):
    save("crm", updAcctSt="Sets the status of an account.")

    assert "crm/getCust2" not in ids(find("read a customer", k=20))


def test_an_empty_catalog_says_what_to_type(conn, encoder):
    with pytest.raises(NotFound) as caught:
        search(conn, "users", encoder=encoder)

    assert "gloss ingest" in caught.value.hint


def test_a_catalog_without_index_says_what_to_type(conn, save, encoder):
    save("crm", getCust2="Reads a customer.")

    with pytest.raises(NotFound) as caught:
        search(conn, "users", encoder=encoder)

    assert caught.value.hint == "gloss index"


def test_with_another_model_words_still_find(conn, warehouse, make_encoder):
    result = search(conn, "list the storage bins", encoder=make_encoder("other", 32))

    assert ids(result)[0] == "wms/listBins"
    assert "vector" not in result.hits[0].why
    assert any("gloss index" in note for note in result.notes)


def test_the_model_is_opened_once_and_only_when_asked(conn, warehouse, encoder):
    opened = []
    searcher = Searcher(conn, lambda: opened.append(1) or encoder)
    assert opened == []

    searcher.search("users")
    searcher.search("bins")

    assert opened == [1]


def test_each_search_is_written_down(conn, warehouse, find):
    result = find("list users", k=2, context="we spoke of roles", services=("wms",))

    row = conn.execute("SELECT query, k, services, tools, context_hash FROM search_log").fetchone()
    assert row[:3] == ("list users", 2, ["wms"])
    assert row[3] == ids(result)
    assert len(row[4]) == 64


def test_a_rare_service_is_found_through_the_approximate_index(conn, save, index, encoder):
    """Many tools near the query, few far from it in the service asked for (pgvector#259)."""
    save("loud", **{f"t{n}": "near near near" for n in range(300)})
    save("quiet", **{f"q{n}": f"far {n}" for n in range(5)})
    index()
    make_approximate_index(conn, encoder.model, encoder.width)
    quiet = conn.execute("SELECT service_id FROM services WHERE name = 'quiet'").fetchone()[0]
    vector = encoder.encode(["near"])[0]

    with conn.transaction():
        conn.execute("SET LOCAL enable_seqscan = off")
        conn.execute("SET LOCAL enable_sort = off")
        found = nearest(conn, encoder.model, [vector], [quiet], 10, approximate=True)

    assert len(found) == 5


def test_the_packaged_model_finds_what_shares_no_word(conn, save, index):
    builtin = load_encoder()
    save(
        "crm",
        getMgr="Returns the person responsible for a client.",
        getWeather="Forecast for a city.",
        listBins="Storage locations in a warehouse.",
    )
    index(using=builtin)

    result = search(conn, "who looks after this customer", encoder=builtin)

    assert ids(result)[0] == "crm/getMgr"
    assert np.isfinite(result.hits[0].score)
