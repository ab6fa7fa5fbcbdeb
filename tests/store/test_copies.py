from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import psycopg
import pytest

from catalog.errors import GlossError, NotFound, TryLater, UsageError
from store import catalog, cluster, copies, server
from store.connection import connect
from store.launching import Launch, launch
from store.migrate import migrate, open_catalog
from store.postmaster import stop
from tests.store.specs import operation, spec


def tools(url: str) -> list[str]:
    with open_catalog(url) as conn:
        return [tool.id for tool in catalog.list_tools(conn)]


def test_every_table_is_dumped(conn: psycopg.Connection) -> None:
    rows = conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert {name for (name,) in rows} == set(copies.catalog_tables())


def test_dump_and_restore_elsewhere(
    database_url: str, empty_database_url: str, tmp_path: Path
) -> None:
    with connect(database_url) as conn:
        catalog.save_spec(conn, spec(operation("a"), definitions={"T": True}), "f")
    copies.dump(database_url, tmp_path / "catalog.dump")
    assert stat.S_IMODE((tmp_path / "catalog.dump").stat().st_mode) == 0o600
    copies.restore(empty_database_url, tmp_path / "catalog.dump")
    assert tools(empty_database_url) == ["crm/a"]
    with connect(empty_database_url) as conn:
        saved = catalog.save_spec(conn, spec(operation("a"), operation("b")), "f")
    assert saved.added == ("b",)


def test_restore_replaces_only_when_told(database_url: str, tmp_path: Path) -> None:
    with connect(database_url) as conn:
        catalog.save_spec(conn, spec(operation("a")), "f")
        copies.dump(database_url, tmp_path / "d")
        catalog.save_spec(conn, spec(operation("b")), "f")
    with pytest.raises(UsageError, match="already holds a catalog"):
        copies.restore(database_url, tmp_path / "d")
    assert tools(database_url) == ["crm/b"]
    copies.restore(database_url, tmp_path / "d", replace=True)
    assert tools(database_url) == ["crm/a"]


def test_restore_of_something_else_changes_nothing(database_url: str, tmp_path: Path) -> None:
    with connect(database_url) as conn:
        catalog.save_spec(conn, spec(operation("a")), "f")
    (tmp_path / "d").write_bytes(b"no dump at all")
    with pytest.raises(GlossError, match="pg_restore failed"):
        copies.restore(database_url, tmp_path / "d", replace=True)
    assert tools(database_url) == ["crm/a"]


def test_dump_that_fails_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(TryLater) as caught:
        copies.dump("postgresql://a:hidden-word@127.0.0.1:1/x", tmp_path / "d")
    assert "hidden-word" not in caught.value.message
    assert list(tmp_path.iterdir()) == []


def test_dump_into_a_missing_folder(database_url: str, tmp_path: Path) -> None:
    with pytest.raises(GlossError, match="cannot write"):
        copies.dump(database_url, tmp_path / "no" / "d")


def test_dump_onto_a_folder(database_url: str, tmp_path: Path) -> None:
    with pytest.raises(GlossError, match="Is a directory"):
        copies.dump(database_url, tmp_path)


def test_dump_through_a_link_keeps_the_link(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    copies.dump(database_url, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").stat().st_size > 0


def test_dump_into_a_pipe_leaves_the_pipe(database_url: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE)
    copies.dump(database_url, tmp_path / "pipe")
    assert reader.communicate()[0].startswith(b"PGDMP")
    assert (tmp_path / "pipe").is_fifo()


def test_dump_of_no_catalog(empty_database_url: str, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no catalog yet"):
        copies.dump(empty_database_url, tmp_path / "d")


def test_restore_without_a_file(database_url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        copies.restore(database_url, tmp_path / "none")


@pytest.fixture
def old_data_dir(tmp_path: Path) -> Path:
    """A catalog that a gloss with PostgreSQL 16 left behind."""
    place = tmp_path / "data"
    with server.exclusive(place) as lock:
        pgdata = cluster.pgdata_of(place)
        cluster.create(place, pgdata, 16)
        running = launch(Launch(place, pgdata, lock, 16))
        with connect(server.url_of(running)) as conn:
            migrate(conn)
            catalog.save_spec(conn, spec(operation("old")), "f")
        stop(running)
    return place


def test_upgrade_takes_the_catalog_to_our_version(old_data_dir: Path) -> None:
    with pytest.raises(UsageError, match="PostgreSQL 16"), server.embedded(old_data_dir):
        pass
    done = copies.upgrade(old_data_dir)
    assert (done.was, done.now) == (16, cluster.MAJOR)
    with server.embedded(old_data_dir) as url:
        assert tools(url) == ["crm/old"]
    assert done.backup is not None
    assert cluster.major_of(done.backup) == 16
    assert copies.upgrade(old_data_dir).backup is None


def test_upgrade_cut_off_before_its_last_step_goes_on(old_data_dir: Path) -> None:
    done = copies.upgrade(old_data_dir)
    assert done.backup is not None
    cluster.pgdata_of(old_data_dir).rename(cluster.upgraded_of(old_data_dir))
    with server.embedded(old_data_dir) as url:
        assert tools(url) == ["crm/old"]


def test_upgrade_waits_for_nobody(tmp_path: Path) -> None:
    with server.embedded(tmp_path / "data"):
        (tmp_path / "data" / "postgres" / "PG_VERSION").write_text("16\n")
        with pytest.raises(TryLater):
            copies.upgrade(tmp_path / "data")
        (tmp_path / "data" / "postgres" / "PG_VERSION").write_text("18\n")


def test_upgrade_from_a_version_without_programs(tmp_path: Path) -> None:
    cluster.pgdata_of(tmp_path).mkdir()
    (cluster.pgdata_of(tmp_path) / "PG_VERSION").write_text("14\n")
    with pytest.raises(UsageError) as caught:
        copies.upgrade(tmp_path)
    assert "PostgreSQL 14" in caught.value.message
    assert "gloss db restore" in caught.value.hint


def test_upgrade_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no database yet"):
        copies.upgrade(tmp_path)
    assert list(tmp_path.iterdir()) == []
