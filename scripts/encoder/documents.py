"""Pairs of texts from OpenAPI documents of any kind."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.words import split_identifier

from .pairs import Pair
from .suites import operation_text

MEASURED = "slack|asana|calendar|sheets|themoviedb|tmdb|nager|spotify|test|broken"
PER_DOCUMENT, PER_PUBLISHER = 12, 40
LARGEST = 1_500_000
METHODS = ("get", "post", "put", "patch", "delete")
VERBS = frozenset(
    "get list create add update delete remove search find retrieve fetch send set check cancel "
    "return start stop upload download export import modify change replace assign count submit "
    "generate calculate validate verify register enable disable show view query convert publish "
    "approve reject archive restore copy move rename subscribe invite refund close open "
    "book".split()
)
TEMPLATES = (
    "How do I {0}?",
    "I want to {0}",
    "{0} please",
    "Can you {0} for me?",
    "I need to {0} for one of our customers",
    "which call lets me {0}",
    "help me {0}",
)


@dataclass(frozen=True, slots=True)
class Described:
    name: str
    method: str
    path: str
    summary: str
    description: str

    @property
    def text(self) -> str:
        return operation_text(self.name, self.method, self.path, self.summary, self.description)


def document_pairs(folder: Path, limit: int, chooser: random.Random) -> list[Pair]:
    """Few a document and a publisher, so that no vendor sets the tone."""
    publishers: dict[str, int] = defaultdict(int)
    pairs: list[Pair] = []
    for file, publisher in documents(folder, chooser):
        if len(pairs) >= limit:
            break
        if publishers[publisher] >= PER_PUBLISHER:
            continue
        operations = described(file, chooser)[:PER_DOCUMENT]
        publishers[publisher] += len(operations)
        for operation in operations:
            pairs += _operation_pairs(str(file), operation, chooser)
    return pairs[:limit]


def documents(folder: Path, chooser: random.Random) -> Iterator[tuple[Path, str]]:
    """Each file with its publisher, mixed; without the vendors that a suite measures."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".json", ".yaml", ".yml"))
    chooser.shuffle(files)
    for file in files:
        if not re.search(MEASURED, str(file), re.IGNORECASE):
            yield file, _publisher(file.relative_to(folder).parts)


def _publisher(parts: tuple[str, ...]) -> str:
    return parts[parts.index("api") + 1] if "api" in parts[:-1] else "/".join(parts[:2])


def described(file: Path, chooser: random.Random) -> list[Described]:
    found = []
    for path, item in _paths(file).items():
        for method in METHODS if isinstance(item, dict) else ():
            if isinstance(body := item.get(method), dict):
                texts = [body.get(key) for key in ("operationId", "summary", "description")]
                name, summary, description = (t if isinstance(t, str) else "" for t in texts)
                found.append(Described(name, method, str(path), summary, _prose(description)))
    chooser.shuffle(found)
    return found


def _paths(file: Path) -> dict[str, Any]:
    import orjson
    import yaml

    if file.stat().st_size > LARGEST:
        return {}
    try:
        raw = file.read_bytes()
        is_json = file.suffix == ".json"
        document = orjson.loads(raw) if is_json else yaml.load(raw, yaml.CSafeLoader)
    except (ValueError, yaml.YAMLError):
        return {}
    known = isinstance(document, dict) and ("openapi" in document or "swagger" in document)
    paths = document.get("paths") if known else None
    return paths if isinstance(paths, dict) else {}


def _prose(text: str) -> str:
    return " ".join(
        re.sub(r"<[^<>]{1,200}>|\]\([^)]*\)|https?://\S+|[`*#\[\]|]+", " ", text).split()
    )


def _operation_pairs(catalogue: str, operation: Described, chooser: random.Random) -> list[Pair]:
    made = [*_summary_pairs(operation, chooser), *_name_pairs(operation)]
    return [
        Pair("corpus", query, text, frozenset({text}), catalogue)
        for query, text in chooser.sample(made, min(2, len(made)))
        if text
    ]


def _summary_pairs(operation: Described, chooser: random.Random) -> Iterator[tuple[str, str]]:
    """The summary or the first sentence, against the text without it."""
    name, method, path = operation.name, operation.method, operation.path
    summary, description = operation.summary, operation.description
    if len(summary.split()) >= 3:
        question = asked(summary, chooser)
        yield question, operation_text(name, method, path, "", description)
        if len(description.split()) >= 8:
            yield question, operation_text("", method, "", "", description).partition(". ")[2]
    sentence = re.split(r"(?<=[.!?])\s", description, maxsplit=1)[0]
    if 5 <= len(sentence.split()) <= 40 and sentence.rstrip(".") != summary.rstrip("."):
        yield sentence, operation_text(name, method, path, summary, "")


def _name_pairs(operation: Described) -> Iterator[tuple[str, str]]:
    words = split_identifier(operation.name)
    told = (operation.summary, operation.description)
    if len(words) >= 3 and len("".join(told).split()) >= 6:
        yield " ".join(words), ". ".join(part.rstrip(". ") for part in told if part)[:1200]


def asked(summary: str, chooser: random.Random) -> str:
    """A summary as somebody would ask for it, where it begins with a plain verb."""
    first, _, rest = summary.rstrip(". ").partition(" ")
    verb = first.lower()
    verb = verb[:-1] if verb[:-1] in VERBS else verb
    if verb not in VERBS:
        return summary
    return chooser.choice(("{0}", *TEMPLATES)).format(f"{verb} {rest}")
