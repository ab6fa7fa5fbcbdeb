"""The only way a parser reads a second file: inside the jail, or refused by name."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from parsers.document import Document

MAX_FILE_BYTES = 256 * 1024 * 1024
_REMOTE = ("http", "https")


class Refused(Exception):
    """A reference that was not followed; the message says which and why, never what is in it."""


class Reader:
    """Reads what a document refers to; each location once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._cache: dict[str, bytes] = {document.location: document.data}
        options = document.options
        roots = (document.root, *options.allow_folders, *options.include)
        self._roots = tuple(root.resolve() for root in roots if root is not None)

    def absolute(self, reference: str, base: str) -> str:
        """The location that a relative reference means (RFC 3986 §5), without its fragment."""
        bare = reference.partition("#")[0]
        if not bare:
            return base
        scheme = urlsplit(bare).scheme
        if scheme in _REMOTE or urlsplit(base).scheme in _REMOTE:
            return urljoin(base, bare)
        if scheme and len(scheme) > 1:
            raise Refused(f"{bare}: references of the kind {scheme}: are not followed")
        return str((Path(base).parent / unquote(bare)).resolve())

    def read(self, location: str) -> bytes:
        if location not in self._cache:
            remote = urlsplit(location).scheme in _REMOTE
            self._cache[location] = self._fetch(location) if remote else self._open(Path(location))
        return self._cache[location]

    def _open(self, path: Path) -> bytes:
        real = path.resolve()
        if not any(real.is_relative_to(root) for root in self._roots):
            raise Refused(f"{path}: outside the folder of the spec (allow it with --allow-folder)")
        try:
            if real.stat().st_size > MAX_FILE_BYTES:
                raise Refused(f"{path}: larger than {MAX_FILE_BYTES // 2**20} MB")
            return real.read_bytes()
        except OSError as error:
            raise Refused(f"{path}: {error.strerror or error}") from None

    def _fetch(self, address: str) -> bytes:
        host = urlsplit(address).hostname or ""
        raise Refused(f"{address}: the network is not used (allow it with --allow-host {host})")
