"""The CRM over SOAP 1.1 and 1.2, document/literal wrapped, at one address."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lxml import etree

from sample_specs.serving import casework, customers
from sample_specs.serving.calls import Arguments, BadArgument, Call, CallLog, UnknownId
from sample_specs.serving.web import Answer, Request, authorised

SPECS = Path(__file__).parent.parent
HANDLERS = customers.READERS | casework.READERS | casework.WRITERS
NAMESPACE = "urn:tarnbrook:crm:2014"
TYPES = "urn:tarnbrook:crm:types:2014"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
_PUBLISHED = "https://crm.tarnbrook.example/services/"


@dataclass(frozen=True)
class Version:
    namespace: str
    media_type: str


SOAP11 = Version("http://schemas.xmlsoap.org/soap/envelope/", "text/xml; charset=utf-8")
SOAP12 = Version("http://www.w3.org/2003/05/soap-envelope", "application/soap+xml; charset=utf-8")
_VERSIONS = {version.namespace: version for version in (SOAP11, SOAP12)}


class SoapApplication:
    def __init__(self, log: CallLog, token: str | None) -> None:
        self._log = log
        self._token = token

    def __call__(self, request: Request) -> Answer:
        if request.method == "GET":
            return _file(request)
        if request.method != "POST":
            return Answer(405, "text/plain")
        try:
            version, operation, arguments = _read(request.body)
        except (etree.XMLSyntaxError, LookupError):
            self._log.record(Call("soap", "?", "?", {}, False))
            return Answer(400, "text/plain", b"not a SOAP envelope")
        writes = operation in casework.WRITERS
        self._log.record(Call("soap", "crm", operation, arguments, writes))
        if not authorised(request, self._token):
            return Answer(401, "text/plain", b"credentials are needed")
        return _answer(version, operation, arguments)


def _file(request: Request) -> Answer:
    """The WSDL with our own address in it, or the schema that it imports."""
    parts = urlsplit(request.target)
    if parts.path == "/crm/types.xsd":
        return Answer(200, "text/xml", (SPECS / "crm/types.xsd").read_bytes())
    if parts.path == "/crm" and parts.query.lower() == "wsdl":
        address = f"http://{request.headers.get('Host')}/crm"
        text = (SPECS / "crm.wsdl").read_text("utf-8")
        for port in ("Crm11", "Crm12"):
            text = text.replace(_PUBLISHED + port, address)
        return Answer(200, "text/xml", text.encode())
    return Answer(404, "text/plain")


def _read(body: bytes) -> tuple[Version, str, Arguments]:
    """Version, operation and arguments of an envelope. LookupError where it is none."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    envelope = etree.fromstring(body, parser)
    version = _VERSIONS[etree.QName(envelope).namespace or ""]
    content = envelope.find(f"{{{version.namespace}}}Body")
    if content is None:
        raise LookupError("no body")
    wrapper = content[0]
    value = _value(wrapper)
    return version, etree.QName(wrapper).localname, value if isinstance(value, dict) else {}


def _value(element: etree._Element) -> Any:
    children = element.findall("*")
    if not children:
        return None if element.get(f"{{{XSI}}}nil") in ("true", "1") else element.text
    found: Arguments = {}
    for child in children:
        found[etree.QName(child).localname] = _value(child)
    return found


def _answer(version: Version, operation: str, arguments: Arguments) -> Answer:
    if operation not in HANDLERS:
        return _fault(version, "UNKNOWN_OPERATION", f"{operation} is not known")
    try:
        data = HANDLERS[operation](arguments)
    except UnknownId as error:
        return _fault(version, "NOT_FOUND", str(error))
    except (BadArgument, ValueError) as error:
        return _fault(version, "INVALID", str(error))
    response = etree.Element(f"{{{NAMESPACE}}}{operation}Response", nsmap={"c": NAMESPACE})
    _fill(response, data, NAMESPACE)
    return _enveloped(version, response, 200)


def _fill(parent: etree._Element, data: dict[str, Any], namespace: str) -> None:
    """Children of a wrapper are in the service's namespace, all below them in the types'."""
    for key, value in data.items():
        for one in value if isinstance(value, list) else [value]:
            child = etree.SubElement(parent, f"{{{namespace}}}{key}")
            if isinstance(one, dict):
                _fill(child, one, TYPES)
            elif one is None:
                child.set(f"{{{XSI}}}nil", "true")
            else:
                child.text = str(one).lower() if isinstance(one, bool) else str(one)


def _fault(version: Version, code: str, message: str) -> Answer:
    detail = etree.Element(f"{{{NAMESPACE}}}crmFault")
    _fill(detail, {"code": code, "message": message, "ref": None}, TYPES)
    write = _fault11 if version is SOAP11 else _fault12
    return _enveloped(version, write(version, message, detail), 500)


def _fault11(version: Version, message: str, detail: etree._Element) -> etree._Element:
    fault = etree.Element(f"{{{version.namespace}}}Fault", nsmap={"e": version.namespace})
    etree.SubElement(fault, "faultcode").text = "e:Client"
    etree.SubElement(fault, "faultstring").text = message
    etree.SubElement(fault, "detail").append(detail)
    return fault


def _fault12(version: Version, message: str, detail: etree._Element) -> etree._Element:
    space = f"{{{version.namespace}}}"
    fault = etree.Element(f"{space}Fault", nsmap={"e": version.namespace})
    code = etree.SubElement(fault, f"{space}Code")
    etree.SubElement(code, f"{space}Value").text = "e:Sender"
    reason = etree.SubElement(fault, f"{space}Reason")
    text = etree.SubElement(reason, f"{space}Text")
    text.set("{http://www.w3.org/XML/1998/namespace}lang", "en")
    text.text = message
    etree.SubElement(fault, f"{space}Detail").append(detail)
    return fault


def _enveloped(version: Version, content: etree._Element, status: int) -> Answer:
    envelope = etree.Element(f"{{{version.namespace}}}Envelope", nsmap={"e": version.namespace})
    etree.SubElement(envelope, f"{{{version.namespace}}}Body").append(content)
    body = etree.tostring(envelope, xml_declaration=True, encoding="utf-8")
    return Answer(status, version.media_type, body)
