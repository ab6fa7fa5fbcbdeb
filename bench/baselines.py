"""What prance and zeep make of the same files, run in the same child process as our parsers."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any, NoReturn

from bench.raw_counts import operations
from catalog.errors import SpecError
from catalog.spec import ParsedSpec
from parsers.document import Document


def prance(document: Document) -> ParsedSpec:
    """`operations_in_source` is the number that prance's result has."""
    from prance import ResolvingParser

    _no_network()
    try:
        parser = ResolvingParser(document.location, strict=False, backend="openapi-spec-validator")
        found = len(operations(Path(document.location), parser.specification))
    except Exception as error:  # noqa: BLE001 (the kind of failure is the result)
        raise SpecError(type(error).__name__) from None
    return ParsedSpec(document.service, "openapi", "", operations_in_source=found)


def zeep(document: Document) -> ParsedSpec:
    """`operations_in_source` counts what its services offer, each once for an interface."""
    from zeep import Client, Settings

    _no_network()
    try:
        client = Client(document.location, settings=Settings(strict=False))
        found = {pair for service in client.wsdl.services.values() for pair in _offered(service)}
    except Exception as error:  # noqa: BLE001
        raise SpecError(type(error).__name__) from None
    return ParsedSpec(document.service, "wsdl", "", operations_in_source=len(found))


def _offered(service: Any) -> list[tuple[str, str]]:
    bindings = [port.binding for port in service.ports.values()]
    return [(str(each.port_name), name) for each in bindings for name in each.all()]


def _no_network() -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError("no network")

    socket.getaddrinfo = refuse
