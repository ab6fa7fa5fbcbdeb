"""The jail: what a spec may read beside itself."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.document import Document, ParseOptions
from parsers.reading import Reader, Refused
from tests.parsers.servers import Server

SECRET = b"the content that nobody may see"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    (tmp_path / "specs" / "parts").mkdir(parents=True)
    (tmp_path / "specs" / "api.yaml").write_bytes(b"openapi: 3.0.0")
    (tmp_path / "specs" / "parts" / "pet type.yaml").write_bytes(b"a pet")
    (tmp_path / "specs" / "100%.yaml").write_bytes(b"all")
    (tmp_path / "specs-other").mkdir()
    (tmp_path / "specs-other" / "secret.yaml").write_bytes(SECRET)
    (tmp_path / "secret.yaml").write_bytes(SECRET)
    return tmp_path


def reader(house: Path, options: ParseOptions | None = None) -> Reader:
    location = str(house / "specs" / "api.yaml")
    root = house / "specs"
    return Reader(Document(location, b"openapi: 3.0.0", "api", root, options or ParseOptions()))


def read(house: Path, reference: str, options: ParseOptions | None = None) -> bytes:
    jail = reader(house, options)
    return jail.read(jail.absolute(reference, str(house / "specs" / "api.yaml")))


def test_a_relative_reference_is_read(house: Path) -> None:
    assert read(house, "parts/pet%20type.yaml#/Cat") == b"a pet"
    assert read(house, "./parts/../parts/pet type.yaml") == b"a pet"
    assert read(house, "parts\\pet type.yaml") == b"a pet"
    assert read(house, "100%.yaml") == b"all"


def test_absolute_names_inside_the_folder_are_read(house: Path) -> None:
    inside = house / "specs" / "parts" / "pet type.yaml"

    assert read(house, str(inside)) == b"a pet"
    assert read(house, "file://" + quote(str(inside))) == b"a pet"


def test_a_reference_from_a_second_file_starts_there(house: Path) -> None:
    jail = reader(house)
    part = jail.absolute("parts/pet type.yaml", str(house / "specs" / "api.yaml"))

    assert jail.absolute("../api.yaml#/x", part) == str(house / "specs" / "api.yaml")
    assert jail.absolute("#/x", part) == part


@pytest.mark.parametrize(
    "reference",
    [
        "../secret.yaml",
        "..%2fsecret.yaml",
        "%2e%2e/secret.yaml",
        "..\\secret.yaml",
        "parts/../../secret.yaml",
        "../specs-other/secret.yaml",
        "../specs/../secret.yaml",
        "/etc/hostname",
        "%2Fetc%2Fhostname",
        "file:///etc/hostname",
        "file:../secret.yaml",
        "FILE:///etc/hostname",
        "file://server/share/secret.yaml",
        "//server/share/secret.yaml",
        "python://os/environ",
        "data:application/json,{}",
        "jar:file:///x.jar!/y",
        "ftp://127.0.0.1/x",
        "http://127.0.0.1:9/latest/meta-data",
        "HTTP://127.0.0.1:9/latest/meta-data",
        "https://169.254.169.254/latest",
        "http://[::1/x",
        "parts",
        "parts/gone.yaml",
        "a%00b.yaml",
        "x" * 5000,
        "/proc/self/environ",
        "/dev/zero",
    ],
)
def test_what_is_outside_is_refused_by_name(house: Path, reference: str) -> None:
    with pytest.raises(Refused) as refusal:
        read(house, reference)

    assert SECRET.decode() not in str(refusal.value)
    assert len(str(refusal.value)) < 400


def test_the_refusal_names_the_reference_and_the_way_out(house: Path) -> None:
    with pytest.raises(Refused, match=r"secret.yaml: outside the folder .*--allow-folder"):
        read(house, "../secret.yaml")
    with pytest.raises(Refused, match=r"http://h.test/x: the network .*--allow-host h.test"):
        read(house, "http://h.test/x")
    with pytest.raises(Refused, match=r"python://os: references of the kind python:"):
        read(house, "python://os")


def test_a_link_that_leads_out_is_refused(house: Path) -> None:
    (house / "specs" / "link.yaml").symlink_to(house / "secret.yaml")
    (house / "specs" / "away").symlink_to(house / "specs-other")
    (house / "specs" / "zero.yaml").symlink_to("/dev/zero")
    (house / "specs" / "loop.yaml").symlink_to("loop.yaml")

    for reference in ("link.yaml", "away/secret.yaml", "zero.yaml", "loop.yaml"):
        with pytest.raises(Refused):
            read(house, reference)


def test_a_link_inside_is_followed(house: Path) -> None:
    (house / "specs" / "alias.yaml").symlink_to("parts/pet type.yaml")

    assert read(house, "alias.yaml") == b"a pet"


def test_a_pipe_is_not_waited_for(house: Path) -> None:
    os.mkfifo(house / "specs" / "pipe.yaml")

    with pytest.raises(Refused, match="not a regular file"):
        read(house, "pipe.yaml")


def test_an_allowed_folder_is_open(house: Path) -> None:
    options = ParseOptions(allow_folders=(house / "specs-other",))

    assert read(house, "../specs-other/secret.yaml", options) == SECRET
    with pytest.raises(Refused):
        read(house, "../secret.yaml", options)


def test_a_spec_in_the_top_folder_opens_nothing() -> None:
    jail = Reader(Document("/api.yaml", b"", "api", Path("/")))

    with pytest.raises(Refused):
        jail.read(jail.absolute("etc/hostname", "/api.yaml"))


def test_stdin_has_no_folder() -> None:
    jail = Reader(Document("stdin", b"", "stdin"))

    with pytest.raises(Refused):
        jail.read(jail.absolute("pyproject.toml", "stdin"))


def test_a_refusal_is_remembered(house: Path) -> None:
    jail = reader(house)
    location = jail.absolute("parts/late.yaml", str(house / "specs" / "api.yaml"))
    with pytest.raises(Refused):
        jail.read(location)
    (house / "specs" / "parts" / "late.yaml").write_bytes(b"now")

    with pytest.raises(Refused):
        jail.read(location)


def test_an_address_is_read_with_leave_only() -> None:
    with Server({"/b.yaml": (200, {}, b"part")}) as server:
        base = f"{server.url}/a.yaml"
        closed = Reader(Document(base, b"", "a"))
        with pytest.raises(Refused, match="--allow-host"):
            closed.read(closed.absolute("b.yaml", base))
        assert server.requests == []

        options = ParseOptions(allow_hosts=("127.0.0.1",))
        opened = Reader(Document(base, b"", "a", None, options))
        assert opened.read(opened.absolute("b.yaml#/x", base)) == b"part"
        assert opened.read(opened.absolute("b.yaml", base)) == b"part"
        assert len(server.requests) == 1
        with pytest.raises(Refused):
            opened.absolute("file:///etc/hostname", base)


def test_references_of_a_moved_file_start_where_it_is_now() -> None:
    routes = {
        "/b.yaml": (302, {"Location": "/deep/b.yaml"}, b""),
        "/deep/b.yaml": (200, {}, b"part"),
    }
    with Server(routes) as server:
        base = f"{server.url}/a.yaml"
        options = ParseOptions(allow_hosts=("127.0.0.1",))
        jail = Reader(Document(base, b"", "a", None, options))
        part = jail.absolute("b.yaml", base)
        jail.read(part)

        assert jail.absolute("c.yaml", part) == f"{server.url}/deep/c.yaml"


PIECES = st.sampled_from(
    [
        *("..", ".", "", "parts", "specs", "specs-other", "secret.yaml", "api.yaml", "etc"),
        *("%2e%2e", "%2E.", "..%2f..", "%2f", "..\\..", "link", "away", "pet type.yaml", "%00"),
        *("file:", "file://", "http:", "python:", "//", "C:", "~", "#", "?", "hostname", "\udcff"),
    ]
)


@given(pieces=st.lists(PIECES, min_size=1, max_size=8), glue=st.sampled_from(["/", "\\", ""]))
@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_spelling_leaves_the_folder(house: Path, pieces: list[str], glue: str) -> None:
    away, link = house / "specs" / "away", house / "specs" / "link"
    if not away.is_symlink():
        away.symlink_to(house / "specs-other")
        link.symlink_to(house / "secret.yaml")
    inside = {b"openapi: 3.0.0", b"a pet", b"all"}

    try:
        told = read(house, glue.join(pieces))
    except Refused as refusal:
        told = str(refusal).encode("utf-8", "replace")
        inside = {told}

    assert told in inside
    assert SECRET not in told
