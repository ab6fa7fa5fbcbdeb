"""Compiled descriptor sets told from text, and read."""

from __future__ import annotations

import re

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.message import DecodeError

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")  # every descriptor has some, no text has any
_BUNDLED = ("google/protobuf/", "google/api/", "google/rpc/", "google/longrunning/", "google/iam/")
_REFLECTION = ("grpc/reflection/", "src/proto/grpc/reflection/")


def is_descriptor_set(data: bytes) -> bool:
    """Whether these are the bytes of a FileDescriptorSet, or of one FileDescriptorProto."""
    if not data.startswith(b"\n") or not _CONTROL.search(data[:4096]):
        return False
    try:
        return bool(read_descriptor_set(data).file)
    except (DecodeError, UnicodeDecodeError):
        return False


def read_descriptor_set(data: bytes) -> pb.FileDescriptorSet:
    """The set, or a set of the one file; empty where the bytes are neither."""
    try:
        found = pb.FileDescriptorSet.FromString(data)
        if found.file and all(file.name for file in found.file):
            return found
    except DecodeError:
        pass  # a single file's name is no valid set
    one = pb.FileDescriptorProto.FromString(data)
    named = bool(one.name) and isinstance(one.name, str)  # bytes: a name that is no UTF-8
    return pb.FileDescriptorSet(file=[one] if named else [])


def own_files(descriptors: pb.FileDescriptorSet) -> list[pb.FileDescriptorProto]:
    """The files whose services the set is about: not the common ones that came along as imports."""
    imported = {name for file in descriptors.file for name in file.dependency}
    return [
        file
        for file in descriptors.file
        if not file.name.startswith(_REFLECTION)
        and not (file.name in imported and file.name.startswith(_BUNDLED))
    ]
