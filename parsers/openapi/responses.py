"""Which of an operation's answers tells what it returns, and the schema of that."""

from __future__ import annotations

import re
from dataclasses import dataclass

from catalog.spec import Schema
from parsers.openapi.examples import with_example, with_example_of_2
from parsers.openapi.media import by_preference, is_binary, is_text, preferred
from parsers.openapi.node import Node
from parsers.openapi.problems import Problems
from parsers.openapi.references import Unresolved
from parsers.openapi.schemas import Schemas

_SUCCESS = re.compile(r"2\d\d\Z")


@dataclass(frozen=True, slots=True)
class Answer:
    """`schema` is None when the description says nothing of what comes back."""

    status: str = ""
    media_type: str = ""
    schema: Schema | None = None


class Responses:
    """200, then 201, then the other 2xx from the lowest, then `2XX`; `default` only where there is
    none of these, for then it stands for success too. The first that has a schema is taken, else
    the first. Of its media types JSON comes first, then `+json`, and on as for bodies.
    """

    def __init__(self, schemas: Schemas, problems: Problems) -> None:
        self._schemas = schemas
        self._problems = problems
        self._known: dict[tuple[int, str], Answer] = {}

    def of(self, operation: Node, produces: list[str]) -> Answer:
        listing = self._followed(operation.child("responses"))
        if not isinstance(listing.value, dict):
            if listing.value is not None:
                self._problems.warn(listing, "`responses` is no mapping: left out")
            return Answer()
        answers: list[Answer] = []
        for status, node in _in_order(listing):
            answers.append(self._answer(status, node, produces))
            if answers[-1].schema is not None:
                return answers[-1]
        return answers[0] if answers else Answer()

    def _answer(self, status: str, given: Node, produces: list[str]) -> Answer:
        node = self._followed(given)
        if not isinstance(node.value, dict):
            if node.value is not None:
                self._problems.warn(given, "a response that is no mapping: left out")
            return Answer(status)
        key = (id(node.value), "\n".join(produces))
        if key not in self._known:
            old = node.file.version == "2.0" or "schema" in node.value
            self._known[key] = self._of_2(node, produces) if old else self._of_3(node)
        known = self._known[key]
        return Answer(status, known.media_type, known.schema)

    def _of_2(self, node: Node, produces: list[str]) -> Answer:
        schema = node.child("schema")
        if schema.value is None and "schema" not in node.value:
            return Answer()
        media_type = by_preference(produces)[0] if produces else ""
        converted = with_example_of_2(self._schemas.convert(schema), node, media_type)
        return Answer("", media_type, converted)

    def _of_3(self, node: Node) -> Answer:
        content = self._followed(node.child("content"))
        media_types = preferred(content)
        if not media_types:
            return Answer()
        media = self._followed(content.child(media_types[0]))
        schema = with_example(self._schema(media, media_types[0]), media, self._followed)
        return Answer("", media_types[0], schema)

    def _schema(self, media: Node, media_type: str) -> Schema | None:
        if media.child("itemSchema").value is not None:  # 3.2: a stream of items
            return {"type": "array", "items": self._schemas.convert(media.child("itemSchema"))}
        schema = media.child("schema")
        if schema.value is not None:
            return self._schemas.convert(schema)
        if is_text(media_type):
            return {"type": "string"}
        return {"type": "string", "format": "binary"} if is_binary(media_type) else None

    def _followed(self, node: Node) -> Node:
        try:
            return self._schemas.resolver.follow(node)
        except Unresolved as fault:
            self._problems.warn(node, f"what comes back is not known: {fault}")
            return Node(None, node.file, node.at)


def _in_order(listing: Node) -> list[tuple[str, Node]]:
    found = {str(status).strip().upper(): (status, node) for status, node in listing.entries()}
    exact = sorted((key for key in found if _SUCCESS.match(key)), key=_place)
    wide = [key for key in ("2XX",) if key in found]
    chosen = [*exact, *wide] or [key for key in ("DEFAULT",) if key in found]
    return [found[key] for key in chosen]


def _place(status: str) -> tuple[bool, bool, str]:
    return status != "200", status != "201", status
