"""How fast search answers over 10,000 and 100,000 made-up tools, and what the HNSW index loses.

    python bench/search_speed.py [TOOLS…]

Tools get vectors from a seeded generator (embedding 100,000 texts would take an hour); queries are
read by the packaged model, as they would be.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from catalog.binding import HttpBinding
from catalog.spec import Operation, ParsedSpec
from search.encoder import OnnxEncoder, load_encoder
from search.index import build_index
from search.query import Searcher
from store import server
from store.catalog import save_spec
from store.connection import connect
from store.migrate import migrate
from store.vector_search import has_approximate_index, nearest

ROOT = Path(__file__).parent.parent
SIZES = (10_000, 100_000)
PER_SERVICE = 1000
BARS_MS = {10_000: "p50 ≤ 150, p95 ≤ 300", 100_000: "p95 ≤ 500"}
QUERIES = 100
VERBS = ("get", "list", "create", "update", "delete", "find", "cancel", "send", "count", "check")
CENTRES = 400
BARE = "import typer, psycopg, onnxruntime, tokenizers"


class Generated:
    """Vectors of documents around seeded centres; queries through the packaged model."""

    def __init__(self, real: OnnxEncoder) -> None:
        self.real = real
        self.name, self.model, self.width = real.name, real.model, real.width
        self._centres = np.random.default_rng(1).normal(size=(CENTRES, self.width))

    def encode(self, texts: Sequence[str], *, queries: bool = False) -> Any:
        if queries:
            return self.real.encode(texts, queries=True)
        return np.stack([self.around(text) for text in texts])

    def around(self, text: str) -> Any:
        seed = int(sha256(text.encode()).hexdigest()[:12], 16)
        noise = np.random.default_rng(seed).normal(size=self.width)
        vector = self._centres[seed % CENTRES] + 0.8 * noise
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    encoder = Generated(load_encoder())
    with (
        tempfile.TemporaryDirectory(prefix="gs-") as folder,
        server.embedded(Path(folder) / "data") as url,
    ):
        for size in sizes:
            measure(url, size, encoder)


def measure(url: str, size: int, encoder: Generated) -> None:
    name = f"speed_{size}"
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
    address = url.replace("/postgres?", f"/{name}?")
    words = [f"{a}{b}{c}" for a in _STARTS for b in _MIDDLES for c in _ENDS]
    random.Random(3).shuffle(words)
    with connect(address) as conn:
        migrate(conn)
        started = time.perf_counter()
        for number in range(size // PER_SERVICE):
            save_spec(conn, service(number, words), "made up")
        saved_s = time.perf_counter() - started
        started = time.perf_counter()
        for _ in build_index(conn, encoder):
            pass
        print(f"{size} tools: saved in {saved_s:.0f} s, indexed in "
              f"{time.perf_counter() - started:.0f} s without embedding")  # fmt: skip
        conn.execute("VACUUM ANALYZE")
        warm(conn, size, encoder, words)
        recall(conn, encoder)
    cold(address)


def service(number: int, words: Sequence[str]) -> ParsedSpec:
    draw = random.Random(number)
    operations = tuple(_operation(f"s{number}", n, draw, words) for n in range(PER_SERVICE))
    return ParsedSpec(f"s{number}", "openapi", "3", f"s{number}", operations=operations)


def _operation(owner: str, number: int, draw: random.Random, words: Sequence[str]) -> Operation:
    def some(count: int) -> list[str]:
        return [words[int(len(words) * draw.random() ** 3)] for _ in range(count)]

    noun = some(2)
    name = f"{draw.choice(VERBS)}_{'_'.join(noun)}_{number}"
    return Operation(
        owner,
        name,
        "rest",
        HttpBinding("GET", f"/{noun[0]}/{{id}}/{noun[1]}", operation_id=name),
        f"{draw.choice(VERBS)} the {' '.join(some(3))}",
        f"Returns {' '.join(some(12))}.",
        {"type": "object", "properties": {word: {"type": "string"} for word in some(4)}},
        {"type": "object", "properties": {word: {"type": "string"} for word in some(8)}},
    )


def warm(conn: psycopg.Connection, size: int, encoder: Generated, words: Sequence[str]) -> None:
    searcher = Searcher(conn, lambda: encoder, log=False)
    for label, queries in kinds(words):
        took = [searcher.search(query).took_ms for query in queries]
        p50, p95 = statistics.median(took), statistics.quantiles(took, n=20)[18]
        print(
            f"  warm, {label:28s} p50 {p50:4.0f} ms  p95 {p95:4.0f} ms   (bar {BARS_MS.get(size)})"
        )
    texts = [query for _, queries in kinds(words) for query in queries[:20]]
    took = [_timed(lambda text=text: encoder.encode([text], queries=True)) for text in texts]
    print(f"  of which reading the query       p50 {statistics.median(took):4.0f} ms")


def kinds(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    draw = random.Random(9)
    rare, common = words[len(words) // 2 :], words[:60]

    def made(sources: Sequence[Sequence[str]]) -> list[str]:
        return [" ".join(draw.choice(source) for source in sources) for _ in range(QUERIES)]

    yield "rare words", made([VERBS, rare, rare, rare])
    yield "rare and common words", made([VERBS, rare, common, rare, common, common])
    yield "only common words", made([VERBS, common, common, common])
    lists = zip(made([rare]), made([common]), made([rare]), strict=True)
    yield "three intents", [f"get {a}, update {b} and delete {c}" for a, b, c in lists]


def recall(conn: psycopg.Connection, encoder: Generated) -> None:
    if not has_approximate_index(conn, encoder.model, encoder.width):
        print("  vectors are scanned exactly at this size")
        return
    few = [sid for (sid,) in conn.execute("SELECT service_id FROM services ORDER BY 1 LIMIT 1")]
    for label, services in (("all services", None), ("one service of all", few)):
        found, took = [], []
        for number in range(50):
            vector = encoder.around(f"query {number}")
            exact = nearest(conn, encoder.model, [vector], services, 50, approximate=False)
            started = time.perf_counter()
            near = nearest(conn, encoder.model, [vector], services, 50, approximate=True)
            took.append((time.perf_counter() - started) * 1000)
            wanted = {(hit.service_id, hit.operation_id) for hit in exact}
            found.append(
                len(wanted & {(hit.service_id, hit.operation_id) for hit in near}) / len(wanted)
            )
        print(f"  HNSW recall@50, {label:20s} {statistics.mean(found):.3f} (bar .98), "
              f"p50 {statistics.median(took):.0f} ms")  # fmt: skip


def cold(address: str) -> None:
    env = {**os.environ, "GLOSS_DATABASE_URL": address}
    ours = [sys.executable, "-m", "cli", "search", "cancel an order", "-k", "1"]
    bare = [sys.executable, "-c", BARE]
    times = {"gloss search": [], "bare imports": []}  # type: dict[str, list[float]]
    for _ in range(5):
        for label, command in (("gloss search", ours), ("bare imports", bare)):
            times[label].append(_timed(lambda command=command: _run(command, env)))
    search, imports = (statistics.median(times[label]) for label in times)
    print(f"  cold gloss search {search:.0f} ms = {search / imports:.2f} x bare imports "
          f"({imports:.0f} ms; bar 2.5)", flush=True)  # fmt: skip


def _run(command: Sequence[str], env: dict[str, str]) -> None:
    subprocess.run(command, env=env, cwd=ROOT, capture_output=True, check=False)


def _timed(work: Any) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


_STARTS = "ba be bi bo bu ca ce co da de di do fa fe fi fo ga go ka ke ki ko la le li lo".split()
_MIDDLES = "rn lt mp ndr ll st rk sh ct nv rg tt".split()
_ENDS = "al en or ix um ade ent ion ure ory ist age ula ope ard ine".split()

if __name__ == "__main__":
    main()
