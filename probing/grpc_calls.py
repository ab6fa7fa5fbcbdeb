"""gRPC calls with messages made from descriptors: unary, and the first message of a stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from catalog.binding import GrpcBinding
from probing.addresses import Base
from probing.limits import Limits
from probing.outcomes import Answer, Outcome
from probing.rest import AGENT, Unfit

if TYPE_CHECKING:
    from google.protobuf.descriptor import MethodDescriptor
    from google.protobuf.descriptor_pb2 import FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message import Message
    from grpc.aio import AioRpcError, Channel

_LEVELS = {0: "", 1: "NO_SIDE_EFFECTS", 2: "IDEMPOTENT"}
_BY_CODE: dict[str, tuple[Outcome, str]] = {
    "UNAUTHENTICATED": ("needs-credentials", "UNAUTHENTICATED"),
    "PERMISSION_DENIED": ("needs-credentials", "PERMISSION_DENIED"),
    "RESOURCE_EXHAUSTED": ("slow-down", "RESOURCE_EXHAUSTED"),
    "DEADLINE_EXCEEDED": ("timed-out", "no whole answer in time"),
    "UNIMPLEMENTED": ("gone", "UNIMPLEMENTED: the server has no such method"),
    "NOT_FOUND": ("not-found", "NOT_FOUND: the thing with these values is not there"),
    "INVALID_ARGUMENT": ("rejected", "INVALID_ARGUMENT: it does not take these values"),
    "FAILED_PRECONDITION": ("rejected", "FAILED_PRECONDITION"),
    "OUT_OF_RANGE": ("rejected", "OUT_OF_RANGE"),
    "ALREADY_EXISTS": ("rejected", "ALREADY_EXISTS"),
    "CANCELLED": ("cut-off", "CANCELLED"),
}


class Descriptors:
    """The types of one service: a serialised FileDescriptorSet, its files in any order."""

    def __init__(self, data: bytes) -> None:
        from google.protobuf.descriptor_pb2 import FileDescriptorSet
        from google.protobuf.descriptor_pool import DescriptorPool

        self._pool: DescriptorPool = DescriptorPool()
        for file in _dependencies_first(FileDescriptorSet.FromString(data).file):
            with suppress(TypeError):  # a file that the pool refuses costs only what needs it
                self._pool.AddSerializedFile(file.SerializeToString())

    def method(self, binding: GrpcBinding) -> MethodDescriptor:
        service, _, name = binding.method.lstrip("/").partition("/")
        try:
            return self._pool.FindServiceByName(service).methods_by_name[name]
        except KeyError:
            raise Unfit("the spec no longer has this method") from None

    def level(self, binding: GrpcBinding) -> str:
        """What `idempotency_level` says: "" for nothing."""
        try:
            return _LEVELS.get(self.method(binding).GetOptions().idempotency_level, "")
        except Unfit:
            return ""

    def request(self, binding: GrpcBinding, values: Mapping[str, Any]) -> bytes:
        """The request message; of several values of one `oneof` the first is taken."""
        from google.protobuf import json_format

        kind = self.method(binding).input_type
        message = _new(kind)
        fields = {field.json_name: field for field in kind.fields}
        given, taken = {}, set()
        for argument in binding.arguments:
            name = argument.options.get("jsonName", argument.key)
            field = fields.get(name)
            oneof = field.containing_oneof.name if field and field.containing_oneof else ""
            if argument.key in values and not (oneof and oneof in taken):
                taken.add(oneof)
                given[name] = values[argument.key]
        whole = next(
            (values[a.key] for a in binding.arguments if not a.name and a.key in values), None
        )
        try:
            json_format.ParseDict(given if whole is None else whole, message)
        except json_format.ParseError:
            raise Unfit("the values do not fit the request message") from None
        return message.SerializeToString()

    def value(self, binding: GrpcBinding, data: bytes) -> Any:
        """A response message as ProtoJSON would have it, fields without a value included."""
        from google.protobuf import json_format

        message = _new(self.method(binding).output_type)
        message.MergeFromString(data)
        return json_format.MessageToDict(
            message, always_print_fields_with_no_presence=True, descriptor_pool=self._pool
        )


def _dependencies_first(files: Iterable[FileDescriptorProto]) -> list[FileDescriptorProto]:
    """The order that a pool needs; a server's reflection gives the files as they were asked for."""
    by_name = {file.name: file for file in files}
    ordered: dict[str, FileDescriptorProto] = {}
    waiting = [(name, False) for name in reversed(by_name)]
    entered: set[str] = set()
    while waiting:
        name, done = waiting.pop()
        if done:
            ordered.setdefault(name, by_name[name])
        elif name in by_name and name not in entered:
            entered.add(name)
            waiting.append((name, True))
            waiting.extend((needed, False) for needed in by_name[name].dependency)
    return list(ordered.values())


def _new(kind: Any) -> Message:
    from google.protobuf import message_factory

    message: Message = message_factory.GetMessageClass(kind)()
    return message


class Channels:
    """One channel a host; no proxy of the environment, no retries, answers within the limit."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: dict[tuple[str, int, bool], Channel] = {}

    async def close(self) -> None:
        for channel in self._open.values():
            await channel.close()

    async def send(
        self, binding: GrpcBinding, request: bytes, types: Descriptors, base: Base, number: str
    ) -> Answer:
        from google.protobuf.message import DecodeError
        from grpc import RpcError

        channel = self._channel(base, number)
        try:
            data = await self._call(channel, binding, request, base)
        except RpcError as error:
            return _failure(error)
        if data is None:
            return Answer("alive", "the stream ended without a message")
        if len(data) > self._limits.size_bytes:
            return Answer("too-large", _too_large(self._limits), size_bytes=len(data))
        try:
            value = types.value(binding, data)
        except (DecodeError, TypeError, ValueError):
            return Answer("not-json", "not the message that the spec promises")
        return Answer("alive", value=value, has_value=True, size_bytes=len(data))

    async def _call(
        self, channel: Channel, binding: GrpcBinding, request: bytes, base: Base
    ) -> bytes | None:
        metadata = [(name.lower(), value) for name, value in base.headers.items()]
        if not binding.server_streaming:
            unary = channel.unary_unary(binding.method)
            data: bytes = await unary(request, timeout=self._limits.total_s, metadata=metadata)
            return data
        stream = channel.unary_stream(binding.method)(
            request, timeout=self._limits.total_s, metadata=metadata
        )
        try:
            async for message in stream:
                return bytes(message)
            return None
        finally:
            stream.cancel()

    def _channel(self, base: Base, number: str) -> Channel:
        from grpc import ssl_channel_credentials
        from grpc.aio import insecure_channel, secure_channel

        key = (number, base.port, base.secure)
        if key not in self._open:
            host = f"[{number}]" if ":" in number else number
            target = f"ipv6:{host}:{base.port}" if ":" in number else f"ipv4:{host}:{base.port}"
            options = [*_OPTIONS, ("grpc.max_receive_message_length", self._limits.size_bytes)]
            options.append(("grpc.default_authority", base.authority))
            if base.secure:
                options.append(("grpc.ssl_target_name_override", base.host))
                self._open[key] = secure_channel(target, ssl_channel_credentials(), options)
            else:
                self._open[key] = insecure_channel(target, options)
        return self._open[key]


_OPTIONS: list[tuple[str, Any]] = [
    ("grpc.enable_http_proxy", 0),
    ("grpc.enable_retries", 0),
    ("grpc.service_config_disable_resolution", 1),
    ("grpc.primary_user_agent", AGENT),
]


def _too_large(limits: Limits) -> str:
    return f"larger than {limits.size_bytes / 2**20:g} MB"


def _failure(error: AioRpcError) -> Answer:
    """By the status code; the details are the other side's words and are only looked at."""
    code, said = error.code().name, error.details() or ""
    if code == "RESOURCE_EXHAUSTED" and "larger than max" in said:
        return Answer("too-large", "larger than the limit")
    if code == "UNAVAILABLE":
        if "SSL" in said or "CERTIFICATE" in said or "TLS" in said:
            return Answer("tls", "the secure connection could not be made")
        return Answer("refused", "no connection: nothing that speaks gRPC answers there")
    outcome, detail = _BY_CODE.get(code, ("broken", code))
    return Answer(outcome, detail)
