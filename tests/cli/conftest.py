"""`gloss(...)` runs the real command in an empty folder, against a catalog of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "sample_specs"


class Result(str):
    """What went to stdout; reads like a shell session."""

    stderr: str
    exit_code: int

    @property
    def json(self) -> Any:
        return json.loads(self)

    @property
    def jsonl(self) -> list[Any]:
        return [json.loads(line) for line in self.splitlines()]


class Gloss:
    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment

    def __call__(
        self, *words: str | Path, stdin: str | bytes = "", env: dict[str, str] | None = None
    ) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "cli", *map(str, words)],
            cwd=self.folder,
            env={**self.environment, **(env or {})},
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            timeout=200,
            check=False,
        )
        result = Result(done.stdout.decode())
        result.stderr = done.stderr.decode()
        result.exit_code = done.returncode
        return result

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file


def bare_environment(folder: Path) -> dict[str, str]:
    """As little as cron gives, and a home of its own."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(ROOT),
    }


@pytest.fixture
def gloss(tmp_path: Path, database_url: str) -> Gloss:
    work = tmp_path / "work"
    work.mkdir()
    return Gloss(work, {**bare_environment(tmp_path), "GLOSS_DATABASE_URL": database_url})


@pytest.fixture(scope="session")
def samples(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Gloss:
    """A catalog with the sample specs, ingested and indexed; for tests that only read."""
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE gloss_samples TEMPLATE {template_database}")
    address = server_url.replace("/postgres?", "/gloss_samples?")
    folder = tmp_path_factory.mktemp("samples")
    run = Gloss(folder, {**bare_environment(folder), "GLOSS_DATABASE_URL": address})
    for command in (("ingest", SAMPLES), ("index",)):
        done = run(*command)
        assert done.exit_code == 0, done.stderr
    return run
