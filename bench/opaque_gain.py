"""What enrichment gives on public services made obscure: before, shapes, replayed answers.

    python bench/opaque_gain.py

The specs and cases are those of bench/opaque (its README says how they came about). Three catalogs
in one: two Google services and a film database, every name, path and text replaced by codes.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from bench.enrichment_gain import Gloss, print_figures  # noqa: E402
from bench.replay_server import replaying  # noqa: E402

FOLDER = ROOT / "bench" / "opaque"
SERVICES = ("mdsvc", "clsvc", "shsvc")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="gloss-bench-") as name:
        gloss = Gloss(Path(name), dict.fromkeys(SERVICES, ""), FOLDER / "intents.jsonl")
        gloss.configure()
        gloss("db", "start")
        try:
            _measure(gloss)
        finally:
            gloss("db", "stop")


def _measure(gloss: Gloss) -> None:
    gloss("ingest", *(str(FOLDER / name / f"{name}.json") for name in SERVICES))
    gloss("opt-in", *SERVICES)
    figures = {"before": gloss.ask()}
    gloss("enrich", "--apply")
    figures["shapes writer"] = gloss.ask()
    with replaying(FOLDER / "answers.jsonl") as replay:
        gloss.configure(replay.url)
        print(gloss("enrich", "--rewrite", "--apply").strip())
    figures["answers"] = gloss.ask()
    print_figures(figures)
    changed = ", ".join(sorted(replay.changed)) or "none"
    print(f"prompts that differ from those that were answered: {changed}")


if __name__ == "__main__":
    main()
