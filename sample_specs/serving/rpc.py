"""The warehouse system over gRPC: descriptors made from the .proto at start, no generated code."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, json_format, message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pool import DescriptorPool

from sample_specs.serving import stock
from sample_specs.serving.calls import Arguments, BadArgument, Call, CallLog, UnknownId

SPECS = Path(__file__).parent.parent
HANDLERS = stock.READERS | stock.WRITERS


def compiled() -> descriptor_pb2.FileDescriptorSet:
    """inventory.proto and all that it imports, dependencies first."""
    from grpc_tools import protoc

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "set.pb"
        bundled = str(files("grpc_tools") / "_proto")
        options = ["-I", str(SPECS), "-I", bundled, "--include_imports"]
        command = ["protoc", *options, f"--descriptor_set_out={target}", "inventory.proto"]
        if protoc.main(command) != 0:
            raise RuntimeError("inventory.proto does not compile")
        return descriptor_pb2.FileDescriptorSet.FromString(target.read_bytes())


def methods(
    pool: DescriptorPool, names: descriptor_pb2.FileDescriptorSet
) -> list[MethodDescriptor]:
    services = [
        pool.FindServiceByName(f"{file.package}.{service.name}")
        for file in names.file
        for service in file.service
    ]
    return [method for service in services for method in service.methods]


def tool_names(found: list[MethodDescriptor]) -> dict[str, str]:
    """Full method name to tool name: with its service where two services share a method's name."""
    shared = Counter(method.name for method in found)
    return {
        method.full_name: f"{method.containing_service.name}_{method.name}"
        if shared[method.name] > 1
        else method.name
        for method in found
    }


@contextmanager
def running(log: CallLog, port: int, token: str | None) -> Iterator[str]:
    """The target (host:port) of the service while it is served; port 0 takes a free one."""
    pool, names = DescriptorPool(), compiled()
    for file in names.file:
        pool.AddSerializedFile(file.SerializeToString())
    found = methods(pool, names)
    with ThreadPoolExecutor(4) as workers:
        server = grpc.server(workers)
        _reflect(server, pool, sorted({m.containing_service.full_name for m in found}))
        server.add_generic_rpc_handlers((_Service(found, log, token),))
        bound = server.add_insecure_port(f"127.0.0.1:{port}")
        server.start()
        try:
            yield f"127.0.0.1:{bound}"
        finally:
            server.stop(None).wait()


def _reflect(server: grpc.Server, pool: DescriptorPool, services: list[str]) -> None:
    try:
        from grpc_reflection.v1alpha import reflection, reflection_pb2
    except ModuleNotFoundError:
        return  # a development extra: everything else works without it
    pool.AddSerializedFile(reflection_pb2.DESCRIPTOR.serialized_pb)
    reflection.enable_server_reflection([*services, reflection.SERVICE_NAME], server, pool=pool)


class _Service(grpc.GenericRpcHandler):
    def __init__(self, found: list[MethodDescriptor], log: CallLog, token: str | None) -> None:
        names = tool_names(found)
        self._log = log
        self._token = token
        self._methods = {
            f"/{m.containing_service.full_name}/{m.name}": (m, names[m.full_name]) for m in found
        }

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        path = handler_call_details.method
        if path not in self._methods:
            if "ServerReflection" not in path:
                self._log.record(Call("grpc", "?", "?", {"path": path}, False))
            return None
        return self._handler(*self._methods[path])

    def _handler(self, method: MethodDescriptor, tool: str) -> Any:
        incoming, outgoing = (
            message_factory.GetMessageClass(kind)
            for kind in (method.input_type, method.output_type)
        )

        def run(request: Any, context: grpc.ServicerContext) -> Any:
            arguments = _arguments(request, method.client_streaming)
            return self._answer(tool, arguments, context)

        def one(request: Any, context: grpc.ServicerContext) -> Any:
            return json_format.ParseDict(run(request, context), outgoing())

        def many(request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
            for row in run(request, context):
                yield json_format.ParseDict(row, outgoing())

        make = _MAKERS[method.client_streaming, method.server_streaming]
        behaviour = many if method.server_streaming else one
        return make(behaviour, incoming.FromString, outgoing.SerializeToString)

    def _answer(self, tool: str, arguments: Arguments, context: grpc.ServicerContext) -> Any:
        self._log.record(Call("grpc", "inventory", tool, arguments, tool in stock.WRITERS))
        given = dict(context.invocation_metadata()).get("authorization", "")
        if self._token is not None and given != f"Bearer {self._token}":
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "credentials are needed")
        try:
            return HANDLERS[tool](arguments)
        except UnknownId as error:
            context.abort(grpc.StatusCode.NOT_FOUND, str(error))
        except (BadArgument, ValueError) as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))


def _arguments(request: Any, streamed: bool) -> Arguments:
    if streamed:
        return {"sheets": [json_format.MessageToDict(message) for message in request]}
    return json_format.MessageToDict(request)


_MAKERS: dict[tuple[bool, bool], Callable[..., Any]] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, False): grpc.stream_unary_rpc_method_handler,
}
