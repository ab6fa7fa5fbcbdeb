"""One tool's page in the user's editor, opened again until what it says is accepted."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from catalog.errors import GlossError, UsageError
from catalog.words import safe_name
from cli import console

if TYPE_CHECKING:
    from catalog.enrichment import Enrichment
    from enrichment.handwork import Draft

_USUAL = ("vi", "nano", "vim")


def edited(about: Draft) -> Enrichment | None:
    """What the person wrote, checked; None where nothing was changed. Nothing is kept of a page
    that was given up."""
    from enrichment.handwork import write_page

    command = _command()
    page = write_page(about, about.text)
    with tempfile.TemporaryDirectory(prefix="gloss-") as folder:
        file = Path(folder) / f"{safe_name(about.tool_id)[:100]}.yaml"
        return _until_accepted(about, page, file, command)


def _until_accepted(
    about: Draft, page: str, file: Path, command: Sequence[str]
) -> Enrichment | None:
    from enrichment.handwork import with_faults

    faults: list[str] = []
    while True:
        file.write_text(page, encoding="utf-8")
        _open(command, file)
        now = _read(file)
        if _essence(now) == _essence(page):
            _mind(faults)
            return None
        text, faults = accepted(about, now)
        if text is not None and not faults:
            return text
        if not faults:
            raise GlossError("the page was emptied; nothing was saved")
        console.log(f"not accepted: {'; '.join(faults)}")
        page = with_faults(now, faults)


def _mind(faults: Sequence[str]) -> None:
    if faults:
        raise GlossError(f"given up; nothing was saved ({faults[0]})")


def accepted(about: Draft, page: str) -> tuple[Enrichment | None, list[str]]:
    """What a page says and what is wrong with it; neither where it says nothing."""
    from enrichment.handwork import PageUnreadable, faults_of, read_page

    try:
        text = read_page(page)
    except PageUnreadable as fault:
        return None, [str(fault)]
    return text, [fault.message for fault in faults_of(about, text)] if text else []


def _essence(page: str) -> list[str]:
    return [line.rstrip() for line in page.splitlines() if line.strip() and line[0] != "#"]


def _command() -> list[str]:
    """VISUAL, else EDITOR, with their words; else the first of the usual ones that is there."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not named:
        found = next((name for name in _USUAL if shutil.which(name)), None)
        if found is None:
            raise UsageError("there is no editor", hint="export EDITOR=nano, or --from FILE")
        return [found]
    try:
        words = shlex.split(named)
    except ValueError as error:
        raise UsageError(f"EDITOR is {named}: {error}", hint="export EDITOR=nano") from None
    if not words:
        raise UsageError("EDITOR is empty", hint="export EDITOR=nano")
    return words


def _open(command: Sequence[str], file: Path) -> None:
    """Wait for the editor; Ctrl-C in it is the editor's own matter."""
    sys.stdout.flush()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = subprocess.run([*command, str(file)], check=False, preexec_fn=_with_ctrl_c)
    except OSError as error:
        raise UsageError(
            f"{command[0]}: {error.strerror}", hint="export EDITOR=nano, or --from FILE"
        ) from None
    finally:
        signal.signal(signal.SIGINT, before)
    code = done.returncode
    if code:
        how = f"signal {-code}" if code < 0 else f"status {code}"
        raise GlossError(f"{command[0]} ended with {how}; nothing was saved")


def _with_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError:
        raise GlossError("the editor left no file; nothing was saved") from None
    except UnicodeDecodeError:
        raise GlossError("the page is not UTF-8; nothing was saved") from None
