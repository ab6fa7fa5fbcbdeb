"""What parsers hand over: operations, the definitions they share, and what had to be left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from catalog.binding import Binding, Protocol

Schema = dict[str, Any] | bool
"""JSON Schema 2020-12; a reference is `{"$ref": "#/$defs/NAME"}` into its service's definitions."""

Kind = Literal["openapi", "wsdl", "proto"]
Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a spec that was left out (`error`), mended (`warning`) or worth a word (`note`).

    `location` is where a person looks: a JSON pointer, an XML path or `file:line`.
    """

    level: Level
    location: str
    message: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One callable thing of a service.

    `name` is `[A-Za-z0-9_-]{1,64}` and distinct within the service; `binding` keeps the wire name.
    Schemas point into `ParsedSpec.definitions`. `output_schema` is None when the spec says nothing.
    """

    service: str
    name: str
    protocol: Protocol
    binding: Binding
    summary: str = ""
    description: str = ""
    input_schema: Schema = field(default_factory=lambda: {"type": "object", "properties": {}})
    output_schema: Schema | None = None
    tags: tuple[str, ...] = ()
    deprecated: bool = False

    @property
    def id(self) -> str:
        return f"{self.service}/{self.name}"


@dataclass(frozen=True, slots=True)
class ParsedSpec:
    """Everything one spec says.

    `identity` is what the spec calls itself (title, target namespace, package): two files with one
    service name but different identities are different services. `operations_in_source` counts what
    the raw document holds, so that `operations` plus skipped ones can be checked against it.
    `not_tools` counts what is no tool by design ("callbacks", "webhooks").
    """

    service: str
    kind: Kind
    version: str
    identity: str = ""
    title: str = ""
    description: str = ""
    operations: tuple[Operation, ...] = ()
    definitions: Mapping[str, Schema] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    operations_in_source: int = 0
    not_tools: Mapping[str, int] = field(default_factory=dict)
