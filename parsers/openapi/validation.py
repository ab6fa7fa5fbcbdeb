"""What the validators say of a document, offline; advice for `--strict`, never a gate."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

MAX_NODES = 150_000
MAX_FAULTS = 100
MAX_SECONDS = 20.0
_MAX_MESSAGE = 300

Fault = tuple[list[str], str]


def faults(tree: Any, version: str) -> list[Fault]:
    """Places (tokens of a JSON pointer) and messages: by the standard's own schema, then prance.

    The schema looks at the document alone: no reference is followed, so nothing is fetched and
    nothing unfolds. prance adds what no schema can say, such as a name that is not declared.
    """
    if _nodes(tree) > MAX_NODES:
        return [([], f"more than {MAX_NODES:,} values: not checked against the standard's schema")]
    try:
        found = list(_messages(tree, version))
        return found or _beyond_the_schema(tree, version)
    except Exception as fault:  # noqa: BLE001  a validator that fails says nothing
        return [([], f"could not be checked ({type(fault).__name__})")]


def _beyond_the_schema(tree: Any, version: str) -> list[Fault]:
    from parsers.openapi.prance_check import first_fault

    said = first_fault(tree) if version in ("2.0", "3.0", "3.1") else ""
    return [([], _short(said))] if said else []


def _messages(tree: Any, version: str) -> Iterator[Fault]:
    end = time.monotonic() + MAX_SECONDS
    for count, error in enumerate(_validator(version).iter_errors(tree)):
        yield [str(token) for token in error.absolute_path], _short(error.message)
        if count + 1 >= MAX_FAULTS:
            yield [], f"more than {MAX_FAULTS} faults: the rest is not shown"
            return
        if time.monotonic() > end:
            yield [], f"stopped after {MAX_SECONDS:.0f} seconds"
            return


def _validator(version: str) -> Any:
    """The JSON Schema validator of a version, without the rules that follow references."""
    import openapi_spec_validator as library

    names = {"2.0": "OpenAPIV2SpecValidator", "3.0": "OpenAPIV30SpecValidator"}
    newest = getattr(library, "OpenAPIV32SpecValidator", library.OpenAPIV31SpecValidator)
    chosen = library.OpenAPIV31SpecValidator if version == "3.1" else newest
    if version in names:
        chosen = getattr(library, names[version])
    return chosen({}).schema_validator


def _nodes(tree: Any) -> int:
    count, stack = 0, [tree]
    while stack and count <= MAX_NODES:
        node = stack.pop()
        count += 1
        if isinstance(node, dict):
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return count


def _short(message: str) -> str:
    """The library repeats the value that is wrong, be it the whole document: keep both ends."""
    if len(message) <= _MAX_MESSAGE:
        return message
    half = _MAX_MESSAGE // 2
    return f"{message[:half]} … {message[-half:]}"
