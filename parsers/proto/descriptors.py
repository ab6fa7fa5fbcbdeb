"""The descriptors of a spec as the compiler gives them: what a gRPC call is made from."""

from __future__ import annotations

from parsers.document import Document
from parsers.proto.mending import compile_tree
from parsers.proto.sniffing import is_descriptor_set
from parsers.proto.staging import stage
from parsers.proto.text import as_utf8


def descriptor_set(document: Document) -> bytes:
    """A serialised FileDescriptorSet, dependencies first; SpecError as when it is parsed."""
    if is_descriptor_set(document.data):
        return document.data
    data, _ = as_utf8(document.data)
    return compile_tree(stage(document, data.decode("latin-1"))).data
