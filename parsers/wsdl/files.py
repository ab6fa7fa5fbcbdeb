"""Second files of a spec: read inside the jail, or from the well-known schemas that we bring."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from parsers.document import Document
from parsers.reading import Reader, Refused
from parsers.wsdl.names import Node
from parsers.wsdl.report import Report, place
from parsers.wsdl.xml import Unreadable, load

MAX_FILES = 2000
BUILTIN = "builtin:"
LOST = "import not read:"
_FOLDER = Path(__file__).parent / "schemas"
WELL_KNOWN = {
    "http://schemas.xmlsoap.org/soap/encoding/": "soap-encoding.xsd",
    "http://www.w3.org/2003/05/soap-encoding": "soap12-encoding.xsd",
    "http://schemas.xmlsoap.org/soap/envelope/": "soap-envelope.xsd",
    "http://www.w3.org/2003/05/soap-envelope": "soap12-envelope.xsd",
    "http://www.w3.org/XML/1998/namespace": "xml.xsd",
    "http://www.w3.org/1999/xlink": "xlink.xsd",
    "http://www.w3.org/2005/05/xmlmime": "xmlmime.xsd",
    "http://www.w3.org/2004/11/xmlmime": "xmlmime-2004.xsd",
    "http://www.w3.org/2004/08/xop/include": "xop-include.xsd",
    "http://ws-i.org/profiles/basic/1.1/xsd": "ws-i-swaref.xsd",
    "http://www.w3.org/2005/08/addressing": "ws-addressing.xsd",
    "http://schemas.xmlsoap.org/ws/2004/08/addressing": "ws-addressing-2004.xsd",
    "http://schemas.xmlsoap.org/wsdl/": "wsdl-names.xsd",
    "http://www.w3.org/2001/XMLSchema": "xml-schema.xsd",
    "http://docs.oasis-open.org/wsn/b-2": "ws-notification.xsd",
    "http://docs.oasis-open.org/wsn/t-1": "ws-topics.xsd",
    "http://docs.oasis-open.org/wsrf/bf-2": "ws-base-faults.xsd",
}


@dataclass(frozen=True, slots=True)
class File:
    location: str
    root: Node


@dataclass
class Files:
    """Each file once; a reference that cannot be followed is a warning that names it."""

    document: Document
    report: Report
    lost_namespaces: set[str] = field(default_factory=set)
    _reader: Reader = field(init=False)
    _loaded: dict[str, File | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reader = Reader(self.document)

    def has_read(self, file: File) -> None:
        """The spec itself, so that an import of it is not read as a second file."""
        self._loaded[file.location] = file
        if not _is_remote(file.location):
            self._loaded[str(Path(file.location).resolve())] = file

    def follow(self, reference: str, base: str, namespace: str, node: Node) -> File | None:
        """The file that an import or include means."""
        if namespace in WELL_KNOWN and (not reference or _is_remote(reference)):
            return self.well_known(namespace)
        if not reference:
            return None
        try:
            location = self._reader.absolute(reference, base)
            if location not in self._loaded:
                self._loaded[location] = self._load(location)
            return self._loaded[location]
        except (Refused, Unreadable) as fault:
            return self._without(fault, reference, base, namespace, node)

    def well_known(self, namespace: str) -> File:
        return File(f"{BUILTIN}{WELL_KNOWN[namespace]}", _bundled(WELL_KNOWN[namespace]))

    def _load(self, location: str) -> File:
        if len(self._loaded) >= MAX_FILES:
            raise Refused(f"{location}: the spec refers to more than {MAX_FILES} files")
        tree = load(self._reader.read(location))
        for word in tree.mended:
            self.report.warn(location, word)
        return File(location, tree.root)

    def _without(
        self, fault: Exception, reference: str, base: str, namespace: str, node: Node
    ) -> File | None:
        if namespace in WELL_KNOWN:
            return self.well_known(namespace)
        self.lost_namespaces.add(namespace)
        cause = str(fault) if isinstance(fault, Refused) else f"{reference} {fault}"
        named = cause if reference in cause else f"{reference}: {cause}"
        word = f"{LOST} {named}; what it defines is taken as anything"
        self.report.warn(place(base, node), word)
        return None


def _is_remote(reference: str) -> bool:
    return urlsplit(reference).scheme in ("http", "https")


@cache
def _bundled(name: str) -> Node:
    return load((_FOLDER / name).read_bytes()).root
