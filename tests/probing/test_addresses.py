"""Where calls may go."""

import asyncio

import pytest

from catalog.errors import UsageError
from probing.addresses import Unusable, base_of, connect_to, is_public


@pytest.mark.parametrize(
    ("address", "key", "secure"),
    [
        ("http://127.0.0.1:8801/", ("127.0.0.1", 8801), False),
        ("https://api.example/v1", ("api.example", 443), True),
        ("127.0.0.1:5000", ("127.0.0.1", 5000), False),
        ("grpcs://host.example", ("host.example", 443), True),
        ("http://[::1]:80", ("::1", 80), False),
    ],
)
def test_an_address_is_taken_apart(address, key, secure):
    base = base_of(address, "--base-url")

    assert (base.key, base.secure) == (key, secure)


@pytest.mark.parametrize(
    "address",
    [
        "http://{host}/x",
        "ftp://host",
        "http://",
        "http://user:secret@host/",
        "http://host:99999",
        "http://host/?key=1",
        "file:///etc/passwd",
    ],
)
def test_what_is_no_address_for_calls_is_refused(address):
    with pytest.raises(UsageError) as caught:
        base_of(address, "--base-url")
    assert "secret" not in caught.value.message


@pytest.mark.parametrize(
    "number", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[fe80::1]"]
)
def test_a_private_number_is_used_when_the_user_wrote_it(number):
    base = base_of(f"http://{number}:9", "--base-url")

    assert asyncio.run(connect_to(base)) == base.host


@pytest.mark.parametrize("host", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "localhost"])
def test_a_private_address_of_the_spec_is_refused_unless_allowed(host):
    base = base_of(f"http://{host}:9", "the spec")
    with pytest.raises(Unusable) as caught:
        asyncio.run(connect_to(base))
    assert caught.value.outcome == "skipped"

    allowed = base_of(f"http://{host}:9", "the spec", allow_hosts=frozenset({base.host}))
    assert asyncio.run(connect_to(allowed))


def test_a_name_for_a_private_address_is_not_named_enough(monkeypatch):
    async def answers(*_, **__):
        return [(2, 1, 6, "", ("10.0.0.7", 80))]

    async def look_up(base):
        asyncio.get_running_loop().getaddrinfo = answers
        return await connect_to(base)

    with pytest.raises(Unusable, match=r"allow-host crm\.internal"):
        asyncio.run(look_up(base_of("http://crm.internal", "--base-url")))
    allowed = base_of("http://crm.internal", "--base-url", allow_hosts=frozenset({"crm.internal"}))
    assert asyncio.run(look_up(allowed)) == "10.0.0.7"


@pytest.mark.parametrize(
    "number", ["127.0.0.1", "::ffff:10.0.0.1", "100.64.0.1", "0.0.0.0", "224.0.0.1", "fd00::1"]
)
def test_numbers_that_are_not_public(number):
    assert not is_public(number)
