"""The child process: what a bad document costs, and what stays behind."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from catalog.errors import SpecError
from parsers.document import Document, FileDocument
from parsers.sandbox import Budget, Outcome, parse_all

FAILING = "tests.parsers.failing:parse"
SMALL = Budget(seconds=30, memory_bytes=256 * 2**20, workers=1)
ROOT = Path(__file__).resolve().parents[2]


def document(text: str) -> Document:
    return Document(f"/specs/{text.replace(' ', '-')[:20]}.yaml", text.encode(), "crm")


def run(*texts: str, budget: Budget = SMALL) -> list[Outcome]:
    return list(parse_all([document(text) for text in texts], budget, FAILING))


def message(outcome: Outcome) -> str:
    assert outcome.error is not None
    return outcome.error.message


def test_documents_come_back_in_order_from_one_process() -> None:
    outcomes = run("good 1", "good 2", "good 3")

    assert [len(o.parsed.operations) for o in outcomes if o.parsed] == [1, 2, 3]
    assert len({o.parsed.version for o in outcomes if o.parsed}) == 1
    assert all(o.error is None and o.elapsed_ms > 0 for o in outcomes)


def test_several_processes_keep_the_order() -> None:
    budget = Budget(workers=3)
    outcomes = run(*(f"good {n}" for n in range(1, 100)), budget=budget)

    assert [len(o.parsed.operations) for o in outcomes if o.parsed] == list(range(1, 100))
    assert len({o.parsed.version for o in outcomes if o.parsed}) > 1


def test_an_error_of_the_document_keeps_its_words() -> None:
    [outcome] = run("bad")

    assert isinstance(outcome.error, SpecError)
    assert (outcome.error.message, outcome.error.hint) == ("/specs/bad.yaml: is bad", "mend it")
    assert not outcome.crashed


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("fault", "the parser failed (KeyError at failing.py:"),
        ("segfault", "the parser's process died (SIGSEGV)"),
        ("exit", "the parser's process died (status 3)"),
        ("memory", "needs more than 0.25 GB of memory"),
        ("deep", "is nested too deeply"),
        ("deep-result", "is nested too deeply"),
    ],
)
def test_a_crash_costs_one_document(way: str, words: str) -> None:
    before, crashed, after = run("good 1", way, "good 2")

    assert message(crashed).startswith(f"/specs/{way}.yaml: {words}")
    assert "secret" not in message(crashed)
    assert before.parsed
    assert after.parsed
    assert len(after.parsed.operations) == 2


def test_a_document_over_its_seconds_is_ended_by_name() -> None:
    budget = Budget(seconds=0.3, workers=1)
    endless, after = run("endless", "good 1", budget=budget)

    assert message(endless) == "/specs/endless.yaml: took longer than 0.3 s"
    assert not endless.crashed
    assert after.parsed


def test_a_larger_document_has_more_seconds() -> None:
    assert Budget(seconds=10, seconds_a_mb=2).seconds_for(5 * 2**20) == pytest.approx(20)


def test_a_document_over_its_bytes_is_not_handed_out() -> None:
    large, after = run("good " + " " * 2000, "good 1", budget=Budget(size_bytes=1024, workers=1))

    assert "is larger than" in message(large)
    assert after.parsed


def test_what_a_library_prints_reaches_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("noise")[0].parsed
    assert capfd.readouterr() == ("", "")


def test_a_file_is_read_in_the_child(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"good 7")
    documents = [
        FileDocument(str(tmp_path / "a.yaml"), service="a"),
        FileDocument(str(tmp_path / "gone.yaml"), service="b"),
    ]

    there, gone = parse_all(documents, SMALL, FAILING)

    assert there.parsed
    assert len(there.parsed.operations) == 7
    assert message(gone) == f"{tmp_path}/gone.yaml: cannot be read (No such file or directory)"


def test_a_folder_of_the_users_with_our_name_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("parsers", "catalog"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)

    assert run("good 1")[0].parsed


def test_twenty_thousand_operations_come_back_whole() -> None:
    [outcome] = run("good 22000")

    assert outcome.parsed
    assert len(outcome.parsed.operations) == 22_000


def test_no_documents_start_no_process() -> None:
    assert run() == []


def test_stopping_half_way_leaves_no_process() -> None:
    outcomes = parse_all([document("good 1"), document("endless")], SMALL, FAILING)
    first = next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]

    assert first.parsed
    assert _gone(int(first.parsed.version))


@pytest.mark.parametrize("how", ["INT", "TERM", "KILL"])
def test_ending_the_program_ends_the_child_and_what_it_started(tmp_path: Path, how: str) -> None:
    told = tmp_path / "pids"
    program = (
        "from parsers.document import Document\n"
        "from parsers.sandbox import parse_all\n"
        f"document = Document('x', b'child {told}', 'x')\n"
        f"list(parse_all([document], parser='{FAILING}'))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        _until(lambda: (tmp_path / "pids.done").exists())
        worker, grandchild = map(int, (tmp_path / "pids.done").read_text().split())
        subprocess.run(["kill", f"-{how}", str(process.pid)], check=True)
        process.wait(10)
    finally:
        process.kill()
        process.wait()

    _until(lambda: _gone(worker) and _gone(grandchild))


def _until(condition: object) -> None:
    deadline = time.monotonic() + 20
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"
