"""A catalog with one legacy service that is opted in, and a way to point it at a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import conftest as command
from tests.cli.conftest import Gloss, Result

LEGACY = Path(__file__).with_name("legacy.yaml")
TOOLS = ["getProcInfo3", "getProcInfo4", "updAcctSt", "delNote"]


gloss = command.gloss


class Desk:
    """`enrich(...)` runs the command against a model's address."""

    def __init__(self, gloss: Gloss) -> None:
        self.gloss = gloss

    def point_at(self, url: str, **more: object) -> None:
        settings = {"base_url": url, "model": "m", "api_key_env": "MODEL_KEY"}
        settings |= {"tools_per_request": 2, **more}
        lines = [f"{key} = {_toml(value)}" for key, value in settings.items()]
        self.gloss.write("gloss.toml", "[llm]\n" + "\n".join(lines) + "\n")

    def enrich(self, *words: str) -> Result:
        return self.gloss("enrich", *words, env={"MODEL_KEY": "sk-not-a-real-key"})

    def proposals(self) -> dict[str, dict]:
        found = self.gloss("diff", "--json").json["proposals"]
        return {entry["tool"].partition("/")[2]: entry for entry in found}


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


@pytest.fixture
def desk(gloss: Gloss) -> Desk:
    for words in (("ingest", LEGACY, "--service", "legacy"), ("opt-in", "legacy")):
        done = gloss(*words)
        assert done.exit_code == 0, done.stderr
    return Desk(gloss)
