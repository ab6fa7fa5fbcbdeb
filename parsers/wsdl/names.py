"""Names of XML: namespaces that matter here, and qualified names resolved where they stand."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

WSDL = "http://schemas.xmlsoap.org/wsdl/"
WSDL_2 = frozenset(
    {
        "http://www.w3.org/ns/wsdl",
        "http://www.w3.org/2006/01/wsdl",  # the candidate recommendation
        "http://www.w3.org/2005/08/wsdl",
        "http://www.w3.org/2005/05/wsdl",
        "http://www.w3.org/2004/08/wsdl",
        "http://www.w3.org/2004/03/wsdl",
    }
)
XSD = "http://www.w3.org/2001/XMLSchema"
XSD_ALL = frozenset(
    {XSD, "http://www.w3.org/1999/XMLSchema", "http://www.w3.org/2000/10/XMLSchema"}
)
XML = "http://www.w3.org/XML/1998/namespace"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
SOAP_ENCODINGS = frozenset(
    {"http://schemas.xmlsoap.org/soap/encoding/", "http://www.w3.org/2003/05/soap-encoding"}
)
SOAP11 = "http://schemas.xmlsoap.org/wsdl/soap"
SOAP12 = "http://schemas.xmlsoap.org/wsdl/soap12"
HTTP = "http://schemas.xmlsoap.org/wsdl/http"
MIME = "http://schemas.xmlsoap.org/wsdl/mime"
CUSTOMARY = {
    "wsdl": WSDL,
    "soap": f"{SOAP11}/",
    "soap12": f"{SOAP12}/",
    "http": f"{HTTP}/",
    "mime": f"{MIME}/",
    **dict.fromkeys(("xs", "xsd", "s"), XSD),
    "soapenc": "http://schemas.xmlsoap.org/soap/encoding/",
    "xmime": "http://www.w3.org/2005/05/xmlmime",
}
"""What prefixes mean where people forget to declare them."""

Node = Any
"""An lxml element; lxml ships no types that mypy could hold us to."""


class QName(NamedTuple):
    """`namespace` "" means none."""

    namespace: str
    local: str

    def __str__(self) -> str:
        return f"{{{self.namespace}}}{self.local}" if self.namespace else self.local


class UnknownPrefix(Exception):
    """A prefix that no enclosing element declares."""


def tag(node: Node) -> QName:
    return expanded(node.tag)


@lru_cache(maxsize=4096)
def expanded(text: str) -> QName:
    """The name that lxml writes as `{namespace}local`."""
    namespace, brace, local = text.rpartition("}")
    return QName(namespace[1:], local) if brace else QName("", local)


def qname(text: str, node: Node, default: str | None = None) -> QName:
    """The name that `text` means at `node`; `default` is for text without prefix where no default
    namespace is declared."""
    prefix, colon, local = text.strip().rpartition(":")
    if not colon:
        declared = node.nsmap.get(None)
        return QName((default or "") if declared is None else declared, local)
    if prefix == "xml":
        return QName(XML, local)
    namespace = node.nsmap.get(prefix)
    if namespace is None:
        raise UnknownPrefix(f"the prefix {prefix}: of {text.strip()} is not declared")
    return QName(namespace, local)
