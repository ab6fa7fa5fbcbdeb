"""Queries that are a name: a tool's, an operation's or a path, in whatever spelling."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from store.retrieval import Candidate

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_SIGNS = re.compile(r"[\W_]+")
_MAX_NAME = 200


def named(query: str, tools: Sequence[Candidate]) -> set[int]:
    """Which tools the query is the name, id, path or wire name of, and nothing else."""
    asked = _bare(query) if len(query) <= _MAX_NAME else ""
    if not asked:
        return set()
    return {i for i, tool in enumerate(tools) if any(_bare(n) == asked for n in _names(tool))}


def _names(tool: Candidate) -> tuple[str, ...]:
    own = (tool.name, f"{tool.service}/{tool.name}", f"{tool.service} {tool.name}")
    if tool.protocol == "rest":
        return (*own, tool.wire, f"{tool.method} {tool.wire}")
    return (*own, tool.wire, tool.wire.lstrip("/").replace("/", "."), tool.wire.rpartition("/")[2])


def _bare(text: str) -> str:
    """Letters and digits; where there is a path, also its shape: slashes and placeholders."""
    kept = _SIGNS.sub("", unicodedata.normalize("NFKC", _PLACEHOLDER.sub(" ", text))).lower()
    if not kept or "/" not in text:
        return kept
    path = text[text.index("/") :].rstrip("/ ")
    return f"{kept}{'/' * path.count('/')}{'{}' * len(_PLACEHOLDER.findall(path))}"
