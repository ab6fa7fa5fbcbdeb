"""Addresses: what is fetched, what is refused, and what a server gets to see."""

from __future__ import annotations

import base64
import gzip

import pytest

from catalog.errors import CredentialsRefused, Exit, SpecError, TryLater
from parsers.fetching import FetchRules, fetch, is_public, shown
from tests.parsers.servers import Server, closed_port, silent_port

LOOPBACK = FetchRules(allow_hosts=("127.0.0.1",), timeout_s=5)


def moved(to: str) -> tuple[int, dict[str, str], bytes]:
    return 302, {"Location": to}, b""


def test_an_allowed_address_is_fetched() -> None:
    with Server({"/a.json": (200, {}, b"{}")}) as server:
        fetched = fetch(f"{server.url}/a.json#part", LOOPBACK)

    assert fetched.data == b"{}"
    assert fetched.address == f"{server.url}/a.json"


def test_a_host_that_was_not_allowed_is_never_called() -> None:
    with Server({"/": (200, {}, b"secret")}) as server:
        with pytest.raises(SpecError, match=r"--allow-host 127\.0\.0\.1"):
            fetch(server.url, FetchRules())

        assert server.requests == []


def test_a_pattern_does_not_open_private_addresses() -> None:
    with Server({"/": (200, {}, b"secret")}) as server:
        with pytest.raises(SpecError, match="private address"):
            fetch(f"http://localhost:{server.port}/", FetchRules(allow_hosts=("*",)))
        with pytest.raises(SpecError, match="private address"):
            fetch(server.url, FetchRules(allow_hosts=("*",)))

        assert server.requests == []


def test_a_name_with_a_port_opens_that_port_only() -> None:
    with Server({"/": (200, {}, b"yes")}) as server:
        rules = FetchRules(allow_hosts=(f"127.0.0.1:{server.port}",))

        assert fetch(server.url, rules).data == b"yes"
        with pytest.raises(SpecError, match="network is not used"):
            fetch(f"http://127.0.0.1:{closed_port()}/", rules)


@pytest.mark.parametrize(
    "number",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0"),
        *("::1", "fe80::1", "fc00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "224.0.0.1"),
        *("100.64.0.1", "::", "2002:7f00:1::", "ff02::1"),
    ],
)
def test_private_addresses_are_known(number: str) -> None:
    assert not is_public(number)


def test_public_addresses_are_known() -> None:
    assert is_public("8.8.8.8")
    assert is_public("2606:4700:4700::1111")


def test_a_redirect_on_the_same_host_is_followed_and_becomes_the_base() -> None:
    routes = {"/old": moved("/v2/new.json"), "/v2/new.json": (200, {}, b"here")}
    with Server(routes) as server:
        fetched = fetch(f"{server.url}/old", LOOPBACK)

        assert fetched.address == f"{server.url}/v2/new.json"
        assert fetched.data == b"here"


def test_a_redirect_to_another_host_is_not_followed() -> None:
    with Server({"/": (200, {}, b"inner")}) as inner:
        away = moved(f"http://localhost:{inner.port}/")
        with Server({"/": away}) as outer, pytest.raises(SpecError, match="--allow-host localhost"):
            fetch(outer.url, FetchRules(allow_hosts=(f"127.0.0.1:{outer.port}",)))

        assert inner.requests == []


def test_credentials_do_not_go_to_another_host() -> None:
    with Server({"/": (200, {}, b"inner")}) as inner:
        with Server({"/": moved(f"http://localhost:{inner.port}/")}) as outer:
            rules = FetchRules(allow_hosts=("127.0.0.1", "localhost"), headers={"X-Api-Key": "k-1"})
            fetch(outer.url.replace("//", "//me:pass@"), rules)

            assert outer.requests[0][1]["X-Api-Key"] == "k-1"
            assert "Authorization" in outer.requests[0][1]
        seen = {name.lower() for name in inner.requests[0][1]}
        assert not seen & {"x-api-key", "authorization", "cookie"}


@pytest.mark.parametrize("to", ["file:///etc/hostname", "ftp://127.0.0.1/x", "http://[", "data:,x"])
def test_a_redirect_to_anything_but_http_is_not_followed(to: str) -> None:
    with Server({"/": moved(to)}) as server, pytest.raises(SpecError):
        fetch(server.url, LOOPBACK)


def test_a_redirect_that_never_ends_is_ended() -> None:
    with Server({"/": moved("/")}) as server:
        with pytest.raises(SpecError, match="more than 5 times"):
            fetch(server.url, LOOPBACK)

        assert len(server.requests) == 6


@pytest.mark.parametrize("status", [401, 403])
def test_refused_credentials_have_their_own_exit_code(status: int) -> None:
    unknown = (status, {}, b"who are you")
    with Server({"/": unknown}) as server, pytest.raises(CredentialsRefused) as refused:
        fetch(f"{server.url}/?api_key=s3cret".replace("//", "//me:pass@"), LOOPBACK)

    assert refused.value.exit_code == Exit.CREDENTIALS
    assert "s3cret" not in refused.value.message
    assert "pass" not in refused.value.message
    assert "api_key=***" in refused.value.message


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_in_trouble_is_tried_later(status: int) -> None:
    with Server({"/": (status, {}, b"")}) as server, pytest.raises(TryLater, match=str(status)):
        fetch(f"{server.url}/", LOOPBACK)


def test_what_is_not_there_is_an_error_of_the_source() -> None:
    with Server({}) as server, pytest.raises(SpecError, match="answered 404"):
        fetch(f"{server.url}/spec.json", LOOPBACK)


def test_a_server_that_never_answers_costs_the_time_out() -> None:
    with silent_port() as port:
        rules = FetchRules(allow_hosts=("127.0.0.1",), timeout_s=0.1)
        with pytest.raises(TryLater, match=f"127.0.0.1:{port}/slow: no answer in time"):
            fetch(f"http://127.0.0.1:{port}/slow", rules)


def test_a_server_that_is_down_is_tried_later() -> None:
    with pytest.raises(TryLater, match="cannot be reached") as down:
        fetch(f"http://127.0.0.1:{closed_port()}/x", LOOPBACK)

    assert down.value.exit_code == Exit.TRY_LATER


def test_a_body_over_the_size_is_not_read_to_its_end() -> None:
    rules = FetchRules(allow_hosts=("127.0.0.1",), size_bytes=2**20)
    large = (200, {}, b"x" * (3 * 2**20))
    with Server({"/": large}) as server, pytest.raises(SpecError, match="larger than 1 MB"):
        fetch(server.url, rules)


def test_a_body_that_unpacks_over_the_size_is_refused() -> None:
    packed = 200, {"Content-Encoding": "gzip"}, gzip.compress(b" " * (20 * 2**20))
    rules = FetchRules(allow_hosts=("127.0.0.1",), size_bytes=2**20)
    with Server({"/": packed}) as server, pytest.raises(SpecError, match="larger than 1 MB"):
        fetch(server.url, rules)


def test_user_info_is_sent_and_never_shown() -> None:
    with Server({"/": (200, {}, b"ok")}) as server:
        fetched = fetch(server.url.replace("//", "//me:p%40ss@") + "/", LOOPBACK)

        expected = base64.b64encode(b"me:p@ss").decode()
        assert server.requests[0][1]["Authorization"] == f"Basic {expected}"
        assert fetched.address == f"{server.url}/"


def test_tokens_in_an_address_are_masked() -> None:
    assert shown("https://u:p@h.test/a?access_token=abc&page=2&sig=zz#x") == (
        "https://h.test/a?access_token=***&page=2&sig=***"
    )


@pytest.mark.parametrize("address", ["http://", "http://h:port/", "ftp://h/x", "http:///x"])
def test_what_is_no_address_is_said_so(address: str) -> None:
    with pytest.raises(SpecError):
        fetch(address, FetchRules(allow_hosts=("*",)))
