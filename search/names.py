"""Queries that are a name: a tool's, an operation's or a path, in whatever spelling."""

from __future__ import annotations

import re

from catalog.words import split_identifier
from store.retrieval import Candidate

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_MAX_NAME = 200


def is_named(query: str, tool: Candidate) -> bool:
    """Whether the query is the name, id, path or wire name of the tool and nothing else."""
    asked = _bare(query) if len(query) <= _MAX_NAME else ""
    return bool(asked) and asked in {_bare(name) for name in _names(tool)}


def _names(tool: Candidate) -> tuple[str, ...]:
    own = (tool.name, f"{tool.service}/{tool.name}", f"{tool.service} {tool.name}")
    if tool.protocol == "rest":
        return (*own, tool.wire, f"{tool.method} {tool.wire}")
    return (*own, tool.wire, tool.wire.lstrip("/").replace("/", "."), tool.wire.rpartition("/")[2])


def _bare(text: str) -> str:
    """Letters and digits; where there is a path, also its shape: slashes and placeholders."""
    kept = "".join(split_identifier(_PLACEHOLDER.sub(" ", text)))
    if not kept or "/" not in text:
        return kept
    path = text[text.index("/") :].rstrip("/ ")
    return f"{kept}{'/' * path.count('/')}{'{}' * len(_PLACEHOLDER.findall(path))}"
