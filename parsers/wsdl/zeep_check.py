"""What zeep would offer of a WSDL, for `--strict`: many clients call it through zeep.

zeep reads further files through our reader only, so it reaches nothing that the parser may not.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from parsers.document import Document
from parsers.reading import Reader, Refused
from parsers.wsdl.model import Offered


def losses(document: Document, offered: Sequence[Offered]) -> Iterator[str]:
    """Words on what a zeep client of this WSDL would lack."""
    bound = Counter((one.operation.interface, one.operation.name) for one in offered if one.offers)
    try:
        known = _known_to_zeep(document)
    except Exception as error:  # noqa: BLE001 - zeep fails in many ways; each is its answer
        cause = " ".join(str(error).split())[:200] or type(error).__name__
        yield f"strict: zeep cannot load it: {cause}"
        return
    for (_, name), count in sorted(bound.items(), key=lambda pair: pair[0][1]):
        if name not in known:
            yield f"strict: zeep does not offer {name}"
        elif count > 1:
            yield f"strict: zeep offers one of the {count} operations called {name}"


def _known_to_zeep(document: Document) -> set[str]:
    from zeep import Settings
    from zeep.wsdl import Document as ZeepDocument

    logging.getLogger("zeep").setLevel(logging.CRITICAL)
    settings = Settings(strict=False)
    wsdl = ZeepDocument(BytesIO(document.data), _transport(document), document.location, settings)
    ports = (port for service in wsdl.services.values() for port in service.ports.values())
    return {name for port in ports for name in port.binding.all()}


def _transport(document: Document) -> Any:
    from zeep.transports import Transport

    reader = Reader(document)

    class Jailed(Transport):
        def load(self, url: str) -> bytes:
            try:
                return reader.read(reader.absolute(url, document.location))
            except Refused as refusal:
                raise OSError(str(refusal)) from None

    return Jailed()  # type: ignore[no-untyped-call]
