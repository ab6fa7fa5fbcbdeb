"""Operations of a description as operations of the catalog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from catalog.binding import SoapBinding
from catalog.spec import Operation
from catalog.words import distinct_names
from parsers.wsdl.model import Header, InterfaceOperation, Offer, Offered, Role, Side
from parsers.wsdl.names import QName
from parsers.wsdl.payload import ANYTHING, Payload, input_of, output_of, payload, with_headers
from parsers.wsdl.xsd.types import Types

_DIRECTIONS = {
    "notification": "The service sends this message by itself; there is nothing to call.",
    "solicit-response": "The service asks and the client answers; there is nothing to call.",
}


def names_of(offered: Sequence[Offered]) -> list[str]:
    """Tool names: the operation's own where it is the only one; overloads by their input, namesakes
    of other interfaces by their interface; a hash only where that is not enough."""
    interfaces: dict[str, set[QName]] = {}
    for one in offered:
        interfaces.setdefault(one.operation.name, set()).add(one.operation.interface)
    inside = Counter((one.operation.interface, one.operation.name) for one in offered)
    wanted = []
    for one in offered:
        operation = one.operation
        pieces = [operation.name]
        if len(interfaces[operation.name]) > 1:
            pieces.insert(0, operation.interface.local)
        if inside[operation.interface, operation.name] > 1:
            pieces.append(_given_input_name(operation))
        wanted.append("_".join(piece for piece in pieces if piece))
    return distinct_names(list(zip(wanted, _identities(offered), strict=True)))


def _given_input_name(operation: InterfaceOperation) -> str:
    """The name of its input, "" where it only repeats the operation's (WSDL 1.1 §2.4.5)."""
    name = operation.input_name
    return "" if name.removesuffix("Request").removesuffix("Response") == operation.name else name


def _identities(offered: Sequence[Offered]) -> list[str]:
    """ "interface operation input": where even these agree, the message tells, at last the rank."""
    seen: Counter[str] = Counter()
    identities = []
    for one in offered:
        operation = one.operation
        message = operation.input.message if operation.input else None
        words = [str(operation.interface), operation.name, operation.input_name]
        identity = " ".join([*words, str(message.name) if message else ""])
        seen[identity] += 1
        rank = seen[identity]
        identities.append(identity if rank == 1 else f"{identity} {rank}")
    return identities


def tool(types: Types, offered: Offered, service: str, name: str) -> Operation:
    operation = offered.operation
    main = _main(offered.offers)
    request, arguments = _input(types, offered, main)
    response, element = _output(types, offered, main)
    binding = SoapBinding(
        operation=operation.name,
        interface=operation.interface.local,
        soap_action=main.endpoint.soap_action if main else "",
        endpoints=tuple(offer.endpoint for offer in offered.offers),
        arguments=arguments,
        request_element=request[1],
        response_element=element,
        faults=operation.faults,
        one_way=operation.pattern == "one-way",
    )
    return Operation(
        service=service,
        name=name,
        protocol="soap",
        binding=binding,
        description=_description(offered),
        input_schema=request[0],
        output_schema=response,
        tags=() if operation.pattern == "request-response" else (operation.pattern,),
    )


def _main(offers: Sequence[Offer]) -> Offer | None:
    """The port whose style the arguments follow: SOAP before plain HTTP, then the first."""
    return next((offer for offer in offers if offer.is_soap), offers[0] if offers else None)


def _description(offered: Offered) -> str:
    operation = offered.operation
    text = operation.text or next((one.text for one in offered.offers if one.text), "")
    word = _DIRECTIONS.get(operation.pattern, "")
    return "\n".join(piece for piece in (text, word) if piece)


def _input(
    types: Types, offered: Offered, main: Offer | None
) -> tuple[tuple[dict[str, Any], str], tuple[Any, ...]]:
    operation = offered.operation
    if operation.input is None:
        return ({"type": "object", "properties": {}}, ""), ()
    side = main.input if main else Side()
    body = _body(types, offered, operation.input, side, main, operation.name)
    if body is None:
        return (dict(ANYTHING), ""), ()
    body = with_headers(types, body, _headers(offered.offers))
    schema, arguments = input_of(body, side.place, _words(operation.input))
    return (schema, body.element), arguments


def _output(
    types: Types, offered: Offered, main: Offer | None
) -> tuple[dict[str, Any] | None, str]:
    role = offered.operation.output
    if role is None:
        return None, ""
    side = main.output if main else Side()
    body = _body(types, offered, role, side, main, f"{offered.operation.name}Response")
    if body is None:
        return None, ""
    body = with_headers(types, body, side.headers)
    return output_of(body, _words(role)), body.element


def _body(
    types: Types, offered: Offered, role: Role, side: Side, main: Offer | None, wrapper: str
) -> Payload | None:
    if role.message is None:
        return None
    style = main.endpoint.style if main else ""
    namespace = offered.operation.interface.namespace
    found = payload(types, role.message, side, style, wrapper, namespace)
    if main is not None and not main.is_soap:
        return replace(found, element="")
    return found


def _headers(offers: Sequence[Offer]) -> list[Header]:
    """Header parts of every port: what one of them asks for can be given."""
    return list(dict.fromkeys(header for offer in offers for header in offer.input.headers))


def _words(role: Role) -> str:
    return role.text or (role.message.text if role.message else "")
