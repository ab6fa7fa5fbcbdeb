"""Files that a name on the command line stands for: a file, a folder, a glob."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from catalog.errors import SpecError

SPEC_SUFFIXES = frozenset(
    (".json", ".yaml", ".yml", ".wsdl", ".xml", ".proto", ".pb", ".binpb", ".protoset")
)
_MAYBE_SUFFIXES = frozenset(
    ("", ".asmx", ".svc", ".oas", ".oas3", ".openapi", ".swagger", ".desc", ".fds", ".bin")
)
_PASSED_OVER = frozenset(("node_modules", "__pycache__"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a spec. `named` is one that the user named, so that it must be one;
    `reason` tells why it is not even opened."""

    path: Path
    root: Path
    named: bool = False
    reason: str = ""


def files_of(name: str) -> list[Candidate]:
    """What a name means, sorted by path; SpecError when nothing is there."""
    path = Path(os.path.abspath(name))  # noqa: PTH100 (links stay as they are)
    if name and _exists(path):
        whole = path.is_dir()
        return list(_in_folder(path, path)) if whole else [Candidate(path, path.parent, named=True)]
    if glob.has_magic(name):
        return _by_pattern(name)
    raise SpecError(
        f"{name[:200] or 'an empty name'}: no such file or folder", hint=_missing_hint(name)
    )


def may_be_spec(path: Path) -> bool:
    return path.suffix.lower() in SPEC_SUFFIXES | _MAYBE_SUFFIXES


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return False
    return True


def _missing_hint(name: str) -> str:
    if re.match(r"[\w.-]+\.[a-z]{2,}(:\d+)?/", name):
        return f"for an address write https://{name}"
    return "name a file, a folder, a glob in quotes, an http(s) address, or - for stdin"


def _by_pattern(pattern: str) -> list[Candidate]:
    """Files that match, with folders that match walked; the jail is the part without a wildcard."""
    parts = Path(pattern).parts
    magic = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    root = Path(os.path.abspath(Path(*parts[:magic])))  # noqa: PTH100
    deep = "**" in parts
    matched = _at_any_depth(root, parts[magic:]) if deep else _at_one_depth(pattern, root)
    found = {candidate.path: candidate for candidate in matched}
    if not found:
        raise SpecError(f"{pattern}: matches no file", hint="check the pattern; ** means any depth")
    return [found[path] for path in sorted(found)]


def _at_one_depth(pattern: str, root: Path) -> Iterator[Candidate]:
    for match in glob.glob(pattern):  # noqa: PTH207 (leaves hidden files out)
        path = Path(os.path.abspath(match))  # noqa: PTH100
        if path.is_dir():
            yield from _in_folder(path, root if path.is_relative_to(root) else path)
        elif path.name not in _PASSED_OVER:
            yield _contained(path, root)


def _at_any_depth(root: Path, parts: Sequence[str]) -> Iterator[Candidate]:
    """By our own walk: glob's would follow links that turn back, each many times."""
    ends = (*parts, "*") if parts[-1] == "**" else parts
    pattern = re.compile("".join(_as_regex(part) for part in ends).removesuffix("/"))
    for candidate in _in_folder(root, root, every_suffix=True):
        if pattern.fullmatch(candidate.path.relative_to(root).as_posix()):
            yield candidate


def _as_regex(part: str) -> str:
    if part == "**":
        return "(?:.+/)?"
    body = fnmatch.translate(part).removeprefix("(?s:").removesuffix(r")\Z")
    return body.replace(".*", "[^/]*") + "/"


def _in_folder(folder: Path, root: Path, every_suffix: bool = False) -> Iterator[Candidate]:
    """Files below a folder, each real folder once, so that links that turn back end."""
    seen: set[str] = set()
    for place, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        outside = place != str(folder) and not Path(real).is_relative_to(root.resolve())
        if real in seen or outside:
            folders.clear()
            if outside:
                yield Candidate(Path(place), root, reason="a link that leads out of the folder")
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if _wanted(name))
        for name in sorted(files):
            if _wanted(name) and (every_suffix or may_be_spec(Path(name))):
                yield _contained(Path(place, name), root)


def _wanted(name: str) -> bool:
    return not name.startswith(".") and name not in _PASSED_OVER


def _contained(path: Path, root: Path) -> Candidate:
    if path.is_symlink() and not path.resolve().is_relative_to(root.resolve()):
        return Candidate(path, root, reason="a link that leads out of the folder")
    return Candidate(path, root)
