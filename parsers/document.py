"""What a parser is given: the bytes of one spec, where they came from, and what it may touch."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """What the user allowed beyond the spec's own folder.

    `include` are import roots (`-I`); `allow_hosts` and `allow_folders` open the jail for
    references to those hosts and folders only.
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
