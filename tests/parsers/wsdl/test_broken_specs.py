"""Faults that people make in WSDL files: what is read all the same, and what is said about it."""

# ruff: noqa: E501 - a message stands on one line here, as it is said

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from catalog.assembly import assemble
from catalog.errors import SpecError
from catalog.spec import Operation
from parsers.document import Document
from parsers.wsdl import parse

FOLDER = Path(__file__).parents[2] / "broken_specs"


@dataclass(frozen=True)
class Read:
    tools: list[str]
    problems: list[str] = field(default_factory=list)


EXPECTED: dict[str, Read | str] = {
    "2.0-inherited-operation": Read(
        ["drop(body) -> none", "count(shelf) -> items"],
    ),
    "2.0-lost-interface": Read(
        ["count(body) -> None"],
        [
            "warning: interface {urn:depot}Gone, which Depot extends, is not defined: its operations are not known"
        ],
    ),
    "2.0-without-operations": "declares no operations, here or in what it imports",
    "blank-line-before-the-declaration": Read(
        ["count(shelf) -> items"],
        ["warning: the XML declaration is not at the start"],
    ),
    "body-names-a-missing-part": Read(
        ["count(shelf) -> items"],
        ["warning: a body names parts that are not there (in)"],
    ),
    "control-characters": Read(
        ["count(shelf) -> items"],
        ["warning: 2 characters that XML forbids became U+FFFD"],
    ),
    "declared-utf-16-but-is-utf-8": Read(
        ["count(shelf) -> items"],
    ),
    "declared-utf-8-but-is-latin-1": Read(
        ["count(shelf) -> items"],
        ["warning: declared as utf-8 but holds other bytes: read as windows-1252"],
    ),
    "directions": Read(
        ["drop(shelf) -> none", "alarm() -> items", "ask(shelf) -> items"],
        [
            "note: operation Depot.alarm is a notification: the service starts it, not the client",
            "note: operation Depot.ask is a solicit-response: the service starts it, not the client",
        ],
    ),
    "element-missing": Read(
        ["count() -> items"],
        ["warning: element {urn:depot}Count is not defined: taken as anything"],
    ),
    "empty": "is empty",
    "entities-external": Read(
        ["count(shelf) -> items"],
        ["warning: the external entity &leak; was not read"],
    ),
    "entities-internal": Read(
        ["count(shelf) -> items"],
    ),
    "entity-bomb": "cannot be read: its entities expand to more than 1,048,576 characters (at &i;): taken for an entity bomb",
    "entity-that-contains-itself": "cannot be read: the entity &a; contains itself",
    "import-of-a-host-file": Read(
        ["count(shelf) -> items"],
        [
            "warning: import not read: /etc/passwd: outside the folder of the spec (allow it with --allow-folder); what it defines is taken as anything",
            "warning: import not read: file:///etc/hostname: /etc/hostname: outside the folder of the spec (allow it with --allow-folder); what it defines is taken as anything",
        ],
    ),
    "import-out-of-reach": Read(
        ["count(shelf) -> items"],
        [
            "warning: import not read: http://127.0.0.1:9/parts.xsd: the network is not used (allow it with --allow-host 127.0.0.1); what it defines is taken as anything"
        ],
    ),
    "message-missing": Read(
        ["count() -> items"],
        ["warning: message {urn:depot}CountIn is not defined"],
    ),
    "namesakes-in-two-port-types": Read(
        ["Depot_count(shelf) -> items", "Annex_count(shelf) -> items"],
    ),
    "no-binding": Read(
        ["count(shelf) -> items"],
    ),
    "no-operations": Read(
        [],
        ["warning: declares no operations: it is a part for other WSDLs to import"],
    ),
    "no-service": Read(
        ["count(shelf) -> items"],
    ),
    "not-well-formed": "is not well-formed XML: line 22: Opening and ending tag mismatch: portType line 13 and definitions",
    "only-a-schema": "is an XML Schema: types without operations; ingest the WSDL that imports it",
    "nothing-in-it": "declares no operations, here or in what it imports",
    "operations-without-names-on-one-line": Read(
        ["count() -> none"],
        ["error: operation (no name): nothing to call it by"] * 2,
    ),
    "operation-without-name": Read(
        ["count(shelf) -> items"],
        ["error: operation (no name): nothing to call it by"],
    ),
    "other-xml": "is XML but no WSDL: its root element is {http://maven.apache.org/POM/4.0.0}project",
    "overloaded-operations": Read(
        ["count_byShelf(shelf) -> ", "count_byCode(code, site) -> "],
    ),
    "overloads-without-names": Read(
        ["drop_2abcb03e(shelf) -> none", "drop_b89ba351(code) -> none"],
    ),
    "port-type-twice": Read(
        ["count_8ecc5cee(shelf) -> items", "count_f7c63c84(shelf) -> items"],
        ["warning: a second portType {urn:depot}Depot: references mean the first"],
    ),
    "reference-to-the-wrong-namespace": Read(
        ["count(shelf) -> items"],
        [
            "warning: message {http://schemas.xmlsoap.org/wsdl/}CountIn is not defined: taken for {urn:depot}CountIn",
            "warning: names of urn:wrong are defined in urn:depot: taken from there",
        ],
    ),
    "rpc-encoded-array": Read(
        ["count(shelf) -> return"],
    ),
    "same-operation-on-several-ports": Read(
        ["count(shelf) -> items"],
    ),
    "same-type-name-in-two-namespaces": Read(
        ["count(one, two) -> "],
    ),
    "service-whose-import-is-missing": "declares no operations, here or in what it imports; import not read: lost.wsdl: No such file or directory; what it defines is taken as anything",
    "sign-in-page": 'is an HTML page ("Please sign in"), perhaps a sign-in or error page',
    "type-that-contains-itself": Read(
        ["count(label, box, Crate) -> items"],
    ),
    "type-that-extends-itself": Read(
        ["count(shelf) -> items"],
    ),
    "type-without-prefix": Read(
        ["count(shelf) -> items"],
        ["warning: type int has no prefix: taken for xs:int"],
    ),
    "undeclared-prefix-in-a-value": Read(
        ["count(shelf) -> items"],
        [
            "warning: the prefix x: of x:int is not declared",
            "warning: type {urn:depot}int is not defined: taken as anything",
        ],
    ),
    "undeclared-prefix": Read(
        ["count(shelf) -> items"],
        [
            "warning: line 17: Namespace prefix soap on binding is not defined: read with its customary meaning"
        ],
    ),
    "unknown-encoding": "cannot be read: the declared encoding x-klingon is not known",
    "unknown-part-type": Read(
        ["count(since, rows) -> return"],
        [
            "warning: type {http://www.w3.org/2001/XMLSchema}json is not defined: taken as anything",
            "warning: type {http://www.w3.org/2001/XMLSchema}Array is not defined: taken as anything",
        ],
    ),
    "well-known-import-without-network": Read(
        ["count(shelf, replyTo, lang) -> items"],
    ),
    "wsdl-import-missing": Read(
        ["count() -> none"],
        [
            "warning: import not read: lost.wsdl: No such file or directory; what it defines is taken as anything",
            "warning: operation count: its port type {urn:lost}Lost is not there, so its arguments are taken as anything",
        ],
    ),
}


def signature(operation: Operation) -> str:
    given, returned = operation.input_schema, operation.output_schema
    assert isinstance(given, dict)
    if returned is None:
        fields = "none"
    else:
        assert isinstance(returned, dict)
        named = ", ".join(returned.get("properties", {}))
        fields = named if "properties" in returned else str(returned.get("type"))
    return f"{operation.name}({', '.join(given['properties'])}) -> {fields}"


def document(path: Path) -> Document:
    return Document(str(path), path.read_bytes(), "depot", path.parent)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_fault_costs_only_itself_and_is_named(name: str) -> None:
    expected = EXPECTED[name]
    source = document(FOLDER / f"wsdl-{name}.wsdl")
    if isinstance(expected, str):
        with pytest.raises(SpecError) as refused:
            parse(source)
        words = refused.value.message.replace(f"{FOLDER}/", "")
        assert words == f"wsdl-{name}.wsdl: {expected}"
        return
    spec = parse(source)
    words = [f"{one.level}: {one.message}".replace(f"{FOLDER}/", "") for one in spec.problems]

    assert [signature(one) for one in spec.operations] == expected.tools
    assert words == expected.problems
    errors = [one for one in spec.problems if one.level == "error"]
    assert spec.operations_in_source == len(spec.operations) + len(errors)
    for operation in spec.operations:
        assemble(operation, spec.definitions)


def test_every_broken_wsdl_has_its_expectation() -> None:
    found = {path.stem.removeprefix("wsdl-") for path in FOLDER.glob("wsdl-*.wsdl")}

    assert found == set(EXPECTED)
