"""One operation as a tool: its input, its answer, its way to the wire."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from catalog.binding import HttpBinding
from catalog.spec import Operation
from parsers.openapi.bodies import Bodies
from parsers.openapi.fields import Body, input_schema
from parsers.openapi.node import Node
from parsers.openapi.parameters import Parameter, Parameters
from parsers.openapi.problems import Problems
from parsers.openapi.responses import Responses
from parsers.openapi.schemas import Schemas
from parsers.openapi.security import security_names
from parsers.openapi.servers import Servers

_IN_BODY = ("body", "form")


@dataclass(frozen=True, slots=True)
class Found:
    """One operation as it stands in the document; `item` is the path item that holds it, `beside`
    what stands next to the reference to that.
    """

    method: str
    path: str
    item: Node
    beside: Node
    node: Node

    @property
    def identity(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def operation_id(self) -> str:
        value = self.node.child("operationId").value
        return "" if value is None or isinstance(value, dict | list) else str(value).strip()

    @property
    def wanted_name(self) -> str:
        """The operationId, else the words of method and path: `get_users_id`."""
        words = re.findall(r"\w+", self.path)
        return self.operation_id or "_".join([self.method.lower(), *words])


class Builder:
    def __init__(
        self, service: str, root: Node, servers: Servers, schemas: Schemas, problems: Problems
    ) -> None:
        self._service = service
        self._root = root
        self._old = root.file.version == "2.0"
        self._servers = servers
        self._schemas = schemas
        self._parameters = Parameters(schemas, problems)
        self._bodies = Bodies(schemas, problems)
        self._responses = Responses(schemas, problems)

    def build(self, found: Found, name: str) -> Operation:
        node = found.node
        parameters = self._parameters.of(found.path, (found.item, found.beside, node))
        body = self._body(node, parameters)
        plain = [one.field() for one in parameters if one.place not in _IN_BODY]
        schema, arguments = input_schema(plain, body)
        answer = self._responses.of(node, self._media_types("produces", node))
        binding = HttpBinding(
            method=found.method,
            path=found.path,
            servers=self._servers.of(found.item, node),
            arguments=arguments,
            operation_id=found.operation_id,
            request_media_types=body.media_types,
            response_media_type=answer.media_type,
            response_status=answer.status,
            security=security_names(node, self._root),
        )
        return Operation(
            service=self._service,
            name=name,
            protocol="rest",
            binding=binding,
            summary=self._text("summary", found),
            description=self._text("description", found),
            input_schema=schema,
            output_schema=answer.schema,
            tags=_tags(node.child("tags")),
            deprecated=node.value.get("deprecated") is True,
        )

    def _body(self, node: Node, parameters: list[Parameter]) -> Body:
        inside = [one for one in parameters if one.place in _IN_BODY]
        if inside and (self._old or node.child("requestBody").value is None):
            return self._bodies.of_parameters(inside, self._media_types("consumes", node))
        return self._bodies.of_operation(node)

    def _media_types(self, key: str, node: Node) -> list[str]:
        """Swagger 2.0 `consumes` and `produces`: an operation's list, even empty, replaces all."""
        listed = node.value.get(key, self._root.value.get(key))
        return [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []

    def _text(self, key: str, found: Found) -> str:
        own = self._schemas.text(found.node.child(key))
        return own or self._schemas.text(found.item.child(key))


def _tags(node: Node) -> tuple[str, ...]:
    value: Any = node.value
    listed = value if isinstance(value, list) else [value]
    return tuple(str(tag) for tag in listed if isinstance(tag, str | int | float))
