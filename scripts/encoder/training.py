"""Training of the upper layers with in-batch and mined negatives."""

from __future__ import annotations

import math
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .pairs import Pair
from .saying import say
from .suites import Suites
from .tower import Rows, Tower, Vectors, replace_file

SCALE = 20.0
TWIN = 0.93  # cosine of two texts from which one is no negative for the other's query
DEPTH = 12
BATCH = 48
TOKENS = 64  # of a text while training
SEED = 20
SAVED_EACH = 180.0


@dataclass(frozen=True, slots=True)
class Example:
    """A pair with its hard negative, "" where there is none."""

    pair: Pair
    hard: str


@dataclass(frozen=True, slots=True)
class Plan:
    """`steps` or as many as the epochs give, whichever is less."""

    epochs: int
    steps: int | None
    rate: float
    checkpoint: Path

    def steps_for(self, examples: int) -> int:
        most = self.epochs * (examples // BATCH)
        return most if self.steps is None else min(most, self.steps)


def mine(pairs: Sequence[Pair], suites: Suites, vectors: Vectors) -> list[Example]:
    """The negative is near the query for the original model, in the same catalogue, neither right
    nor a twin of the right text."""
    chooser = random.Random(SEED)
    pools = {name: list(dict.fromkeys(texts)) for name, texts in suites.catalogues.items()}
    others: dict[str, dict[str, None]] = defaultdict(dict)
    for pair in pairs:
        if pair.catalogue not in pools:
            others[pair.catalogue][pair.text] = None
    pools.update({name: list(texts) for name, texts in others.items()})
    matrices = {name: vectors[texts] for name, texts in pools.items()}
    return [
        Example(
            pair, _hard(pair, pools[pair.catalogue], matrices[pair.catalogue], vectors, chooser)
        )
        for pair in pairs
    ]


def _hard(
    pair: Pair, texts: Sequence[str], matrix: Rows, vectors: Vectors, chooser: random.Random
) -> str:
    near = np.argsort(-(matrix @ vectors[[pair.query]][0]))[: 4 * DEPTH]
    alike = matrix[near] @ vectors[[pair.text]][0]
    fit = [
        texts[i]
        for i, cosine in zip(near, alike, strict=True)
        if cosine < TWIN and texts[i] not in pair.rights
    ]
    return chooser.choice(fit[:DEPTH]) if fit else ""


def train(tower: Tower, examples: Sequence[Example], vectors: Vectors, plan: Plan) -> None:
    """Goes on from the plan's checkpoint if there is one."""
    steps = plan.steps_for(len(examples))
    optimizer = torch.optim.AdamW(tower.upper.parameters(), lr=plan.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps))
    first = _resume(plan.checkpoint, tower, optimizer, schedule)
    began = saved = time.monotonic()
    for step, batch in enumerate(_batches(examples, plan.epochs, steps)):
        if step < first:
            continue
        loss = _step(tower, batch, vectors, optimizer)
        schedule.step()
        if (step + 1) % 10 == 0:
            say(f"step {step + 1}/{steps} loss {loss:.3f} {time.monotonic() - began:.0f} s")
        if time.monotonic() - saved > SAVED_EACH:
            _save(plan.checkpoint, step + 1, tower, optimizer, schedule)
            saved = time.monotonic()
    _save(plan.checkpoint, steps, tower, optimizer, schedule)


def _step(
    tower: Tower, batch: Sequence[Example], vectors: Vectors, optimizer: torch.optim.Optimizer
) -> float:
    optimizer.zero_grad()
    loss = _loss(tower, batch, vectors)
    loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
    torch.nn.utils.clip_grad_norm_(tower.upper.parameters(), 1.0)
    optimizer.step()
    return float(loss.item())


def _loss(tower: Tower, batch: Sequence[Example], vectors: Vectors) -> torch.Tensor:
    positives = [example.pair.text for example in batch]
    texts = list(dict.fromkeys(positives + [example.hard for example in batch if example.hard]))
    place = {text: column for column, text in enumerate(texts)}
    targets = torch.tensor([place[text] for text in positives])
    queries = tower.forward([example.pair.query for example in batch], TOKENS)
    scores = SCALE * queries @ tower.forward(texts, TOKENS).T
    barred = _barred(batch, texts, vectors)
    barred[torch.arange(len(batch)), targets] = False
    return torch.nn.functional.cross_entropy(scores.masked_fill(barred, -math.inf), targets)


def _barred(batch: Sequence[Example], texts: Sequence[str], vectors: Vectors) -> torch.Tensor:
    """Texts that are no negatives: twins of the right one, and others that are right."""
    twins = vectors[[example.pair.text for example in batch]] @ vectors[texts].T > TWIN
    right = [[text in example.pair.rights for text in texts] for example in batch]
    return torch.from_numpy(twins | np.array(right))


def _rate(step: int, steps: int) -> float:
    warm = max(1, steps // 10)
    return min((step + 1) / warm, max(0.02, (steps - step) / (steps - warm + 1)))


def _batches(examples: Sequence[Example], epochs: int, steps: int) -> Iterator[list[Example]]:
    """Seeded and independent of where a run was interrupted."""
    done = 0
    for epoch in range(epochs):
        mixed = _mixed(examples, random.Random(f"{SEED}/{epoch}"))
        for start in range(0, len(mixed) - BATCH + 1, BATCH):
            if done == steps:
                return
            done += 1
            yield mixed[start : start + BATCH]


def _mixed(examples: Sequence[Example], chooser: random.Random) -> list[Example]:
    """Those of one query stay together, so that a long request is read once."""
    groups: dict[tuple[str, str], list[Example]] = defaultdict(list)
    for example in examples:
        groups[example.pair.catalogue, example.pair.query].append(example)
    blocks = list(groups.values())
    chooser.shuffle(blocks)
    return [example for block in blocks for example in block]


def _save(path: Path, step: int, tower: Tower, *parts: Any) -> None:
    state: Mapping[str, Any] = {
        "step": step,
        "weights": tower.weights,
        "parts": [part.state_dict() for part in parts],
    }
    replace_file(path, state)


def _resume(path: Path, tower: Tower, *parts: Any) -> int:
    if not path.exists():
        return 0
    state = torch.load(path)
    tower.load(state["weights"])
    for part, saved in zip(parts, state["parts"], strict=True):
        part.load_state_dict(saved)
    say(f"going on from step {state['step']}")
    return int(state["step"])
