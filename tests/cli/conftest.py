"""`gloss(...)` runs the command in an empty folder, against a catalog of its own.

It runs in this process, as the entry point does, because starting Python for each of some hundred
commands takes longer than all their work; `gloss.process(...)` starts a real one, for what a shell,
a locale or a signal does to it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

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


def result(stdout: str, stderr: str, exit_code: int) -> Result:
    made = Result(stdout)
    made.stderr = stderr
    made.exit_code = exit_code
    return made


class Gloss:
    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment

    def __call__(
        self, *words: str | Path, stdin: str | bytes = "", env: dict[str, str] | None = None
    ) -> Result:
        from cli import console
        from cli.main import app, run

        given = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = _stream(b""), _stream(b"")
        with self._at_home(env), _streams(_stream(given), out, err):
            console.prepare()
            code = run(lambda: app([*map(str, words)], prog_name="gloss", standalone_mode=False))
        return result(_text(out), _text(err), code)

    def process(
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
        return result(done.stdout.decode(), done.stderr.decode(), done.returncode)

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    @contextlib.contextmanager
    def _at_home(self, env: dict[str, str] | None) -> Iterator[None]:
        whole = {**self.environment, **(env or {})}
        with mock.patch.dict(os.environ, whole, clear=True), contextlib.chdir(self.folder):
            yield


def _stream(data: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")


@contextlib.contextmanager
def _streams(*three: io.TextIOWrapper) -> Iterator[None]:
    names = ("stdin", "stdout", "stderr")
    with contextlib.ExitStack() as stack:
        for name, stream in zip(names, three, strict=True):
            stack.enter_context(mock.patch.object(sys, name, stream))
        yield


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


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
