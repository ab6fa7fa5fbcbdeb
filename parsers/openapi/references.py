"""`$ref`, followed lazily and remembered: JSON pointers, files in the jail, $id and $anchor."""

from __future__ import annotations

from os.path import relpath
from pathlib import PurePath
from urllib.parse import unquote, urlsplit

from catalog.errors import SpecError
from parsers.document import Document
from parsers.openapi.loading import load
from parsers.openapi.node import MISSING, File, Node, has_ids, step
from parsers.openapi.placenames import PlaceNames, joined
from parsers.openapi.problems import Problems
from parsers.reading import Reader, Refused

_TEXT_SUFFIXES = (".md", ".txt", ".markdown", ".html")
_SCHEMA_ROOTS = (("components", "schemas"), ("definitions",))


class Unresolved(Exception):
    """A reference that leads nowhere we may or can go; the message says which and why."""


class Resolver:
    """Follows references from node to node; every file is read once, every reference found once."""

    def __init__(self, document: Document, root: File, problems: Problems) -> None:
        self._reader = Reader(document)
        self._problems = problems
        self._root = root
        self._files: dict[str, File] = {root.location: root}
        self._found: dict[tuple[str, str, str], Node | Unresolved] = {}
        self._ends: dict[tuple[str, str, str], Node | Unresolved] = {}
        self._named: dict[str, PlaceNames] = {}
        self._register_root(document.location)

    def follow(self, node: Node) -> Node:
        """The node itself, or what its chain of references ends at. Raises Unresolved."""
        passed: dict[tuple[str, str, str], None] = {}
        end: Node | Unresolved | None = None
        while end is None:
            ref = _reference(node)
            if ref is None:
                end = node
                break
            key = self.key(ref, node)
            end = self._ends.get(key)
            if key in passed:
                end = Unresolved(f"{ref}: the reference leads back to itself")
            elif end is None:
                passed[key] = None
                node, end = self._next(ref, node)
        self._ends.update(dict.fromkeys(passed, end))
        if isinstance(end, Unresolved):
            raise end
        return end

    def _next(self, ref: str, node: Node) -> tuple[Node, Unresolved | None]:
        try:
            return self.target(ref, node), None
        except Unresolved as fault:
            return node, fault

    def target(self, ref: str, node: Node) -> Node:
        """What one reference points to, seen from the place where it stands."""
        key = self.key(ref, node)
        found = self._found.get(key)
        if found is None:
            self._found[key] = Unresolved(f"{ref}: the reference leads back to itself")
            try:
                found = self._locate(ref, node)
            except Unresolved as fault:
                found = fault
            self._found[key] = found
        if isinstance(found, Unresolved):
            raise found
        return found

    def key(self, ref: str, node: Node) -> tuple[str, str, str]:
        """The same for two references that mean the same: file, resource in it, and words."""
        inside = self._names(node.file).around(node) if node.file.has_ids else ()
        return node.file.location, inside[0][1].where if inside else "", ref

    def anchor(self, name: str, node: Node) -> Node:
        """The place that `$anchor` or `$dynamicAnchor` gives a name in this file."""
        found = self._names(node.file).anchors.get(name)
        if found is None:
            raise Unresolved(f"#{name}: there is no such anchor")
        return found

    def _locate(self, ref: str, node: Node) -> Node:
        address, _, fragment = ref.partition("#")
        if not address:
            return self._inside(node.file, fragment, ref, node)
        by_id = self._by_id(address, node)
        if by_id is not None:
            return self._below(by_id, fragment, ref)
        try:
            file = self._file(address, node.file)
        except Unresolved:
            named = self._component_named(ref)
            if named is None:
                raise
            return named
        return self._inside(file, fragment, ref, file.root)

    def _inside(self, file: File, fragment: str, ref: str, node: Node) -> Node:
        if fragment and not fragment.startswith("/"):
            return self.anchor(unquote(fragment), file.root)
        around = self._names(file).around(node) if file.has_ids else ()
        found = None
        for base in (*(base for _, base in around), file.root):  # the innermost resource first
            found = found or self._pointed(base, fragment)
        found = found or self._other_home(fragment)
        if found is None:
            raise Unresolved(f"{ref}: there is no such place")
        return found

    def _below(self, base: Node, fragment: str, ref: str) -> Node:
        if fragment and not fragment.startswith("/"):
            return self.anchor(unquote(fragment), base)
        found = self._pointed(base, fragment)
        if found is None:
            raise Unresolved(f"{ref}: there is no such place")
        return found

    def _pointed(self, base: Node, fragment: str) -> Node | None:
        """RFC 6901 §6, with references on the way followed."""
        node = base
        waiting = fragment.split("/")[1:] if fragment else []
        while waiting:
            for taken in range(1, len(waiting) + 1):  # more than one: a slash not written as ~1
                following = self._step(node, "/".join(waiting[:taken]))
                if following is not None:
                    break
            else:
                return None
            node, waiting = following, waiting[taken:]
        return node

    def _step(self, node: Node, raw: str) -> Node | None:
        passed: set[int] = set()
        while id(node.value) not in passed:
            passed.add(id(node.value))
            for token in dict.fromkeys((_token(raw), raw)):
                value = step(node.value, token)
                if value is not MISSING:
                    return Node(value, node.file, (node.at, token))
            ref = node.value.get("$ref") if isinstance(node.value, dict) else None
            if not isinstance(ref, str):
                return None
            node = self.target(ref, node)
        return None

    def _other_home(self, fragment: str) -> Node | None:
        """`#/definitions/X` in a 3.x document and `#/components/schemas/X` in a 2.0 one."""
        tokens = [_token(raw) for raw in fragment.split("/")[1:]]
        for home in _SCHEMA_ROOTS:
            if tuple(tokens[:-1]) == home:
                return self._component_named(tokens[-1])
        return None

    def _component_named(self, name: str) -> Node | None:
        for home in _SCHEMA_ROOTS:
            node = self._root.root
            for token in (*home, name):
                node = node.child(token)
            if node.value is not None:
                self._problems.warn(node, "mended a reference to this schema", name)
                return node
        return None

    def _file(self, address: str, base: File) -> File:
        try:
            location = self._reader.absolute(address, base.location)
            if location not in self._files:
                self._files[location] = self._read(location)
        except (Refused, SpecError, ValueError, OSError) as fault:
            raise Unresolved(f"not followed: {fault}") from None
        return self._files[location]

    def _read(self, location: str) -> File:
        data = self._reader.read(location)
        label = self._label(location)
        if location.lower().endswith(_TEXT_SUFFIXES):
            return File(location, label, data.decode("utf-8", "replace"))
        loaded = load(data, label)
        version = self._root.version
        named = has_ids(data)
        file = File(location, label, loaded.tree, version, loaded.lines, named, loaded.words)
        for message in loaded.warnings:
            self._problems.warn(file.root, message)
        return file

    def _label(self, location: str) -> str:
        if location.startswith(("http://", "https://")):
            return location
        folder = PurePath(self._root.location).parent
        return PurePath(relpath(location, folder)).as_posix()

    def _register_root(self, location: str) -> None:
        """The root under the name that references back to it have (symbolic links resolved)."""
        try:
            name = PurePath(urlsplit(location).path if "://" in location else location).name
            self._files.setdefault(self._reader.absolute(name, location), self._root)
        except (Refused, ValueError, OSError):
            return

    def _by_id(self, address: str, node: Node) -> Node | None:
        if not node.file.has_ids:
            return None
        names = self._names(node.file)
        absolute = [joined(base, address) for base, _ in names.around(node)]
        return next((names.ids[one] for one in (*absolute, address) if one in names.ids), None)

    def _names(self, file: File) -> PlaceNames:
        if file.location not in self._named:
            self._named[file.location] = PlaceNames(file)
        return self._named[file.location]


def _reference(node: Node) -> str | None:
    value = node.value
    ref = value.get("$ref") if isinstance(value, dict) else None
    return ref if isinstance(ref, str) else None


def _token(raw: str) -> str:
    return unquote(raw).replace("~1", "/").replace("~0", "~")
