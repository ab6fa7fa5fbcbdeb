"""The only way a parser reads a second file: inside the jail, or refused by name."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from catalog.errors import GlossError
from parsers.document import MAX_SPEC_BYTES, Document
from parsers.fetching import REMOTE, FetchRules, fetch, shown
from parsers.traces import note_absent, note_file, note_link, note_unrepeatable

MAX_FILE_BYTES = MAX_SPEC_BYTES
MAX_FILES = 10_000
MAX_TOTAL_BYTES = 2 * MAX_SPEC_BYTES
_SHOWN_LETTERS = 200


class Refused(Exception):
    """A reference that was not followed; the message says which and why, never what is in it."""


class Reader:
    """Reads what a document refers to; each location once, also when it was refused."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._cache: dict[str, bytes | Refused] = {document.location: document.data}
        self._moved: dict[str, str] = {}
        self._read_bytes = 0
        options = document.options
        roots = (document.root, *options.allow_folders, *options.include)
        real = (root.resolve() for root in roots if root is not None)
        self._roots = tuple(root for root in real if root != Path(root.anchor))
        self._rules = FetchRules(allow_hosts=options.allow_hosts)

    def absolute(self, reference: str, base: str) -> str:
        """The location that a relative reference means (RFC 3986 §5), without its fragment."""
        bare = reference.partition("#")[0]
        if not bare:
            return base
        base = self._moved.get(base, base)
        scheme = _scheme(bare)
        if scheme in REMOTE:
            return _joined("", bare)
        if _scheme(base) in REMOTE and not scheme:
            return _joined(base, bare)
        if scheme and (scheme != "file" or _scheme(base) in REMOTE):
            raise Refused(f"{_cut(bare)}: references of the kind {scheme}: are not followed")
        if not scheme and bare.startswith("//"):
            raise Refused(f"{_cut(bare)}: an address without http: or https: is not followed")
        return self._path(_file_path(bare) if scheme else bare, Path(base).parent)

    def read(self, location: str) -> bytes:
        """The bytes at a location that `absolute` gave; Refused, the same each time."""
        if location not in self._cache:
            try:
                self._cache[location] = self._counted(location)
            except Refused as refusal:
                self._cache[location] = refusal
        found = self._cache[location]
        if isinstance(found, Refused):
            raise found
        return found

    def _counted(self, location: str) -> bytes:
        if len(self._cache) > MAX_FILES:
            raise Refused(f"{_cut(location)}: more than {MAX_FILES} files in one document")
        remote = _scheme(location) in REMOTE
        data = self._fetch(location) if remote else self._open(Path(location))
        self._read_bytes += len(data)
        if self._read_bytes > MAX_TOTAL_BYTES:
            limit = MAX_TOTAL_BYTES // 2**20
            raise Refused(f"{_cut(location)}: more than {limit} MB in one document")
        note_file(location, data)
        return data

    def _path(self, reference: str, folder: Path) -> str:
        """The file meant: percent-encoding undone unless only the name as written is there."""
        try:
            written = folder / unquote(reference, errors="strict")
            decoded = written.resolve()
            note_link(written, decoded)
            for spelling in (reference, unquote(reference).replace("\\", "/")):
                other = (folder / spelling).resolve()
                if other != decoded and not self._there(decoded):
                    note_absent(decoded if self._there(other) else other)
                    if self._there(other):
                        return str(other)
        except (ValueError, OSError, RuntimeError):
            raise Refused(f"{_cut(reference)}: not a file name") from None
        return str(decoded)

    def _there(self, path: Path) -> bool:
        return self._inside(path) and path.exists()

    def _inside(self, real: Path) -> bool:
        return any(real.is_relative_to(root) for root in self._roots)

    def _open(self, path: Path) -> bytes:
        try:
            real = path.resolve()
            note_link(path, real)
            if not self._inside(real):
                raise Refused(
                    f"{_cut(path)}: outside the folder of the spec (allow it with --allow-folder)"
                )
            return _regular_file(real)
        except (ValueError, RuntimeError):
            raise Refused(f"{_cut(path)}: not a file name") from None
        except FileNotFoundError as error:
            note_absent(path)
            raise Refused(f"{_cut(path)}: {error.strerror}") from None
        except OSError as error:
            note_unrepeatable()
            raise Refused(f"{_cut(path)}: {error.strerror or 'not readable'}") from None

    def _fetch(self, address: str) -> bytes:
        if self._rules.allow_hosts:
            note_unrepeatable()
        try:
            fetched = fetch(address, self._rules)
        except GlossError as error:
            raise Refused(error.message) from None
        if fetched.address != shown(address):
            self._moved[address] = fetched.address
        return fetched.data


def _regular_file(real: Path) -> bytes:
    """The bytes of a regular file; opening a pipe or device does not wait and reads nothing."""
    flags = os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0) | os.O_CLOEXEC
    handle = os.open(real, flags)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISDIR(status.st_mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(status.st_mode):
            raise Refused(f"{_cut(real)}: not a regular file")
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise Refused(f"{_cut(real)}: larger than {MAX_FILE_BYTES // 2**20} MB")
    return data


def _scheme(reference: str) -> str:
    """The scheme in lower case; one letter is a Windows drive, no scheme."""
    try:
        scheme = urlsplit(reference).scheme
    except ValueError:
        raise Refused(f"{_cut(reference)}: not an address") from None
    return scheme if len(scheme) > 1 else ""


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference).partition("#")[0]
    except ValueError:
        raise Refused(f"{_cut(reference)}: not an address") from None


def _file_path(reference: str) -> str:
    parts = urlsplit(reference)
    if parts.netloc not in ("", "localhost"):
        raise Refused(f"{_cut(reference)}: a file on another machine")
    return parts.path


def _cut(reference: object) -> str:
    text = str(reference)
    return text if len(text) <= _SHOWN_LETTERS else text[:_SHOWN_LETTERS] + "…"
