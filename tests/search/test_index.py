"""The index made to match the catalog, on the real database."""

import numpy as np
import pytest

from catalog.errors import NotFound
from search.index import build_index, index_status
from search.query import search
from store.catalog import remove_service
from store.index import index_state, lexemes


def counts(conn):
    tables = ("documents", "embeddings", "vectors")
    return tuple(conn.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in tables)


def term_counts(conn):
    return dict(conn.execute("SELECT term, sum(tools)::int FROM terms GROUP BY term").fetchall())


def test_lexemes_are_stems_with_their_counts(conn):
    assert lexemes(conn, ["invoices of the invoice", "", "日本 本語"]) == [
        {"invoic": 2},
        {},
        {"日本": 1, "本語": 1},
    ]


def test_only_what_changed_is_embedded(save, index, encoder):
    save("crm", getCust="Reads a customer.", listOrders="Lists orders.")
    first = index()
    save("crm", getCust="Reads one customer.", listOrders="Lists orders.")
    encoder.read.clear()

    second = index()

    assert (first.tools, first.embedded, first.reused) == (2, 2, 0)
    assert (second.tools, second.embedded, second.reused) == (2, 1, 1)
    assert encoder.read == ["get customer. Reads one customer"]


def test_a_second_run_does_nothing(save, index):
    save("crm", getCust="Reads a customer.")
    index()

    again = index()

    assert (again.tools, again.embedded, again.reused) == (1, 0, 1)


def test_rebuild_embeds_everything_again(save, index):
    save("crm", getCust="Reads a customer.", listOrders="Lists orders.")
    index()

    assert index(rebuild=True).embedded == 2


def test_equal_texts_are_embedded_once(save, index, make_operation, encoder):
    for service in ("v1", "v2"):
        save(service, make_operation(service, "getCust", "Reads a customer.", path="/"))

    report = index()

    assert report.tools == 2
    assert encoder.read == ["get customer. Reads a customer"]


def test_removed_tools_vanish_at_once_and_counts_follow(conn, save, index):
    save("crm", getCust="Reads a customer.", listOrders="Lists orders.")
    index()
    save("crm", listOrders="Lists orders.")
    assert counts(conn)[:2] == (1, 1)

    report = index()

    assert report.removed == 1
    assert "custom" not in term_counts(conn)
    assert conn.execute("SELECT tools, dirty FROM indexed_services").fetchall() == [(1, False)]


def test_a_removed_service_leaves_nothing_to_find(conn, save, index):
    save("crm", getCust="Reads a customer.")
    save("billing", listOrders="Lists orders.")
    index()

    remove_service(conn, "crm")

    assert counts(conn)[:2] == (1, 1)
    assert index().tools == 1


def test_one_service_alone(save, index, encoder):
    save("crm", getCust="Reads a customer.")
    save("billing", listOrders="Lists orders.")

    report = index("crm")

    assert (report.services, report.tools) == (("crm",), 1)


def test_terms_count_tools_not_occurrences(conn, save, index):
    save("crm", getCust="Customer, customer, customer.", listCust="Lists customers.")

    index()

    assert term_counts(conn)["custom"] == 2


def test_a_run_that_is_cut_off_leaves_a_usable_index_and_is_taken_up(
    conn, save, index, encoder, monkeypatch
):
    monkeypatch.setattr("search.index.BATCH", 2)
    save("crm", **{f"tool{chr(97 + n)}": f"Number {n}." for n in range(5)})
    work = build_index(conn, encoder)
    events = [next(work), next(work), next(work)]
    work.close()  # as Ctrl-C would, between two batches

    assert [event.done for event in events] == [0, 2, 4]
    assert counts(conn)[:2] == (4, 4)
    status = index_status(conn, encoder)
    assert (status.indexed, status.pending) == (4, 1)
    assert index().embedded == 1
    assert conn.execute("SELECT tools, dirty FROM indexed_services").fetchall() == [(5, False)]


def test_an_encoder_that_fails_loses_only_its_batch(conn, save, index, encoder, make_encoder):
    class Broken(make_encoder):
        def encode(self, texts, *, queries=False):
            raise MemoryError

    save("crm", getCust="Reads a customer.")
    with pytest.raises(MemoryError):
        index(using=Broken())

    assert counts(conn) == (0, 0, 0)
    assert index().tools == 1


def test_another_model_replaces_the_vectors_only_when_all_are_there(
    conn, save, index, encoder, make_encoder, monkeypatch
):
    monkeypatch.setattr("search.index.BATCH", 1)
    save("crm", getCust="Reads a customer.", listOrders="Lists orders.")
    index()
    wider = make_encoder("other", 128)
    assert index_status(conn, wider).model_changed

    work = build_index(conn, wider)
    next(work), next(work)
    work.close()
    assert index_state(conn).model == encoder.model
    assert index_status(conn, encoder).indexed == 2

    report = index(using=wider)
    assert (report.model_changed, report.tools, report.embedded) == (True, 2, 1)
    assert index_state(conn).model == wider.model
    assert conn.execute("SELECT DISTINCT model, vector_dims(mixed::vector) FROM embeddings")
    assert conn.execute("SELECT count(DISTINCT model) FROM vectors").fetchone() == (1,)


def test_a_changed_model_concerns_every_service(save, index, make_encoder):
    save("crm", getCust="Reads a customer.")
    save("billing", listOrders="Lists orders.")
    index()

    report = index("crm", using=make_encoder("other", 32))

    assert report.services == ("billing", "crm")
    assert report.tools == 2


def test_an_empty_catalog_says_what_to_type(conn, encoder):
    with pytest.raises(NotFound) as caught:
        next(build_index(conn, encoder))

    assert "gloss ingest" in caught.value.hint


def test_an_unknown_service_is_named(save, index):
    save("crm", getCust="Reads a customer.")

    with pytest.raises(NotFound, match="crn"):
        index("crn")


def enrich(conn, tool, name, description, aliases=()):
    conn.execute(
        """
        INSERT INTO enrichments (service_id, tool, state, name, description, aliases,
                                 content_hash, fingerprint)
        SELECT service_id, %s, 'applied', %s, %s, %s, 'x', 'x' FROM services
        """,
        (tool, name, description, list(aliases)),
    )


def test_live_text_is_mixed_with_the_original_and_goes_when_reverted(conn, save, index, encoder):
    save("crm", getProcInfo3="See documentation.")
    index()
    enrich(conn, "getProcInfo3", "get_account_manager", "Who looks after a client.", ["owner"])

    report = index()

    assert encoder.read[1:] == [
        "get account manager. Who looks after a client. owner",
        "get account manager. Who looks after a client.",
        "get account manager",
        "owner",
    ]
    assert report.embedded == 4
    original, enriched = encoder.encode(
        [
            "get process information 3. See documentation",
            "get account manager. Who looks after a client. owner",
        ]
    )
    (mixed,) = conn.execute("SELECT mixed::vector::real[] FROM embeddings").fetchone()
    np.testing.assert_allclose(mixed, 0.3 * original + 0.7 * enriched, atol=1e-3)
    assert term_counts(conn)["owner"] == 1

    conn.execute("UPDATE enrichments SET state = 'reverted'")
    assert index().embedded == 0
    (mixed,) = conn.execute("SELECT mixed::vector::real[] FROM embeddings").fetchone()
    np.testing.assert_allclose(mixed, original, atol=1e-3)
    assert "owner" not in term_counts(conn)


def test_a_tool_is_as_near_as_its_nearest_alias(conn, save, index, encoder):
    """Whole .2, told .4, the nearest name .4: of two tools told alike, the one so called wins."""
    save("crm", getProcInfo3="See documentation.", getProcInfo4="See documentation.")
    enrich(conn, "getProcInfo3", "read_a", "Text one.", ["alpha", "who owns the client"])
    enrich(conn, "getProcInfo4", "read_b", "Text one.", ["beta", "much else the client owns"])
    index()

    result = search(conn, "who owns the client", encoder=encoder)

    assert [hit.name for hit in result.hits] == ["getProcInfo3", "getProcInfo4"]
    query, whole, told = encoder.encode(
        [
            "who owns the client",
            "read a. Text one. alpha who owns the client",
            "read a. Text one.",
        ]
    )
    original = encoder.encode(["get process information 3. See documentation"])[0]
    mixed = 0.3 * original + 0.7 * whole
    right = 0.2 * query @ mixed + 0.4 * query @ told + 0.4
    assert result.hits[0].why["vector"]["cosine"] == pytest.approx(right, abs=2e-3)


def test_text_with_signs_of_every_kind_is_indexed(save, index):
    save("odd", a="%s %% {} \\ ' \" \u202e \U0001f600 日本語", b="x" * 5000)

    assert index().tools == 2
