"""Averages the tuned layers of several runs of train_encoder.py into one model.

    python scripts/average_encoders.py CHECKPOINT.pt… --out FOLDER

Runs that began with the same weights and saw other data lie in one basin, and their mean does
better than either (model soups: Wortsman et al., ICML 2022). Which runs to average is chosen on the
held-out tools of the training halves, never on test halves. Needs the extra [models].
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))

from train_encoder import Tower, _packaged


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkpoints", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--base", help="model name or folder (default: all-MiniLM-L6-v2)")
    options = parser.parse_args()
    runs = [torch.load(path)["weights"] for path in options.checkpoints]
    tower = Tower(options.base or _packaged(), frozen=2, max_tokens=96)
    mean = {name: sum(run[name] for run in runs) / len(runs) for name in tower.weights()}
    tower.upper.load_state_dict(mean)
    tower.model.max_seq_length = 256
    tower.model.save(str(options.out))


if __name__ == "__main__":
    main()
