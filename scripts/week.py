"""Simulated weeks of nights: `python scripts/week.py [--small] [SEED…]`, five where none is named.

Real processes against an embedded server, a scripted model and the sample world: specs change,
vanish and break, the endpoint dies, the budget runs out, runs are killed and started twice. Stops
at the first night after which the catalog is not what it should be. `--small` leaves the sample
specs and the calls to the CRM out.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.week import whole_week


def main(seeds: list[int], small: bool) -> None:
    for seed in seeds:
        folder = Path(tempfile.mkdtemp(prefix="week-"))
        for name, took_s, said in whole_week(folder, seed, small):
            print(f"seed {seed}: {name} ({took_s:.1f} s)")
            print("".join(f"    {line}\n" for line in said.splitlines()), end="", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(seeds)} weeks, every night as it should be")


if __name__ == "__main__":
    words = sys.argv[1:]
    main([int(word) for word in words if word != "--small"] or [1, 2, 3, 4, 5], "--small" in words)
