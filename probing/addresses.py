"""Where calls may go: to the host that the user named, at an address that may be used."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from catalog.errors import UsageError
from probing.outcomes import Outcome

AddressSource = Literal["--base-url", "gloss.toml", "the spec"]
_PORTS = {"http": 80, "https": 443, "grpc": 50051, "grpcs": 443}
_SECURE = ("https", "grpcs")


class Unusable(Exception):
    """Why a host is not called, as an outcome."""

    def __init__(self, outcome: Outcome, detail: str) -> None:
        super().__init__(detail)
        self.outcome: Outcome = outcome
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Base:
    """The address of a service. `headers` hold the credentials for this host and no other.

    `allow_hosts` are hosts that may have private addresses. A host written as a number by the
    user is named; one of the spec is not.
    """

    url: str
    scheme: str
    host: str
    port: int
    source: AddressSource
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    allow_hosts: frozenset[str] = frozenset()

    @property
    def secure(self) -> bool:
        return self.scheme in _SECURE

    @property
    def key(self) -> tuple[str, int]:
        return self.host, self.port

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def base_of(
    address: str,
    source: AddressSource,
    headers: Mapping[str, str] | None = None,
    allow_hosts: frozenset[str] = frozenset(),
) -> Base:
    """The address taken apart; UsageError when it is none that calls can go to."""
    text = address.strip()
    text = text if text.endswith("://") else text.rstrip("/")
    if "{" in text or "}" in text:
        raise UsageError(f"{address}: an address with braces in it", hint="fill them in")
    parts = urlsplit(text if "://" in text else f"grpc://{text}")
    try:
        port = parts.port
    except ValueError:
        raise UsageError(f"{address}: not an address") from None
    if parts.scheme not in _PORTS or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(
            f"{address}: not an address that calls can go to",
            hint="http(s)://host[:port][/path], for gRPC host:port or grpcs://host:port",
        )
    if parts.username or parts.password:
        raise UsageError(
            f"the address of {parts.hostname} holds credentials",
            hint='headers = { Authorization = "env:NAME" } for the service in gloss.toml',
        )
    host = parts.hostname.rstrip(".").lower()
    url = text if "://" in text else f"grpc://{text}"
    number = port or _PORTS[parts.scheme]
    return Base(url, parts.scheme, host, number, source, headers or {}, allow_hosts)


async def connect_to(base: Base) -> str:
    """The number to connect to, checked: the same that the connection is then made to.

    Private, link-local and loopback numbers are used only where the user wrote the number himself
    (or localhost), or allows the host by name.
    """
    literal = _number(base.host)
    if literal is not None:
        _require(base, [literal], named=base.source != "the spec")
        return literal
    loop = asyncio.get_running_loop()
    try:
        answers = await loop.getaddrinfo(base.host, base.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unusable("unknown-host", f"the name {base.host} is not known") from None
    numbers = list(dict.fromkeys(str(answer[4][0]).partition("%")[0] for answer in answers))
    _require(base, numbers, named=base.host == "localhost" and base.source != "the spec")
    return next((n for n in numbers if ":" not in n), numbers[0])


def _require(base: Base, numbers: list[str], *, named: bool) -> None:
    if named or base.host in base.allow_hosts or all(is_public(number) for number in numbers):
        return
    raise Unusable(
        "skipped", f"{base.host} has a private address (--allow-host {base.host} allows it)"
    )


def _number(host: str) -> str | None:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return None


def is_public(number: str) -> bool:
    found = ipaddress.ip_address(number)
    inner = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None) or found
    return inner.is_global and not inner.is_multicast
