"""The types of one descriptor set by full name, each with its file, comments and lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from google.protobuf import descriptor_pb2 as pb

from parsers.proto import comments

Path = tuple[int, ...]
"""A place in a FileDescriptorProto, as SourceCodeInfo writes it: field number, index, …"""

_MESSAGE, _ENUM, _SERVICE, _EXTENSION = 4, 5, 6, 7
_NESTED, _NESTED_ENUM, _NESTED_EXTENSION = 3, 4, 6
_FIELD, _ENUM_VALUE, _METHOD = 2, 2, 2


class File:
    """One file of the set; comments are looked up only when asked for."""

    def __init__(self, descriptor: pb.FileDescriptorProto) -> None:
        self.descriptor = descriptor
        self.package = descriptor.package

    @cached_property
    def _places(self) -> dict[Path, pb.SourceCodeInfo.Location]:
        return {tuple(at.path): at for at in self.descriptor.source_code_info.location}

    def comment(self, path: Path) -> str:
        at = self._places.get(path)
        if at is None:
            return ""
        detached = list(at.leading_detached_comments)
        return comments.joined(at.leading_comments, at.trailing_comments, detached)

    def line(self, path: Path) -> int:
        """The 1-based line of an element, 0 where the set has no source info."""
        at = self._places.get(path)
        return at.span[0] + 1 if at is not None and at.span else 0

    @property
    def syntax(self) -> str:
        """proto2, proto3 or `edition 2023`."""
        said = self.descriptor.syntax or "proto2"
        if said != "editions":
            return said
        number = int(self.descriptor.edition)
        known = number in pb.Edition.values()
        name = pb.Edition.Name(self.descriptor.edition) if known else f"EDITION_{number}"
        return f"edition {name.removeprefix('EDITION_')}"

    @property
    def enums_are_closed(self) -> bool:
        if self.descriptor.syntax == "editions":
            return self.descriptor.options.features.enum_type == pb.FeatureSet.CLOSED
        return self.descriptor.syntax != "proto3"


@dataclass(frozen=True, slots=True)
class MessageType:
    name: str
    descriptor: pb.DescriptorProto
    file: File
    path: Path

    def field_path(self, index: int) -> Path:
        return (*self.path, _FIELD, index)


@dataclass(frozen=True, slots=True)
class EnumType:
    name: str
    descriptor: pb.EnumDescriptorProto
    file: File
    path: Path

    def value_path(self, index: int) -> Path:
        return (*self.path, _ENUM_VALUE, index)


@dataclass(frozen=True, slots=True)
class ExtensionField:
    """A field that some file adds to a message; its JSON name is `[full.name]`."""

    name: str
    descriptor: pb.FieldDescriptorProto
    file: File
    path: Path


@dataclass(frozen=True, slots=True)
class ServiceType:
    name: str
    descriptor: pb.ServiceDescriptorProto
    file: File
    path: Path

    def method_path(self, index: int) -> Path:
        return (*self.path, _METHOD, index)


@dataclass(slots=True)
class Types:
    """`stand_ins` are types that were nowhere: (written name, package of the writer) by name."""

    files: list[File] = field(default_factory=list)
    messages: dict[str, MessageType] = field(default_factory=dict)
    enums: dict[str, EnumType] = field(default_factory=dict)
    extensions: dict[str, list[ExtensionField]] = field(default_factory=dict)
    stand_ins: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def real_name(self, name: str) -> str:
        """A type's full name; for a stand-in the type it was written for, where that exists."""
        name = name.removeprefix(".")
        if name not in self.stand_ins:
            return name
        written, package = self.stand_ins[name]
        scope = package.split(".") if package else []
        for depth in range(len(scope), -1, -1):
            full = ".".join([*scope[:depth], written])
            if full in self.messages or full in self.enums:
                return full
        return written


def read_types(
    descriptors: pb.FileDescriptorSet, stand_ins: Mapping[str, tuple[str, str]]
) -> Types:
    types = Types(stand_ins=stand_ins)
    for descriptor in descriptors.file:
        file = File(descriptor)
        types.files.append(file)
        _add_file(types, file)
    return types


def services(file: File) -> Iterator[ServiceType]:
    for index, service in enumerate(file.descriptor.service):
        yield ServiceType(_full(file.package, service.name), service, file, (_SERVICE, index))


def _add_file(types: Types, file: File) -> None:
    given = file.descriptor
    _add_enums(types, file, given.enum_type, file.package, (_ENUM,))
    _add_extensions(types, file, given.extension, file.package, (_EXTENSION,))
    waiting: list[tuple[pb.DescriptorProto, str, Path]] = [
        (message, file.package, (_MESSAGE, index))
        for index, message in enumerate(given.message_type)
    ]
    while waiting:
        message, scope, path = waiting.pop()
        name = _full(scope, message.name)
        if name in types.stand_ins:
            continue
        types.messages.setdefault(name, MessageType(name, message, file, path))
        _add_enums(types, file, message.enum_type, name, (*path, _NESTED_ENUM))
        _add_extensions(types, file, message.extension, name, (*path, _NESTED_EXTENSION))
        for index, nested in enumerate(message.nested_type):
            waiting.append((nested, name, (*path, _NESTED, index)))


def _add_enums(
    types: Types, file: File, given: Iterable[pb.EnumDescriptorProto], scope: str, path: Path
) -> None:
    for index, enum in enumerate(given):
        name = _full(scope, enum.name)
        types.enums.setdefault(name, EnumType(name, enum, file, (*path, index)))


def _add_extensions(
    types: Types, file: File, given: Iterable[pb.FieldDescriptorProto], scope: str, path: Path
) -> None:
    for index, added in enumerate(given):
        extendee = added.extendee.removeprefix(".")
        entry = ExtensionField(_full(scope, added.name), added, file, (*path, index))
        types.extensions.setdefault(extendee, []).append(entry)


def _full(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name
