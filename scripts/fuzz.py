"""Changes real specs a little, again and again, and reports what our parsers do not survive.

    python scripts/fuzz.py SEED_FILE_OR_FOLDER… [--minutes 5] [--seed 1] [--keep FOLDER]

Bytes are flipped, cut, repeated and spliced; of JSON and YAML also nodes of the tree are dropped,
moved, doubled and replaced. Each input is parsed in the child process. Reported: anything but a
parsed spec or a SpecError, anything over ten seconds, and results that cannot be written as JSON.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from catalog.assembly import assemble
from catalog.spec import ParsedSpec
from parsers.document import Document
from parsers.sandbox import Budget, Outcome, parse_all
from parsers.sniffing import sniff
from parsers.sources import find_documents

LARGEST_SEED = 200_000
SLOW_S = 10.0
BUDGET = Budget(seconds=30, seconds_a_mb=0, memory_bytes=2**30)
BATCH = 100
_ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**30, "", "x", "\x00", "\ud800", "#/", "#", "../x", [], {},
    {"$ref": "#"}, {"$ref": "#/paths"}, {"$ref": 1}, {"": ""}, "a" * 5000, "null", [[]],
    "http://127.0.0.1:9/",
]  # fmt: skip
_ODD_BYTES = [
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"<", b">", b"&a;", b"{", b"}", b'"', b"'", b":", b"\n",
    b"\t", b"\\", b"/*", b"*/", b"//", b";", b"=", b"<!--", b"]]>", b"*a", b"&a ", b"!!python/x",
    b"- ", b"? ", b"<<: ", b"message ", b"rpc ", b"option ", b"\x80", b"%41", b"9" * 20,
]  # fmt: skip


@dataclass
class Tally:
    """Outcomes by kind, and the findings: each distinct one once."""

    inputs: int = 0
    parsed: int = 0
    refused: int = 0
    slowest_s: float = 0.0
    findings: Counter[str] = field(default_factory=Counter)


def main() -> int:
    options = _options()
    seeds = load_seeds(options.seeds)
    dice = random.Random(options.seed)
    tallies = {kind: Tally() for kind in seeds}
    until = time.monotonic() + options.minutes * 60
    while time.monotonic() < until:
        for kind, documents in seeds.items():
            batch = [mutated(dice.choice(documents), documents, dice) for _ in range(BATCH)]
            for outcome in parse_all(batch, BUDGET):
                look_at(outcome, tallies[kind], options.keep)
    for kind, tally in tallies.items():
        _report(kind, tally)
    return 1 if any(tally.findings for tally in tallies.values()) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("seeds", nargs="+")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="write the first input of each finding here")
    return parser.parse_args()


def load_seeds(names: list[str]) -> dict[str, list[Document]]:
    """Small specs by kind; their own folder is the jail, so that imports keep working."""
    seeds: dict[str, list[Document]] = {}
    for document in find_documents(names).documents:
        data = document.data
        if len(data) <= LARGEST_SEED:
            seeds.setdefault(sniff(data).kind, []).append(
                Document(document.location, data, "fuzz", document.root, document.options)
            )
    return seeds


def look_at(outcome: Outcome, tally: Tally, keep: Path | None) -> None:
    tally.inputs += 1
    tally.parsed += outcome.parsed is not None
    tally.refused += outcome.error is not None
    elapsed_s = outcome.elapsed_ms / 1000
    tally.slowest_s = max(tally.slowest_s, elapsed_s)
    fault = _fault(outcome, elapsed_s)
    if fault and not tally.findings[fault] and keep:
        _keep(outcome.document, fault, keep)
    if fault:
        tally.findings[fault] += 1


def _fault(outcome: Outcome, elapsed_s: float) -> str:
    message = outcome.error.message if outcome.error else ""
    if outcome.crashed or "took longer" in message or "needs more than" in message:
        return message.removeprefix(outcome.document.location)
    if elapsed_s > SLOW_S:
        return f": slow, over {SLOW_S:g} s"
    return _unfit(outcome.parsed) if outcome.parsed else ""


def _unfit(parsed: ParsedSpec) -> str:
    """What is wrong with a result that the store or an agent could not take."""
    names = [operation.name for operation in parsed.operations]
    if len({name.lower() for name in names}) != len(names):
        return ": two operations have one name"
    if not all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names):
        return ": an operation has a name that is not allowed"
    try:
        for operation in parsed.operations[:20]:
            whole = assemble(operation, parsed.definitions)
            json.dumps([whole.input_schema, whole.output_schema], allow_nan=False)
    except Exception as error:  # noqa: BLE001 (any kind is a finding)
        return f": the schemas cannot be written ({type(error).__name__}: {str(error)[:60]})"
    return ""


def _keep(document: Document, fault: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    stem = re.sub(r"\W+", "_", fault)[:60].strip("_")
    (folder / f"{stem}{Path(document.location).suffix}").write_bytes(document.data)


def _report(kind: str, tally: Tally) -> None:
    print(
        f"{kind}: {tally.inputs} inputs, {tally.parsed} parsed, {tally.refused} refused, "
        f"slowest {tally.slowest_s:.1f} s, {len(tally.findings)} findings"
    )
    for fault, count in tally.findings.most_common():
        print(f"  {count} ×{fault}")


def mutated(document: Document, others: list[Document], dice: random.Random) -> Document:
    data = document.data
    if dice.random() < 0.5:
        tree_change = _change_xml if data.lstrip()[:1] == b"<" else _change_tree
        data = tree_change(data, b"", dice)
    else:
        for _ in range(dice.randint(1, 4)):
            data = dice.choice(_BYTE_CHANGES)(data, dice.choice(others).data, dice)
    return Document(document.location, data, "fuzz", document.root, document.options)


Change = Callable[[bytes, bytes, random.Random], bytes]


def _span(data: bytes, dice: random.Random) -> tuple[int, int]:
    start = dice.randint(0, len(data))
    return start, min(len(data), start + int(dice.expovariate(1 / 40)) + 1)


def _flip(data: bytes, _: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data or b"x")
    for _count in range(dice.randint(1, 8)):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _cut(data: bytes, _: bytes, dice: random.Random) -> bytes:
    start, end = _span(data, dice)
    return data[:start] + data[end:]


def _truncate(data: bytes, _: bytes, dice: random.Random) -> bytes:
    return data[: dice.randint(0, len(data))]


def _repeat(data: bytes, _: bytes, dice: random.Random) -> bytes:
    start, end = _span(data, dice)
    return data[:end] + data[start:end] * dice.choice((1, 2, 10, 300)) + data[end:]


def _insert(data: bytes, _: bytes, dice: random.Random) -> bytes:
    place = dice.randint(0, len(data))
    return data[:place] + dice.choice(_ODD_BYTES) * dice.choice((1, 1, 1, 50)) + data[place:]


def _splice(data: bytes, other: bytes, dice: random.Random) -> bytes:
    start, end = _span(other, dice)
    place = dice.randint(0, len(data))
    return data[:place] + other[start : end + dice.randint(0, 400)] + data[place:]


def _swap_words(data: bytes, _: bytes, dice: random.Random) -> bytes:
    words = list(re.finditer(rb"[A-Za-z_]\w*", data))
    if len(words) < 2:
        return data
    one, two = sorted(dice.sample(words, 2), key=lambda found: found.start())
    middle = data[one.end() : two.start()]
    return data[: one.start()] + two.group() + middle + one.group() + data[two.end() :]


def _drop_line(data: bytes, _: bytes, dice: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    start = dice.randint(0, len(lines))
    return b"".join(lines[:start] + lines[start + dice.randint(1, 3) :])


def _move_line(data: bytes, _: bytes, dice: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return data
    line = lines.pop(dice.randrange(len(lines)))
    lines.insert(dice.randrange(len(lines) + 1), line)
    return b"".join(lines)


_BYTE_CHANGES: list[Change] = [
    _flip, _cut, _cut, _truncate, _repeat, _insert, _insert, _splice, _swap_words, _swap_words,
    _drop_line, _move_line,
]  # fmt: skip


def _change_tree(data: bytes, _: bytes, dice: random.Random) -> bytes:
    """Nodes of JSON and YAML changed, written as JSON; of other texts their lines."""
    import yaml

    try:
        tree = yaml.load(data, Loader=yaml.CSafeLoader)
        assert isinstance(tree, dict)
        for _count in range(dice.randint(1, 5)):
            places = list(_places(tree))
            _change_node(dice.choice(places), dice.choice(places), dice)
        return json.dumps(tree, default=str).encode()
    except (yaml.YAMLError, ValueError, TypeError, AssertionError, IndexError, RecursionError):
        return _move_line(_drop_line(data, b"", dice), b"", dice)


def _change_xml(data: bytes, _: bytes, dice: random.Random) -> bytes:
    """Elements dropped, doubled or moved, attributes exchanged."""
    from lxml import etree

    try:
        root = etree.fromstring(data)
    except (etree.XMLSyntaxError, ValueError):
        return _flip(data, b"", dice)
    for _count in range(dice.randint(1, 4)):
        elements = [each for each in root.iterdescendants() if isinstance(each.tag, str)]
        if elements:
            _change_element(dice.choice(elements), dice.choice(elements), dice)
    return etree.tostring(root)


def _change_element(element: Any, other: Any, dice: random.Random) -> None:
    way = dice.randrange(4)
    if way == 0 and element.attrib:
        name = dice.choice(list(element.attrib))
        element.set(name, dice.choice([*other.attrib.values(), "", "x:y", "tns:", "-1", "?"]))
    elif way == 1 and element.attrib:
        del element.attrib[dice.choice(list(element.attrib))]
    elif way == 2:
        other.append(copy.deepcopy(element))
    elif element.getparent() is not None:
        element.getparent().remove(element)


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    stack = [tree]
    while stack:
        node = stack.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node))
        for key in keys:
            yield node, key
            if isinstance(node[key], (dict, list)):
                stack.append(node[key])


def _change_node(place: tuple[Any, Any], other: tuple[Any, Any], dice: random.Random) -> None:
    node, key = place
    way = dice.randrange(4)
    if way == 0:
        node[key] = copy.deepcopy(dice.choice(_ODD_VALUES))
    elif way == 1:
        node[key] = copy.deepcopy(other[0][other[1]])
    elif way == 2 and isinstance(node, dict):
        node[str(dice.choice((*_ODD_BYTES, other[1])))] = node.pop(key)
    else:
        del node[key]


if __name__ == "__main__":
    raise SystemExit(main())
