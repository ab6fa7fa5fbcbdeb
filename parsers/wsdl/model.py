"""What a WSDL says, whatever its version: interfaces, their operations, the ports that offer them.

A WSDL 1.1 port type is an interface, a port an endpoint. One tool is made for each operation of an
interface, and all ports that offer it are listed in its binding: an operation on three ports is one
thing to call at three addresses. An operation that WSDL 2.0 inherits is a tool of the interface
that declares it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from catalog.binding import Endpoint
from parsers.wsdl.names import QName

Pattern = Literal["request-response", "one-way", "notification", "solicit-response"]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a message; without `element` and `type` it may be anything."""

    name: str
    location: str
    element: QName | None = None
    type: QName | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    name: QName
    parts: tuple[Part, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Role:
    """A message in its place in an operation; `message` None: named, but nowhere defined."""

    name: str
    message: Message | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class InterfaceOperation:
    interface: QName
    name: str
    pattern: Pattern
    location: str
    input: Role | None = None
    output: Role | None = None
    faults: tuple[str, ...] = ()
    text: str = ""
    input_name: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    part: Part
    required: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """How one message of an operation goes over the wire.

    `body_parts` None: all that are no headers. `media` are attachments, part to content type.
    `places` say where the parts of an HTTP binding go.
    """

    namespace: str = ""
    body_parts: tuple[str, ...] | None = None
    headers: tuple[Header, ...] = ()
    media: Mapping[str, str] = field(default_factory=dict)
    place: str = "part"


@dataclass(frozen=True, slots=True)
class Offer:
    """An operation at one port."""

    endpoint: Endpoint
    input: Side = Side()
    output: Side = Side()
    text: str = ""

    @property
    def is_soap(self) -> bool:
        return self.endpoint.transport.startswith("soap")


@dataclass(frozen=True, slots=True)
class Offered:
    """An operation of an interface with every port that has it."""

    operation: InterfaceOperation
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """An operation that cannot be read: where and why."""

    location: str
    reason: str


@dataclass(frozen=True, slots=True)
class Description:
    """`declared` counts the operations in the XML itself, apart from how they were read.
    `is_whole`: it describes a service, or imports a WSDL that may and is not there, so that having
    no operation at all is a fault. A WSDL may also be a part, messages for others to import."""

    version: str
    namespace: str
    title: str
    text: str
    operations: tuple[Offered, ...]
    broken: tuple[Broken, ...]
    declared: int
    is_whole: bool
