"""catalog < parsers, store < probing, enrichment, search < evaluation < pipeline < cli."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOWER = {
    "catalog": set(),
    "parsers": {"catalog"},
    "store": {"catalog"},
    "probing": {"catalog", "store"},
    "enrichment": {"catalog", "store"},
    "search": {"catalog", "store"},
    "evaluation": {"catalog", "store", "parsers", "probing", "enrichment", "search"},
}
LOWER["pipeline"] = LOWER["evaluation"] | {"evaluation"}
LOWER["cli"] = LOWER["pipeline"] | {"pipeline"}


def imported(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize("layer", LOWER)
def test_a_layer_imports_only_the_layers_below(layer):
    for file in (ROOT / layer).rglob("*.py"):
        ours = imported(file) & set(LOWER) - {layer}
        assert ours <= LOWER[layer], f"{file.relative_to(ROOT)} imports {ours - LOWER[layer]}"


@pytest.mark.parametrize("layer", sorted(set(LOWER) - {"cli"}))
def test_only_cli_prints_or_reads_the_environment(layer):
    for file in (ROOT / layer).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            assert not (called and node.func.id == "print"), f"{file.relative_to(ROOT)} prints"
            read = isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
            assert not read, f"{file.relative_to(ROOT)}:{node.lineno} reads the environment"


@pytest.mark.parametrize("layer", sorted(set(LOWER) - {"store"}))
def test_sql_lives_in_store(layer):
    for file in (ROOT / layer).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                called = node.func.attr
                assert called not in ("execute", "executemany", "cursor", "copy"), (
                    f"{file.relative_to(ROOT)}:{node.lineno} talks to the database"
                )
