from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from catalog.errors import CredentialsRefused, GlossError, TryLater, UsageError
from store import catalog, connection, copies
from store.connection import connect, masked, passwords, shown, without_password
from store.migrate import migrate, open_catalog
from tests.conftest import PasswordServer
from tests.store.specs import operation, spec

PASSWORD = "pa55-Wörd/@:%"


@pytest.fixture(scope="module")
def role_url(password_server: PasswordServer) -> Iterator[str]:
    """A database of a role that is no superuser, reached over TCP with a password."""
    with psycopg.connect(password_server.admin_url, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE app LOGIN PASSWORD '{PASSWORD}'")
        admin.execute("CREATE DATABASE app OWNER app")
        app = password_server.admin_url.replace("/postgres?", "/app?")
        with psycopg.connect(app, autocommit=True) as owner:
            owner.execute("CREATE EXTENSION vector")
        yield password_server.url("app", PASSWORD, "app")
        admin.execute("DROP DATABASE app WITH (FORCE)")


def test_another_server_with_a_password_and_an_ordinary_role(role_url: str) -> None:
    with connect(role_url) as conn:
        migrate(conn)
        catalog.save_spec(conn, spec(operation("a")), "crm.yaml")
        assert [tool.id for tool in catalog.list_tools(conn)] == ["crm/a"]
        superuser = conn.execute("SELECT current_setting('is_superuser')").fetchone()
    assert superuser == ("off",)


def test_dump_and_restore_with_a_password(role_url: str, tmp_path: Path) -> None:
    with open_catalog(role_url) as conn:
        catalog.save_spec(conn, spec(operation("a")), "crm.yaml")
    copies.dump(role_url, tmp_path / "d")
    copies.restore(role_url, tmp_path / "d", replace=True)
    with open_catalog(role_url) as conn:
        assert [tool.id for tool in catalog.list_tools(conn)] == ["crm/a"]


def test_extension_that_the_role_may_not_create(password_server: PasswordServer) -> None:
    with psycopg.connect(password_server.admin_url, autocommit=True) as admin:
        admin.execute("CREATE ROLE guest LOGIN PASSWORD 'guest-word'")
        admin.execute("CREATE DATABASE hotel")
    with (
        connect(password_server.url("guest", "guest-word", "hotel")) as conn,
        pytest.raises(UsageError) as caught,
    ):
        migrate(conn)
    assert "may not create it" in caught.value.message
    assert "CREATE EXTENSION vector" in caught.value.hint


def test_schema_that_the_role_may_not_create_in(password_server: PasswordServer) -> None:
    with psycopg.connect(password_server.admin_url, autocommit=True) as admin:
        admin.execute("CREATE ROLE lodger LOGIN PASSWORD 'lodger-word'")
        admin.execute("CREATE DATABASE inn")
    inn = password_server.admin_url.replace("/postgres?", "/inn?")
    with psycopg.connect(inn, autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")
    with (
        connect(password_server.url("lodger", "lodger-word", "inn")) as conn,
        pytest.raises(UsageError) as caught,
    ):
        migrate(conn)
    assert "schema public" in caught.value.message
    assert 'GRANT CREATE ON SCHEMA public TO "lodger"' in caught.value.hint


def test_wrong_password(password_server: PasswordServer, role_url: str) -> None:
    with pytest.raises(CredentialsRefused) as caught:
        connect(password_server.url("app", "wrong-word", "app"))
    assert "wrong-word" not in str(caught.value) + caught.value.hint


def test_missing_password(password_server: PasswordServer, role_url: str) -> None:
    with pytest.raises(CredentialsRefused):
        connect(f"postgresql://app@{password_server.host}:{password_server.port}/app")


def test_unknown_role(password_server: PasswordServer) -> None:
    with pytest.raises(CredentialsRefused):
        connect(password_server.url("stranger", "some-word", "app"))


def test_unknown_database(role_url: str) -> None:
    with pytest.raises(UsageError) as caught:
        connect(role_url.removesuffix("/app") + "/nowhere")
    assert caught.value.message == "there is no database named nowhere"


def test_nobody_listens(password_server: PasswordServer) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        with pytest.raises(TryLater) as caught:
            connect(f"postgresql://app:hidden-word@127.0.0.1:{port}/app")
    assert "hidden-word" not in caught.value.message
    assert "\n" not in caught.value.message


def test_unknown_host() -> None:
    with pytest.raises(TryLater, match="does not answer"):
        connect("postgresql://app:hidden-word@no-such-host.invalid/app")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://app:hidden-word@h/db?sslmod=require",
        "postgresql://app:hidden-word@h:54x32/db",
        "nonsense hidden-word",
        "host=h password=hidden-word colour=red",
        "postgresql://app:hidden/wo@rd@h:x/db",
        "mysql://app:hidden-word@h/db",
        "",
    ],
)
def test_address_that_cannot_be_read(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        connect(url)
    assert "hidden" not in caught.value.message


def test_a_mistyped_address_does_not_show_its_password() -> None:
    """libpq reads a password with a slash as host and database and names them in its message."""
    with pytest.raises(GlossError) as caught:
        connect("postgresql://app:hid/den@word@127.0.0.1:1/db")
    assert "den" not in caught.value.message
    assert "word" not in caught.value.message


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://a:s3cret@h/db", "postgresql://a:***@h/db"),
        ("postgresql://gloss:gloss@h/gloss", "postgresql://gloss:***@h/gloss"),
        ("postgresql://a@h/db", "postgresql://a@h/db"),
        ("host=h password='s3 cret' dbname=d", "host=h password=*** dbname=d"),
        ("postgresql://h/db?user=a&password=s3cret", "postgresql://h/db?user=a&password=***"),
        ("postgresql://a:p%40ss@h/db", "postgresql://a:***@h/db"),
    ],
)
def test_shown_address(url: str, expected: str) -> None:
    assert shown(url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://a:p%40ss@h/db", "postgresql://a@h/db"),
        ("postgresql://a@h/db", "postgresql://a@h/db"),
        ("host=h password='s3 cret' dbname=d", "dbname=d host=h"),
        ("postgresql://a@h/db?password=s3cret", "user=a dbname=db host=h"),
    ],
)
def test_address_without_its_password(url: str, expected: str) -> None:
    assert without_password(url) == expected


def test_passwords_as_written_and_as_meant() -> None:
    assert passwords("postgresql://a:p%40ss@h/db") == {"p%40ss", "p@ss"}
    assert passwords("host=h password='s3 cret'") == {"s3 cret"}
    assert passwords("host=h") == passwords("garbage") == set()


def test_address_that_cannot_be_read_is_said_in_one_line() -> None:
    with pytest.raises(UsageError) as caught:
        connect("garbage")
    assert "\n" not in caught.value.message


def test_password_is_masked_in_the_form_it_was_decoded_to() -> None:
    assert masked("refused p@ss", "postgresql://a:p%40ss@h/db") == "refused ***"


def test_nothing_is_left_in_the_session(conn: psycopg.Connection) -> None:
    """A transaction pooler hands the next transaction to another session."""
    catalog.save_spec(conn, spec(operation("a")), "crm.yaml")
    assert conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert conn.execute("SHOW lock_timeout").fetchone() == ("0",)
    assert conn.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone() == (
        0,
    )


def test_no_prepared_statements_over_tcp(role_url: str) -> None:
    with connect(role_url) as conn:
        for _ in range(8):
            conn.execute("SELECT %s::int", (1,))
        prepared = conn.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
    assert prepared == (0,)


def test_vectors_can_be_sent_and_received(conn: psycopg.Connection) -> None:
    import numpy as np

    connection.with_vectors(conn)
    row = conn.execute("SELECT %s::vector", (np.array([1.0, 2.0]),)).fetchone()
    assert row is not None
    assert [float(x) for x in row[0].to_list()] == [1.0, 2.0]


def test_database_in_another_encoding(server_url: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(
            "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'"
            " TEMPLATE template0"
        )
    with pytest.raises(UsageError, match="LATIN1"):
        connect(server_url.replace("/postgres?", "/latin?"))


def test_json_keeps_integers_beyond_64_bits() -> None:
    assert connection.json_bytes({"maximum": 2**80}) == b'{"maximum": %d}' % 2**80
