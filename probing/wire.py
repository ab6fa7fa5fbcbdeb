"""One HTTP exchange within its limits, or the outcome that stood in its way."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from probing.addresses import Base
from probing.limits import Limits
from probing.outcomes import Answer
from probing.rest import HttpCall

if TYPE_CHECKING:
    import httpx2

_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Reply:
    """What came over the wire, as bytes."""

    status: int
    headers: dict[str, str]
    body: bytes = field(repr=False)


class Wire:
    """Sends calls. No cookie is kept, no redirect followed, no proxy or netrc of the environment
    used; a name is connected to at the very number that was checked."""

    def __init__(self, limits: Limits) -> None:
        import httpx2

        self._limits = limits
        self._transport = httpx2.AsyncHTTPTransport(
            verify=ssl.create_default_context(), trust_env=False, retries=0
        )

    async def close(self) -> None:
        await self._transport.aclose()

    async def send(self, call: HttpCall, base: Base, number: str) -> Reply | Answer:
        """The whole reply, or why there is none; never longer than the total time-out."""
        import httpx2

        try:
            async with asyncio.timeout(self._limits.total_s):
                return await self._exchange(call, base, number)
        except TimeoutError:
            return Answer("timed-out", f"no whole answer within {self._limits.total_s:g} s")
        except httpx2.TimeoutException as error:
            return self._too_slow(error)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            return _failure(error)

    async def _exchange(self, call: HttpCall, base: Base, number: str) -> Reply | Answer:
        request = _request(call, base, number, self._limits)
        response = await self._transport.handle_async_request(request)
        try:
            headers = {name.lower(): value for name, value in response.headers.items()}
            body = await self._body(response, headers)
        finally:
            await response.aclose()
        return body if isinstance(body, Answer) else Reply(response.status_code, headers, body)

    async def _body(self, response: httpx2.Response, headers: dict[str, str]) -> bytes | Answer:
        """The body, unpacked within the limit even where packed though plain was asked for."""
        limit, found = self._limits.size_bytes, bytearray()
        packed = headers.get("content-encoding", "identity").lower()
        unpack = zlib.decompressobj(wbits=47) if packed in ("gzip", "x-gzip", "deflate") else None
        async for chunk in response.aiter_raw(_CHUNK):
            room = limit - len(found) + 1
            found += unpack.decompress(chunk, room) if unpack else chunk
            if len(found) > limit:
                detail = f"larger than {limit / 2**20:g} MB; the rest was not read"
                return Answer("too-large", detail, response.status_code, size_bytes=len(found))
        return bytes(found)

    def _too_slow(self, error: Exception) -> Answer:
        import httpx2

        if isinstance(error, httpx2.ConnectTimeout):
            return Answer("timed-out", f"no connection within {self._limits.connect_s:g} s")
        return Answer("timed-out", f"nothing came for {self._limits.read_s:g} s")


def _request(call: HttpCall, base: Base, number: str, limits: Limits) -> httpx2.Request:
    import httpx2

    parts = urlsplit(call.url)
    host = f"[{number}]" if ":" in number else number
    url = urlunsplit((parts.scheme, f"{host}:{base.port}", parts.path, parts.query, ""))
    timeout = {
        "connect": limits.connect_s,
        "read": limits.read_s,
        "write": limits.read_s,
        "pool": limits.total_s,
    }
    extensions: dict[str, Any] = {"timeout": timeout}
    if base.secure:
        extensions["sni_hostname"] = base.host
    headers = {"Host": base.authority, **call.headers, **base.headers}
    return httpx2.Request(
        call.method, url, headers=headers, content=call.body, extensions=extensions
    )


def _failure(error: Exception) -> Answer:
    """In our own words: what the other side said may hold anything."""
    import httpx2

    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Answer("tls", f"the certificate is not accepted: {cause.verify_message}")
        if isinstance(cause, ssl.SSLError):
            return Answer("tls", "the secure connection could not be made")
    if isinstance(error, httpx2.ConnectError):
        return Answer("refused", "no connection: nothing answers there")
    if isinstance(error, (httpx2.RemoteProtocolError, httpx2.ReadError, zlib.error)):
        return Answer("cut-off", "the connection ended, or what came is no HTTP")
    if isinstance(error, (httpx2.LocalProtocolError, httpx2.InvalidURL, ValueError)):
        return Answer("skipped", "the values make no valid request")
    return Answer("cut-off", "the connection ended before an answer")


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in found:
        found.append(following)
        following = following.__cause__ or following.__context__
    return found
