"""Protocol Buffers: .proto text and compiled descriptor sets."""

from __future__ import annotations

from collections import Counter

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.message import DecodeError

from catalog.errors import SpecError
from catalog.spec import ParsedSpec, Problem
from parsers.document import Document
from parsers.proto import scan
from parsers.proto.mending import NEWEST_EDITION, compile_tree, newer_edition
from parsers.proto.operations import Method, methods, operations
from parsers.proto.schemas import Schemas
from parsers.proto.sniffing import is_descriptor_set, own_files, read_descriptor_set
from parsers.proto.staging import stage
from parsers.proto.text import as_utf8
from parsers.proto.types import File, ServiceType, Types, read_types, services

__all__ = ["is_descriptor_set", "parse"]

MAX_TEXT_BYTES = 16 * 1024 * 1024
MAX_SET_BYTES = 128 * 1024 * 1024


def parse(document: Document) -> ParsedSpec:
    """Every service of a .proto file, or of a compiled descriptor set, as operations."""
    try:
        compiled = is_descriptor_set(document.data)
        _check_size(document, MAX_SET_BYTES if compiled else MAX_TEXT_BYTES)
        return _parse_set(document) if compiled else _parse_text(document)
    except (DecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"{document.location}: broken descriptors: {error}") from None


def _check_size(document: Document, limit: int) -> None:
    if len(document.data) > limit:
        raise SpecError(f"{document.location}: larger than {limit // 2**20} MB")


def _parse_text(document: Document) -> ParsedSpec:
    data, mended = as_utf8(document.data)
    text = data.decode("latin-1")
    _check_edition(document, scan.header(text))
    tree = stage(document, text)
    compiled = compile_tree(tree)
    descriptors = pb.FileDescriptorSet.FromString(compiled.data)
    types = read_types(descriptors, compiled.placeholders)
    own = [file for file in types.files if file.descriptor.name == tree.main]
    problems = [Problem("warning", document.location, mended)] if mended else []
    lost = _lost(document, text, own, compiled.dropped)
    return _spec(document, types, own, [*problems, *compiled.problems, *lost])


def _parse_set(document: Document) -> ParsedSpec:
    descriptors = read_descriptor_set(document.data)
    names = {file.name for file in own_files(descriptors)}
    types = read_types(descriptors, {})
    own = [file for file in types.files if file.descriptor.name in names]
    return _spec(document, types, own, [])


def _check_edition(document: Document, head: scan.Header) -> None:
    """Refused before compiling, in the words that name what we can read."""
    edition = head.edition
    if edition and (not edition.isdigit() or int(edition) > int(NEWEST_EDITION)):
        raise SpecError(
            f"{document.location}: {newer_edition(edition)}",
            hint="a compiled descriptor set (protoc --descriptor_set_out) is read instead",
        )


def _lost(
    document: Document, text: str, own: list[File], dropped: tuple[tuple[str, str], ...]
) -> list[Problem]:
    """Each rpc of the text that is neither in the descriptors nor reported as dropped."""
    left = Counter(dropped)
    for method in methods([service for file in own for service in services(file)]):
        left[method.service.descriptor.name, method.descriptor.name] += 1
    problems = []
    for rpc in scan.rpcs(scan.outline(text).top):
        left[rpc.service, rpc.method] -= 1
        if left[rpc.service, rpc.method] < 0:
            where = f"{document.location}:{scan.line_of(text, rpc.start)}"
            problems.append(_left_out(where, rpc.service, rpc.method))
    return problems


def _spec(document: Document, types: Types, own: list[File], problems: list[Problem]) -> ParsedSpec:
    found = [service for file in own for service in services(file)]
    known, twice = _distinct(methods(found))
    schemas = Schemas(types)
    made = operations(document.service, known, types, schemas)
    definitions = schemas.definitions(
        [schema for op in made for schema in (op.input_schema, op.output_schema)]
    )
    problems += [_left_out(document.location, *pair) for pair in twice]
    problems += [_unknown(document, name) for name in _unnamed(schemas, types)]
    if not found:
        problems.append(Problem("note", document.location, "no service: others import this file"))
    left_out = sum(problem.level == "error" for problem in problems)
    return ParsedSpec(
        service=document.service,
        kind="proto",
        version=own[0].syntax if own else "",
        identity=_identity(found),
        title=", ".join(service.descriptor.name for service in found),
        description=_description(found),
        operations=made,
        definitions=definitions,
        problems=tuple(problems),
        operations_in_source=len(made) + left_out,
    )


def _distinct(found: list[Method]) -> tuple[list[Method], list[tuple[str, str]]]:
    """Methods by full name; a second of the same name can only be in a set made by hand."""
    first: dict[str, Method] = {}
    twice = []
    for method in found:
        if first.setdefault(method.full_name, method) is not method:
            twice.append((method.service.descriptor.name, method.descriptor.name))
    return list(first.values()), twice


def _left_out(where: str, service: str, method: str) -> Problem:
    return Problem("error", where, f"rpc {service}.{method} is left out")


def _unnamed(schemas: Schemas, types: Types) -> list[str]:
    """Unknown types that compiling has not warned of already."""
    warned = {written for written, _ in types.stand_ins.values()}
    return sorted(schemas.unknown - warned)


def _unknown(document: Document, name: str) -> Problem:
    return Problem("warning", document.location, f'type "{name}" is in none of the files')


def _identity(found: list[ServiceType]) -> str:
    """The package, which is what a .proto calls itself; without one the first service."""
    if not found:
        return ""
    return found[0].file.package or found[0].name


def _description(found: list[ServiceType]) -> str:
    said = [(s.descriptor.name, s.file.comment(s.path)) for s in found]
    if len(said) == 1:
        return said[0][1]
    return "\n\n".join(f"{name}: {text}" for name, text in said if text)
