"""Nights of the simulated week that need real processes; `scripts/week.py` runs all of it."""

from __future__ import annotations

import pytest

from tests import week as nights
from tests.week import Week


class ShortWeek(Week):
    def look(self, *words):
        """In this process: only what is looked at has to be a real one."""
        return str(self.gloss(*words, env=self.environment))


@pytest.fixture
def week(gloss):
    with ShortWeek(gloss.folder, gloss.environment, seed=7, small=True) as started:
        started.gloss = gloss
        yield started


def test_a_week_of_nights(week):
    nights.first_night(week)
    nights.specs_change_vanish_and_break(week)
    nights.killed_at_random(week, times=1)
    nights.two_at_once(week)
