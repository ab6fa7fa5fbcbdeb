"""WSDL 1.1 and 2.0 read without loss: every operation a tool or a named problem."""

from __future__ import annotations

from collections import deque
from typing import Any

from catalog.errors import SpecError
from catalog.hashing import references
from catalog.spec import Operation, ParsedSpec, Schema
from parsers.document import Document
from parsers.wsdl import wsdl11, wsdl20
from parsers.wsdl.files import LOST, File, Files
from parsers.wsdl.model import Description, Offered
from parsers.wsdl.names import WSDL, WSDL_2, tag
from parsers.wsdl.report import Report
from parsers.wsdl.tables import Tables
from parsers.wsdl.tools import names_of, tool
from parsers.wsdl.xml import Unreadable, load
from parsers.wsdl.xsd.components import Schemas, part
from parsers.wsdl.xsd.types import Types
from parsers.wsdl.zeep_check import losses

_HINT = "give the WSDL itself, usually the service's address with ?wsdl"
_MEND = "mend the XML at that line, or fetch the file again"


def parse(document: Document) -> ParsedSpec:
    report = Report()
    file = _file(document, report)
    files = Files(document, report)
    files.has_read(file)
    schemas = Schemas(files, report)
    description = _described(file, Tables(files, report, schemas))
    if not description.declared:
        _refuse_nothing(description, report, document.location)
    types = Types(schemas, report)
    operations = _operations(description, types, report, document.service)
    types.write_definitions()
    _note_directions(description, report)
    if document.options.strict:
        for word in losses(document, description.operations):
            report.warn(document.location, word)
    return ParsedSpec(
        service=document.service,
        kind="wsdl",
        version=description.version,
        identity=description.namespace or description.title,
        title=description.title,
        description=description.text,
        operations=tuple(operations),
        definitions=_reached(operations, types.definitions),
        problems=report.problems,
        operations_in_source=description.declared,
    )


def _file(document: Document, report: Report) -> File:
    try:
        tree = load(document.data)
    except Unreadable as fault:
        hint = _MEND if "not well-formed" in str(fault) else _HINT
        raise SpecError(f"{document.location}: {fault}", hint=hint) from None
    for word in tree.mended:
        report.warn(document.location, word)
    return File(document.location, tree.root)


def _described(file: File, tables: Tables) -> Description:
    name = tag(file.root)
    if name.namespace == WSDL and name.local == "definitions":
        return wsdl11.read(tables, file)
    if name.namespace in WSDL_2 and name.local in ("description", "definitions"):
        return wsdl20.read(tables, file)
    if part(file.root) == "schema":
        cause = "is an XML Schema: types without operations; ingest the WSDL that imports it"
    else:
        cause = f"is XML but no WSDL: its root element is {name}"
    raise SpecError(f"{file.location}: {cause}", hint=_HINT)


def _operations(
    description: Description, types: Types, report: Report, service: str
) -> list[Operation]:
    found = []
    for broken in description.broken:
        report.add("error", broken.location, broken.reason)
    offered = description.operations
    for one, name in zip(offered, names_of(offered), strict=True):
        try:
            found.append(tool(types, one, service, name))
        except Exception as error:  # noqa: BLE001 - one bad operation costs only itself
            report.add("error", one.operation.location, _failed(one, error))
    return found


def _reached(
    operations: list[Operation], definitions: dict[str, dict[str, Any]]
) -> dict[str, Schema]:
    """The definitions that operations point to; one read on the way may have lost its use."""
    schemas = [(one.input_schema, one.output_schema) for one in operations]
    waiting = deque(name for pair in schemas for schema in pair for name in references(schema))
    reached: dict[str, Schema] = {}
    while waiting:
        name = waiting.popleft()
        if name not in reached:
            reached[name] = definitions[name]
            waiting.extend(references(definitions[name]))
    return reached


def _failed(offered: Offered, error: Exception) -> str:
    operation = offered.operation
    cause = str(error) or type(error).__name__
    return f"operation {operation.interface.local}.{operation.name} cannot be read: {cause}"


def _refuse_nothing(description: Description, report: Report, location: str) -> None:
    """No operations: an error where there should be some, else a word."""
    lost = [one.message for one in report.problems if one.message.startswith(LOST)]
    if description.is_whole:
        cause = "; ".join(["declares no operations, here or in what it imports", *lost[:3]])
        hint = "bring the files that it imports" if lost else _HINT
        raise SpecError(f"{location}: {cause}", hint=hint)
    report.warn(location, "declares no operations: it is a part for other WSDLs to import")


def _note_directions(description: Description, report: Report) -> None:
    for offered in description.operations:
        if offered.operation.pattern in ("notification", "solicit-response"):
            operation = offered.operation
            report.add(
                "note",
                operation.location,
                f"operation {operation.interface.local}.{operation.name} is a {operation.pattern}: "
                "the service starts it, not the client",
            )
