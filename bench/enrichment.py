"""What enrichment costs: tokens of the real prompts, and of the answers kept for the samples.

    python bench/enrichment.py [SPEC…]

For the sample specs and each SPEC (its first 200 operations): tokens a tool, and USD for 200 tools
at $2.50 in and $10 out a million. Bars: 600 in, 150 out. Tokens are estimated, one for 3.6 letters.
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


def main() -> None:
    out = _answer_tokens()
    print(f"answers: {out:.0f} tokens a tool (bar 150)\n")
    heads = ("tools", "requests", "in a tool", "largest", "USD/200", "batch")
    print(f"{'spec':<28}" + "".join(f"{head:>10}" for head in heads))
    for path in [*(ROOT / "sample_specs" / name for name in SAMPLES), *map(Path, sys.argv[1:])]:
        _measure(path, out)


def _answer_tokens() -> float:
    lines = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    entries = [json.dumps({"number": 1, **line["entry"]}, ensure_ascii=False) for line in lines]
    return sum(map(tokens, entries)) / len(entries)


def _measure(path: Path, out: float) -> None:
    tools = _tools(path)
    asked = [(len(group), messages(group, rarity(tools))) for group in groups(tools)]
    sizes = [(n, sum(tokens(message["content"]) for message in sent)) for n, sent in asked]
    given = sum(size for _, size in sizes) / len(tools)
    largest = max(size / n for n, size in sizes)
    usd = MOST * (given * PRICE_IN + out * PRICE_OUT) / 1e6
    print(
        f"{path.name[:27]:<28}{len(tools):>10}{len(asked):>10}{given:>10.0f}{largest:>10.0f}"
        f"{usd:>10.3f}{usd / 2:>10.3f}"
    )


def _tools(path: Path) -> list[Evidence]:
    outcomes = list(parse_all(find_documents([str(path)]).documents))
    spec = next(outcome.parsed for outcome in outcomes if outcome.parsed is not None)
    about = f"{spec.title} {spec.description}"[:400]
    return [gather(operation, spec.definitions, about) for operation in spec.operations[:MOST]]


if __name__ == "__main__":
    main()
