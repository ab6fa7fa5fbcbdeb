"""What enrichment gives to search on the sample specs: before, shapes writer, replayed answers.

    python bench/enrichment_gain.py

Starts the sample world, reads and probes it into a catalog of its own, asks the sample intents;
then writes with the writer that needs no model, and then with the answers of
`sample_specs/replay`, each applied, indexed and asked again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from bench.replay_server import ANSWERS, replaying  # noqa: E402
from sample_specs.server import serve  # noqa: E402

INTENTS = ROOT / "sample_specs" / "intents.jsonl"
SERVICES = ("crm", "hr", "inventory", "billing")
MEASURES = ("hit@1", "hit@3", "ndcg@10")
Figures = dict[str, dict[str, float]]


class Gloss:
    """`urls` are the base URLs of the services that the cases ask for; "" has none."""

    def __init__(self, folder: Path, urls: dict[str, str], intents: Path) -> None:
        self.folder, self.urls, self.intents = folder, urls, intents
        self.env = {**os.environ, "GLOSS_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(ROOT)}

    def __call__(self, *words: str) -> str:
        command = [sys.executable, "-m", "cli", *words]
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 5):  # 5: some tools were not enriched
            sys.exit(f"gloss {' '.join(words)}: {done.stderr or done.stdout}")
        return done.stdout

    def configure(self, model_url: str = "") -> None:
        text = "".join(
            f'[[services]]\nname = "{name}"\nspec = "{name}"\nbase_url = "{url}"\n'
            for name, url in self.urls.items()
        )
        if model_url:
            text += f'[llm]\nbase_url = "{model_url}"\nmodel = "replay"\n'
            text += "price_in = 2.5\nprice_out = 10.0\n"
        (self.folder / "gloss.toml").write_text(text, encoding="utf-8")

    def ask(self) -> Figures:
        self("index")
        (report,) = json.loads(self("eval", str(self.intents), "--json"))["suites"]
        return {"all": _means(report)} | {
            group: _means(values) for group, values in report["groups"].items()
        }


def _means(values: dict[str, Any]) -> dict[str, float]:
    return {name: values[name]["mean"] for name in MEASURES} | {"n": values["n"]}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="gloss-bench-") as name, serve() as world:
        urls = {name: url for name, url in world.addresses().items() if name != "calls"}
        with running(Gloss(Path(name), urls, INTENTS)) as gloss:
            gloss("ingest", str(ROOT / "sample_specs"))
            gloss("probe", "--rate", "100")
            gloss("opt-in", *SERVICES)
            compare(gloss, ANSWERS)


@contextmanager
def running(gloss: Gloss) -> Iterator[Gloss]:
    gloss.configure()
    gloss("db", "start")
    try:
        yield gloss
    finally:
        gloss("db", "stop")


def compare(gloss: Gloss, answers: Path) -> None:
    """Asks as the catalog is, after the shapes writer, and after the answers kept in a file."""
    figures = {"before": gloss.ask()}
    gloss("enrich", "--apply")
    figures["shapes writer"] = gloss.ask()
    with replaying(answers) as replay:
        gloss.configure(replay.url)
        print(gloss("enrich", "--rewrite", "--apply").strip())
    figures["answers"] = gloss.ask()
    print_figures(figures)
    changed = ", ".join(sorted(replay.changed)) or "none"
    print(f"prompts that differ from those that were answered: {changed}")


def print_figures(figures: dict[str, Figures]) -> None:
    print(f"{'group':<12}{'n':>4}  " + "".join(f"{name:<26}" for name in figures))
    print(f"{'':<18}" + ("".join(f"{name:<8}" for name in MEASURES) + "  ") * len(figures))
    for group, first in figures["before"].items():
        columns = (
            "".join(f"{figures[way][group][name]:<8.3f}" for name in MEASURES) + "  "
            for way in figures
        )
        print(f"{group:<12}{first['n']:>4}  " + "".join(columns))


if __name__ == "__main__":
    main()
