"""The questions that the packaged encoder was trained with, and how they become pairs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from scripts.encoder.suites import Query, Suites
from scripts.encoder.triples import Entry, faults, read_entries, triple_pairs

FIND = Entry("x.tsv:1", "films", "GET /films", "Find films.", ("who was in Salt", "find Salt"))
CAST = Entry("x.tsv:2", "films", "GET /films/{id}/cast", "Who plays.", ("who was in Salt",))
OTHER = Entry("x.tsv:3", "plays", "find", "Find plays.", ("who was in Salt",))


def test_a_question_under_two_operations_has_two_right_ones_and_only_in_its_service() -> None:
    films = "get films. Find films", "get films id cast. Who plays"
    rights = {
        (pair.query, pair.text, pair.catalogue): pair.rights
        for pair in triple_pairs([FIND, CAST, OTHER])
    }
    assert rights == {
        ("who was in Salt", films[0], "our/films"): {*films},
        ("who was in Salt", films[1], "our/films"): {*films},
        ("find Salt", films[0], "our/films"): {films[0]},
        ("who was in Salt", "find. Find plays", "our/plays"): {"find. Find plays"},
    }


def test_what_a_suite_holds_is_named_with_its_place() -> None:
    theirs = Query("suite", "Find: SALT?", "suite", (0,), "1")
    suites = Suites(services={"plays"}, queries=[theirs])
    assert list(faults([FIND, OTHER, FIND], suites)) == [
        "x.tsv:1: a suite asks this as well: find Salt",
        "x.tsv:3: a suite has a service plays",
        "x.tsv:1: films GET /films stands there twice",
        "x.tsv:1: a suite asks this as well: find Salt",
    ]


def test_a_line_without_questions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("films\tfind\tFind films.\n")
    with pytest.raises(SystemExit, match=r"^a\.tsv:1: 4 filled columns are needed$"):
        read_entries(tmp_path)


def test_every_operation_of_ours_stands_once_with_questions_of_its_own() -> None:
    entries = read_entries()
    assert list(faults(entries, Suites())) == []
    repeated = [e.place for e in entries if max(Counter(e.questions).values()) > 1]
    assert repeated == []
