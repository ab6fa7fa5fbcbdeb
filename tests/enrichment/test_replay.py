"""The whole way on the sample specs with the answers of `sample_specs/replay`, without a model."""

import json

import pytest

from bench.replay_server import replaying
from tests.cli import conftest as command

SPEC = command.SAMPLES / "crm.wsdl"
gloss = command.gloss


@pytest.fixture
def crm(gloss):
    intents = (command.SAMPLES / "intents.jsonl").read_text("utf-8").splitlines()
    opaque = [
        line
        for line in intents
        if (case := json.loads(line))["group"] == "opaque"
        and all(tool.startswith("crm/") for tool in case["relevant"])
    ]
    gloss.write("opaque.jsonl", "\n".join(opaque))
    for words in (("ingest", SPEC), ("index",), ("opt-in", "crm")):
        done = gloss(*words)
        assert done.exit_code == 0, done.stderr
    return gloss


def hit1(gloss):
    (report,) = gloss("eval", "opaque.jsonl", "--json").json["suites"]
    return report["hit@1"]["mean"]


def test_from_an_opaque_spec_to_the_right_tool(crm):
    before = hit1(crm)
    crm("enrich", "--apply")
    crm("index")
    drafted = hit1(crm)
    with replaying() as replay:
        crm.write("gloss.toml", f'[llm]\nbase_url = "{replay.url}"\nmodel = "replay"\n')
        done = crm("enrich", "--rewrite", "--json")
    crm("apply", "crm")
    crm("index")
    after = hit1(crm)

    assert done.json["failed"] == []
    assert len(done.json["proposed"]) == 26
    assert replay.changed == set(), "these prompts are not those that were answered"
    assert before <= drafted < after
    assert after > before + 0.1
