"""Where an imported file is: import roots found from what the spec says, inside the jail."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urljoin, urlsplit

from parsers.document import Document
from parsers.proto.scan import Header, Import, header
from parsers.proto.text import as_utf8
from parsers.reading import Reader, Refused
from parsers.traces import note_absent, note_tree, proto_files

_COMMON = Path(__file__).parent / "include"


@dataclass(frozen=True, slots=True)
class Found:
    """`location` is for people and for reading; `text` is the Latin-1 view of the UTF-8 bytes."""

    location: str
    text: str


class NotFound(Exception):
    """Why an import could not be had."""


@cache
def compiler_include() -> Path:
    """The compiler's own folder of well-known types, found without loading the compiler."""
    spec = find_spec("grpc_tools")
    folder = next(iter(spec.submodule_search_locations or ()), "") if spec else ""
    return Path(folder) / "_proto"


def is_well_known(path: str) -> bool:
    return path.startswith("google/protobuf/") and (compiler_include() / path).is_file()


class Locator:
    """Finds imports for one document; each file is read once."""

    def __init__(self, document: Document, head: Header, asked: tuple[Import, ...]) -> None:
        self._folder = _folder(document)
        self._top = document.root.resolve() if document.root else None
        within = list(_within(self._folder, self._top))
        stated = [root.resolve() for root in document.options.include]
        told = list(_told(self._folder, head.package, asked)) if document.root else []
        self._opened = [root for root in told if not _inside(root, self._top)]
        own = [root for root in told[:1] if root in within or root in self._opened]
        self.roots: list[Path] = list(dict.fromkeys([*own, *stated, *within, *told]))
        allowed = (*document.options.allow_folders, *self._opened)
        options = replace(document.options, allow_folders=allowed)
        self._reader = Reader(replace(document, options=options))
        self._location = document.location
        self._package = head.package
        self._tree: dict[str, list[Path]] | None = None

    def own_name(self) -> str:
        """The document's name for the compiler: relative to its root where that is known."""
        path = Path(urlsplit(self._location).path)
        for root in self.roots[:1]:
            if self._folder is not None and self._folder.is_relative_to(root):
                return (self._folder / path.name).relative_to(root).as_posix()
        return path.name

    def find(self, path: str, importer: Found) -> Found:
        """The file that an import means, or NotFound with the reason."""
        if path.startswith(("./", "../")):
            return self._beside(path, importer)
        _refuse_odd(path)
        refused = ""
        for place in self._places(path, importer):
            try:
                return self._read(place)
            except Refused as error:
                refused = refused or str(error)
        raise NotFound(refused or "not found (name the folder it is relative to with -I DIR)")

    def _beside(self, path: str, importer: Found) -> Found:
        try:
            return self._read(self._reader.absolute(path, importer.location))
        except Refused as error:
            raise NotFound(str(error)) from None

    def _places(self, path: str, importer: Found) -> Iterator[str]:
        for root in self.roots:
            place = root / path
            if not place.is_file():
                note_absent(place)
            elif root not in self._opened or place.suffix == ".proto":
                yield str(place)
        common = _COMMON / path
        if common.is_file():
            yield str(common)
        yield from self._elsewhere(path, importer)
        yield from _addresses(self._location, path, self._package)

    def _elsewhere(self, path: str, importer: Found) -> Iterator[str]:
        """Files of the folder whose path ends as the import does, nearest to the importer first."""
        wanted = PurePosixPath(path).parts
        ranked = []
        for place in self._all().get(wanted[-1], ()):
            score = _fits(place, wanted)
            if score and (len(wanted) > 1 or self._is_related(place, importer)):
                near = len(os.path.commonpath([place, importer.location]))
                ranked.append((-score, -near, len(place.parts), str(place)))
        yield from (place for *_, place in sorted(ranked))

    def _is_related(self, place: Path, importer: Found) -> bool:
        """A bare file name found elsewhere counts only where the importer speaks of its package."""
        try:
            package = header(self._read(str(place)).text).package
        except Refused:
            return False
        own = header(importer.text).package
        return not package or package == own or f"{package}." in importer.text

    def _all(self) -> dict[str, list[Path]]:
        if self._tree is None:
            self._tree = proto_files(self._top) if self._top else {}
            if self._top:
                note_tree(self._top, self._tree)
        return self._tree

    def _read(self, place: str) -> Found:
        if place.startswith(f"{_COMMON}/"):
            return Found(place, Path(place).read_bytes().decode("latin-1"))
        data = self._reader.read(place)
        real = place if _is_address(place) else str(Path(place).resolve())
        return Found(real, as_utf8(data)[0].decode("latin-1"))


def _refuse_odd(path: str) -> None:
    parts = path.split("/")
    if path.startswith("/") or "\\" in path or ":" in parts[0] or "\0" in path:
        raise NotFound("refused: an import is a path relative to an import root")
    if any(part in ("", ".", "..") for part in parts):
        raise NotFound("refused: an import has no empty, '.' or '..' part")


def _folder(document: Document) -> Path | None:
    """The file's own folder; none for stdin and addresses."""
    if document.root is None or _is_address(document.location):
        return None
    return Path(document.location).parent.resolve()


def _is_address(location: str) -> bool:
    return urlsplit(location).scheme in ("http", "https")


def _addresses(location: str, path: str, package: str) -> Iterator[str]:
    """Where an import of a spec from the network may be: whether it is fetched, the jail says."""
    if not _is_address(location):
        return
    above = urlsplit(location).path.split("/")[:-1]
    for first in dict.fromkeys((package.split(".")[0], path.split("/")[0])):
        if first and first in above:
            place = "/".join([*above[: above.index(first)], path])
            yield urljoin(location, quote(place))
    yield urljoin(location, quote(path))


def _within(folder: Path | None, top: Path | None) -> Iterator[Path]:
    """The file's folder and those above it, up to the folder of the spec."""
    if folder is None or top is None or not folder.is_relative_to(top):
        return
    for place in (folder, *folder.parents):
        yield place
        if place == top:
            return


def _told(folder: Path | None, package: str, asked: tuple[Import, ...]) -> Iterator[Path]:
    """Folders that the file itself names as import roots.

    Its package `acme.v1` in `…/acme/v1/` means that `…` is the root; so does an import `acme/…`.
    Such a root may lie above the folder named by the user: a .proto names its place in a tree.
    """
    if folder is None:
        return
    parts = package.split(".") if package else []
    if parts and list(folder.parts[-len(parts) :]) == parts:
        yield from _not_all(folder.parents[len(parts) - 1])
    firsts = [parts[0]] if parts else []
    firsts += [entry.path.split("/")[0] for entry in asked if "/" in entry.path]
    for first in dict.fromkeys(firsts):
        for place in (folder, *folder.parents):
            if place.name == first:
                yield from _not_all(place.parent)
                break


def _not_all(root: Path) -> Iterator[Path]:
    if root != root.parent:
        yield root


def _inside(path: Path, top: Path | None) -> bool:
    return top is not None and path.is_relative_to(top)


def _fits(place: Path, wanted: tuple[str, ...]) -> int:
    """How many last parts of the path agree: all, or two where the import begins with a host."""
    same = 0
    for left, right in zip(reversed(place.parts), reversed(wanted), strict=False):
        if left != right:
            break
        same += 1
    enough = same == len(wanted) or (same > 1 and "." in wanted[0])
    return same if enough else 0
