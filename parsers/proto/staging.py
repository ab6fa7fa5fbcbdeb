"""The files one document needs, under the names that the compiler will know them by."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from catalog.errors import SpecError
from catalog.spec import Problem
from parsers.document import Document
from parsers.proto import scan
from parsers.proto.edits import Edit, apply
from parsers.proto.locate import Found, Locator, NotFound, is_well_known

MAX_FILES = 5_000
MAX_MISSING = 1_000
MAX_BYTES = 128 * 1024 * 1024
STUB = 'syntax = "proto3";\n'


@dataclass(slots=True)
class Tree:
    """`texts` by compiler name (Latin-1 views); `origins` say where each came from."""

    main: str
    texts: dict[str, str] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    missing: dict[str, Problem] = field(default_factory=dict)

    def place(self, name: str, line: int) -> str:
        return f"{self.origins.get(name, name)}:{line}"


def stage(document: Document, text: str) -> Tree:
    """The document and everything it imports; what is missing is an empty file with a problem."""
    return _Stager(document, text).run()


class _Stager:
    def __init__(self, document: Document, text: str) -> None:
        asked = scan.imports(text)
        _require_few(asked, document.location)
        self._locator = Locator(document, scan.header(text), asked)
        self._own = Found(document.location, text)
        self._tree = Tree(main=_plain(self._locator.own_name()))
        self._names: dict[str, str] = {}  # location or content → the one name it has
        self._queue: deque[tuple[str, Found]] = deque()
        self._size = 0

    def run(self) -> Tree:
        self._add(self._tree.main, self._own)
        while self._queue:
            name, found = self._queue.popleft()
            self._tree.texts[name] = self._follow(name, found)
        return self._tree

    def _add(self, name: str, found: Found) -> str:
        """The name that a file goes by: one name a file and one a content, however imported."""
        for key in (found.location, found.text):
            if key in self._names:
                return self._names[key]
        while name in self._tree.texts:
            name = f"other/{name}"
        self._names[found.location] = self._names[found.text] = name
        self._tree.texts[name] = found.text
        self._tree.origins[name] = found.location
        self._size += len(found.text)
        self._check_size()
        self._queue.append((name, found))
        return name

    def _check_size(self) -> None:
        where = self._own.location
        if len(self._tree.texts) > MAX_FILES:
            raise SpecError(f"{where}: more than {MAX_FILES:,} imported files")
        if self._size > MAX_BYTES:
            raise SpecError(f"{where}: with its imports larger than {MAX_BYTES // 2**20} MB")

    def _follow(self, name: str, found: Found) -> str:
        """The text with each import written as the name that its file was given."""
        asked = [entry for entry in scan.imports(found.text) if not is_well_known(entry.path)]
        _require_few(asked, found.location)
        named = [(entry, self._target(entry, found)) for entry in asked]
        return apply(found.text, [Edit(e.start, e.end, f'"{name}"') for e, name in named])

    def _target(self, entry: scan.Import, importer: Found) -> str:
        try:
            found = self._locator.find(_utf8(entry.path), importer)
        except NotFound as error:
            return self._stub(entry, importer, str(error))
        wanted = _plain(entry.path.lstrip("./"))
        return self._add(wanted, found)

    def _stub(self, entry: scan.Import, importer: Found, reason: str) -> str:
        name = f"missing/{_plain(entry.path.lstrip('./'))}"
        if name not in self._tree.missing:
            if len(self._tree.missing) >= MAX_MISSING:
                where = self._own.location
                raise SpecError(f"{where}: more than {MAX_MISSING:,} imports are not there")
            self._check_size()
            self._tree.texts[name] = STUB
            self._tree.origins[name] = entry.path
            message = f'import "{_utf8(entry.path)}": {reason}; what needs it is left open'
            where = f"{importer.location}:{entry.line}"
            self._tree.missing[name] = Problem("warning", where, message)
        return name


def _require_few(asked: Sequence[scan.Import], where: str) -> None:
    if len(asked) > MAX_FILES:
        raise SpecError(f"{where}: more than {MAX_FILES:,} imported files")


def _plain(path: str) -> str:
    """A relative path that the compiler takes: no odd parts, signs or surprises."""
    parts = [_safe(p) for p in path.split("/")]
    kept = [part[-120:] for part in parts if part.strip(".")]
    return "/".join(kept[-40:]) or "input.proto"


def _safe(part: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "._+-") else "_" for c in part)


def _utf8(text: str) -> str:
    return text.encode("latin-1").decode("utf-8", "replace")
