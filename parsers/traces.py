"""What a parse depended on beside its options: so that it need not be done again.

While a document is parsed, whoever reads or looks for a file notes it here. `Checker.holds` tells
later whether all of it is as it was: then parsing gives the same again.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from parsers.document import Document

_HOME = Path(__file__).resolve().parent.parent
_LIBRARIES = ("grpcio-tools", "protobuf", "lxml", "orjson", "PyYAML", "prance", "zeep")
_MAX_WALKED = 100_000


@dataclass(slots=True)
class Trace:
    """`files` by location with the digest of their bytes; `absent` are paths where nothing was.

    `links` say what a path with symbolic links stood for, `trees` digest the .proto names below a
    folder. Where not `repeatable`, something was looked at that cannot be looked at again.
    """

    files: dict[str, str] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)
    trees: dict[str, str] = field(default_factory=dict)
    repeatable: bool = True

    def as_json(self) -> dict[str, Any]:
        return {
            "files": self.files,
            "absent": sorted(self.absent),
            "links": self.links,
            "trees": self.trees,
        }


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


@contextmanager
def tracing(document: Document) -> Iterator[Trace]:
    """A trace of what is read within, the document itself included."""
    trace = Trace({document.location: digest_of(document.data)})
    token = _current.set(trace)
    try:
        yield trace
    finally:
        _current.reset(token)


def digest_of(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def note_file(location: str, data: bytes) -> None:
    if (trace := _current.get()) is not None:
        trace.files[location] = digest_of(data)


def note_absent(path: Path | str) -> None:
    if (trace := _current.get()) is not None:
        trace.absent.add(str(path))


def note_link(path: Path | str, real: Path | str) -> None:
    """A path and what it stands for, where links make a difference."""
    if (trace := _current.get()) is not None and os.path.abspath(path) != str(real):  # noqa: PTH100
        trace.links[os.path.abspath(path)] = str(real)  # noqa: PTH100


def note_tree(top: Path, names: Mapping[str, list[Path]]) -> None:
    if (trace := _current.get()) is not None:
        trace.trees[str(top)] = _names_digest(names)


def note_unrepeatable() -> None:
    if (trace := _current.get()) is not None:
        trace.repeatable = False


def proto_files(top: Path) -> dict[str, list[Path]]:
    """The .proto files below a folder by their last name."""
    found: dict[str, list[Path]] = {}
    seen = 0
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in files:
            if name.endswith(".proto"):
                found.setdefault(name, []).append(Path(folder) / name)
        seen += len(folders) + len(files)
        if seen > _MAX_WALKED:
            break
    return found


def _names_digest(names: Mapping[str, list[Path]]) -> str:
    paths = sorted(os.fsencode(path) for group in names.values() for path in group)
    return digest_of(b"\0".join(paths))


class Checker:
    """Looks at each file once, however many documents depended on it."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._absent: dict[str, bool] = {}
        self._trees: dict[str, str] = {}

    def holds(self, document: Document, trace: Mapping[str, Any]) -> bool:
        """Whether everything that the trace of a document names is as it was."""
        files = dict(trace["files"])
        own = files.pop(document.location, "")
        return (
            own == self._own(document)
            and all(self._digest(path) == was for path, was in files.items())
            and all(self._is_absent(path) for path in trace["absent"])
            and all(os.path.realpath(path) == real for path, real in trace["links"].items())
            and all(self._tree(top) == was for top, was in trace["trees"].items())
        )

    def _own(self, document: Document) -> str:
        with suppress(OSError):
            return digest_of(document.data)
        return "not readable"

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            try:
                self._digests[path] = digest_of(Path(path).read_bytes())
            except (OSError, ValueError):
                self._digests[path] = "not readable"
        return self._digests[path]

    def _is_absent(self, path: str) -> bool:
        if path not in self._absent:
            self._absent[path] = not os.path.lexists(path)
        return self._absent[path]

    def _tree(self, top: str) -> str:
        if top not in self._trees:
            self._trees[top] = _names_digest(proto_files(Path(top)))
        return self._trees[top]


def setting(document: Document) -> str:
    """A digest of all but file contents that decides what a document is read as."""
    options = document.options
    parts = [
        parser_version(),
        document.location,
        os.path.realpath(document.location),
        str(document.root),
        *("-I", *(os.path.abspath(root) for root in options.include)),  # noqa: PTH100
        *("host", *options.allow_hosts),
        *("folder", *(os.path.realpath(folder) for folder in options.allow_folders)),
        *("strict", str(options.strict)),
    ]
    return digest_of(b"\0".join(os.fsencode(part) for part in parts))


@cache
def parser_version() -> str:
    """A digest of the code that reads specs, and of the libraries it reads them with."""
    total = hashlib.blake2b(digest_size=16)
    for part in ("catalog", "parsers"):
        for path in sorted((_HOME / part).rglob("*")):
            if path.suffix in (".py", ".xsd", ".proto", ".json"):
                total.update(path.relative_to(_HOME).as_posix().encode())
                total.update(path.read_bytes())
    told = [sys.version, *(f"{name} {_version(name)}" for name in _LIBRARIES)]
    total.update("\n".join(told).encode())
    return total.hexdigest()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
