"""The tutorial's lines, run in order as they stand, and the two answers that it promises."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_tutorial_does_what_it_says(tmp_path):
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    script = "\n".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL))
    (tmp_path / "sample_specs").symlink_to(ROOT / "sample_specs")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "gloss"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cli "$@"\n')
    command.chmod(0o755)
    env = {
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }

    done = subprocess.run(
        ["sh", "-e", "-c", f"{script}\ngloss db stop"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    answers = re.findall(r"^1\t(\S+)\t[01]\.\d\d\t", done.stdout, re.MULTILINE)
    assert answers == ["inventory/GetStockLevel", "inventory/MvTrf"]
    assert (tmp_path / "inventory.jsonl").read_text().count("\n") == 16
