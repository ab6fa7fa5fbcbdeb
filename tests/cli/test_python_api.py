"""The examples of docs/python.md, run as they stand."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from sample_specs.server import serve

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
FIRST, SECOND = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def said(example: str, *words: str | Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", example, *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_ingest_and_search(tmp_path):
    spec = ROOT / "sample_specs" / "billing.openapi.yaml"

    assert said(FIRST, spec, tmp_path / "data") == [
        "billing.openapi.yaml 32 added",
        "billing/list_open_invoices",
    ]


def test_probe_enrich_and_decide(tmp_path):
    spec = ROOT / "sample_specs" / "crm.wsdl"
    with serve() as world:
        told = said(SECOND, spec, tmp_path / "data", world.soap_url)

    assert told == [
        "17 answered, 8 left alone",
        "26 tools to write about",
        "crm/getProcInfo3 = list_customer_orders",
        "26 applied",
        "crm/getProcInfo3",
        "1 search",
    ]


def test_every_function_named_is_there():
    table = PAGE[PAGE.index("| verb |") : PAGE.index("## Ingest and search")]
    named = re.findall(r"`([\w.]+)\.(\w+)`", table)

    assert len(named) > 20
    for module, name in named:
        assert callable(getattr(import_module(module), name)), f"{module}.{name}"
