"""How a tool's arguments reach the wire: the names and places the tool schema leaves out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

Protocol = Literal["rest", "soap", "grpc"]


@dataclass(frozen=True, slots=True)
class Argument:
    """One property of a tool's input schema and where it goes.

    `key` is the property; `name` the name on the wire; `place` one of path, query, querystring,
    header, cookie, body, form (REST), part, header (SOAP), message (gRPC). A body that is no object
    has one argument whose `name` is "" : its value is the whole body. `options` holds what
    serialisation needs (OpenAPI `style`, `explode`, `contentType`; XML `namespace`, `attribute`).
    """

    key: str
    name: str
    place: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HttpBinding:
    """OpenAPI 3.2 §4.8–4.16: `servers` are addresses with their variables filled in.

    An address without host (`/api/v2`) means the spec names none: it is relative to wherever the
    document was published. `security` names the schemes, alternatives joined as the spec has them.
    """

    method: str
    path: str
    servers: tuple[str, ...] = ()
    arguments: tuple[Argument, ...] = ()
    operation_id: str = ""
    request_media_types: tuple[str, ...] = ()
    response_media_type: str = ""
    response_status: str = ""
    security: tuple[str, ...] = ()

    @property
    def wire_names(self) -> tuple[str, ...]:
        return tuple(n for n in (f"{self.method} {self.path}", self.operation_id) if n)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One WSDL port: `transport` is soap11, soap12, http-get or http-post."""

    service: str
    port: str
    address: str
    transport: str
    soap_action: str = ""
    style: str = ""
    use: str = ""


@dataclass(frozen=True, slots=True)
class SoapBinding:
    """WSDL 1.1 §2–3: one operation of a port type and every port that offers it.

    `request_element` and `response_element` are `{namespace}name`, the children of the SOAP body.
    """

    operation: str
    interface: str
    soap_action: str = ""
    endpoints: tuple[Endpoint, ...] = ()
    arguments: tuple[Argument, ...] = ()
    request_element: str = ""
    response_element: str = ""
    faults: tuple[str, ...] = ()
    one_way: bool = False

    @property
    def wire_names(self) -> tuple[str, ...]:
        return (self.operation, f"{self.interface}.{self.operation}")


@dataclass(frozen=True, slots=True)
class GrpcBinding:
    """`method` is the HTTP/2 `:path` of the call, `/package.Service/Method`."""

    method: str
    request_type: str
    response_type: str
    client_streaming: bool = False
    server_streaming: bool = False
    arguments: tuple[Argument, ...] = ()
    http_method: str = ""
    http_path: str = ""

    @property
    def wire_names(self) -> tuple[str, ...]:
        service, _, method = self.method.lstrip("/").partition("/")
        short = f"{service.rpartition('.')[2]}.{method}"
        names = (self.method, f"{service}/{method}", f"{service}.{method}", short, method)
        return tuple(dict.fromkeys(names))


Binding = HttpBinding | SoapBinding | GrpcBinding
_BINDINGS: dict[Protocol, type[Binding]] = {
    "rest": HttpBinding,
    "soap": SoapBinding,
    "grpc": GrpcBinding,
}
_PARTS = {"arguments": Argument, "endpoints": Endpoint}


def binding_to_json(binding: Binding) -> dict[str, Any]:
    return asdict(binding)


def binding_from_json(protocol: Protocol, value: dict[str, Any]) -> Binding:
    """The inverse of `binding_to_json`; keys that an older program does not know are left out."""
    kind = _BINDINGS[protocol]
    known = {f.name for f in fields(kind)}
    return kind(**{name: _revive(name, part) for name, part in value.items() if name in known})


def _revive(name: str, part: Any) -> Any:
    if name in _PARTS:
        return tuple(_PARTS[name](**entry) for entry in part)
    return tuple(part) if isinstance(part, list) else part
