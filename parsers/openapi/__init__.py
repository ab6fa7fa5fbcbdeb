"""Swagger 2.0 and OpenAPI 3.0 to 3.2 descriptions to operations."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from catalog.spec import Operation, ParsedSpec, Schema
from parsers.document import Document
from parsers.openapi.building import Builder
from parsers.openapi.definitions import Definitions
from parsers.openapi.kinds import version_of
from parsers.openapi.loading import Loaded, load
from parsers.openapi.node import File, Node, has_ids
from parsers.openapi.operations import Operations
from parsers.openapi.problems import Problems
from parsers.openapi.references import Resolver
from parsers.openapi.schemas import Schemas
from parsers.openapi.servers import Servers


def parse(document: Document) -> ParsedSpec:
    """Every operation of one description, or SpecError when the file as a whole is none.

    What had to be mended is a warning, what one operation cost itself an error, each with the JSON
    pointer of its place. References to other files are followed inside the document's jail only.
    """
    with _no_collection():
        return _parse(document)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the cycle collector, which walks the growing tree again and again: a quarter of the
    time for 20 MB. Nothing here makes cycles that matter before the end.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _parse(document: Document) -> ParsedSpec:
    loaded = load(document.data, document.location)
    version, remarks = version_of(loaded.tree, document.location)
    named = has_ids(document.data)
    root = File(document.location, "", loaded.tree, version, loaded.lines, named, loaded.words)
    problems = Problems()
    for remark in (*loaded.warnings, *remarks):
        problems.warn(root.root, remark)
    if document.options.strict:
        _validate(loaded, version, problems, root)
    return _read(document, root, problems)


def _read(document: Document, root: File, problems: Problems) -> ParsedSpec:
    resolver = Resolver(document, root, problems)
    schemas = Schemas(resolver, problems, Definitions(root))
    servers = Servers(root.root, document.location, problems)
    builder = Builder(document.service, root.root, servers, schemas, problems)
    reader = Operations(root.root, builder, resolver, problems)
    operations = tuple(reader.read())
    schemas.finish()
    info = root.root.child("info")
    title = schemas.text(info.child("title"))
    return ParsedSpec(
        service=document.service,
        kind="openapi",
        version=_said_version(root),
        identity=title,
        title=title,
        description=schemas.text(info.child("description")),
        operations=operations,
        definitions=schemas.definitions.settle(_schemas_of(operations)),
        problems=problems.all(),
        operations_in_source=reader.in_source,
        not_tools=dict(reader.not_tools),
    )


def _schemas_of(operations: tuple[Operation, ...]) -> list[Schema | None]:
    return [schema for one in operations for schema in (one.input_schema, one.output_schema)]


def _said_version(root: File) -> str:
    """The version of the standard in the document's own words: 3.0.3."""
    said = root.tree.get("openapi") or root.tree.get("swagger")
    return str(said) if said is not None else root.version


def _validate(loaded: Loaded, version: str, problems: Problems, root: File) -> None:
    from parsers.openapi.validation import faults

    for tokens, message in faults(loaded.tree, version):
        node = root.root
        for token in tokens:
            node = Node(None, root, (node.at, token))
        problems.warn(node, f"strict: {message}")
