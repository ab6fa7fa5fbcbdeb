"""What the user named, made into the documents to parse: files, folders, globs, stdin, addresses.

Inside a folder a file that is no spec is left out by name; a file that was named itself must be
one. Parts of other documents (fragments, schemas, .proto files without a service, WSDLs that only
serve another WSDL of the same run) are left out by name too.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from catalog.errors import GlossError, SpecError, UsageError
from catalog.words import safe_name
from parsers import wsdl_imports
from parsers.document import MAX_SPEC_BYTES, Document, FileDocument, ParseOptions
from parsers.fetching import REMOTE, FetchRules, fetch, shown
from parsers.naming import candidate_names, distinct_services
from parsers.sniffing import Content, declares_service, sniff
from parsers.walking import SPEC_SUFFIXES, Candidate, files_of

__all__ = ["Found", "Skipped", "candidate_names", "find_documents"]

STDIN = "stdin"
_KINDS_HINT = "gloss reads OpenAPI, Swagger 2, WSDL, .proto and compiled descriptor sets"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was looked at and left out, which is no failure."""

    location: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    documents: tuple[Document, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    failures: tuple[tuple[str, GlossError], ...] = ()


@dataclass
class _Gathered:
    documents: list[Document] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failures: list[tuple[str, GlossError]] = field(default_factory=list)
    wsdls: dict[str, wsdl_imports.Links] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)


def find_documents(
    names: Sequence[str],
    *,
    service: str | None = None,
    options: ParseOptions | None = None,
    stdin: BinaryIO | None = None,
    headers: Mapping[str, str] | None = None,
) -> Found:
    """The documents behind the names, each with the name of its service; nothing is parsed yet.

    `headers` go to the http(s) addresses and grpc hosts among the names. UsageError when `service`
    is given for more than one document.
    """
    options = options or ParseOptions()
    found = _Gathered()
    for name in names:
        try:
            _gather(name, options, stdin, headers or {}, found)
        except GlossError as error:
            found.failures.append((_shown_name(name), error))
    _leave_out_imported(found)
    documents = _named(found.documents, service)
    return Found(tuple(documents), tuple(found.skipped), tuple(found.failures))


def _gather(
    name: str,
    options: ParseOptions,
    stdin: BinaryIO | None,
    headers: Mapping[str, str],
    found: _Gathered,
) -> None:
    scheme = urlsplit(name).scheme if "://" in name else ""
    if name == "-":
        found.documents.append(_from_stdin(stdin, options))
    elif scheme in REMOTE:
        found.documents.append(_from_address(name, options, headers))
    elif scheme in ("grpc", "grpcs"):
        found.documents.append(_from_reflection(name, options, headers))
    elif scheme and scheme != "file":
        raise SpecError(f"{_shown_name(name)}: {scheme}: is not a kind of source")
    else:
        _from_files(unquote(urlsplit(name).path) if scheme else name, options, found)


def _from_files(name: str, options: ParseOptions, found: _Gathered) -> None:
    documents, failures = len(found.documents), len(found.failures)
    candidates = files_of(name)
    fresh = [each for each in candidates if _first_time(each.path, found.seen)]
    for candidate in fresh:
        _look_at(candidate, options, found)
    nothing = len(found.documents) == documents and len(found.failures) == failures
    if nothing and len(fresh) == len(candidates) and not any(each.named for each in fresh):
        looked = f" ({len(fresh)} files looked at)" if fresh else ""
        raise SpecError(
            f"{name}: no spec in it{looked}",
            hint=_KINDS_HINT,
        )


def _first_time(path: Path, seen: set[str]) -> bool:
    real = os.path.realpath(path)
    new = real not in seen
    seen.add(real)
    return new


def _look_at(candidate: Candidate, options: ParseOptions, found: _Gathered) -> None:
    path = candidate.path
    if candidate.reason:
        found.skipped.append(Skipped(str(path), candidate.reason))
        return
    try:
        data = _regular_file(path)
        content = sniff(data)
        reason = _reason_to_skip(content, data)
    except GlossError as error:
        found.failures.append((str(path), error))
        return
    if reason:
        _leave_out(candidate, content, reason, found)
        return
    if content.kind == "wsdl":
        found.wsdls[str(path)] = wsdl_imports.links(
            path, data, (candidate.root, *options.allow_folders)
        )
    found.documents.append(FileDocument(str(path), root=candidate.root, options=options))


def _leave_out(candidate: Candidate, content: Content, reason: str, found: _Gathered) -> None:
    path = candidate.path
    if candidate.named and not content.kind:
        found.failures.append((str(path), SpecError(f"{path}: {reason}", hint=_KINDS_HINT)))
    elif candidate.named or path.suffix.lower() in SPEC_SUFFIXES:
        found.skipped.append(Skipped(str(path), reason))


def _reason_to_skip(content: Content, data: bytes) -> str:
    if not content.kind:
        return f"is {content.what}, not an API spec"
    if content.what == ".proto" and not declares_service(data):
        return "has no service: it is read where another .proto imports it"
    return ""


def _regular_file(path: Path) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SpecError(f"{path}: is not a regular file", hint="pipe it in and name it -")
        if status.st_size > MAX_SPEC_BYTES:
            raise SpecError(f"{path}: is larger than {MAX_SPEC_BYTES // 2**20} MB")
        return path.read_bytes()
    except OSError as error:
        raise SpecError(f"{path}: cannot be read ({error.strerror})") from None


# --- stdin, addresses, servers -----------------------------------------------------------------


def _from_stdin(stdin: BinaryIO | None, options: ParseOptions) -> Document:
    if stdin is None:
        raise UsageError("-: there is no input to read", hint="pipe a spec in, or name a file")
    return _checked(Document(STDIN, _capped(stdin), "", None, options))


def _capped(stream: BinaryIO) -> bytes:
    data = stream.read(MAX_SPEC_BYTES + 1)
    if len(data) > MAX_SPEC_BYTES:
        raise SpecError(f"{STDIN}: is larger than {MAX_SPEC_BYTES // 2**20} MB")
    return data


def _from_address(name: str, options: ParseOptions, headers: Mapping[str, str]) -> Document:
    """Naming an address is leave for its host, whatever its IP, beside what allow_hosts says."""
    host = urlsplit(name).netloc.rpartition("@")[2]
    rules = FetchRules(allow_hosts=(host, *options.allow_hosts), headers=headers)
    fetched = fetch(name, rules)
    return _checked(Document(fetched.address, fetched.data, "", None, options))


def _from_reflection(name: str, options: ParseOptions, headers: Mapping[str, str]) -> Document:
    from parsers.proto import reflection

    address = shown(name)
    data = reflection.descriptor_set(address, headers)
    return Document(address, data, "", None, options)


def _checked(document: Document) -> Document:
    content = sniff(document.data)
    reason = _reason_to_skip(content, document.data)
    if reason:
        raise SpecError(f"{document.location}: {reason}", hint=_KINDS_HINT)
    return document


def _shown_name(name: str) -> str:
    return shown(name) if "://" in name else name


# --- what the run as a whole decides -----------------------------------------------------------


def _leave_out_imported(found: _Gathered) -> None:
    importers = wsdl_imports.only_imported(found.wsdls)
    for location, importer in importers.items():
        found.skipped.append(Skipped(location, f"is read as part of {importer}"))
    found.documents = [each for each in found.documents if each.location not in importers]


def _named(documents: Iterable[Document], service: str | None) -> list[Document]:
    listed = sorted(documents, key=lambda document: document.location)
    if service is None:
        names = distinct_services([(each.location, each.root) for each in listed])
    elif len(listed) > 1:
        raise UsageError(
            f"--service names one service, and {len(listed)} specs were found",
            hint="name one file, or leave --service out",
        )
    else:
        names = [safe_name(service, fallback="service")] * len(listed)
    return [_with_service(each, name) for each, name in zip(listed, names, strict=True)]


def _with_service(document: Document, service: str) -> Document:
    if isinstance(document, FileDocument):
        return FileDocument(document.location, b"", service, document.root, document.options)
    return replace(document, service=service)
