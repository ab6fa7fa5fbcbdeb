"""One address fetched: only from hosts that were allowed, checked again at each redirect.

SpecError            the address is not allowed, not there, or too large
CredentialsRefused   401 or 403
TryLater             no answer, or the server's own fault
"""

from __future__ import annotations

import ipaddress
import re
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit

from catalog.errors import CredentialsRefused, GlossError, SpecError, TryLater
from parsers.document import MAX_SPEC_BYTES

if TYPE_CHECKING:
    import httpx2

REMOTE = ("http", "https")
_REDIRECTS = (301, 302, 303, 307, 308)
_SECRET_KEY = re.compile(
    r"token|key|secret|sig|pass|pwd|auth|code|cred|session|jwt|bearer|hash", re.I
)


@dataclass(frozen=True, slots=True)
class FetchRules:
    """`allow_hosts` as in ParseOptions; `headers` go to the first address's own host only,
    like the user info of the address.

    A host that is named letter for letter may have any address; one that only a pattern allows must
    have public addresses, and the connection is made to the very address that was checked.
    """

    allow_hosts: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 10.0
    total_s: float = 60.0
    size_bytes: int = MAX_SPEC_BYTES
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class Fetched:
    """`address` is where the bytes came from in the end, fit to be shown."""

    address: str
    data: bytes


def shown(address: str) -> str:
    """The address without user info, the values of parameters that look like secrets masked."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    pairs = [_masked(pair) for pair in parts.query.split("&")] if parts.query else []
    return urlunsplit((parts.scheme, host, parts.path, "&".join(pairs), ""))


def _masked(pair: str) -> str:
    name, equals, value = pair.partition("=")
    return f"{name}=***" if value and _SECRET_KEY.search(name) else name + equals + value


def fetch(address: str, rules: FetchRules) -> Fetched:
    """What lies at the address, after at most `rules.redirects` redirects within the rules."""
    deadline = time.monotonic() + rules.total_s
    user = _user(address)
    start = address = _without_user(address)
    for _ in range(rules.redirects + 1):
        _require_allowed(address, rules)
        own = rules if _same_server(start, address) else replace(rules, headers={})
        outcome = _asked(address, own, user if own is rules else None, deadline)
        if isinstance(outcome, bytes):
            return Fetched(shown(address), outcome)
        address = _next(address, outcome)
    raise SpecError(f"{shown(address)}: redirected more than {rules.redirects} times")


def _asked(
    address: str, rules: FetchRules, user: tuple[str, str] | None, deadline: float
) -> bytes | str:
    """As `_get`, with the library's errors in our words."""
    import httpx2

    try:
        return _get(address, rules, user, deadline)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise _unreachable(address, error) from None


def _get(
    address: str, rules: FetchRules, user: tuple[str, str] | None, deadline: float
) -> bytes | str:
    """The body, or where the answer points to."""
    import httpx2

    literal = _named_literally(address, rules.allow_hosts)
    url, headers, extensions = (address, {}, {}) if literal else _pinned(address)
    headers |= {"Accept": "*/*", "User-Agent": "apigloss", **rules.headers}
    client = httpx2.Client(timeout=rules.timeout_s, trust_env=literal, auth=user)
    with client, client.stream("GET", url, headers=headers, extensions=extensions) as response:
        if response.status_code in _REDIRECTS and "location" in response.headers:
            return str(response.headers["location"])
        _require_success(address, response.status_code)
        return _body(address, response, rules, deadline)


def _user(address: str) -> tuple[str, str] | None:
    parts = _split(address)
    if not parts.username and not parts.password:
        return None
    return unquote(parts.username or ""), unquote(parts.password or "")


def _without_user(address: str) -> str:
    parts = _split(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        raise SpecError("an address that cannot be read") from None


def _body(address: str, response: httpx2.Response, rules: FetchRules, deadline: float) -> bytes:
    chunks: list[bytes] = []
    size = 0
    for chunk in response.iter_bytes(64 * 1024):
        size += len(chunk)
        if size > rules.size_bytes:
            raise SpecError(f"{shown(address)}: larger than {rules.size_bytes / 2**20:g} MB")
        if time.monotonic() > deadline:
            raise TryLater(f"{shown(address)}: not complete after {rules.total_s:g} s")
        chunks.append(chunk)
    return b"".join(chunks)


def _require_success(address: str, status: int) -> None:
    if status in (401, 403, 407):
        raise CredentialsRefused(
            f"{shown(address)}: the server refused the credentials ({status})",
            hint="set headers for this source in gloss.toml, or save the spec to a file",
        )
    if status == 429 or status >= 500:
        raise TryLater(f"{shown(address)}: the server answered {status}")
    if status != 200:
        raise SpecError(f"{shown(address)}: the server answered {status}")


def _next(address: str, location: str) -> str:
    try:
        following = _without_user(urljoin(address, location))
    except ValueError:
        raise SpecError(f"{shown(address)}: redirected to what is no address") from None
    scheme = urlsplit(following).scheme
    if scheme not in REMOTE or (urlsplit(address).scheme == "https" and scheme == "http"):
        raise SpecError(f"{shown(address)}: redirected to {shown(following)}, not followed")
    return following


def _unreachable(address: str, error: Exception) -> GlossError:
    import httpx2

    if isinstance(error, httpx2.TimeoutException):
        return TryLater(f"{shown(address)}: no answer in time")
    if isinstance(error, (httpx2.InvalidURL, httpx2.UnsupportedProtocol)):
        return SpecError(f"{shown(address)}: not an address")
    cause = re.sub(r"\[Errno -?\d+\]\s*", "", str(error)) or type(error).__name__
    return TryLater(f"{shown(address)}: cannot be reached ({cause})")


# --- which hosts -------------------------------------------------------------------------------


def _same_server(start: str, address: str) -> bool:
    """Whether credentials for the first address may go to another: same host and port, or TLS."""
    (host, port), (other, other_port) = _host_and_port(start), _host_and_port(address)
    return host == other and (port == other_port or (port, other_port) == (80, 443))


def _host_and_port(address: str) -> tuple[str, int]:
    parts = urlsplit(address)
    try:
        port = parts.port
    except ValueError:
        raise SpecError(f"{shown(address)}: not an address") from None
    return (parts.hostname or "").rstrip(".").lower(), port or _default_port(parts.scheme)


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80


def _named_literally(address: str, allowed: Sequence[str]) -> bool:
    host, port = _host_and_port(address)
    bracketed = f"[{host}]" if ":" in host else host
    names = {host, bracketed, f"{bracketed}:{port}"}
    return any(entry.strip().rstrip(".").lower() in names for entry in allowed)


def _allowed_by_pattern(host: str, allowed: Sequence[str]) -> bool:
    for entry in allowed:
        pattern = entry.strip().lower()
        if pattern == "*" or (pattern.startswith("*.") and host.endswith(pattern[1:])):
            return True
    return False


def _require_allowed(address: str, rules: FetchRules) -> None:
    if urlsplit(address).scheme not in REMOTE:
        raise SpecError(f"{shown(address)}: only http and https are fetched")
    host, _ = _host_and_port(address)
    if not host:
        raise SpecError(f"{shown(address)}: not an address")
    if not _named_literally(address, rules.allow_hosts):
        if not _allowed_by_pattern(host, rules.allow_hosts):
            raise SpecError(
                f"{shown(address)}: the network is not used (allow it with --allow-host {host})"
            )
        _require_public(address)


def _require_public(address: str) -> list[str]:
    """The IP addresses of a host, all of them public; one private answer refuses the host."""
    host, port = _host_and_port(address)
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise TryLater(f"{shown(address)}: the host {host} is not known") from None
    numbers = [str(answer[4][0]).partition("%")[0] for answer in answers]
    if not all(is_public(number) for number in numbers):
        raise SpecError(
            f"{shown(address)}: the host has a private address (allow it with --allow-host {host})"
        )
    return numbers


def is_public(number: str) -> bool:
    found = ipaddress.ip_address(number)
    inner = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None) or found
    return inner.is_global and not inner.is_multicast


def _pinned(address: str) -> tuple[str, dict[str, str], dict[str, Any]]:
    """The address with a checked IP in place of the name, which DNS could change meanwhile."""
    number = _require_public(address)[0]
    parts = urlsplit(address)
    host, port = _host_and_port(address)
    netloc = f"[{number}]:{port}" if ":" in number else f"{number}:{port}"
    url = urlunsplit((parts.scheme, netloc, parts.path, parts.query, ""))
    named = host if port == _default_port(parts.scheme) else f"{host}:{port}"
    return url, {"Host": quote(named, safe=":[]")}, {"sni_hostname": host}
