"""SoapUI projects: the responses that are stored in them, which are those of mock services."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from lxml import etree

from probing.traces.exchange import Exchange, TraceProblem, number

NAMESPACE = "http://eviware.com/soapui/config"
_CON = f"{{{NAMESPACE}}}"
_HOLDERS = (f"{_CON}mockOperation", f"{_CON}restMockAction", f"{_CON}testStep", f"{_CON}call")


def read(file: BinaryIO) -> Iterator[Exchange]:
    parser = etree.iterparse(
        file, events=("end",), resolve_entities=False, no_network=True, load_dtd=False
    )
    try:
        for _, element in parser:
            if element.tag in _HOLDERS:
                yield from _exchanges(element)
                element.clear()
    except etree.XMLSyntaxError as error:
        raise TraceProblem(f"no valid XML (line {error.lineno})") from None


def _exchanges(holder: Any) -> Iterator[Exchange]:
    request = _text(holder.find(f".//{_CON}request"))
    operation = holder.get("operation") or _text(holder.find(f".//{_CON}operation")) or ""
    for response in holder.iter(f"{_CON}response"):
        content = _text(response.find(f"{_CON}responseContent")) or _text(response)
        if content and content.strip():
            yield Exchange(
                method=holder.get("method", "POST").upper(),
                url=holder.get("resourcePath", ""),
                status=number(response.get("httpResponseStatus")) or 200,
                request_body=request.encode() if request else None,
                content_type=response.get("mediaType", ""),
                body=content.encode(),
                operation=operation,
            )


def _text(element: Any) -> str | None:
    return None if element is None else element.text
