"""Operations in raw documents, counted without our parsers, so that they can be checked.

OpenAPI: methods of the paths in the loaded JSON or YAML, path items followed through `$ref`.
WSDL: operation elements of port types and interfaces, those of imported files too.
.proto: `rpc` after comments and texts are taken out; methods in a compiled descriptor set.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import orjson
import yaml

METHODS = frozenset(("get", "put", "post", "delete", "options", "head", "patch"))
_ENCODINGS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))


class Unreadable(Exception):
    """The raw document cannot be loaded, or is of a version that nothing here reads."""


def count(kind: str, path: Path, data: bytes) -> int:
    return {"openapi": openapi, "wsdl": wsdl, "proto": proto}[kind](path, data)


# --- OpenAPI -----------------------------------------------------------------------------------


def openapi(path: Path, data: bytes) -> int:
    return sum(1 for _ in operations(path, load(data)))


def operations(path: Path, tree: Any) -> list[tuple[str, str]]:
    """Method and path of each operation; entries whose value is no object count too."""
    if not isinstance(tree, dict):
        raise Unreadable("not an object")
    version = str(tree.get("openapi", ""))
    if not version.startswith("3") and not str(tree.get("swagger")).startswith("2"):
        raise Unreadable("not of version 2 or 3")
    methods = METHODS | ({"trace"} if version else set())
    methods |= {"query"} if version.startswith("3.2") else set()
    paths = tree.get("paths")
    found = []
    for name, item in paths.items() if isinstance(paths, dict) else ():
        if not str(name).startswith("x-"):
            found += [
                (method, name) for method in _methods(item, path, tree, 8) if method in methods
            ]
    return found


def _methods(item: Any, path: Path, tree: Any, left: int) -> list[str]:
    if not isinstance(item, dict):
        return []
    own = [str(key) for key in item if key != "$ref"]
    extra = item.get("additionalOperations")
    own += ["get" for _ in extra] if isinstance(extra, dict) else []
    ref = item.get("$ref")
    if not isinstance(ref, str) or not left:
        return own
    target, where, whole = _follow(ref, path, tree)
    return list(dict.fromkeys([*own, *_methods(target, where, whole, left - 1)]))


def _follow(ref: str, path: Path, tree: Any) -> tuple[Any, Path, Any]:
    file, _, pointer = ref.partition("#")
    if file:
        path = path.parent / unquote(file)
        try:
            tree = load(path.read_bytes())
        except (OSError, Unreadable, ValueError):
            return None, path, None
    node = tree
    for part in pointer.split("/")[1:]:
        part = unquote(part).replace("~1", "/").replace("~0", "~")
        node = node.get(part) if isinstance(node, dict) else None
    return node, path, tree


def load(data: bytes) -> Any:
    """JSON, else YAML in which every scalar is text, so that no type can fail."""
    text = data
    for mark, encoding in _ENCODINGS:
        if data.startswith(mark):
            text = data.decode(encoding).encode()
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return yaml.load(_decoded(text), Loader=yaml.CBaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Unreadable(type(error).__name__) from None


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace")


# --- WSDL --------------------------------------------------------------------------------------


def wsdl(path: Path, data: bytes) -> int:
    """Operations of the file and of what it imports, each file once."""
    seen: dict[Path, int] = {}
    _count_wsdl(path, data, seen)
    return sum(seen.values())


def _count_wsdl(path: Path, data: bytes, seen: dict[Path, int]) -> None:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities="internal", no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise Unreadable(type(error).__name__) from None
    space = etree.QName(root).namespace
    seen[path.resolve()] = sum(
        len(root.findall(f"{{{space}}}{holder}/{{{space}}}operation"))
        for holder in ("portType", "interface")
    )
    for place in _imports(root):
        target = (path.parent / unquote(place)).resolve()
        if target not in seen and target.is_file():
            _try_import(target, seen)


def _try_import(target: Path, seen: dict[Path, int]) -> None:
    try:
        _count_wsdl(target, target.read_bytes(), seen)
    except Unreadable:
        seen[target] = 0


def _imports(root: Any) -> list[str]:
    space = root.tag.partition("}")[0] + "}"
    found = [
        each.get("location")
        for name in ("import", "include")
        for each in root.findall(space + name)
    ]
    return [place for place in found if place and "://" not in place]


# --- .proto ------------------------------------------------------------------------------------

_NOISE = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|//[^\n]*|/\*.*?\*/", re.S)
_RPC = re.compile(r"\brpc\s+\w+\s*\(")
_EDITION = re.compile(r"^\s*edition\s*=\s*[\"'](\w+)", re.M)
_NEWEST_EDITION = "2024"


def proto(path: Path, data: bytes) -> int:
    if data[:1] == b"\x0a" and b"\x00" in data[:4096]:
        return _in_descriptor_set(data)
    text = data.decode("utf-8", "replace")
    edition = _EDITION.search(text)
    if edition and edition.group(1) > _NEWEST_EDITION:
        raise Unreadable("of an edition that the compiler does not know")
    return len(_RPC.findall(_NOISE.sub(" ", text)))


def _in_descriptor_set(data: bytes) -> int:
    from google.protobuf import descriptor_pb2

    files = descriptor_pb2.FileDescriptorSet.FromString(data).file
    return sum(len(service.method) for file in files for service in file.service)
