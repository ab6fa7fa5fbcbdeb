"""A catalog with texts to send away and take back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.conftest import Gloss, Result
from tests.fakes import ENTRIES

LEGACY = Path(__file__).parent.parent / "enrichment" / "legacy.yaml"
PROGRESS, COMPLAINT = "legacy/getProcInfo3", "legacy/getProcInfo4"
STATUS, NOTE = "legacy/updAcctSt", "legacy/delNote"

Line = dict[str, Any]


def enriched(tool: str) -> Line:
    """A text that passes the rules, as a line has it."""
    entry = ENTRIES[tool.partition("/")[2]]
    kept = {key: entry[key] for key in ("name", "description", "aliases", "not_for")}
    return {**kept, "evidence": entry["grounds"]}


class Exchange:
    """`lines` is the export by tool id; `take` writes lines to a file and imports it."""

    def __init__(self, gloss: Gloss) -> None:
        self.gloss = gloss

    def lines(self, *words: str) -> dict[str, Line]:
        done = self.gloss("export", *words)
        assert done.exit_code == 0, done.stderr
        return {line["tool"]: line for line in done.jsonl}

    def take(self, lines: dict[str, Line], *words: str, file: str = "edited.jsonl") -> Result:
        text = "".join(json.dumps(line) + "\n" for line in lines.values())
        return self.gloss("import", self.gloss.write(file, text), *words)

    def edit(self, change: Callable[[dict[str, Line]], None], *words: str) -> Result:
        """What somebody does in a branch: export, change, import."""
        lines = self.lines()
        change(lines)
        return self.take(lines, *words)

    def live(self, tool: str) -> Any:
        return self.gloss("show", tool, "--json").json["enriched"]


def with_text(*tools: str) -> Callable[[dict[str, Line]], None]:
    def change(lines: dict[str, Line]) -> None:
        for tool in tools:
            lines[tool]["enriched"] = enriched(tool)

    return change


def saying(tool: str, description: str) -> Callable[[dict[str, Line]], None]:
    def change(lines: dict[str, Line]) -> None:
        lines[tool]["enriched"]["description"] = description

    return change
