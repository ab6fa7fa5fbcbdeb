"""What the log says, counted by hand beside it.

Tools crm/a … crm/d and one of a service without searches. Seven searches, oldest first:

| # | origin | hits         | fits | used  | again_of |
|---|--------|--------------|------|-------|----------|
| 1 | cli    | a b c        | yes  | a     |          |
| 2 | cli    | a b          | yes  | b     |          |
| 3 | cli    | b a          | yes  | d     |          |
| 4 | cli    | c            | yes  |       |          |
| 5 | cli    | a c          | yes  |       | 4        |
| 6 | mcp    | d c          | no   |       |          |
| 7 | mcp    | b            | yes  | none  |          |
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from catalog.errors import NotFound, UsageError
from store import statistics
from store.catalog import save_spec
from store.searches import NOTHING, Searched, choose, find_search, forget, log_search
from store.statistics import Window
from tests.store.specs import operation, spec

SEARCHES = (
    ("cli", "abc", True, "a"),
    ("cli", "ab", True, "b"),
    ("cli", "ba", True, "d"),
    ("cli", "c", True, None),
    ("cli", "ac", True, None),
    ("mcp", "dc", False, None),
    ("mcp", "b", True, ""),
)


@pytest.fixture
def log(conn):
    """The searches above, a day apart, the last of them now."""
    tools = [operation(name, description="" if name == "d" else "text") for name in "abcd"]
    save_spec(conn, spec(*tools), "crm.yaml")
    save_spec(conn, replace(spec(operation("z")), service="hr", identity="HR"), "hr.yaml")
    ids = []
    for number, (origin, hits, fits, used) in enumerate(SEARCHES, 1):
        searched = Searched(
            origin=origin,
            session=f"s{number}" if number not in (4, 5) else "together",
            query=f"boats {number}",
            k=4,
            took_ms=number * 10.0,
            tools=tuple(f"crm/{hit}" for hit in hits),
            scores=tuple(0.5 for _ in hits),
            fits=fits,
        )
        log_search(conn, searched)
        ids.append(searched.search_id)
        if used is not None:
            choose(conn, searched.search_id, f"crm/{used}" if used else NOTHING)
    for age, search_id in enumerate(reversed(ids)):
        conn.execute(
            "UPDATE search_log SET searched_at = now() - make_interval(days => %s)"
            " WHERE search_id = %s",
            (age, search_id),
        )
    return ids


def of(conn, tool, window=Window()):
    return next(row for row in statistics.counts(conn, window) if row.tool == tool)


def test_a_tool_is_counted_as_by_hand(conn, log):
    a = of(conn, "crm/a")

    # hits of 1, 2, 3, 5 at ranks 1, 1, 2, 1; used in 1; another was used in 2 and 3, and in 2 it
    # stood above that one; in 3 the one used was no hit, so nothing stood above it
    assert (a.returned, a.mean_rank, a.best_rank, a.first) == (4, 1.25, 1, 3)
    assert (a.chosen, a.chosen_first, a.passed_over, a.above, a.ignored) == (1, 1, 2, 1, 3)
    assert (a.missed, a.near_empty, a.asked_again) == (0, 0, 0)


def test_missed_near_and_asked_again_go_to_their_tools(conn, log):
    b, c, d = (of(conn, f"crm/{name}") for name in "bcd")

    assert (d.returned, d.mean_rank, d.missed, d.near_empty) == (0, None, 1, 1)
    assert (c.asked_again, c.near_empty, c.returned) == (1, 0, 3)
    assert (b.chosen, b.chosen_first, b.passed_over) == (1, 0, 2)
    assert d.undescribed == 1


def test_services_are_the_sums_of_their_tools(conn, log):
    crm, *_ = (row for row in statistics.counts(conn, Window()) if row.tool is None)
    hr = next(r for r in statistics.counts(conn, Window()) if (r.service, r.tool) == ("hr", None))

    # 3 + 2 + 2 + 1 + 2 + 1 hits; ranks 1+2+3, 1+2, 1+2, 1, 1+2, 1
    assert (crm.tools, crm.found, crm.returned, crm.rank_sum) == (4, 3, 11, 17)
    assert (crm.best_rank, crm.missed, crm.near_empty) == (1, 1, 1)
    assert (hr.tools, hr.found, hr.returned) == (1, 0, 0)


def test_all_searches_and_those_of_each_origin(conn, log):
    every, cli, mcp = statistics.totals(conn, Window())

    assert (every.origin, every.searches, every.empty, every.asked_again) == (None, 7, 1, 1)
    assert (every.choices, every.first, every.missed, every.none) == (4, 1, 1, 1)
    assert every.times_ms == [40.0, pytest.approx(67.0), pytest.approx(69.4)]
    assert [(o.origin, o.searches) for o in (cli, mcp)] == [("cli", 5), ("mcp", 2)]


def test_a_window_leaves_out_what_is_older(conn, log):
    recent = Window(datetime.now(UTC) - timedelta(days=2, hours=12))  # 5, 6 and 7

    assert of(conn, "crm/a", recent).returned == 1
    assert statistics.totals(conn, recent)[0].searches == 3


def test_a_service_counts_what_touches_it(conn, log):
    assert statistics.totals(conn, Window(services=("crm",)))[0].searches == 7
    none = statistics.totals(conn, Window(services=("hr",)))[0]
    assert (none.searches, none.times_ms) == (0, None)
    assert {row.service for row in statistics.counts(conn, Window(services=("hr",)))} == {"hr"}


def test_queries_without_a_hit_and_those_asked_again(conn, log):
    (empty,) = statistics.empty_queries(conn, Window(), 10)
    (again,) = statistics.again_queries(conn, Window(), 10)

    assert (empty.query, empty.times, empty.nearest) == ("boats 6", 1, "crm/d")
    assert (again.query, again.times, again.then) == ("boats 4", 1, "boats 5")


def test_slices_are_counted_from_their_start(conn, log):
    start = datetime.now(UTC) - timedelta(days=6, hours=12)

    found = statistics.slices(conn, Window(), start, 86_400)

    # the oldest of the seven is six days old, so each has a day of its own
    assert [row.searches for row in found] == [1] * 7
    assert sum(row.empty for row in found) == 1


def test_a_choice_takes_a_search_out_of_those_asked_again(conn, log):
    choose(conn, log[3], "crm/c")

    assert statistics.totals(conn, Window())[0].asked_again == 0


def test_forgetting_counts_what_goes(conn, log):
    gone = forget(conn, datetime.now(UTC) - timedelta(days=3, hours=12))

    assert (gone.searches, gone.choices) == (3, 3)
    assert statistics.totals(conn, Window())[0].searches == 4


def test_ids_are_found_by_their_first_letters_unless_two_begin_so(conn, log):
    assert find_search(conn, str(log[0])[:9]) == log[0]
    with pytest.raises(NotFound):
        find_search(conn, "ffffffff-ffff-4fff-8fff-ffffffffffff")
    with pytest.raises(UsageError):
        find_search(conn, "abc")


def test_a_database_that_takes_no_writes_still_answers(conn, log, database_url):
    with psycopg.connect(database_url, autocommit=True) as other:
        other.execute("SET default_transaction_read_only = on")

        assert log_search(other, Searched("cli", "boats", 4, 1.0)) is False

    assert statistics.totals(conn, Window())[0].searches == 7


def test_a_log_kept_before_these_columns_can_be_counted(empty_database_url, tmp_path):
    """An older catalog, with hits as JSON, brought up to date."""
    from store.connection import connect
    from store.migrate import migrate, migrations

    for step in migrations():
        if step.version < 6:
            (tmp_path / step.path.name).write_bytes(step.path.read_bytes())
    with connect(empty_database_url) as conn:
        migrate(conn, tmp_path)
        conn.execute(
            "INSERT INTO search_log (search_id, origin, query, k, took_ms, hits) VALUES"
            ' (gen_random_uuid(), \'cli\', \'list boats\', 4, 1, \'[{"rank": 2, "id": "crm/b",'
            ' "score": 0.25}, {"rank": 1, "id": "crm/a", "score": 0.5}]\')'
        )
        migrate(conn)

        row = conn.execute("SELECT tools, scores, stems, fits FROM search_log").fetchone()

    assert row == (["crm/a", "crm/b"], [0.5, 0.25], ["boat", "list"], True)
