"""What a file is: a description we read, and in which version, or something else, by name."""

from __future__ import annotations

import re
from typing import Any

from catalog.errors import SpecError

SWAGGER = "2.0"
NEWEST_MINOR = 2
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")

_CONVERT = "convert it to OpenAPI 3 first"
_OTHERS = (  # a key at the top, what the file then is, what to do with it
    ("asyncapi", "an AsyncAPI description (messages, not HTTP operations)", ""),
    ("arazzo", "an Arazzo description (workflows over other descriptions)", ""),
    ("workflowsSpec", "a workflows description", ""),
    ("overlay", "an OpenAPI overlay (changes to another description)", "apply it first"),
    ("openrpc", "an OpenRPC description", ""),
    ("swaggerVersion", "a Swagger 1.x description", _CONVERT),
    ("discoveryVersion", "a Google discovery document", _CONVERT),
    ("raml", "a RAML description", _CONVERT),
    ("apiVersion", "a Kubernetes or Helm manifest", ""),
    ("$schema", "a JSON Schema", "name the description that refers to it"),
    ("$defs", "a JSON Schema", "name the description that refers to it"),
)
_SCHEMA_WORDS = ("type", "properties", "allOf", "oneOf", "anyOf", "items", "$ref")
_FRAGMENTS = (  # all keys of one of the sets
    (tuple({method} for method in METHODS), "a path item"),
    (({"responses"}, {"operationId"}), "an operation"),
    (({"in", "name"},), "a parameter"),
    (({"components"}, {"schemas"}, {"parameters"}, {"definitions"}), "a set of components"),
    (tuple({word} for word in _SCHEMA_WORDS), "a schema"),
    (({"description", "content"}, {"schema"}), "a response"),
)
_ROOT_HINT = "name the root document that refers to it"


def version_of(tree: Any, location: str) -> tuple[str, list[str]]:
    """The version to read the document by, and a warning for what was assumed; else SpecError."""
    if not isinstance(tree, dict):
        raise SpecError(f"{location}: no OpenAPI description: {_no_mapping(tree)}")
    if tree.get("openapi") is not None:
        return _numbered(str(tree["openapi"]), "openapi", location)
    if tree.get("swagger") is not None:
        return _numbered(str(tree["swagger"]), "swagger", location)
    if isinstance(tree.get("paths"), dict) and isinstance(tree.get("info"), dict):
        guess = SWAGGER if tree.keys() & {"definitions", "host", "basePath"} else "3.0"
        return guess, [f"no `openapi` or `swagger` at the top: read as version {guess}"]
    what, hint = _something_else(tree)
    raise SpecError(f"{location}: no OpenAPI description: {what}", hint=hint)


def _numbered(text: str, key: str, location: str) -> tuple[str, list[str]]:
    found = re.search(r"(\d+)(?:\.(\d+))?", text)
    if found is None:
        return "3.0", [f"`{key}: {text}` is no version: read as 3.0"]
    major, minor = int(found[1]), int(found[2] or 0)
    if major == 2:
        return SWAGGER, [] if key == "swagger" else [f"`{key}: {text}`: read as Swagger 2.0"]
    if major != 3:
        name = "Swagger" if major < 3 else "OpenAPI"
        raise SpecError(
            f"{location}: {name} {text} is not read (2.0 and 3.0 to 3.{NEWEST_MINOR} are)",
            hint=_CONVERT if major < 3 else "",
        )
    return f"3.{minor}", _remarks(text, key, minor)


def _remarks(text: str, key: str, minor: int) -> list[str]:
    if key == "swagger":
        return [f"`swagger: {text}`: read as OpenAPI 3.{minor}"]
    if minor >= NEWEST_MINOR:
        return [f"OpenAPI {text} is newer than 3.1: its news were read as far as they are known"]
    return []


def _no_mapping(tree: Any) -> str:
    if tree is None:
        return "the file is empty"
    if isinstance(tree, str):
        return "the file is plain text"
    return "the file holds a list" if isinstance(tree, list) else "the file holds a single value"


def _something_else(tree: dict[str, Any]) -> tuple[str, str]:
    for key, what, hint in _OTHERS:
        if key in tree:
            return what, hint
    if isinstance(tree.get("info"), dict) and "_postman_id" in tree["info"]:
        return "a Postman collection", _CONVERT
    if isinstance(tree.get("log"), dict) and "entries" in tree["log"]:
        return "an HTTP archive (HAR)", "`gloss trace` reads those"
    if isinstance(tree.get("paths"), dict):
        return "it has `paths` but neither `openapi` nor `info`", _ROOT_HINT
    what = _fragment(tree) or _fragments(tree)
    if what:
        return f"a fragment ({what}) of a multi-file description", _ROOT_HINT
    return "neither `openapi` nor `swagger` at the top", ""


def _fragment(tree: Any) -> str:
    keys = tree.keys() if isinstance(tree, dict) else set()
    return next((what for sets, what in _FRAGMENTS if any(one <= keys for one in sets)), "")


def _fragments(tree: dict[str, Any]) -> str:
    """What a file of named pieces holds, where each of them is one."""
    found = [_fragment(entry) for entry in tree.values()]
    return f"several of the kind: {found[0]}" if found and all(found) else ""
