"""Every command once, in an order in which each finds what it needs, with its exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from cli.main import app
from tests.cli.conftest import SAMPLES, Gloss
from tests.cli.exchanging import LEGACY
from tests.probing.test_traces import entry, har

TOML = """
[llm]
base_url = "{model}"
model = "m"
api_key_file = "{folder}/key"

[[services]]
name = "legacy"
spec = "legacy.yaml"
enrich = true
headers = {{ Authorization = "env:LEGACY_TOKEN" }}
"""


@dataclass(frozen=True)
class Step:
    words: str
    exit_code: int = 0

    def __str__(self) -> str:
        return self.words


WALK = (
    Step("init"),
    Step(f"ingest {SAMPLES} legacy.yaml"),
    Step("services"),
    Step("tools"),
    Step("show crm/getProcInfo3"),
    Step("probe --plan"),
    Step("trace browser.har", 1),  # of another service
    Step("opt-in legacy"),
    Step("enrich legacy"),
    Step("diff legacy"),
    Step("review", 2),  # needs a terminal
    Step("apply legacy/getProcInfo3"),
    Step("reject legacy/getProcInfo4"),
    Step("revert legacy/getProcInfo3"),
    Step("edit crm/getProcInfo3 --print"),
    Step("export -o gloss.jsonl"),
    Step("import gloss.jsonl"),
    Step("index"),
    Step("search invoices"),
    Step("feedback --export cases.jsonl"),
    Step("synonyms add client customer"),
    Step("synonyms list"),
    Step("synonyms import words.tsv"),
    Step("synonyms remove client customer"),
    Step("stats"),
    Step("eval few.jsonl"),
    Step("train few.jsonl", 2),  # too few cases
    Step("sync --plan"),
    Step("mcp"),  # until stdin ends
    Step("doctor"),
    Step("opt-out legacy"),
    Step("db start", 2),  # of a server of one's own there is nothing to start
    Step("db stop", 2),
    Step("db status"),
    Step("db url"),
    Step("db upgrade"),
    Step("db dump catalog.dump"),
    Step("db restore catalog.dump --replace"),
)


def commands() -> Iterator[tuple[str, typer.core.TyperCommand]]:
    """Every command that the program has, by its words."""
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        below = getattr(command, "commands", {"": command})
        for sub, leaf in below.items():
            yield f"{name} {sub}".rstrip(), leaf


def with_json() -> set[str]:
    return {name for name, leaf in commands() if any("--json" in p.opts for p in leaf.params)}


def command_of(step: Step) -> str:
    return next(name for name, _ in commands() if f"{step} ".startswith(f"{name} "))


def furnish(gloss: Gloss, model: str, spec: str = "") -> None:
    """What the steps read, beside the sample specs."""
    gloss.write("gloss.toml", TOML.format(model=model, folder=gloss.folder))
    gloss.write("key", "key-in-a-file-1a2b3c\n")
    gloss.write("legacy.yaml", spec or Path(LEGACY).read_text("utf-8"))
    gloss.write("browser.har", har(entry("https://hr.internal/ps/1")))
    gloss.write("words.tsv", "purchase order\tPO\n")
    cases = (SAMPLES / "intents.jsonl").read_text("utf-8").splitlines()
    gloss.write("few.jsonl", "\n".join(cases[:3]) + "\n")
    assert json.loads(cases[0])["relevant"] == ["crm/getCust"]
