"""Methods of services as operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from google.protobuf.descriptor_pb2 import MethodDescriptorProto

from catalog.binding import Argument, GrpcBinding
from catalog.spec import Operation, Schema
from catalog.words import distinct_keys, distinct_names
from parsers.proto import options
from parsers.proto.schemas import PROTO_NAME, Property, Schemas, object_schema
from parsers.proto.types import ServiceType, Types

_BODY = "body"


@dataclass(frozen=True, slots=True)
class Method:
    service: ServiceType
    descriptor: MethodDescriptorProto
    index: int

    @property
    def full_name(self) -> str:
        return f"{self.service.name}.{self.descriptor.name}"

    @property
    def comment(self) -> str:
        return self.service.file.comment(self.service.method_path(self.index))

    @property
    def deprecated(self) -> bool:
        owners = (self.descriptor, self.service.descriptor, self.service.file.descriptor)
        return any(owner.options.deprecated for owner in owners)


def methods(services: Sequence[ServiceType]) -> list[Method]:
    return [
        Method(service, descriptor, index)
        for service in services
        for index, descriptor in enumerate(service.descriptor.method)
    ]


def operations(
    service: str, found: Sequence[Method], types: Types, schemas: Schemas
) -> tuple[Operation, ...]:
    names = distinct_names(list(zip(_names(found), [m.full_name for m in found], strict=True)))
    return tuple(
        _operation(service, name, method, types, schemas)
        for name, method in zip(names, found, strict=True)
    )


def _names(found: Sequence[Method]) -> list[str]:
    """The method's name, with the service's before it where two services share one."""
    claims = Counter(method.descriptor.name for method in found)
    return [
        method.descriptor.name
        if claims[method.descriptor.name] == 1
        else f"{method.service.descriptor.name}_{method.descriptor.name}"
        for method in found
    ]


def _operation(
    service: str, name: str, method: Method, types: Types, schemas: Schemas
) -> Operation:
    given = method.descriptor
    schema, arguments = _input(given.input_type, schemas)
    routes = options.http_routes(given.options)
    binding = GrpcBinding(
        method=f"/{method.service.name}/{given.name}",
        request_type=types.real_name(given.input_type),
        response_type=types.real_name(given.output_type),
        client_streaming=given.client_streaming,
        server_streaming=given.server_streaming,
        arguments=arguments,
        http_method=routes[0].method if routes else "",
        http_path=routes[0].path if routes else "",
    )
    return Operation(
        service=service,
        name=name,
        protocol="grpc",
        binding=binding,
        description=_description(method, binding, routes[1:]),
        input_schema=schema,
        output_schema=_output(given.output_type, schemas),
        tags=(method.service.descriptor.name,),
        deprecated=method.deprecated,
    )


def _input(request: str, schemas: Schemas) -> tuple[Schema, tuple[Argument, ...]]:
    """The request's fields side by side; a request that is no message of fields is one `body`."""
    message = schemas.message(request)
    if message is None:
        whole = schemas.of_type(request)
        if whole.get("properties") == {}:
            return whole, ()
        body = {"type": "object", "properties": {_BODY: whole}}
        return body, (Argument(_BODY, "", "message"),)
    asked = _with_safe_keys([p for p in schemas.properties(message) if not p.output_only])
    arguments = tuple(_argument(entry, key) for entry, key in asked)
    return object_schema(message, [entry for entry, _ in asked]), arguments


def _with_safe_keys(given: list[Property]) -> list[tuple[Property, str]]:
    """Properties under keys that model providers accept, each with its JSON name."""
    keys = distinct_keys([(entry.key, "message") for entry in given])
    return [(_renamed(entry, key), entry.key) for entry, key in zip(given, keys, strict=True)]


def _renamed(entry: Property, key: str) -> Property:
    if key == entry.key:
        return entry
    return replace(entry, key=key, schema={**entry.schema, PROTO_NAME: entry.name})


def _argument(entry: Property, json_name: str) -> Argument:
    extra: dict[str, Any] = {} if json_name == entry.key else {"jsonName": json_name}
    return Argument(entry.key, entry.name, "message", extra)


def _output(response: str, schemas: Schemas) -> Schema:
    return schemas.of_type(response)


def _description(method: Method, binding: GrpcBinding, more: Sequence[options.HttpRoute]) -> str:
    """The comment, then what the signature says that no schema can."""
    also = ", ".join(f"{route.method} {route.path}" for route in more)
    parts = [method.comment, _streams(binding), f"Also over HTTP: {also}." if also else ""]
    return "\n\n".join(part for part in parts if part)


def _streams(binding: GrpcBinding) -> str:
    sides = []
    if binding.client_streaming:
        sides.append(f"the client sends a stream of {binding.request_type}")
    if binding.server_streaming:
        sides.append(f"the server answers with a stream of {binding.response_type}")
    return f"Streams: {'; '.join(sides)}." if sides else ""
