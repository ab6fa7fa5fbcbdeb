from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from catalog.errors import GlossError, TryLater, UsageError
from store import account, cluster, launching, postmaster, server

DEADLINE_S = 60.0
AS_ROOT = os.geteuid() == 0
NOBODY = 65534


@pytest.fixture(scope="module")
def made_cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose cluster exists; tests that need no fresh one share it, stopped."""
    folder = tmp_path_factory.mktemp("made") / "data"
    server.start(folder, keep=False)
    return folder


@pytest.fixture
def data_dir(made_cluster: Path) -> Iterator[Path]:
    yield made_cluster
    server.stop(made_cluster)


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def client(data_dir: Path, then: str, **popen: object) -> subprocess.Popen[str]:
    """A process of its own that uses the server, says so, and then does what it is told."""
    program = f"""
import sys
from pathlib import Path
from store import server
with server.embedded(Path(sys.argv[1])) as url:
    import psycopg
    with psycopg.connect(url, autocommit=True) as conn:
        print("up", flush=True)
        {then}
"""
    return subprocess.Popen(
        [sys.executable, "-c", program, str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        **popen,  # type: ignore[call-overload]
    )


def is_up(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n", process.communicate()[1]


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=DEADLINE_S)
    return out, err


def value(url: str, query: str) -> object:
    with psycopg.connect(url, autocommit=True) as conn:
        row = conn.execute(query.encode()).fetchone()
    return row[0] if row else None


def execute(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(statement.encode())


def running_pid(data_dir: Path) -> int:
    pid = server.status(data_dir).pid
    assert pid is not None
    return pid


def test_server_lives_as_long_as_it_is_used(data_dir: Path) -> None:
    with server.embedded(data_dir) as url:
        assert value(url, "SELECT 1") == 1
        pid = running_pid(data_dir)
    assert not postmaster.alive(pid)
    assert not server.status(data_dir).running


def test_two_users_share_one_server_until_the_last_leaves(data_dir: Path) -> None:
    with server.embedded(data_dir):
        pid = running_pid(data_dir)
        with server.embedded(data_dir):
            assert running_pid(data_dir) == pid
        assert running_pid(data_dir) == pid
    assert not server.status(data_dir).running


def test_two_commands_starting_at_once_get_one_server(tmp_path: Path) -> None:
    """The first start of all, cluster and all."""
    starters = [client(tmp_path / "data", "input()") for _ in range(3)]
    for starter in starters:
        is_up(starter)
    log = (tmp_path / "data" / "server.log").read_text()
    for starter in starters:
        ended(starter)
    assert log.count("starting PostgreSQL") == 1
    assert not server.status(tmp_path / "data").running


def test_server_goes_when_its_only_user_is_killed(data_dir: Path) -> None:
    user = client(data_dir, "input()")
    is_up(user)
    pid = running_pid(data_dir)
    socket_dir = postmaster.read(cluster.pgdata_of(data_dir))
    user.kill()
    ended(user)
    until(lambda: not postmaster.alive(pid))
    assert socket_dir is not None
    until(lambda: not socket_dir.socket_dir.exists())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_server_goes_when_its_only_user_is_interrupted(data_dir: Path, number: int) -> None:
    user = client(data_dir, "input()")
    is_up(user)
    pid = running_pid(data_dir)
    user.send_signal(number)
    ended(user)
    until(lambda: not postmaster.alive(pid))


def test_a_killed_user_costs_the_others_nothing(data_dir: Path) -> None:
    killed = client(data_dir, "input()")
    is_up(killed)
    with server.embedded(data_dir) as url:
        killed.kill()
        ended(killed)
        assert value(url, "SELECT 1") == 1


def test_a_killed_server_starts_again_and_has_lost_nothing(data_dir: Path) -> None:
    with server.embedded(data_dir) as url:
        execute(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        pid = running_pid(data_dir)
        os.kill(pid, signal.SIGKILL)
        until(lambda: not postmaster.alive(pid))
        with server.embedded(data_dir) as again:
            assert value(again, "SELECT answer FROM kept") == 42
            execute(again, "DROP TABLE kept")
    assert not server.status(data_dir).running


def test_start_after_a_kill_though_the_number_is_someone_elses_now(data_dir: Path) -> None:
    pid_file = cluster.pgdata_of(data_dir) / "postmaster.pid"
    with server.embedded(data_dir):
        lines = pid_file.read_text().splitlines()
    stale = "\n".join([str(os.getppid()), *lines[1:]]) + "\n"
    pid_file.write_text(stale)
    with server.embedded(data_dir) as url:
        assert value(url, "SELECT 1") == 1


def test_kept_server_outlives_its_users_until_stop(data_dir: Path) -> None:
    started = server.start(data_dir)
    assert started.kept
    with server.embedded(data_dir) as url:
        assert url == started.url
    assert running_pid(data_dir) == started.pid
    assert not server.stop(data_dir).running


def test_stop_leaves_a_server_in_use_to_its_last_user(data_dir: Path) -> None:
    server.start(data_dir)
    with server.embedded(data_dir) as url:
        assert server.stop(data_dir).running
        assert value(url, "SELECT 1") == 1
    assert not server.status(data_dir).running


def test_server_given_up_to_its_last_user_goes_though_that_one_is_killed(data_dir: Path) -> None:
    pid = server.start(data_dir).pid
    assert pid is not None
    user = client(data_dir, "input()")
    is_up(user)
    assert server.stop(data_dir).running
    user.kill()
    ended(user)
    until(lambda: not postmaster.alive(pid))


def test_stop_without_a_server_is_no_error(tmp_path: Path) -> None:
    assert not server.stop(tmp_path / "never").running
    assert not (tmp_path / "never").exists()


def test_status_of_a_running_server(data_dir: Path) -> None:
    with server.embedded(data_dir) as url:
        status = server.status(data_dir)
    assert status.running
    assert status.url == url
    assert status.version == cluster.MAJOR
    assert status.size_bytes > 10_000_000


def test_long_path_with_quotes_spaces_and_letters_of_other_scripts(tmp_path: Path) -> None:
    name = 'it\'s a "long" $PATH %s ü 文'
    data_dir = tmp_path / ("folder" * 20) / name / "data"
    with server.embedded(data_dir) as url:
        assert value(url, "SELECT 1") == 1
        socket = url.partition("host=")[2].partition("&")[0]
    assert len(socket) < 60


def test_socket_folder_is_private_and_goes_with_the_server(data_dir: Path) -> None:
    with server.embedded(data_dir):
        running = postmaster.read(cluster.pgdata_of(data_dir))
        assert running is not None
        assert stat.S_IMODE(running.socket_dir.stat().st_mode) == 0o700
    assert not running.socket_dir.exists()


def test_locale_of_the_server_does_not_follow_the_environment(data_dir: Path) -> None:
    with server.embedded(data_dir) as url:
        assert value(url, "SHOW timezone") == "UTC"
        assert value(url, "SHOW server_encoding") == "UTF8"
        assert value(url, "SELECT lower('ÄÖ')") == "äö"


def test_a_start_that_fails_shows_the_servers_own_words(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    server.start(data_dir, keep=False)
    with (cluster.pgdata_of(data_dir) / "postgresql.conf").open("a") as conf:
        conf.write("\nno_such_setting = 1\n")
    with pytest.raises(GlossError) as caught, server.embedded(data_dir):
        pass
    assert "did not start" in caught.value.message
    assert "no_such_setting" in caught.value.message
    assert "server.log" in caught.value.hint
    assert "\n" not in caught.value.message


def test_data_of_another_version_is_left_alone(tmp_path: Path) -> None:
    pgdata = cluster.pgdata_of(tmp_path)
    pgdata.mkdir()
    (pgdata / "PG_VERSION").write_text("15\n")
    with pytest.raises(UsageError) as caught, server.embedded(tmp_path):
        pass
    assert "PostgreSQL 15" in caught.value.message
    assert caught.value.hint == "gloss db upgrade"


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    pgdata = cluster.pgdata_of(tmp_path)
    pgdata.mkdir()
    (pgdata / "thesis.txt").write_text("mine")
    with pytest.raises(GlossError, match="cannot use the data folder"), server.embedded(tmp_path):
        pass
    assert (pgdata / "thesis.txt").read_text() == "mine"
    assert not list(tmp_path.glob(".new-*"))


def test_data_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(GlossError) as caught, server.embedded(tmp_path / "data"):
        pass
    assert "cannot use the data folder" in caught.value.message
    assert "GLOSS_DATA_DIR" in caught.value.hint


def test_remains_of_a_killed_first_start_are_cleared(tmp_path: Path) -> None:
    (tmp_path / ".new-1").mkdir()
    (tmp_path / ".new-1" / "PG_VERSION").write_text("18\n")
    with server.embedded(tmp_path) as url:
        assert value(url, "SELECT 1") == 1
    assert not list(tmp_path.glob(".new-*"))


def test_exclusive_use_is_refused_while_others_use_the_server(data_dir: Path) -> None:
    with (
        server.embedded(data_dir),
        pytest.raises(TryLater, match="another gloss process"),
        server.exclusive(data_dir),
    ):
        pass


def test_an_overlong_log_is_cut_to_its_end(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"x" * 1_500_000 + b"the end")
    assert postmaster.bounded(log) == log.stat().st_size <= 100_000
    assert log.read_bytes().endswith(b"the end")


def as_user(uid: int) -> dict[str, object]:
    """What makes a child another user's, one that may read this Python wherever it lies."""
    if not AS_ROOT:
        return {}
    programs = Path(sys.executable).resolve().parent
    return {"preexec_fn": account.before_exec(account.Account(uid, uid, "other"), programs)}


@pytest.fixture
def open_dir(tmp_path: Path) -> Iterator[Path]:
    """A folder that another user may write, on a path that all may pass."""
    folder = Path(f"/tmp/gloss-open-{os.getpid()}")
    folder.mkdir()
    folder.chmod(0o777)
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.mark.parametrize("uid", [NOBODY, 23456], ids=["nobody", "no entry in the password file"])
def test_an_ordinary_user(open_dir: Path, uid: int) -> None:
    user = client(open_dir / "data", "print(conn.execute('SELECT 7').fetchone())", **as_user(uid))
    out, err = ended(user)
    assert out == "up\n(7,)\n", err
    assert err == ""


@pytest.mark.skipif(not AS_ROOT, reason="changes users")
class TestAsRoot:
    def test_server_runs_as_another_user(self, data_dir: Path) -> None:
        with server.embedded(data_dir):
            owner = Path(f"/proc/{running_pid(data_dir)}").stat().st_uid
        assert owner != 0

    def test_folders_on_the_way_stay_closed(self, tmp_path: Path) -> None:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        with server.embedded(closed / "data") as url:
            assert value(url, "SELECT 1") == 1
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700
        assert closed.stat().st_uid == 0

    def test_a_data_folder_that_root_made_itself(self, tmp_path: Path) -> None:
        data_dir = tmp_path / "made-by-root"
        data_dir.mkdir(mode=0o700)
        with server.embedded(data_dir) as url:
            assert value(url, "SELECT 1") == 1
        assert data_dir.stat().st_uid == 0

    def test_root_and_the_owner_share_a_catalog(self, open_dir: Path) -> None:
        data_dir = open_dir / "data"
        first = client(data_dir, "conn.execute('CREATE TABLE t AS SELECT 7')", **as_user(NOBODY))
        assert ended(first)[1] == ""
        with server.embedded(data_dir) as url:
            assert value(url, "SELECT * FROM t") == 7
        again = client(data_dir, "conn.execute('DROP TABLE t')", **as_user(NOBODY))
        assert ended(again)[1] == ""

    def test_without_the_right_to_pass_it_says_what_to_do(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("store.account._permitted", lambda: 1 << 6 | 1 << 7)
        tmp_path.chmod(0o700)
        with pytest.raises(GlossError) as caught, server.embedded(tmp_path / "data"):
            pass
        assert "may not enter" in caught.value.message
        assert "GLOSS_DATA_DIR=/var/lib/apigloss" in caught.value.hint


@pytest.mark.skipif(not AS_ROOT, reason="a root without rights")
def test_root_that_may_not_change_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.account._permitted", lambda: 0)
    with pytest.raises(GlossError, match="this root may not become"):
        server.start(tmp_path / "data")


def test_variables_for_another_server_do_not_matter(data_dir: Path) -> None:
    elsewhere = {
        "PGHOST": "no-such-host.invalid",
        "PGPORT": "1",
        "PGUSER": "someone",
        "PGOPTIONS": "-c nonsense=1",
        "PGSSLMODE": "verify-full",
        "PGREQUIREAUTH": "scram-sha-256",
        "PGCHANNELBINDING": "require",
        "PGTARGETSESSIONATTRS": "standby",
        "PGCLIENTENCODING": "LATIN1",
        "LC_ALL": "C",
        "TZ": "Asia/Tokyo",
    }
    program = """
import sys
from pathlib import Path
from store import server
from store.migrate import open_catalog
with server.embedded(Path(sys.argv[1])) as url, open_catalog(url) as conn:
    print(conn.execute("SELECT 'ü文', current_setting('TimeZone')").fetchone() == ("ü文", "UTC"))
"""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program, str(data_dir)],
        env=elsewhere,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


class TestSocketFolder:
    def test_runtime_folder_is_used_where_it_can_be(self, tmp_path: Path) -> None:
        runtime = Path(tempfile.mkdtemp(prefix="run-", dir="/tmp"))
        made = launching._socket_dir(tmp_path, runtime)
        assert made.parent == runtime
        made.rmdir()
        runtime.rmdir()

    @pytest.mark.parametrize("runtime", ["/no/such/folder", "relative", "/tmp/" + "long" * 30])
    def test_runtime_folder_that_cannot_be_used(self, tmp_path: Path, runtime: str) -> None:
        made = launching._socket_dir(tmp_path, Path(runtime))
        assert made.parent == Path("/tmp")
        made.rmdir()


@pytest.mark.parametrize(
    ("home", "xdg", "is_root", "expected"),
    [
        ("/home/a", None, False, "/home/a/.local/share/apigloss"),
        ("/home/a", "/data", False, "/data/apigloss"),
        ("/home/a", "relative", False, "/home/a/.local/share/apigloss"),
        ("/root", None, True, "/root/.local/share/apigloss"),
        (None, None, True, "/var/lib/apigloss"),
    ],
)
def test_default_data_dir(home: str, xdg: str | None, is_root: bool, expected: str) -> None:
    assert server.default_data_dir(home, xdg, is_root) == Path(expected)


def test_no_default_data_dir_without_a_home() -> None:
    assert server.default_data_dir(None, None, is_root=False) is None


def test_words_of_a_failed_initdb() -> None:
    text = (
        "creating configuration files ... ok\n"
        '2026-01-01 00:00:00 UTC [7] FATAL:  could not extend file "base/1/2691": No space left\n'
        "initdb: error: child process exited with exit code 1\n"
    )
    assert cluster._last_error(text) == 'could not extend file "base/1/2691": No space left'
    assert cluster._last_error("initdb: error: no user\n") == "no user"
    assert cluster._last_error("") == "no message"


@pytest.mark.skipif(not AS_ROOT, reason="only root may mount a small disk")
def test_a_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", str(disk)])
    if mounted.returncode != 0:
        pytest.skip("this root may not mount")
    try:
        with pytest.raises(GlossError, match="No space left on device"):
            server.start(disk / "data")
        assert sorted(path.name for path in (disk / "data").iterdir()) == [
            "server.lock",
            "users.lock",
        ]
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
