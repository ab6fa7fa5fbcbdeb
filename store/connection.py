"""Connections to the catalog's database, and what goes wrong with them in a person's words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any
from urllib.parse import unquote

import orjson
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.json import set_json_dumps, set_json_loads

from catalog.errors import CredentialsRefused, GlossError, TryLater, UsageError

MIN_SERVER = 150000
CONNECT_TIMEOUT_S = 10
# libpq takes what an address does not say from PG… variables, and those mean another server.
_EMBEDDED = {
    "options": "",
    "sslmode": "disable",
    "gssencmode": "disable",
    "channel_binding": "disable",
    "require_auth": "",
    "target_session_attrs": "any",
}
ADDRESS = "the database address"
"""As hints call it; whoever knows where it stands names that place instead."""
_FORM = "postgresql://USER@HOST:5432/DATABASE"
_PASSWORD_WORD = re.compile(r"(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)")
_PASSWORD_IN_URL = re.compile(r"(://[^:/@]*:)(.*)(?=@)")
_REFUSED = re.compile(
    r"authentication failed|no pg_hba\.conf entry|role .* does not exist|not permitted to log in"
    r"|permission denied for database|no password supplied|certificate|SASL",
)
_UNKNOWN_DATABASE = re.compile(r'database "(.*)" does not exist')


def connect(conninfo: str, *, application_name: str = "gloss") -> psycopg.Connection:
    """A connection in autocommit; transactions are opened where they are needed.

    It keeps no state in the session, so it works behind a transaction pooler: nothing is SET
    outside a transaction, and statements are prepared only on a socket, where no pooler sits.
    """
    words = _parsed(conninfo)
    with translated(conninfo):
        conn = psycopg.connect(
            make_conninfo(conninfo, **_defaults(words, application_name)),
            autocommit=True,
            prepare_threshold=5 if _is_socket(words) else None,
        )
    try:
        _require_server(conn)
    except GlossError:
        conn.close()
        raise
    set_json_dumps(json_bytes, conn)
    set_json_loads(orjson.loads, conn)
    return conn


def _parsed(conninfo: str) -> dict[str, Any]:
    if not conninfo.strip():
        raise UsageError("the database address is empty", hint=f"write {ADDRESS} as {_FORM}")
    try:
        words = conninfo_to_dict(conninfo)
    except psycopg.ProgrammingError as error:
        raise UsageError(
            f"the database address cannot be read: {masked(_one_line(error), conninfo)}",
            hint=f"write {ADDRESS} as {_FORM}",
        ) from None
    if not re.fullmatch(r"[0-9,]*", str(words.get("port", ""))):
        raise UsageError(
            f"the port in the database address is no number: {shown(conninfo)}",
            hint="in a password, write / as %2F, @ as %40, : as %3A",
        )
    return words


def _defaults(words: dict[str, Any], application_name: str) -> dict[str, Any]:
    given = {
        "application_name": application_name,
        "connect_timeout": CONNECT_TIMEOUT_S,
        "client_encoding": "utf8",
    }
    if _is_embedded(words):
        given |= _EMBEDDED
    return {key: value for key, value in given.items() if key not in words}


def _is_embedded(words: dict[str, Any]) -> bool:
    return "/gloss-" in str(words.get("host", ""))


def _is_socket(words: dict[str, Any]) -> bool:
    return str(words.get("host", "")).startswith("/")


def _require_server(conn: psycopg.Connection) -> None:
    version = conn.info.server_version
    if version < MIN_SERVER:
        raise UsageError(
            f"the database server is PostgreSQL {version // 10000}, gloss needs 15 or newer",
            hint="upgrade it, or name another server in GLOSS_DATABASE_URL",
        )
    encoding = conn.info.parameter_status("server_encoding")
    if encoding not in ("UTF8", None):
        raise UsageError(
            f"the database {conn.info.dbname} stores text as {encoding}, gloss needs UTF8",
            hint="CREATE DATABASE gloss ENCODING 'UTF8' TEMPLATE template0",
        )


def json_bytes(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # integers beyond 64 bits, which Postgres can keep
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=asdict).encode()


def with_vectors(conn: psycopg.Connection) -> psycopg.Connection:
    """The same connection, able to send and receive vectors; imports numpy."""
    from pgvector.psycopg import register_vector

    register_vector(conn)
    return conn


@contextmanager
def translated(conninfo: str = "") -> Iterator[None]:
    """psycopg's errors as ours; no message shows a password."""
    try:
        yield
    except psycopg.Error as error:
        raise in_our_words(error, conninfo) from None


def in_our_words(error: psycopg.Error, conninfo: str = "") -> GlossError:
    text = masked(_one_line(error), conninfo)
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return TryLater("another gloss process is changing the same thing", hint="try again later")
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return UsageError(f"the database role may not do this: {text}")
    if isinstance(error, (psycopg.errors.DiskFull, psycopg.errors.OutOfMemory)):
        return GlossError(f"the database is out of room: {text}")
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        return UsageError(f"the database is read-only: {text}")
    if isinstance(error, psycopg.OperationalError):
        return _connection_error(error, text)
    return GlossError(f"the database refused: {text}")


def _connection_error(error: psycopg.OperationalError, text: str) -> GlossError:
    refused = isinstance(error, psycopg.errors.InvalidAuthorizationSpecification)
    if refused or _REFUSED.search(text) or _wants_password(error):
        return CredentialsRefused(
            f"the database does not let us in: {text}",
            hint=f"check the user and password in {ADDRESS}",
        )
    if (unknown := _UNKNOWN_DATABASE.search(text)) is not None:
        return UsageError(
            f"there is no database named {unknown[1]}", hint=f'CREATE DATABASE "{unknown[1]}"'
        )
    return TryLater(
        f"the database does not answer: {text}",
        hint=f"check that it runs and that {ADDRESS} names it; `gloss doctor` looks closer",
    )


def _wants_password(error: psycopg.OperationalError) -> bool:
    pgconn = error.pgconn
    return pgconn is not None and bool(pgconn.needs_password)


def _one_line(error: psycopg.Error) -> str:
    text = error.diag.message_primary or str(error)
    return " ".join(text.replace("\n", " ").split()) or type(error).__name__


def masked(text: str, conninfo: str) -> str:
    """The text with whatever may be a password of the address replaced by ***."""
    for secret in sorted(_secrets(conninfo), key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def _secrets(conninfo: str) -> set[str]:
    """Passwords in an address, also in one so broken that libpq reads it otherwise."""
    found = {match[2] for match in _PASSWORD_WORD.finditer(conninfo)}
    if (in_url := _PASSWORD_IN_URL.search(conninfo)) is not None:
        found |= {in_url[2], *re.split(r"[@/:?#]", in_url[2])}
    found |= {unquote(secret) for secret in found} | {secret.strip("'") for secret in found}
    return {secret for secret in found if len(secret) > 1}


def shown(conninfo: str) -> str:
    """An address fit to print."""
    return _PASSWORD_IN_URL.sub(r"\1***", _PASSWORD_WORD.sub(r"\1***", conninfo))


def without_password(conninfo: str) -> str:
    """An address for psql and others, which ask for the password or find it elsewhere."""
    words = _parsed(conninfo)
    if not words.pop("password", None):
        return conninfo
    address = re.sub(r"(://[^:/@]*):.*(?=@)", r"\1", conninfo)
    return make_conninfo("", **words) if "password" in _parsed(address) else address


def passwords(conninfo: str) -> set[str]:
    """The password of an address, as written and as meant; empty where it cannot be read."""
    try:
        meant = conninfo_to_dict(conninfo).get("password")
    except psycopg.ProgrammingError:
        return set()
    written = _PASSWORD_IN_URL.search(conninfo)
    return {str(meant)} | ({written[2]} if written else set()) if meant else set()
