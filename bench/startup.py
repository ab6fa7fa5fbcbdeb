"""What starting costs: each light command against the bare imports it cannot do without."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
RUNS = 7
BARS = [
    # command, bare imports, bar of DESIGN §6
    (["--help"], "import typer", 2.0),
    (["tools"], "import typer, psycopg", 2.0),
    (
        ["search", "open invoices of a customer", "-k", "1"],
        "import typer, psycopg, onnxruntime, tokenizers",
        2.5,
    ),
]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GLOSS_DATA_DIR": f"{folder}/data"}
        gloss(env, "db", "start")
        try:
            gloss(env, "ingest", str(ROOT / "sample_specs"))
            gloss(env, "index")
            for words, imports, bar in BARS:
                report(words, imports, bar, env)
        finally:
            gloss(env, "db", "stop")


def gloss(env: dict[str, str], *words: str) -> None:
    subprocess.run([sys.executable, "-m", "cli", *words], cwd=ROOT, env=env, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


def report(words: list[str], imports: str, bar: float, env: dict[str, str]) -> None:
    """Runs in turn, so that a noisy machine is noisy for both; medians, and their ratio."""
    ours, bare = [], []
    for _ in range(RUNS):
        ours.append(seconds([sys.executable, "-m", "cli", *words], env))
        bare.append(seconds([sys.executable, "-c", imports], env))
    ratio = statistics.median(ours) / statistics.median(bare)
    print(
        f"gloss {words[0]:<8} {statistics.median(ours):6.3f} s   {imports:<48} "
        f"{statistics.median(bare):6.3f} s   ratio {ratio:4.2f}   bar {bar}"
    )


def seconds(command: list[str], env: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=env, check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
