"""Writes search/models/background.npz: what the packaged encoder makes of tools of many vendors.

    python scripts/train_background.py DOCUMENTS

One operation a document and one question, six of a publisher at most, vendors that a suite measures
left out; vectors as int8, for one model. Make it again when the model changes, then train_fits.py.
Needs the extra [models].
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from encoder.documents import asked, described, documents  # noqa: E402

from search.background import PATH, save_background  # noqa: E402
from search.encoder import load_encoder  # noqa: E402

PER_PUBLISHER = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", type=Path)
    parser.add_argument("--model", default="builtin")
    options = parser.parse_args()
    pairs = list(drawn(options.documents))
    encoder = load_encoder(options.model)
    tools = encoder.encode([tool for tool, _ in pairs])
    questions = encoder.encode([asked for _, asked in pairs if asked], queries=True)
    save_background(PATH, encoder.model, tools, questions)
    size = PATH.stat().st_size
    print(f"{len(tools)} tools, {len(questions)} questions, {size / 1000:.0f} kB, {encoder.model}")


def drawn(folder: Path) -> Iterator[tuple[str, str]]:
    """(text of an operation, another operation of the document as a question or "")"""
    chooser = random.Random(5)
    seen: dict[str, int] = defaultdict(int)
    for file, publisher in documents(folder, chooser):
        if seen[publisher] >= PER_PUBLISHER:
            continue
        told = [
            o for o in described(file, chooser) if len(f"{o.summary} {o.description}".split()) >= 4
        ]
        if told:
            seen[publisher] += 1
            summary = told[1].summary if len(told) > 1 else ""
            yield told[0].text, asked(summary, chooser) if len(summary.split()) >= 3 else ""


if __name__ == "__main__":
    main()
