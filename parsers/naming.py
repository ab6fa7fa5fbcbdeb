"""What a service is called when nobody says: the file's own name, or the folder's that tells more.

`crm.wsdl` is `crm`, `acme/v1/openapi.yaml` is `acme`, `https://x.test/crm?wsdl` is `x_test_crm`.
Letters keep their case; two names that differ in case only count as one.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from catalog.words import safe_name

_KIND_SUFFIX = re.compile(
    r"\.(json|ya?ml|wsdl\d*|xml|protos?|pb|bin|binpb|protoset|desc|fds|txt"
    r"|openapi\d*|swagger\d*|oas\d*|asmx|svc|spec|api)$",
    re.I,
)
_GENERIC = re.compile(
    r"(open-?api|swagger|oas|api|api-?docs?|docs|spec|specification|spec\d|index|main|root"
    r"|service|schema|definitions?|description|wsdl|proto|v?\d[\d._-]*(alpha|beta)?\d*"
    r"|v\d+\w*|latest|stable|current)",
    re.I,
)
_FOLDER_NAMES = 4  # parents that may lend their name before the whole path is used


def candidate_names(location: str, root: Path | None) -> list[str]:
    """Names for the spec at a location from short to long; the last one is its alone."""
    return list(dict.fromkeys(_levels(location, root)))


def distinct_services(locations: Sequence[tuple[str, Path | None]]) -> list[str]:
    """One name a location, each as short as the others allow, whatever their order."""
    levels = [_levels(location, root) for location, root in locations]
    chosen = [0] * len(levels)
    while groups := _clashes([names[level] for names, level in zip(levels, chosen, strict=True)]):
        for members in groups:
            level = _level_that_parts([levels[member] for member in members], chosen, members)
            for member in members:
                chosen[member] = level
    return [names[level] for names, level in zip(levels, chosen, strict=True)]


def _clashes(names: Sequence[str]) -> list[list[int]]:
    by_name: dict[str, list[int]] = defaultdict(list)
    for position, name in enumerate(names):
        by_name[name.lower()].append(position)
    return [members for members in by_name.values() if len(members) > 1]


def _level_that_parts(levels: list[list[str]], chosen: list[int], members: list[int]) -> int:
    """The first level above the present one at which the members' names differ."""
    last = len(levels[0]) - 1
    for level in range(max(chosen[member] for member in members) + 1, last):
        if len({names[level].lower() for names in levels}) == len(levels):
            return level
    return last


def _levels(location: str, root: Path | None) -> list[str]:
    """As many names for every location, so that equal levels compare.

    The part that tells most; with the folders below it; with all below it; behind one to four
    parents, behind all up to the root; the same again with the file's suffix; with a hash.
    """
    if urlsplit(location).netloc:
        names = _address_levels(location)
    else:
        path = Path(location)
        parts = [part for part in path.parts if part != path.anchor]
        names = _path_levels(parts, _depth_below(root, path))
    return [*names, f"{names[0][:48]}_{hashlib.sha256(os.fsencode(location)).hexdigest()[:12]}"]


def _path_levels(parts: list[str], depth: int) -> list[str]:
    stems = [*parts[:-1], _stem(parts[-1])]
    core = _telling(stems)
    starts = [max(core - count, 0) for count in range(_FOLDER_NAMES + 1)]
    starts.append(min(starts[-1], max(len(stems) - depth, 0)))
    short = [stems[core : core + 1], stems[core : max(core + 1, len(stems) - 1)]]
    long = [stems[start:] for start in starts] + [parts[start:] for start in starts]
    return [_joined(chosen) for chosen in short + long]


def _address_levels(location: str) -> list[str]:
    address = urlsplit(location)
    host = address.netloc.rpartition("@")[2]
    parts = [unquote(part) for part in address.path.split("/") if part]
    stems = [*parts[:-1], _stem(parts[-1])] if parts else []
    last = [stem for stem in stems[-1:] if not _GENERIC.fullmatch(stem)]
    longer = [stems[-count:] for count in range(1, _FOLDER_NAMES + 1)]
    whole = [*parts, address.query]
    paths = [last, *longer, stems] + [whole] * (_FOLDER_NAMES + 4)
    return [_joined([host, *path]) for path in paths]


def _depth_below(root: Path | None, path: Path) -> int:
    """How many parts of the path count: the root's own name and what is below it."""
    inside = root is not None and path.is_relative_to(root)
    return len(path.relative_to(root).parts) + 1 if inside and root else len(path.parts)


def _telling(stems: list[str]) -> int:
    """The last part that says something; when none near the file does, the one above it."""
    nearest = range(len(stems) - 1, max(len(stems) - 2 - _FOLDER_NAMES, -1), -1)
    for position in nearest:
        if not _GENERIC.fullmatch(stems[position]):
            return position
    return max(len(stems) - 2, 0)


def _stem(name: str) -> str:
    while (shorter := _KIND_SUFFIX.sub("", name)) and shorter != name:
        name = shorter
    return name


def _joined(parts: Sequence[str]) -> str:
    return safe_name("_".join(part for part in parts if part), fallback="service")
