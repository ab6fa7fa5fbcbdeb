"""The light commands load nothing heavy; the heavy ones only what they need."""

import json
import subprocess
import sys

import pytest

HEAVY = {
    "torch",
    "transformers",
    "sentence_transformers",
    "openai",
    "zeep",
    "prance",
    "grpc",
    "grpc_tools",
    "google.protobuf",
    "onnxruntime",
    "tokenizers",
    "rich",
}
PROGRAM = """
import json, sys
from cli.main import app, run
code = run(lambda: app(sys.argv[1:], prog_name="gloss", standalone_mode=False))
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def loaded_by(samples, *words):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=samples.folder,
        env=samples.environment,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return set(modules)


@pytest.mark.parametrize(
    "words", [("--help",), ("services",), ("tools",), ("show", "crm/getProcInfo3")], ids=" ".join
)
def test_light_commands_load_nothing_heavy(samples, words):
    assert loaded_by(samples, *words) & (HEAVY | {"numpy"}) == set()


def test_help_does_not_load_the_database_driver(samples):
    assert "psycopg" not in loaded_by(samples, "--help")


def test_search_loads_the_encoder_and_no_other_heavy_library(samples):
    loaded = loaded_by(samples, "search", "who manages this customer's account")

    assert loaded & HEAVY <= {"onnxruntime", "tokenizers", "google.protobuf"}
    assert "onnxruntime" in loaded
