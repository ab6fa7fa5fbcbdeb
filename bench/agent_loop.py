"""An agent's loop through `gloss mcp` over intents of the sample specs, beside handing over all.

    python bench/agent_loop.py [N]

Reads, probes and enriches the sample specs (with the answers of sample_specs/replay), then asks N
intents (100, drawn with a seed) through search_tools with the SDK's own client over stdio. Tokens
are letters of the text that the model would read, without indentation, by four.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean, median
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from mcp import Client, StdioServerParameters  # noqa: E402

from bench.enrichment_gain import INTENTS, SERVICES, Gloss, running  # noqa: E402
from bench.replay_server import replaying  # noqa: E402
from sample_specs.server import serve  # noqa: E402

SEED = 7


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    cases = [json.loads(line) for line in INTENTS.read_text(encoding="utf-8").splitlines()]
    asked = random.Random(SEED).sample([case for case in cases if case["relevant"]], count)
    with tempfile.TemporaryDirectory(prefix="gloss-bench-") as name, serve() as world:
        urls = {service: url for service, url in world.addresses().items() if service != "calls"}
        with running(Gloss(Path(name), urls, INTENTS)) as gloss:
            prepare(gloss)
            whole = tokens(json.loads(gloss("export", "--format", "mcp")))
            report("as the specs have it", asked, asyncio.run(loop(gloss, asked)), whole)
            enrich(gloss)
            report("with a model's text", asked, asyncio.run(loop(gloss, asked)), whole)


def tokens(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) // 4


def prepare(gloss: Gloss) -> None:
    gloss("ingest", str(ROOT / "sample_specs"))
    gloss("probe", "--rate", "100")
    gloss("index")


def enrich(gloss: Gloss) -> None:
    gloss("opt-in", *SERVICES)
    with replaying() as replay:
        gloss.configure(replay.url)
        gloss("enrich", "--apply")
    gloss("index")


async def loop(gloss: Gloss, asked: list[dict[str, Any]]) -> list[tuple[list[str], int, float]]:
    """(ids found, tokens of the answer, milliseconds) of each case."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "cli", "mcp"], env=gloss.env, cwd=str(gloss.folder)
    )
    found = []
    async with Client(server) as client:
        for case in asked:
            words = {"query": case["query"], "context": case.get("context", "")}
            began = time.perf_counter()
            answer = await client.call_tool("search_tools", words)
            took_ms = (time.perf_counter() - began) * 1000
            text = answer.content[0].text
            ids = [tool["id"] for tool in json.loads(text)["tools"]]
            found.append((ids, len(text) // 4, took_ms))
    return found


def report(
    way: str, asked: list[dict[str, Any]], found: list[tuple[list[str], int, float]], whole: int
) -> None:
    hits = [
        bool(set(case["relevant"]) & set(ids))
        for case, (ids, _, _) in zip(asked, found, strict=True)
    ]
    first = [
        ids[:1] and ids[0] in case["relevant"]
        for case, (ids, _, _) in zip(asked, found, strict=True)
    ]
    print(
        f"{way}: right tool among four {mean(hits):.2f}, first {mean(map(bool, first)):.2f}; "
        f"tokens a search {mean(size for _, size, _ in found):.0f} "
        f"(all definitions {whole}); ms a search {median(ms for _, _, ms in found):.0f}"
    )


if __name__ == "__main__":
    main()
