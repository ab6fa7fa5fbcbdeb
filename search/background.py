"""What the wide world looks like to the packaged encoder: tools and questions of many vendors.

A tool that fits is nearer to the question than the world's tools are, and nearer than it is to the
world's questions. `scripts/train_background.py` makes the file, for one model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from search.encoder import Vectors

PATH = Path(__file__).parent / "models" / "background.npz"
NEAREST = 10
_STEP = 127.0


@dataclass(frozen=True, slots=True)
class Background:
    """`usual` is how near each question is to the world's tools."""

    tools: Vectors
    questions: Vectors
    usual: Vectors

    def nearness(self, vectors: Vectors) -> Any:
        """The mean cosine of each vector with the tools of the world that are nearest to it."""
        return _nearest_mean(vectors @ self.tools.T)


@cache
def load_background(model: str, path: Path = PATH) -> Background | None:
    """None where the file is for another model: vectors of two models never meet."""
    import numpy as np

    with np.load(path, allow_pickle=False) as held:
        if str(held["model"]) != model:
            return None
        tools = held["tools"].astype(np.float32) / _STEP
        questions = held["questions"].astype(np.float32) / _STEP
    return Background(tools, questions, _nearest_mean(questions @ tools.T))


def save_background(path: Path, model: str, tools: Vectors, questions: Vectors) -> None:
    import numpy as np

    np.savez_compressed(
        path,
        model=np.array(model),
        tools=np.round(tools * _STEP).astype(np.int8),
        questions=np.round(questions * _STEP).astype(np.int8),
    )


def _nearest_mean(cosines: Any) -> Any:
    import numpy as np

    return np.sort(cosines, axis=1)[:, -NEAREST:].mean(axis=1)
