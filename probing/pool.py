"""Identifiers seen in the answers of a run, to be asked for in the next calls.

They stay in memory, go to the service they came from and nowhere else, and are forgotten with the
end of the run. What looks like a secret or a person is not even remembered.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from catalog.binding import HttpBinding
from catalog.spec import Operation
from probing.keys import is_data
from probing.personal import kind_of
from probing.safety import changing_value
from probing.values import Value, Wanted, type_of, typed, words

MAX_PER_NAME = 20
MAX_TEXT = 120
MAX_KEYS = 200
_BARE = (["identifier"], ["key"], ["code"], ["number"], ["slug"], ["uuid"], ["name"], ["reference"])


@dataclass(frozen=True, slots=True)
class Seen:
    value: Any = field(repr=False)
    source: str = ""


@dataclass(slots=True)
class Pool:
    """By the words of the field's name, and with the thing it belongs to before them.

    `version` rises when there is a name or a type that was not there before.
    """

    version: int = 0
    _kinds: set[tuple[tuple[str, ...], type]] = field(default_factory=set)
    _by_words: dict[tuple[str, ...], list[Seen]] = field(default_factory=lambda: defaultdict(list))

    def learn(self, operation: Operation, value: Any) -> None:
        for path, thing, name, found in _leaves(value, _thing_of(operation)):
            if isinstance(found, str) and (len(found) > MAX_TEXT or kind_of(found)):
                continue
            if changing_value(found):
                continue
            seen = Seen(found, f"{operation.name} {path}")
            self._keep(tuple(words(name)), seen)
            if thing:
                self._keep((thing, *words(name)), seen)

    def _keep(self, key: tuple[str, ...], seen: Seen) -> None:
        listed = self._by_words[key]
        if len(listed) < MAX_PER_NAME and seen.value not in ("", None):
            listed.append(seen)
            if (key, type(seen.value)) not in self._kinds:
                self._kinds.add((key, type(seen.value)))
                self.version += 1

    def find(self, operation: Operation, one: Wanted) -> Value | None:
        """A value for an argument, by its name and type; the first that was seen."""
        for key in _keys(operation, one):
            for seen in self._by_words.get(key, ()):
                value = typed(seen.value, one.schema)
                if value is not None and _fits(value, one.schema):
                    return Value(value, "answer", seen.source)
        return None


def _keys(operation: Operation, one: Wanted) -> Iterator[tuple[str, ...]]:
    """The names under which a value may have been seen, the surest first.

    `/records/{id}` asks for the `id` of a record; `customer_id` may have been the `id` of one;
    the `id` of whatever else is no answer.
    """
    name = words(one.name)
    thing = _segment_before(operation, one.name)
    if name in _BARE and thing:
        yield (thing, *name)
        yield from ((thing, *bare) for bare in _BARE[:4] if bare != name)
        return
    yield tuple(name)
    if len(name) > 1:
        yield (*(_singular(word) for word in name[:-1]), name[-1])
    elif thing and name == [thing]:
        yield from ((thing, *bare) for bare in _BARE)


def _segment_before(operation: Operation, name: str) -> str:
    """The thing that a path parameter is of: `records` before `{id}`."""
    binding = operation.binding
    if not isinstance(binding, HttpBinding):
        return ""
    before = binding.path.partition("{" + name + "}")[0].rstrip("/").rpartition("/")[2]
    found = words(before) if "{" not in before else []
    return _singular(found[-1]) if found else ""


def _thing_of(operation: Operation) -> str:
    """The thing that an operation lists or shows, from the last plain part of its path."""
    binding = operation.binding
    if not isinstance(binding, HttpBinding):
        return ""
    parts = [part for part in binding.path.split("/") if part and "{" not in part]
    found = words(parts[-1]) if parts else []
    return _singular(found[-1]) if found else ""


def _leaves(value: Any, thing: str) -> Iterator[tuple[str, str, str, Any]]:
    """Single values with their path, the thing they belong to, and their name."""
    waiting: deque[tuple[Any, str, str, str]] = deque([(value, "", thing, "")])
    while waiting:
        node, path, thing, name = waiting.popleft()
        if isinstance(node, dict):
            for key, part in list(node.items())[:MAX_KEYS]:
                is_name = not is_data(str(key), frozenset(), False)
                below = f"{path}.{key if is_name else '{}'}".lstrip(".")
                nested = is_name and isinstance(part, (dict, list))
                of = _thing(str(key), thing) if nested else thing
                waiting.append((part, below, of, str(key) if is_name else ""))
        elif isinstance(node, list):
            waiting.extend((entry, f"{path}[]", thing, name) for entry in node[:MAX_PER_NAME])
        elif isinstance(node, (str, int, float)) and not isinstance(node, bool) and name:
            yield path, thing, name, node


def _thing(key: str, thing: str) -> str:
    """`customers: [...]` holds customers; `items`, `data`, `result` hold what was asked for."""
    found = words(key)
    wrapper = {"item", "items", "data", "result", "results", "row", "rows", "content", "value"}
    return thing if not found or set(found) & wrapper else _singular(found[-1])


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    choices = schema.get("enum")
    if choices:
        return value in choices
    return type_of(schema) != "string" or len(str(value)) <= MAX_TEXT
