"""A sentence-transformers model made into the folder that `search.encoder` runs.

The graph takes token ids and gives sentence vectors of length one: every module of the model,
pooling and dense layers included, lies inside. Weights are eight-bit integers with one scale for
each block of 64, turned back into floats when the graph is loaded: activations stay floats, so
vectors agree with the original, and the file is a quarter of the size.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import logging
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog.errors import GlossError, NotFound

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "sentence_embedding"
HASHED = ("model.onnx", "tokenizer.json")

_NEEDED = ("sentence_transformers", "onnx", "onnxscript")
_OPSET = 18
_BLOCK = 64
_SMALLEST = 16_384  # weights below this many numbers stay floats
_LONGEST = 512  # tokens; some models claim limits no text should be padded to
_WORST_AGREEMENT = 0.98
_PROBES = (
    "list the open invoices of a customer",
    "getCustomerById. Returns one customer, with the address and the account manager.",
    "Wie storniere ich eine Bestellung?",
    "x",
    "Uploads a file in parts: start an upload, send each part with its number and checksum, then "
    "complete it. Parts may be sent in any order; unfinished uploads are removed after a week.",
)


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was written. `agreement` is the lowest cosine between the vectors of the exported and
    of the original model over a few fixed texts."""

    folder: Path
    name: str
    width: int
    max_tokens: int
    size_bytes: int
    sha256: str
    agreement: float


def export(
    source: str | Path, folder: Path, *, name: str | None = None, max_tokens: int | None = None
) -> ExportReport:
    """Write `source`, a model name or folder, to `folder` as model.onnx, tokenizer.json and
    config.json. Nothing in `folder` changes unless the exported model agrees with the original."""
    _require_libraries()
    with _quiet():
        model = _load(source)
        limit = min(max_tokens or _LONGEST, model.max_seq_length or _LONGEST, _LONGEST)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".export-") as scratch:
            made = Path(scratch)
            _write_tokenizer(model, limit, made / "tokenizer.json")
            _write_graph(model, made)
            agreement = _agreement(model, made, limit)
            config = _config(model, name or Path(source).name, limit, made)
            (made / "config.json").write_text(json.dumps(config, indent=2) + "\n")
            for file in (*HASHED, "config.json"):
                (made / file).replace(folder / file)
    return _report(folder, config, agreement)


def folder_hash(folder: Path) -> str:
    """SHA-256 over the graph and the tokenizer: what decides the vectors."""
    whole = hashlib.sha256()
    for file in HASHED:
        whole.update((folder / file).read_bytes())
    return whole.hexdigest()


def _require_libraries() -> None:
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise GlossError(
            f"exporting an embedding model needs {', '.join(missing)}",
            hint="pip install 'apigloss[models]'",
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """The libraries' progress bars, log lines and warnings are not for the user."""
    from transformers.utils import (  # type: ignore[import-not-found, unused-ignore]
        logging as transformers_logging,
    )

    disabled, bars = logging.root.manager.disable, transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
        if bars:
            transformers_logging.enable_progress_bar()


def _load(source: str | Path) -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        model = SentenceTransformer(
            str(source), device="cpu", model_kwargs={"attn_implementation": "eager"}
        )
    except (OSError, ValueError) as error:
        raise NotFound(
            f"no sentence-transformers model {source}: {_first_line(error)}",
            hint="name a model or a folder that SentenceTransformer(…) can load",
        ) from error
    if getattr(model.tokenizer, "backend_tokenizer", None) is None:
        raise GlossError(
            f"the model {source} has no tokenizer that can be saved as tokenizer.json",
            hint="choose a text model with a fast tokenizer",
        )
    return model.float().eval()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _write_tokenizer(model: Any, max_tokens: int, path: Path) -> None:
    from tokenizers import Tokenizer

    slow = model.tokenizer
    tokenizer = Tokenizer.from_str(slow.backend_tokenizer.to_str())
    tokenizer.enable_truncation(max_tokens)
    tokenizer.enable_padding(pad_id=slow.pad_token_id or 0, pad_token=slow.pad_token or "[PAD]")
    tokenizer.save(str(path), pretty=False)


def _write_graph(model: Any, folder: Path) -> None:
    import onnx

    floats = folder / "floats.onnx"
    _trace(model, floats)
    graph = onnx.load(str(floats))
    _quantise(graph.graph)
    _declare_inputs(graph.graph)
    _strip(graph)
    onnx.checker.check_model(graph)
    onnx.save(graph, str(folder / "model.onnx"))


def _trace(model: Any, path: Path) -> None:
    import torch  # type: ignore[import-not-found, unused-ignore]

    class Pooled(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.model = model
            self.reads = set(model.tokenizer.model_input_names)

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            given = dict(zip(INPUTS, (input_ids, attention_mask, token_type_ids), strict=True))
            out = self.model({key: given[key] for key in INPUTS if key in self.reads})
            return torch.nn.functional.normalize(out[OUTPUT], dim=-1)

    ids = torch.full((2, 8), 5, dtype=torch.int64)
    example = (ids, torch.ones_like(ids), torch.zeros_like(ids))
    batch, sequence = torch.export.Dim("batch"), torch.export.Dim("sequence", max=_LONGEST)
    with torch.no_grad():
        torch.onnx.export(
            Pooled().eval(),
            example,
            str(path),
            input_names=list(INPUTS),
            output_names=[OUTPUT],
            dynamic_shapes={key: {0: batch, 1: sequence} for key in INPUTS},
            opset_version=_OPSET,
            dynamo=True,
            external_data=True,
            verbose=False,
        )


def _quantise(graph: Any) -> None:
    """Every large weight of a MatMul, Gemm or Gather becomes integers and scales."""
    from onnx import numpy_helper

    weights = {item.name: item for item in graph.initializer}
    nodes: list[Any] = []
    for node in graph.node:
        place = {"MatMul": 1, "Gemm": 1, "Gather": 0}.get(node.op_type)
        item = weights.get(node.input[place]) if place is not None else None
        if item is None or len(item.dims) != 2 or item.dims[0] * item.dims[1] < _SMALLEST:
            nodes.append(node)
            continue
        rows = numpy_helper.to_array(item)
        make = _looked_up if node.op_type == "Gather" else _multiplied
        nodes += make(graph, node, item.name, rows)
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    for item in [item for item in graph.initializer if item.name not in used]:
        graph.initializer.remove(item)


def _looked_up(graph: Any, node: Any, name: str, rows: Floats) -> list[Any]:
    """Gather the integer rows and their scales, then multiply: the table is never expanded."""
    from onnx import TensorProto, helper

    integers, scales = _integers(rows, axis=1)
    _keep(graph, {f"{name}_q": integers, f"{name}_s": scales})
    axis = {"axis": 0}
    out, ids = node.output[0], node.input[1]
    return [
        helper.make_node("Gather", [f"{name}_q", ids], [f"{out}_q"], **axis),
        helper.make_node("Gather", [f"{name}_s", ids], [f"{out}_s"], **axis),
        helper.make_node("Cast", [f"{out}_q"], [f"{out}_f"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [f"{out}_f", f"{out}_s"], [out]),
    ]


def _multiplied(graph: Any, node: Any, name: str, rows: Floats) -> list[Any]:
    """Blocks along the summed axis. Plain operators, so that any runtime folds them at load;
    DequantizeLinear is kept unfolded by onnxruntime and ran at half the speed."""
    import numpy as np
    from onnx import TensorProto, helper

    out = f"{name}_{node.name or node.output[0]}"
    summed = 1 if any(item.name == "transB" and item.i for item in node.attribute) else 0
    block = _BLOCK if rows.shape[summed] % _BLOCK == 0 else rows.shape[summed]
    count = rows.shape[summed] // block
    split = (rows.shape[0], count, block) if summed else (count, block, rows.shape[1])
    integers, scales = _integers(rows.reshape(split), axis=2 if summed else 1)
    shape = np.array(rows.shape, dtype=np.int64)
    _keep(graph, {f"{out}_q": integers, f"{out}_s": scales, f"{out}_shape": shape})
    node.input[1] = f"{out}_w"
    return [
        helper.make_node("Cast", [f"{out}_q"], [f"{out}_f"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [f"{out}_f", f"{out}_s"], [f"{out}_m"]),
        helper.make_node("Reshape", [f"{out}_m", f"{out}_shape"], [f"{out}_w"]),
        node,
    ]


def _integers(weights: Floats, axis: int) -> tuple[Any, Floats]:
    import numpy as np

    scales = np.abs(weights).max(axis=axis, keepdims=True).astype(np.float32) / np.float32(127)
    scales[scales == 0] = 1
    return np.rint(weights / scales).astype(np.int8), scales


def _keep(graph: Any, arrays: dict[str, Any]) -> None:
    from onnx import numpy_helper

    known = {item.name for item in graph.initializer}
    for name, array in arrays.items():
        if name not in known:
            graph.initializer.append(numpy_helper.from_array(array, name))


def _declare_inputs(graph: Any) -> None:
    """Models without token types get the input all the same: one reader feeds every model."""
    from onnx import TensorProto, helper

    known = {item.name for item in graph.input}
    for name in INPUTS:
        if name not in known:
            shape = ["batch", "sequence"]
            graph.input.append(helper.make_tensor_value_info(name, TensorProto.INT64, shape))


def _strip(graph: Any) -> None:
    """Notes of the exporter go: they hold paths of the machine and differ from run to run."""
    del graph.metadata_props[:]
    del graph.functions[:]
    graph.doc_string = ""
    del graph.graph.value_info[:]
    for item in (graph.graph, *graph.graph.node, *graph.graph.initializer, *graph.graph.input):
        del item.metadata_props[:]
        item.doc_string = ""
    for item in graph.graph.output:
        del item.metadata_props[:]


def _agreement(model: Any, folder: Path, max_tokens: int) -> float:
    import numpy as np

    # A limit below the model's own is asked for, no disagreement: compare under the same one.
    usual, model.max_seq_length = model.max_seq_length, max_tokens
    theirs = model.encode(list(_PROBES), normalize_embeddings=True, show_progress_bar=False)
    model.max_seq_length = usual
    ours = _vectors(folder, _PROBES)
    lowest = float((np.asarray(theirs) * ours).sum(axis=1).min())
    if not lowest >= _WORST_AGREEMENT:  # also when it is no number
        raise GlossError(
            f"the exported model gives other vectors than the original (cosine {lowest:.3f})",
            hint="this architecture cannot be exported; choose another model",
        )
    return lowest


def _vectors(folder: Path, texts: Sequence[str]) -> Floats:
    import numpy as np
    import onnxruntime as ort
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    encodings = tokenizer.encode_batch(list(texts))
    ids = np.array([encoding.ids for encoding in encodings], dtype=np.int64)
    mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
    session = ort.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    feed = dict(zip(INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
    vectors: Floats = session.run([OUTPUT], feed)[0]
    return vectors


def _config(model: Any, name: str, max_tokens: int, folder: Path) -> dict[str, Any]:
    prompts = model.prompts
    return {
        "name": name,
        "width": model.get_embedding_dimension(),
        "max_tokens": max_tokens,
        "pooling": _pooling(model),
        "pooled": True,
        "normalize": True,
        "query_prefix": prompts.get("query") or "",
        "document_prefix": prompts.get("document") or prompts.get("passage") or "",
        "sha256": folder_hash(folder),
    }


def _pooling(model: Any) -> str:
    for module in model:
        mode = getattr(module, "pooling_mode", None)
        if isinstance(mode, str):
            return mode
    return "mean"


def _report(folder: Path, config: dict[str, Any], agreement: float) -> ExportReport:
    files = (*HASHED, "config.json")
    return ExportReport(
        folder=folder,
        name=config["name"],
        width=config["width"],
        max_tokens=config["max_tokens"],
        size_bytes=sum((folder / file).stat().st_size for file in files),
        sha256=config["sha256"],
        agreement=agreement,
    )
