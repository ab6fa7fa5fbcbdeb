"""What a parser is given: the bytes of one spec, where they came from, and what it may touch."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAX_SPEC_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """What the user allowed beyond the spec's own folder.

    `include` are import roots (`-I`); `allow_hosts` and `allow_folders` open the jail for
    references to those hosts and folders only. A host is a name or an IP, with or without a port;
    `*.example.com` and `*` stand for public addresses only.
    """

    include: tuple[Path, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    allow_folders: tuple[Path, ...] = ()
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """One spec as read: `location` is an absolute path or an http(s) address without user info.

    `root` is the folder that references may not leave: the folder named on the command line, or the
    file's own. None for stdin and addresses.
    """

    location: str
    data: bytes
    service: str
    root: Path | None = None
    options: ParseOptions = field(default_factory=ParseOptions)


class FileDocument(Document):
    """A document that stays on disk until `data` is asked for, which reads it each time.

    A folder of thousands of specs is a list of names rather than gigabytes, and what is sent to
    the child process is the name.
    """

    __slots__ = ()

    def __init__(
        self,
        location: str,
        data: bytes = b"",
        service: str = "",
        root: Path | None = None,
        options: ParseOptions | None = None,
    ) -> None:
        object.__setattr__(self, "location", location)
        object.__setattr__(self, "service", service)
        object.__setattr__(self, "root", root)
        object.__setattr__(self, "options", options or ParseOptions())

    @property
    def data(self) -> bytes:
        return Path(self.location).read_bytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return FileDocument, (self.location, b"", self.service, self.root, self.options)

    def __repr__(self) -> str:
        return f"FileDocument({self.location!r}, service={self.service!r})"

    def loaded(self) -> Document:
        """The same with its bytes in memory, read once."""
        return Document(self.location, self.data, self.service, self.root, self.options)
