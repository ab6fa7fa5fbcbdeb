"""A SOAP call as it goes over the wire (SOAP 1.1 §4, 1.2 part 1 §5; WSDL 1.1 §3).

The envelope is built here from the binding, not by zeep: zeep would read the WSDL again, from
wherever it is now, and loses operations that we have (a spec that it refuses would be left out).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lxml import etree

from catalog.binding import Argument, Endpoint, SoapBinding
from catalog.spec import Operation, Schema
from probing.rest import AGENT, HttpCall, Unfit
from probing.values import resolved

ENVELOPES = {
    "soap11": "http://schemas.xmlsoap.org/soap/envelope/",
    "soap12": "http://www.w3.org/2003/05/soap-envelope",
}
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_ENCODING = "http://schemas.xmlsoap.org/soap/encoding/"


def endpoint_of(binding: SoapBinding) -> Endpoint | None:
    """The first port that speaks SOAP: 1.1 before 1.2, which every server of the latter knows."""
    spoken = [one for one in binding.endpoints if one.transport in ENVELOPES]
    return min(spoken, key=lambda one: one.transport, default=None)


def soap_call(
    operation: Operation,
    base_url: str,
    values: Mapping[str, Any],
    definitions: Mapping[str, Schema],
) -> HttpCall:
    binding = operation.binding
    assert isinstance(binding, SoapBinding)
    endpoint = endpoint_of(binding)
    if endpoint is None:
        raise Unfit("no port speaks SOAP")
    body = _envelope(operation, binding, endpoint, values, definitions)
    action = endpoint.soap_action or binding.soap_action
    return HttpCall("POST", base_url, _headers(endpoint.transport, action), body)


def _headers(transport: str, action: str) -> dict[str, str]:
    common = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
    if transport == "soap11":
        return {**common, "Content-Type": "text/xml; charset=utf-8", "SOAPAction": f'"{action}"'}
    said = f'; action="{action}"' if action else ""
    return {**common, "Content-Type": f"application/soap+xml; charset=utf-8{said}"}


def _envelope(
    operation: Operation,
    binding: SoapBinding,
    endpoint: Endpoint,
    values: Mapping[str, Any],
    definitions: Mapping[str, Schema],
) -> bytes:
    space = ENVELOPES[endpoint.transport]
    root = etree.Element(f"{{{space}}}Envelope", nsmap={"soap": space})
    schema = operation.input_schema if isinstance(operation.input_schema, dict) else {}
    types = {k: resolved(part, definitions) for k, part in schema.get("properties", {}).items()}
    given = [a for a in binding.arguments if a.key in values]
    try:
        headers = [a for a in given if a.place == "header"]
        if headers:
            header = etree.SubElement(root, f"{{{space}}}Header")
            for one in headers:
                _put(header, one, values[one.key], types.get(one.key, {}), definitions)
        body = etree.SubElement(root, f"{{{space}}}Body")
        holder = _wrapper(body, binding, endpoint)
        for one in given:
            if one.place != "header":
                _put(holder, one, values[one.key], types.get(one.key, {}), definitions)
    except ValueError:
        raise Unfit("a value or name that XML cannot carry") from None
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def _wrapper(body: Any, binding: SoapBinding, endpoint: Endpoint) -> Any:
    if not binding.request_element:
        return body
    wrapper = etree.SubElement(body, binding.request_element)
    if endpoint.use == "encoded":
        wrapper.set(f"{{{ENVELOPES[endpoint.transport]}}}encodingStyle", _ENCODING)
    return wrapper


def _put(
    parent: Any,
    one: Argument,
    value: Any,
    schema: Mapping[str, Any],
    definitions: Mapping[str, Schema],
) -> None:
    options = one.options
    if not one.name or options.get("text"):
        parent.text = _text(value)
    elif options.get("attribute"):
        parent.set(_name(options.get("namespace", ""), one.name), _text(value))
    else:
        name = options.get("element") or _name(options.get("namespace", ""), one.name)
        _element(parent, name, value, schema, definitions)


def _element(
    parent: Any, name: str, value: Any, schema: Mapping[str, Any], definitions: Mapping[str, Schema]
) -> None:
    if isinstance(value, list):
        items = resolved(schema.get("items"), definitions)
        for entry in value:
            _element(parent, name, entry, items, definitions)
        return
    child = etree.SubElement(parent, name)
    if isinstance(value, dict):
        space = (schema.get("xml") or {}).get("children", "")
        for key, part in value.items():
            below = resolved((schema.get("properties") or {}).get(key), definitions)
            _element(child, _name(space, key), part, below, definitions)
    elif value is None:
        child.set(f"{{{_XSI}}}nil", "true")
    else:
        child.text = _text(value)


def _name(namespace: str, local: str) -> str:
    return f"{{{namespace}}}{local}" if namespace else local


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
