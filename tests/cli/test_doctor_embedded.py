"""`gloss doctor` and the embedded server: what a process left behind is told and mended."""

import fcntl
import os
import signal
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Gloss, bare_environment
from tests.cli.test_doctor import examined


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A catalog on a server of its own."""
    folder = tmp_path_factory.mktemp("own")
    run = Gloss(folder, {**bare_environment(folder), "GLOSS_DATA_DIR": str(folder / "place")})
    yield run
    run("db", "stop")


def started(own):
    assert own("db", "start").exit_code == 0
    return own.folder / "place"


def test_a_server_that_is_kept_is_well(own):
    started(own)

    assert examined(own, "embedded server")[:2] == ("ok", "runs, kept until gloss db stop")


def test_a_server_left_running(own):
    (started(own) / "keep").unlink()

    assert examined(own, "embedded server")[2] == "gloss db stop"
    assert own("db", "status", "--json").json["running"] is False


def test_a_server_that_was_killed(own):
    place = started(own)
    pid = int((place / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    os.kill(pid, signal.SIGKILL)
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.01)

    state, found, _ = examined(own, "embedded server")

    assert (state, f"killed (process {pid})" in found) == ("warning", True)


def test_a_database_that_a_silent_process_holds_is_told_at_once(own):
    place = started(own)
    own("db", "stop")
    with (place / "server.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        state, found, mend = examined(own, "embedded server", code=1)

    assert (state, "does not answer" in found) == ("failed", True)
    assert "server.lock" in mend


def test_a_data_folder_that_others_may_enter(own):
    place = started(own)
    own("db", "stop")
    (place / "postgres").chmod(0o755)

    state, _, mend = examined(own, "data folder", code=1)

    assert (state, mend) == ("failed", f"chmod 700 {place}/postgres")
    (place / "postgres").chmod(0o700)
    assert own("doctor").exit_code == 0


def test_a_data_folder_that_cannot_be_one(own):
    file = own.write("file", "")

    state, found, mend = examined(own, "data folder", code=1, env={"GLOSS_DATA_DIR": f"{file}/x"})

    assert (state, "Not a directory" in found) == ("failed", True)
    assert mend.startswith("export GLOSS_DATA_DIR=")
