"""What shapes from a probe give to search: ndcg@10 on the sample intents, before and after.

    python bench/probe_gain.py

Starts the sample world, reads its specs into a catalog of its own, probes it and searches.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from cli import settings, wiring  # noqa: E402
from evaluation.metrics import score  # noqa: E402
from sample_specs.server import World, serve  # noqa: E402
from search.query import Searcher  # noqa: E402

INTENTS = ROOT / "sample_specs" / "intents.jsonl"
Case = dict[str, Any]
GROUPS: dict[str, Callable[[Case], bool]] = {
    "hr, opaque": lambda c: c["group"] == "opaque" and _only(c, "hr/"),
    "hr, all": lambda c: _only(c, "hr/"),
    "opaque, all services": lambda c: c["group"] == "opaque",
    "all that have an answer": lambda c: bool(c["relevant"]),
}


def _only(case: Case, prefix: str) -> bool:
    return bool(case["relevant"]) and all(tool.startswith(prefix) for tool in case["relevant"])


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="gloss-bench-") as name, serve() as world:
        folder = Path(name)
        (folder / "gloss.toml").write_text(_config(world), encoding="utf-8")
        env = {**os.environ, "GLOSS_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(ROOT)}
        _gloss(folder, env, "db", "start")
        try:
            _gloss(folder, env, "ingest", str(ROOT / "sample_specs"))
            _gloss(folder, env, "index")
            before = _measured(folder)
            _gloss(folder, env, "probe", "--rate", "100")
            _gloss(folder, env, "index")
            _print(before, _measured(folder))
        finally:
            _gloss(folder, env, "db", "stop")


def _config(world: World) -> str:
    addresses = {key: url for key, url in world.addresses().items() if key != "calls"}
    return "".join(
        f'[[services]]\nname = "{name}"\nspec = "{name}"\nbase_url = "{url}"\n'
        for name, url in addresses.items()
    )


def _gloss(folder: Path, env: dict[str, str], *words: str) -> None:
    command = [sys.executable, "-m", "cli", *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"gloss {' '.join(words)}: {done.stderr}")


def _measured(folder: Path) -> dict[str, tuple[float, int]]:
    config = settings.load({"GLOSS_DATA_DIR": str(folder / "data")}, folder)
    cases = [json.loads(line) for line in INTENTS.read_text("utf-8").splitlines()]
    with wiring.open_catalog(config) as connection:
        encoder = wiring.open_encoder(config)
        searcher = Searcher(connection, lambda: encoder, log=False)
        scores = [(case, _ndcg(searcher, case)) for case in cases if case["relevant"]]
    found = {}
    for name, belongs in GROUPS.items():
        values = [value for case, value in scores if belongs(case)]
        found[name] = (sum(values) / len(values), len(values))
    return found


def _ndcg(searcher: Searcher, case: Case) -> float:
    found = searcher.search(case["query"], k=10, context=case.get("context") or "")
    grades = dict.fromkeys(case["relevant"], 1.0)
    return score([hit.tool_id for hit in found.hits], grades)["ndcg@10"]


def _print(before: dict[str, tuple[float, int]], after: dict[str, tuple[float, int]]) -> None:
    print(f"{'ndcg@10':<26}{'n':>5}{'before':>9}{'after':>9}")
    for name, (value, count) in before.items():
        print(f"{name:<26}{count:>5}{value:>9.3f}{after[name][0]:>9.3f}")


if __name__ == "__main__":
    main()
