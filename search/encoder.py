"""Text to vectors: a folder with an ONNX graph, its tokenizer and a card, run on the CPU."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from catalog.errors import GlossError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

BUILTIN = "builtin"
_MODELS = Path(__file__).parent / "models"
_FILES = ("config.json", "model.onnx", "tokenizer.json")
_BATCH_TOKENS = 4096


class Encoder(Protocol):
    """Anything that turns texts into vectors of length one, in the order given.

    `model` tells two models apart wherever they came from; vectors of two models never meet.
    """

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def width(self) -> int: ...

    def encode(self, texts: Sequence[str], *, queries: bool = False) -> Vectors: ...


@dataclass(frozen=True, slots=True)
class ModelCard:
    """config.json of a model folder. `pooling` is mean, cls, or none when the graph pools itself;
    some models want a word in front of queries or documents."""

    name: str
    width: int
    max_tokens: int
    sha256: str
    pooling: str = "mean"
    normalize: bool = True
    query_prefix: str = ""
    document_prefix: str = ""


def load_encoder(model: str = BUILTIN) -> OnnxEncoder:
    """The packaged model, or one in a folder of the same layout; never a look-up elsewhere."""
    folder = _MODELS / BUILTIN if model == BUILTIN else Path(model).expanduser()
    if not folder.is_dir():
        raise UsageError(
            f"no embedding model at {folder}",
            hint="name a folder that holds config.json, model.onnx and tokenizer.json, "
            "or leave [embedding] model out to use the packaged one",
        )
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if missing:
        raise UsageError(
            f"the embedding model in {folder} lacks {', '.join(missing)}",
            hint="export it once with `gloss index --embedding-model NAME` (extra [models])",
        )
    return OnnxEncoder(folder, _read_card(folder / "config.json"))


def _read_card(path: Path) -> ModelCard:
    try:
        raw = json.loads(path.read_bytes())
        known = {key: raw[key] for key in ModelCard.__slots__ if key in raw}
        return ModelCard(**known)
    except (ValueError, TypeError) as error:
        raise GlossError(
            f"{path} is not the card of an embedding model: {error}",
            hint="it needs name, width, max_tokens and sha256; export the model again",
        ) from None


class OnnxEncoder:
    """Loads nothing before the first text; the card alone tells model and width."""

    def __init__(self, folder: Path, card: ModelCard) -> None:
        self._folder = folder
        self.card = card

    @property
    def name(self) -> str:
        return self.card.name

    @property
    def model(self) -> str:
        return f"{self.card.name}@{self.card.sha256[:16]}"

    @property
    def width(self) -> int:
        return self.card.width

    def encode(self, texts: Sequence[str], *, queries: bool = False) -> Vectors:
        import numpy as np

        prefix = self.card.query_prefix if queries else self.card.document_prefix
        encodings = self._tokenizer.encode_batch([prefix + text for text in texts])
        rows = np.zeros((len(texts), self.width), dtype=np.float32)
        for batch in _batches([len(encoding.ids) for encoding in encodings]):
            rows[batch] = self._run([encodings[i] for i in batch])
        return rows

    def _run(self, encodings: list[Any]) -> Vectors:
        import numpy as np

        longest = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(encodings), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        names = [entry.name for entry in self._session.get_inputs()]
        out = self._session.run(None, {name: given[name] for name in names})[0]
        return self._pooled(out, mask)

    def _pooled(self, out: Any, mask: Any) -> Vectors:
        import numpy as np

        if out.ndim == 3 and self.card.pooling == "cls":
            out = out[:, 0]
        elif out.ndim == 3:
            weight = mask[..., None].astype(np.float32)
            out = (out * weight).sum(1) / np.maximum(weight.sum(1), 1e-9)
        if self.card.normalize:
            out = out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)
        if out.shape[1] != self.width or not np.isfinite(out).all():
            raise GlossError(
                f"the model in {self._folder} gave vectors that do not fit its card "
                f"(width {out.shape[1]}, expected {self.width}, all finite)",
                hint="export the model again",
            )
        return out.astype(np.float32)  # type: ignore[no-any-return]

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.enable_truncation(self.card.max_tokens)
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = _cores()
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        return ort.InferenceSession(
            str(self._folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indexes grouped by similar length, so that little of a batch is padding."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    batch: list[int] = []
    for index in order:
        if batch and (len(batch) + 1) * lengths[index] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
