"""What a running gRPC server says of itself: server reflection as a compiled descriptor set.

The only code here that uses the network, and only to the address that the user named. Messages are
read and written on the wire level: of grpc/reflection/v1/reflection.proto six fields matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from catalog.errors import CredentialsRefused, SpecError, TryLater, UsageError
from parsers.proto import wire

if TYPE_CHECKING:
    import grpc

TIME_LIMIT_S = 20.0
MAX_FILES = 5_000
MAX_ANSWER_BYTES = 64 * 1024 * 1024
_VERSIONS = ("grpc.reflection.v1", "grpc.reflection.v1alpha")
_BY_NAME, _BY_SYMBOL, _LIST = 3, 4, 7  # fields of ServerReflectionRequest
_FILES, _SERVICES, _ERROR = 4, 6, 7  # fields of ServerReflectionResponse
_OWN = "grpc.reflection."

Ask = Callable[[list[bytes]], list[bytes]]


def descriptor_set(
    address: str, headers: Mapping[str, str] | None = None, *, timeout_s: float = TIME_LIMIT_S
) -> bytes:
    """A serialised FileDescriptorSet of all services at `grpc://host:port` or `grpcs://…` (TLS).

    `headers` go along as metadata. CredentialsRefused, TryLater or SpecError when it cannot be had.
    """
    import grpc

    metadata = tuple((name.lower(), value) for name, value in (headers or {}).items())

    with _channel(address) as channel:
        for version in _VERSIONS:
            try:
                return _described(address, _asker(channel, version, timeout_s, metadata))
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                    raise _translated(address, error) from None
    raise SpecError(
        f"{address}: the server has no reflection service",
        hint="ingest its .proto files or a descriptor set (protoc --descriptor_set_out) instead",
    )


def _channel(address: str) -> grpc.Channel:
    import grpc

    parts = urlsplit(address)
    if parts.scheme not in ("grpc", "grpcs") or not parts.hostname:
        raise UsageError(f"{address}: not an address of the form grpc://host:port")
    options = [("grpc.max_receive_message_length", MAX_ANSWER_BYTES), ("grpc.enable_http_proxy", 0)]
    if parts.scheme == "grpcs":
        target = parts.netloc.rpartition("@")[2]
        return grpc.secure_channel(target, grpc.ssl_channel_credentials(), options)
    return grpc.insecure_channel(parts.netloc.rpartition("@")[2], options)


def _asker(
    channel: grpc.Channel, version: str, timeout_s: float, metadata: tuple[tuple[str, str], ...]
) -> Ask:
    method = f"/{version}.ServerReflection/ServerReflectionInfo"
    call = channel.stream_stream(method, _as_is, _as_is)

    def ask(requests: list[bytes]) -> list[bytes]:
        return list(call(iter(requests), timeout=timeout_s, metadata=metadata))

    return ask


def _described(address: str, ask: Ask) -> bytes:
    services = [name for name in _services(ask) if not name.startswith(_OWN)]
    if not services:
        raise SpecError(f"{address}: the server lists no services")
    files: dict[str, bytes] = {}
    lacking: set[str] = set()
    asked = [_request(_BY_SYMBOL, name) for name in services]
    while asked:
        for data in _files(ask(asked)):
            files.setdefault(_file_name(data), data)
        if len(files) > MAX_FILES:
            raise SpecError(f"{address}: describes more than {MAX_FILES:,} files")
        imported = {name for data in files.values() for name in _imports(data)}
        wanted = imported - files.keys() - lacking
        asked = [_request(_BY_NAME, name) for name in sorted(wanted)]
        lacking |= wanted  # asked for once: a server need not have every file
    return wire.message(*((1, data) for data in files.values()))


def _services(ask: Ask) -> Iterator[str]:
    for answer in ask([_request(_LIST, "")]):
        for number, value in wire.fields(answer):
            if number == _SERVICES and isinstance(value, bytes):
                for _, service in wire.fields(value):
                    if isinstance(service, bytes):
                        yield wire.text(dict(wire.fields(service)).get(1, b""))


def _files(answers: list[bytes]) -> Iterator[bytes]:
    """Serialised FileDescriptorProtos; a symbol that the server cannot describe gives none."""
    for answer in answers:
        for number, value in wire.fields(answer):
            if number == _FILES and isinstance(value, bytes):
                yield from (file for _, file in wire.fields(value) if isinstance(file, bytes))


def _file_name(data: bytes) -> str:
    return next((wire.text(value) for number, value in wire.fields(data) if number == 1), "")


def _imports(data: bytes) -> list[str]:
    return [wire.text(value) for number, value in wire.fields(data) if number == 3]


def _request(field: int, text: str) -> bytes:
    return wire.message((field, text.encode()))


def _as_is(data: bytes) -> bytes:
    return data


def _translated(address: str, error: Any) -> Exception:
    import grpc

    code = error.code()
    said = f"{address}: {code.name.lower().replace('_', ' ')}: {(error.details() or '')[:300]}"
    if code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
        return CredentialsRefused(said)
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        return TryLater(said, hint="is the server up, and is it grpc:// or grpcs:// (TLS)?")
    return SpecError(said)
