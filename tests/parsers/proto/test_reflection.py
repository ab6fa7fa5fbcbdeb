"""`gloss ingest grpc://host:port`: a real server on the loopback interface answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from google.protobuf import descriptor_pb2 as pb

from catalog.errors import CredentialsRefused, SpecError, TryLater, UsageError
from parsers.document import Document
from parsers.proto import parse, wire
from parsers.proto.reflection import descriptor_set

_COMMON = pb.FileDescriptorProto(
    name="acme/common.proto",
    package="acme",
    syntax="proto3",
    message_type=[
        pb.DescriptorProto(
            name="Key",
            field=[pb.FieldDescriptorProto(name="key_id", number=1, type=3, label=1)],
        )
    ],
)
_STORE = pb.FileDescriptorProto(
    name="acme/store.proto",
    package="acme",
    syntax="proto3",
    dependency=["acme/common.proto"],
    service=[
        pb.ServiceDescriptorProto(
            name="Store",
            method=[
                pb.MethodDescriptorProto(
                    name="Find", input_type=".acme.Key", output_type=".acme.Key"
                )
            ],
        )
    ],
)


class _Reflection(grpc.GenericRpcHandler):
    """Server reflection as grpc/reflection/v1/reflection.proto says, one version of it."""

    def __init__(self, version: str, files: list[pb.FileDescriptorProto], token: str = "") -> None:
        self._path = f"/{version}.ServerReflection/ServerReflectionInfo"
        self._files = {file.name: file for file in files}
        self._token = token

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        if details.method != self._path:
            return None
        return grpc.stream_stream_rpc_method_handler(self._answers)

    def _answers(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        if self._token and ("authorization", self._token) not in context.invocation_metadata():
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "who are you?")
        for request in requests:
            (field, value), *_ = wire.fields(request)
            yield self._answer(field, wire.text(value))

    def _answer(self, field: int, text: str) -> bytes:
        if field == 7:
            names = [f"{f.package}.{s.name}" for f in self._files.values() for s in f.service]
            names.append("grpc.reflection.v1.ServerReflection")
            entries = [(1, wire.message((1, name.encode()))) for name in names]
            return wire.message((6, wire.message(*entries)))
        if field == 4:
            found = [
                f for f in self._files.values() if any(text.endswith(s.name) for s in f.service)
            ]
        else:
            found = [self._files[text]] if text in self._files else []
        if not found:
            return wire.message((7, wire.message((2, b"not found"))))
        return wire.message((4, wire.message(*((1, f.SerializeToString()) for f in found))))


Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers = []

    def start(*handlers: grpc.GenericRpcHandler) -> str:
        server = grpc.server(ThreadPoolExecutor(2), handlers=handlers)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        servers.append(server)
        return f"grpc://127.0.0.1:{port}"

    yield start
    for server in servers:
        server.stop(None).wait()


@pytest.mark.parametrize("version", ["grpc.reflection.v1", "grpc.reflection.v1alpha"])
def test_both_versions_of_the_protocol_are_spoken(serve: Serve, version: str) -> None:
    address = serve(_Reflection(version, [_STORE, _COMMON]))

    data = descriptor_set(address)

    spec = parse(Document(address, data, "store"))
    (operation,) = spec.operations
    assert operation.binding.wire_names[0] == "/acme.Store/Find"
    assert list(operation.input_schema["properties"]) == ["keyId"]
    assert spec.problems == ()


def test_a_file_that_the_server_lacks_leaves_its_types_open(serve: Serve) -> None:
    address = serve(_Reflection("grpc.reflection.v1", [_STORE]))

    spec = parse(Document(address, descriptor_set(address), "store"))

    assert [operation.name for operation in spec.operations] == ["Find"]
    assert [problem.message for problem in spec.problems] == [
        'type "acme.Key" is in none of the files'
    ]


def test_headers_are_sent_as_metadata(serve: Serve) -> None:
    address = serve(_Reflection("grpc.reflection.v1", [_STORE, _COMMON], token="Bearer x"))

    assert descriptor_set(address, {"Authorization": "Bearer x"})


def test_a_refusal_is_credentials(serve: Serve) -> None:
    address = serve(_Reflection("grpc.reflection.v1", [_STORE, _COMMON], token="Bearer x"))

    with pytest.raises(CredentialsRefused, match="unauthenticated"):
        descriptor_set(address)


def test_a_server_without_reflection_is_named(serve: Serve) -> None:
    with pytest.raises(SpecError, match="no reflection service"):
        descriptor_set(serve())


def test_a_server_that_is_down_is_worth_another_try() -> None:
    with pytest.raises(TryLater, match=r"127\.0\.0\.1:1: unavailable"):
        descriptor_set("grpc://127.0.0.1:1", timeout_s=5)


def test_an_address_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="grpc://host:port"):
        descriptor_set("http://127.0.0.1:1")


def test_the_reflection_of_grpcio_itself_is_read(serve: Serve) -> None:
    v1alpha = pytest.importorskip("grpc_reflection.v1alpha.reflection")
    server = grpc.server(ThreadPoolExecutor(2))
    v1alpha.enable_server_reflection(["grpc.reflection.v1alpha.ServerReflection"], server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with pytest.raises(SpecError, match="lists no services"):
            descriptor_set(f"grpc://127.0.0.1:{port}")
    finally:
        server.stop(None).wait()
