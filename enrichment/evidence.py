"""All that is known of a tool, as facts that a prompt can show and a claim can be held against."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog.binding import GrpcBinding, HttpBinding, Protocol
from catalog.spec import Operation, Schema

MAX_FIELDS = 120
MAX_DEPTH = 5
_REF_PREFIX = "#/$defs/"
_COMBINERS = ("allOf", "oneOf", "anyOf")


@dataclass(frozen=True, slots=True)
class Fact:
    """One parameter or response field. `path` is dotted, `[]` marks a list: `orders[].orderNo`."""

    path: str
    type: str
    text: str = ""
    values: tuple[str, ...] = ()
    required: bool = False

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2].removesuffix("[]")


@dataclass(frozen=True, slots=True)
class Evidence:
    """`returned` is empty when neither the spec nor a sample says what comes back."""

    tool_id: str
    name: str
    protocol: Protocol
    wire: tuple[str, ...]
    summary: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    given: tuple[Fact, ...] = ()
    returned: tuple[Fact, ...] = ()
    returns_list: bool = False
    read_only: bool | None = None
    service: str = ""
    service_text: str = ""
    sample_texts: tuple[str, ...] = field(default=())

    @property
    def own_name(self) -> str:
        """The name without a tag in front: `actions_create-runner` → create-runner."""
        for tag in self.tags:
            head = tag.lower().replace(" ", "_")
            rest = self.name[len(head) + 1 :]
            if self.name.lower().startswith((f"{head}_", f"{head}-", f"{head}/")) and rest:
                return rest
        return self.name

    @property
    def texts(self) -> tuple[str, ...]:
        facts = (*self.given, *self.returned)
        notes = tuple(fact.text for fact in facts) + tuple(v for f in facts for v in f.values)
        named = (self.name, *self.wire, self.summary, self.description, *self.tags)
        paths = tuple(fact.path for fact in facts)
        return (*named, self.service, self.service_text, *self.sample_texts, *paths, *notes)


def gather(
    operation: Operation,
    definitions: Mapping[str, Schema],
    service_text: str = "",
    shapes: Sequence[Schema] = (),
) -> Evidence:
    """The evidence for one operation; `shapes` are the schemas of recorded responses."""
    schema = operation.output_schema
    returned = list(facts(schema, definitions))
    for shape in shapes:
        known = {fact.path for fact in returned}
        returned += [fact for fact in facts(shape, {}) if fact.path not in known]
        schema = schema if returned and schema not in (None, True) else shape
    return Evidence(
        tool_id=operation.id,
        name=operation.name,
        protocol=operation.protocol,
        wire=operation.binding.wire_names,
        summary=operation.summary,
        description=operation.description,
        tags=operation.tags,
        given=tuple(facts(operation.input_schema, definitions)),
        returned=tuple(returned),
        returns_list=_is_list(schema, definitions) or any("[]" in f.path for f in returned),
        read_only=_read_only(operation),
        service=operation.service,
        service_text=service_text,
    )


def facts(schema: Schema | None, definitions: Mapping[str, Schema]) -> Iterator[Fact]:
    """Fields of a schema, nearest levels first; a type that contains itself is entered once."""
    queue: deque[tuple[str, Any, int, frozenset[str]]] = deque([("", schema, 0, frozenset())])
    count = 0
    while queue and count < MAX_FIELDS:
        path, node, depth, inside = queue.popleft()
        node, inside, entered = _enter(node, definitions, inside)
        if not entered or depth > MAX_DEPTH:
            continue
        for name, part, required in _properties(node):
            count += 1
            fact = _fact(f"{path}{name}", part, definitions, required)
            yield fact
            queue.append((f"{fact.path}.", part, depth + 1, inside))
        for child in _nested(node):
            queue.append((path, child, depth, inside))


def _enter(
    node: Any, definitions: Mapping[str, Schema], inside: frozenset[str]
) -> tuple[dict[str, Any], frozenset[str], bool]:
    """The node behind references and list items, and whether it may be entered."""
    for _ in range(12):
        if not isinstance(node, dict):
            return {}, inside, False
        name = _reference(node)
        if name is not None:
            if name in inside:
                return {}, inside, False
            inside |= {name}
            node = definitions.get(name)
        elif _type(node) == "array" and isinstance(node.get("items"), dict):
            node = node["items"]
        else:
            return node, inside, True
    return {}, inside, False


def _properties(node: dict[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    required = node.get("required")
    names = set(required) if isinstance(required, list) else set()
    found = node.get("properties")
    if isinstance(found, dict):
        for name, part in found.items():
            yield name, part, name in names


def _nested(node: dict[str, Any]) -> Iterator[Any]:
    for key in _COMBINERS:
        branches = node.get(key)
        if isinstance(branches, list):
            yield from (branch for branch in branches if isinstance(branch, dict))
    if isinstance(node.get("additionalProperties"), dict):
        yield node["additionalProperties"]


def _fact(path: str, part: Any, definitions: Mapping[str, Schema], required: bool) -> Fact:
    node = part if isinstance(part, dict) else {}
    text = str(node.get("description") or node.get("title") or "")
    many = False
    for _ in range(12):
        name = _reference(node)
        if name is not None:
            target = definitions.get(name)
            node = target if isinstance(target, dict) else {}
        elif _type(node) == "array":
            many = True
            items = node.get("items")
            node = items if isinstance(items, dict) else {}
        else:
            break
    values = node.get("enum") or ([node["const"]] if "const" in node else [])
    shown = tuple(str(value) for value in values if value is not None)[:12]
    return Fact(path + ("[]" if many else ""), _kind(node), text, shown, required)


def _kind(node: dict[str, Any]) -> str:
    kind = _type(node)
    if kind == "string" and node.get("format"):
        return str(node["format"])
    return kind or ("object" if "properties" in node else "anything")


def _type(node: dict[str, Any]) -> str:
    kind = node.get("type")
    if isinstance(kind, list):
        kind = next((entry for entry in kind if entry != "null"), None)
    return kind if isinstance(kind, str) else ""


def _is_list(schema: Schema | None, definitions: Mapping[str, Schema]) -> bool:
    node: Any = schema
    for _ in range(12):
        name = _reference(node) if isinstance(node, dict) else None
        if name is None:
            break
        node = definitions.get(name)
    if not isinstance(node, dict):
        return False
    return _type(node) == "array"


def _read_only(operation: Operation) -> bool | None:
    """What the protocol says about changing anything: None where it says nothing."""
    binding = operation.binding
    method = binding.method if isinstance(binding, HttpBinding) else ""
    if isinstance(binding, GrpcBinding):
        method = binding.http_method
    if method in ("GET", "HEAD", "OPTIONS"):
        return True
    return False if method in ("PUT", "PATCH", "DELETE") else None


def _reference(node: dict[str, Any]) -> str | None:
    ref = node.get("$ref")
    return ref[len(_REF_PREFIX) :] if isinstance(ref, str) and ref.startswith(_REF_PREFIX) else None
