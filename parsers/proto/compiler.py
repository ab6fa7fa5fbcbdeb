"""grpcio-tools' protoc as a child process over a private folder: descriptors, or its complaints.

Only `--descriptor_set_out` is asked for: no plugin runs and no code is generated. A crash, a hang
or a bomb ends the child alone.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from catalog.errors import SpecError
from parsers.proto.locate import compiler_include

TIME_LIMIT_S = 30
MAX_SAID_BYTES = 2**20
MAX_SET_BYTES = 256 * 1024 * 1024
_SAID = re.compile(r"(?P<file>\S+?):(?:(?P<line>\d+):(?P<column>\d+):)? (?P<message>.*)")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One complaint; `file` is the compiler's name, `line` and `column` count from 1 (0: none)."""

    file: str
    line: int
    column: int
    message: str


class Workshop:
    """A private folder in which one document is compiled, gone when the work is done."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._written: dict[str, str] = {}

    def __enter__(self) -> Workshop:
        self._folder = tempfile.TemporaryDirectory(prefix="gloss-proto-")
        self._root = Path(self._folder.name).resolve()
        (self._root / "tree").mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def compile(self, texts: Mapping[str, str], main: str) -> bytes | list[Diagnostic]:
        """A serialised FileDescriptorSet, imports and source info included, or the complaints."""
        for name, text in texts.items():
            self._write(name, text)
        target = self._root / "set.pb"
        code, said = self._run(target, main)
        if code == 0 and target.is_file():
            return self._taken(target)
        if code < 0 and not said:
            raise SpecError(f"{self._where}: the compiler ended by signal {-code}")
        return self._diagnostics(said)

    def _write(self, name: str, text: str) -> None:
        if self._written.get(name) == text:
            return
        place = self._root / "tree" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("latin-1"))
        self._written[name] = text

    def _run(self, target: Path, main: str) -> tuple[int, str]:
        """The exit status and what was said; a child that says too much is not waited for."""
        child = subprocess.Popen(
            self._command(target, main),
            cwd=self._root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        end = monotonic() + TIME_LIMIT_S
        timer = threading.Timer(TIME_LIMIT_S, child.kill)
        timer.start()
        with child:
            said = child.stderr.read(MAX_SAID_BYTES) if child.stderr else b""
            if len(said) == MAX_SAID_BYTES:
                child.kill()
        timer.cancel()
        if child.returncode < 0 and monotonic() >= end:
            raise SpecError(f"{self._where}: the compiler did not end within {TIME_LIMIT_S} s")
        return child.returncode, said.decode("utf-8", "replace")

    def _command(self, target: Path, main: str) -> list[str]:
        tree = self._root / "tree"
        return [
            *(sys.executable, "-P", "-m", "grpc_tools.protoc"),
            f"-I{tree}",
            f"-I{compiler_include()}",
            "--include_imports",
            "--include_source_info",
            f"--descriptor_set_out={target}",
            str(tree / main),
        ]

    def _taken(self, target: Path) -> bytes:
        if target.stat().st_size > MAX_SET_BYTES:
            limit = MAX_SET_BYTES // 2**20
            raise SpecError(f"{self._where}: its descriptors are larger than {limit} MB")
        return target.read_bytes()

    def _diagnostics(self, said: str) -> list[Diagnostic]:
        prefix = f"{self._root / 'tree'}/"
        found = []
        for line in said.replace(prefix, "").splitlines():
            match = _SAID.fullmatch(line)
            if match is None:
                found.append(Diagnostic("", 0, 0, line))
            elif not match["message"].startswith("warning:"):
                place = int(match["line"] or 0), int(match["column"] or 0)
                found.append(Diagnostic(match["file"], *place, match["message"]))
        return found
