"""Which WSDLs of a run are there only for another one of the same run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from parsers.sniffing import as_utf8

_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.S)
_IMPORT = re.compile(rb"<(?:[\w.-]+:)?(?:import|include)\s([^>]*)>", re.S)
_LOCATION = re.compile(rb"(?:^|\s)location\s*=\s*(\"[^\"]*\"|'[^']*')")
_SERVICE = re.compile(rb"<(?:[\w.-]+:)?service[\s>]")


@dataclass(frozen=True, slots=True)
class Links:
    """What a WSDL imports from inside its jail, as real paths, and whether it has a service."""

    imports: frozenset[str]
    has_service: bool


def links(path: Path, data: bytes, roots: Iterable[Path]) -> Links:
    text = _COMMENT.sub(b"", as_utf8(data))
    places = [
        location.group(1)[1:-1].decode("utf-8", "replace")
        for found in _IMPORT.finditer(text)
        if (location := _LOCATION.search(found.group(1))) and b"\0" not in location.group(1)
    ]
    local = (Path(os.path.realpath(path.parent / unquote(place))) for place in places)
    jails = [root.resolve() for root in roots]
    inside = (str(each) for each in local if any(each.is_relative_to(jail) for jail in jails))
    return Links(frozenset(inside), _SERVICE.search(text) is not None)


def only_imported(wsdls: Mapping[str, Links]) -> dict[str, str]:
    """Location → importer, for each WSDL without a service that an importer of this run reads.

    Files that import each other in a ring keep the first of the ring.
    """
    real = {os.path.realpath(location): location for location in wsdls}
    kept = [each for each in sorted(wsdls) if wsdls[each].has_service]
    importers: dict[str, str] = {}
    for start in kept + _without_importer(wsdls, real) + sorted(wsdls):
        if start not in importers:
            _mark(start, wsdls, real, importers)
    return {
        location: importer
        for location, importer in importers.items()
        if not wsdls[location].has_service
    }


def _without_importer(wsdls: Mapping[str, Links], real: Mapping[str, str]) -> list[str]:
    imported = {real[each] for link in wsdls.values() for each in link.imports if each in real}
    return [location for location in sorted(wsdls) if location not in imported]


def _mark(
    start: str, wsdls: Mapping[str, Links], real: Mapping[str, str], importers: dict[str, str]
) -> None:
    waiting, seen = [start], {start}
    while waiting:
        for each in sorted(wsdls[waiting.pop()].imports):
            location = real.get(each)
            if location is not None and location not in seen:
                seen.add(location)
                importers.setdefault(location, start)
                waiting.append(location)
