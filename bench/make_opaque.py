"""Makes an obscure service of a public one: names, paths and texts become codes, types stay.

    python bench/make_opaque.py DATASETS bench/opaque

From restbench-tmdb and the two Google services of wapiibench. What stays is what a legacy service
still shows: methods, parameter names, enumerations, and the fields of what goes in and comes out.
Cases are those of the test halves, with the coded operations as right answers. The codes are drawn
with a seed, so that the same data gives the same files.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

SEED = 20261130
METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
TEXTS = {"description", "summary", "title", "example", "examples", "externalDocs", "default"}
Json = Any


@dataclass(frozen=True)
class Source:
    suite: str
    spec: str
    service: str

    def wire(self, name: str) -> str:
        """The part of a gold id after the service, where it is of this one."""
        service, mark, wire = name.partition("#")
        if not mark:
            return name
        return wire if service == Path(self.spec).stem else ""


SOURCES = (
    Source("restbench-tmdb", "tmdb_oas.json", "mdsvc"),
    Source("wapiibench", "google_calendar_v3.yaml", "clsvc"),
    Source("wapiibench", "google_sheet_v4.yaml", "shsvc"),
)


class Codes:
    """One code a word, drawn once and in the order in which words are met."""

    def __init__(self, prefix: str, seed: str) -> None:
        self._free = list(range(1, 1000))
        random.Random(f"{SEED}{seed}{prefix}").shuffle(self._free)
        self._prefix = prefix
        self._given: dict[str, str] = {}

    def __getitem__(self, word: str) -> str:
        if word not in self._given:
            self._given[word] = f"{self._prefix}{self._free.pop()}"
        return self._given[word]


class Coder:
    def __init__(self, document: Json, service: str) -> None:
        self._document = document
        self._types = Codes("T", service)
        self._words = Codes("r", service)
        self._names = Codes("proc", service)
        self.wires: dict[str, str] = {}

    def spec(self, service: str) -> Json:
        paths = dict(sorted(self._document["paths"].items()))
        coded = {self._path(path): self._item(path, item) for path, item in paths.items()}
        return {
            "openapi": "3.0.3",
            "info": {"title": service, "version": "1", "description": "See documentation."},
            "paths": coded,
            "components": self._components(),
        }

    def _path(self, path: str) -> str:
        """A code for the whole path and then its parameters, so that no word of it is left."""
        places = re.findall(r"\{[^}]+\}", path)
        return "/" + "/".join([self._words[path], *places])

    def _item(self, path: str, item: Json) -> Json:
        kept: dict[str, Json] = {}
        shared = item.get("parameters", [])
        for method, operation in item.items():
            if method not in METHODS:
                continue
            self.wires[f"{method.upper()} {path}"] = f"{method.upper()} {self._path(path)}"
            kept[method] = self._operation(f"{method} {path}", operation, shared)
        return kept

    def _operation(self, identity: str, operation: Json, shared: list[Json]) -> Json:
        coded = {"operationId": self._names[identity], "description": "See documentation."}
        parameters = [self._stripped(one) for one in [*shared, *operation.get("parameters", [])]]
        if parameters:
            coded["parameters"] = parameters
        if "requestBody" in operation:
            coded["requestBody"] = self._stripped(operation["requestBody"])
        coded["responses"] = {
            status: {"description": "", **self._stripped(answer)}
            for status, answer in operation.get("responses", {}).items()
            if str(status).startswith("2")
        }
        return coded

    def _components(self) -> Json:
        """Each kind of component under coded names, those of parameters as they were."""
        return {
            kind: {self._name(kind, name): self._stripped(value) for name, value in named.items()}
            for kind, named in self._document.get("components", {}).items()
            if kind in ("schemas", "parameters", "responses", "requestBodies")
        }

    def _name(self, kind: str, name: str) -> str:
        return name if kind == "parameters" else self._types[name]

    def _stripped(self, node: Json, *, named: bool = False) -> Json:
        """`named`: the keys are names of fields, not keywords."""
        if isinstance(node, list):
            return [self._stripped(entry) for entry in node]
        if not isinstance(node, dict):
            return node
        if isinstance(node.get("$ref"), str):
            return {"$ref": self._reference(node["$ref"])}
        return {
            key: self._stripped(value, named=not named and key == "properties")
            for key, value in node.items()
            if named or (key not in TEXTS and not str(key).startswith("x-"))
        }

    def _reference(self, reference: str) -> str:
        *place, kind, name = reference.split("/")
        return "/".join([*place, kind, self._name(kind, name)])


def cases(folder: Path, source: Source, wires: dict[str, str]) -> Iterator[Json]:
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        right = [source.wire(name) for name in row["relevant"]]
        is_test = int(sha256(row["source_id"].encode()).hexdigest(), 16) % 2 == 0
        if is_test and any(right):
            relevant = [f"{source.service}#{wires[wire]}" for wire in right if wire]
            yield {"query": row["query"], "relevant": relevant, "source_id": row["source_id"]}


def main(datasets: Path, out: Path) -> None:
    lines: list[str] = []
    for source in SOURCES:
        folder, target = datasets / source.suite, out / source.service
        text = (folder / "specs" / source.spec).read_text(encoding="utf-8")
        document = json.loads(text) if source.spec.endswith(".json") else yaml.safe_load(text)
        coder = Coder(document, source.service)
        target.mkdir(parents=True, exist_ok=True)
        spec = json.dumps(coder.spec(source.service), indent=1)
        (target / f"{source.service}.json").write_text(spec + "\n", encoding="utf-8")
        asked = [
            json.dumps(case, ensure_ascii=False) for case in cases(folder, source, coder.wires)
        ]
        shutil.copyfile(folder / "LICENSE.upstream", target / "LICENSE.upstream")
        print(f"{source.service}: {len(coder.wires)} operations, {len(asked)} cases")
        lines += asked
    (out / "intents.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
