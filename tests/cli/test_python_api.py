"""The example of docs/python.md, run as it stands."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_s_example_finds_the_tool(tmp_path):
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    spec = ROOT / "sample_specs" / "billing.openapi.yaml"

    done = subprocess.run(
        [sys.executable, "-c", example, str(spec), str(tmp_path / "data")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert done.stdout == "32 billing/list_open_invoices\n"
