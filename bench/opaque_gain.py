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

from bench.enrichment_gain import Gloss, compare, running  # noqa: E402

FOLDER = ROOT / "bench" / "opaque"
SERVICES = ("mdsvc", "clsvc", "shsvc")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="gloss-bench-") as name:
        urls = dict.fromkeys(SERVICES, "")
        with running(Gloss(Path(name), urls, FOLDER / "intents.jsonl")) as gloss:
            gloss("ingest", *(str(FOLDER / name / f"{name}.json") for name in SERVICES))
            gloss("opt-in", *SERVICES)
            compare(gloss, FOLDER / "answers.jsonl")


if __name__ == "__main__":
    main()
