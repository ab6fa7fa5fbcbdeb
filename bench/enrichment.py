"""What enrichment costs: tokens of the real prompts, and of the answers kept for the samples.

    python bench/enrichment.py [SPEC…]

For the sample specs and each SPEC (its first 200 operations), asked about 4, 6 and 8 tools at once:
tokens a tool, and USD for 200 tools at $2.50 in and $10 out a million. Bars: 600 in, 150 out.
Tokens are estimated, one for 3.6 letters.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from enrichment.evidence import Evidence, gather  # noqa: E402
from enrichment.lookalikes import groups, rarity  # noqa: E402
from enrichment.prompt import messages, tokens  # noqa: E402
from parsers.sandbox import parse_all  # noqa: E402
from parsers.sources import find_documents  # noqa: E402

SAMPLES = ("crm.wsdl", "hr.swagger.json", "inventory.proto", "billing.openapi.yaml")
ANSWERS = ROOT / "sample_specs" / "replay" / "answers.jsonl"
PRICE_IN, PRICE_OUT = 2.50, 10.0
MOST = 200
SIZES = (4, 6, 8)


def main() -> None:
    parts = _answer_tokens()
    out = sum(parts.values())
    shares = ", ".join(f"{name} {size:.0f}" for name, size in parts.items())
    print(f"answers: {out:.0f} tokens a tool (bar 150): {shares}\n")
    heads = ("tools", "at once", "requests", "in a tool", "largest", "USD/200", "batch")
    print(f"{'spec':<28}" + "".join(f"{head:>10}" for head in heads))
    for path in [*(ROOT / "sample_specs" / name for name in SAMPLES), *map(Path, sys.argv[1:])]:
        tools = _tools(path)
        for size in SIZES:
            _measure(path.name, tools, size, out)


def _answer_tokens() -> dict[str, float]:
    """By part of the answer; `form` is what JSON takes around them."""
    lines = [json.loads(line)["entry"] for line in ANSWERS.read_text("utf-8").splitlines()]
    whole = sum(tokens(json.dumps({"number": 1, **line}, ensure_ascii=False)) for line in lines)
    parts = {
        part: sum(len("".join(line[part])) for line in lines) / 3.6 / len(lines)
        for part in lines[0]
    }
    return parts | {"form": whole / len(lines) - sum(parts.values())}


def _measure(name: str, tools: list[Evidence], size: int, out: float) -> None:
    asked = [(len(group), messages(group, rarity(tools))) for group in groups(tools, size)]
    sizes = [(n, sum(tokens(message["content"]) for message in sent)) for n, sent in asked]
    given = sum(found for _, found in sizes) / len(tools)
    largest = max(found / n for n, found in sizes)
    usd = MOST * (given * PRICE_IN + out * PRICE_OUT) / 1e6
    print(
        f"{name[:27]:<28}{len(tools):>10}{size:>10}{len(asked):>10}{given:>10.0f}{largest:>10.0f}"
        f"{usd:>10.3f}{usd / 2:>10.3f}"
    )


def _tools(path: Path) -> list[Evidence]:
    outcomes = list(parse_all(find_documents([str(path)]).documents))
    spec = next(outcome.parsed for outcome in outcomes if outcome.parsed is not None)
    about = f"{spec.title} {spec.description}"[:400]
    return [gather(operation, spec.definitions, about) for operation in spec.operations[:MOST]]


if __name__ == "__main__":
    main()
