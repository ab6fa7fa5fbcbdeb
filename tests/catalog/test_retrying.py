"""Asking again: RFC 9110 §10.2.3, and how long and how often a question is put."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from catalog.errors import TryLater
from catalog.retrying import Again, persist, retry_after


def refusing(*answers):
    left = list(answers)

    def ask():
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return ask


def test_an_answer_that_comes_at_the_third_try_is_the_answer():
    waits: list[float] = []

    got = persist(refusing(Again("busy", 7), Again("busy", 3600), "done"), waits.append, "x")

    assert got == "done"
    assert waits == [7, 60], "what was asked for, and never more than a minute"


def test_without_a_word_of_the_other_side_the_waits_grow():
    waits: list[float] = []

    persist(refusing(Again("busy"), Again("busy"), "done"), waits.append, "x")

    assert 1 <= waits[0] <= 2
    assert 2 <= waits[1] <= 4


def test_after_three_requests_it_is_for_later():
    told: list[str] = []

    with pytest.raises(TryLater, match="http://x: busy"):
        persist(
            refusing(*[Again("busy")] * 3), lambda _: None, "http://x", lambda: told.append("busy")
        )

    assert len(told) == 3


def test_a_date_without_a_zone_is_in_utc():
    later = datetime.now(UTC) + timedelta(seconds=90)
    bare = format_datetime(later).removesuffix(" +0000")

    assert 60 < retry_after({"retry-after": bare}) <= 90
    assert retry_after({"retry-after": "1.5"}) == 1.5
    assert retry_after({"retry-after": "soon"}) is None
