"""Schemas of Swagger 2.0 and OpenAPI 3.x as JSON Schema 2020-12, references kept as references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from catalog.spec import Schema
from parsers.openapi.definitions import PREFIX, Definitions
from parsers.openapi.dialect import ANNOTATIONS, bounds_exclusive, with_null
from parsers.openapi.keywords import PLAIN, TYPES, UNUSABLE, choices, flag, names, text, type_name
from parsers.openapi.node import Node
from parsers.openapi.problems import Problems
from parsers.openapi.references import Resolver, Unresolved

MAX_DEPTH = 100
"""Levels of one schema written in place; below orjson's limit of 254 containers with room."""

_ONE = frozenset(
    "not if then else contains propertyNames unevaluatedItems unevaluatedProperties"
    " contentSchema".split()
)
_MANY = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_NAMED = frozenset(("patternProperties", "dependentSchemas"))
_NO_MEANING = frozenset(  # read elsewhere, or of no use outside the document
    "xml externalDocs definitions $defs $schema $id id $anchor $dynamicAnchor $recursiveAnchor"
    " $vocabulary nullable collectionFormat additionalItems discriminator".split()
)
_BESIDE_REF = ANNOTATIONS | {"example", "nullable", "x-nullable"}
_LITERALS = ("enum", "const", "default", "examples")
_DYNAMIC = ("$dynamicRef", "$recursiveRef")


class Schemas:
    """Converts schemas; what they refer to is converted once and kept in `definitions`."""

    def __init__(self, resolver: Resolver, problems: Problems, definitions: Definitions) -> None:
        self.resolver = resolver
        self.definitions = definitions
        self._problems = problems
        self._names: dict[tuple[str, str, str], str | Unresolved] = {}

    def convert(self, node: Node, depth: int = 0) -> Schema:
        value = node.value
        if not isinstance(value, dict):
            return self._no_mapping(node)
        if depth > MAX_DEPTH:
            self._problems.warn(node, f"schema nested more than {MAX_DEPTH} levels: cut here")
            return {}
        if "$ref" in value and isinstance(value["$ref"], str):
            return self._reference(node, depth)
        for key in _DYNAMIC:
            if isinstance(value.get(key), str):
                return self._dynamic(node, key, depth)
        return self._keywords(node, value, depth)

    def finish(self) -> None:
        """Converts every definition that something refers to, and what those refer to in turn."""
        while (waiting := self.definitions.next_waiting()) is not None:
            name, target = waiting
            try:
                self.definitions.schemas[name] = self.convert(target)
            except Exception as fault:  # noqa: BLE001  a fault of ours costs this type only
                self._problems.warn(target, f"schema left open: {type(fault).__name__}: {fault}")
                self.definitions.schemas[name] = {}

    def _keywords(self, node: Node, value: dict[str, Any], depth: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, entry in value.items():
            plain = PLAIN.get(key)
            if plain is not None:
                self._plain(out, key, entry, node)
            elif (handler := _HANDLERS.get(key)) is not None:
                handler(self, out, node.child(key), depth)
            elif key in _MANY:
                self._many(out, key, node.child(key), depth)
            elif key in _ONE:
                out[key] = self.convert(node.child(key), depth + 1)
            elif key in _NAMED:
                out[key] = self._map(node.child(key), depth)
            elif key not in _NO_MEANING and key[:2] != "x-":
                self._problems.note(node, "keyword that no schema has, left out", key)
        return self._completed(out, node, depth)

    def _completed(self, out: dict[str, Any], node: Node, depth: int) -> dict[str, Any]:
        value = node.value
        if out.get("type") in ("string", ["string", "null"]):
            self._as_texts(out, node)
        if "discriminator" in value:
            self._discriminator(out, node.child("discriminator"))
        if "exclusiveMinimum" in value or "exclusiveMaximum" in value:
            bounds_exclusive(out, value)
        if value.get("nullable") is True or value.get("x-nullable") is True:
            return with_null(out)
        return out

    def _as_texts(self, out: dict[str, Any], node: Node) -> None:
        """Of a text `1.10`, `true` and 7 are the words, whatever YAML takes them for."""
        for key in [key for key in _LITERALS if key in out]:
            given = out[key]
            written = node.value.get(key)
            inside = written if isinstance(written, list) else node.value
            several = isinstance(given, list)
            texts = (
                [_worded(one, node, inside) for one in given]
                if several
                else _worded(given, node, inside)
            )
            if texts != given:
                out[key] = choices(texts)[0] if key == "enum" else texts
                if key != "examples":
                    self._problems.warn(node, f"`{key}` of a text was no text: mended")

    def _plain(self, out: dict[str, Any], key: str, entry: Any, node: Node) -> None:
        if isinstance(entry, dict) and isinstance(entry.get("$ref"), str):
            entry = self._followed(node.child(key)).value
        if key == "required" and isinstance(entry, bool):
            return  # of a property: read where the properties of its parent are
        if key == "required" and isinstance(entry, list):
            entry = [_worded(one, node, entry) for one in entry]
        kept, fault = PLAIN[key](entry)
        if fault:
            said = "left out" if kept is UNUSABLE else "mended"
            self._problems.warn(node, f"`{key}` {fault}: {said}")
        if kept is not UNUSABLE:
            adds = key in ("examples", "required") and key in out
            out[key] = [*out[key], *kept] if adds else kept

    def _reference(self, node: Node, depth: int) -> Schema:
        name = self._name_of(node.value["$ref"], node)
        if isinstance(name, Unresolved):
            self._problems.warn(node, "schema not found, anything is allowed here", str(name))
            out: dict[str, Any] = {}
        else:
            out = {"$ref": PREFIX + name}
        return out if len(node.value) == 1 else self._beside(out, node, depth)

    def _beside(self, out: dict[str, Any], node: Node, depth: int) -> Schema:
        """What stands beside `$ref`: all of it from 3.1 on, before that only what explains."""
        beside = {key: entry for key, entry in node.value.items() if key != "$ref"}
        if node.file.version in ("2.0", "3.0"):
            lost = [k for k in beside if k not in _BESIDE_REF and k not in _NO_MEANING]
            lost = [key for key in lost if key[:2] != "x-"]
            if lost:
                said = "beside `$ref` has no effect before OpenAPI 3.1: left out"
                self._problems.note(node, said, ", ".join(lost))
            beside = {key: entry for key, entry in beside.items() if key in _BESIDE_REF}
        nullable = beside.pop("nullable", None) is True or beside.pop("x-nullable", None) is True
        rest = self._keywords(Node(beside, node.file, node.at), beside, depth)
        return with_null({**rest, **out}) if nullable else {**out, **rest}

    def _name_of(self, ref: str, node: Node) -> str | Unresolved:
        key = self.resolver.key(ref, node)
        if key not in self._names:
            try:
                self._names[key] = self.definitions.name(self._final(ref, node))
            except Unresolved as fault:
                self._names[key] = fault
        return self._names[key]

    def _final(self, ref: str, node: Node) -> Node:
        """The target; where that is nothing but another reference, what the chain ends at."""
        target = self.resolver.target(ref, node)
        if isinstance(target.value, dict) and len(target.value) == 1:
            return self.resolver.follow(target)
        return target

    def _dynamic(self, node: Node, key: str, depth: int) -> Schema:
        """`$dynamicRef` as the plain reference that it is while no outer schema overrides it."""
        ref = node.value[key]
        self._problems.warn(node, f"`{key}` read as `$ref`", ref)
        plain = {**{k: v for k, v in node.value.items() if k != key}, "$ref": ref}
        return self._reference(Node(plain, node.file, node.at), depth)

    def _no_mapping(self, node: Node) -> Schema:
        if isinstance(node.value, bool):
            return node.value
        said = "empty schema" if node.value is None else "not a schema"
        self._problems.warn(node, f"{said}: anything is allowed here")
        return {}

    def _type(self, out: dict[str, Any], node: Node, depth: int) -> None:
        value = node.value
        if isinstance(value, str) and value in TYPES:
            out["type"] = value
            return
        words = value if isinstance(value, list) else [value]
        found: list[str] = []
        for word in words:
            known = type_name(word)
            if known is None:
                self._unknown_type(out, word, node)
            elif known[0]:
                found.append(known[0])
                if known[1]:
                    out.setdefault("format", known[1])
            if known is not None and word != known[0] and not _legal_file(word, node):
                self._problems.warn(node, "name of a type mended", f"{word} → {known[0] or 'any'}")
        kept = list(dict.fromkeys(found))
        if kept:
            out["type"] = kept if isinstance(value, list) and len(kept) > 1 else kept[0]

    def _unknown_type(self, out: dict[str, Any], word: Any, node: Node) -> None:
        name = self._name_of(word, node) if isinstance(word, str) else None
        if isinstance(name, str):
            self._problems.warn(node, "a type that names a schema: read as reference", word)
            out["$ref"] = PREFIX + name
        else:
            self._problems.warn(node, "no type of JSON Schema: anything is allowed", str(word)[:60])

    def _many(self, out: dict[str, Any], key: str, node: Node, depth: int) -> None:
        node = self._followed(node)
        if isinstance(node.value, dict):
            self._problems.warn(node, f"`{key}` is no list: read as a list of one")
            out[key] = [self.convert(node, depth + 1)]
        elif not isinstance(node.value, list):
            self._problems.warn(node, f"`{key}` is no list: left out")
        elif node.value:
            out[key] = [self.convert(element, depth + 1) for element in node.elements()]

    def _map(self, node: Node, depth: int) -> dict[str, Schema]:
        node = self._followed(node)
        if not isinstance(node.value, dict):
            if node.value is not None:
                self._problems.warn(node, "no mapping of names to schemas: left out")
            return {}
        return {name: self.convert(entry, depth + 1) for name, entry in node.entries()}

    def _properties(self, out: dict[str, Any], node: Node, depth: int) -> None:
        out["properties"] = self._map(node, depth)
        needed = [name for name, entry in node.entries() if _says_required(entry.value)]
        if needed:
            said = "`required: true` in a property: moved to the list of its owner"
            self._problems.warn(node, said, ", ".join(needed))
            out["required"] = list(dict.fromkeys([*out.get("required", ()), *needed]))

    def _items(self, out: dict[str, Any], node: Node, depth: int) -> None:
        if isinstance(node.value, list):
            self._problems.warn(node, "`items` is a list: read as `prefixItems`")
            self._many(out, "prefixItems", node, depth)
        else:
            out["items"] = self.convert(node, depth + 1)

    def _additional(self, out: dict[str, Any], node: Node, depth: int) -> None:
        kept, _ = flag(node.value)
        if kept is not UNUSABLE:
            out["additionalProperties"] = kept
        elif node.value is not None:
            out["additionalProperties"] = self.convert(node, depth + 1)

    def _example(self, out: dict[str, Any], node: Node, depth: int) -> None:
        if node.value is not None:
            self._plain(out, "examples", [self._followed(node).value], node)

    def _dependencies(self, out: dict[str, Any], node: Node, depth: int) -> None:
        """`dependencies` of draft 4, which 2019-09 split in two."""
        for name, entry in node.entries():
            if isinstance(entry.value, list):
                out.setdefault("dependentRequired", {})[name] = names(entry.value)[0]
            else:
                out.setdefault("dependentSchemas", {})[name] = self.convert(entry, depth + 1)

    def _discriminator(self, out: dict[str, Any], node: Node) -> None:
        """Kept; its mapping names schemas, so that no reference dangles in a tool."""
        value = node.value
        name = value if isinstance(value, str) else node.child("propertyName").value
        if not isinstance(name, str):
            self._problems.warn(node, "`discriminator` without `propertyName`: left out")
            return
        out["discriminator"] = {"propertyName": name}
        mapping = {key: _short(entry.value) for key, entry in node.child("mapping").entries()}
        if mapping:
            out["discriminator"]["mapping"] = mapping

    def _exclusive(self, out: dict[str, Any], node: Node, depth: int) -> None:
        """Numbers are kept as they are; booleans (3.0) are read with their bound at the end."""
        if isinstance(node.value, int | float) and not isinstance(node.value, bool) and node.at:
            out[node.at[1]] = node.value

    def _followed(self, node: Node) -> Node:
        try:
            return self.resolver.follow(node)
        except Unresolved as fault:
            self._problems.warn(node, f"reference left out: {fault}")
            return Node(None, node.file, node.at)

    def text(self, node: Node) -> str:
        """A text of the description; one that is a reference (to a Markdown file) is read."""
        kept, _ = text(self._followed(node).value)
        return "" if kept is UNUSABLE else kept


_HANDLERS: dict[str, Callable[[Schemas, dict[str, Any], Node, int], None]] = {
    "type": Schemas._type,
    "properties": Schemas._properties,
    "items": Schemas._items,
    "additionalProperties": Schemas._additional,
    "example": Schemas._example,
    "dependencies": Schemas._dependencies,
    "exclusiveMinimum": Schemas._exclusive,
    "exclusiveMaximum": Schemas._exclusive,
}


def _worded(value: Any, node: Node, inside: Any) -> Any:
    """A number or boolean as the word that stands in the file."""
    return node.file.word(value, inside) if isinstance(value, bool | int | float) else value


def _says_required(value: Any) -> bool:
    return isinstance(value, dict) and value.get("required") is True


def _short(ref: Any) -> str:
    """`#/components/schemas/Cat` and `cat.yaml#/Cat` as Cat, `dog.json` as dog."""
    last = str(ref).rpartition("/")[2].rpartition("#")[2]
    for suffix in (".json", ".yaml", ".yml"):
        last = last.removesuffix(suffix)
    return last


def _legal_file(word: Any, node: Node) -> bool:
    return word == "file" and node.file.version == "2.0"
