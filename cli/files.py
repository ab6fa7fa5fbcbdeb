"""Files that commands write: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from catalog.errors import UsageError


def write(file: Path, text: str, hint: str, mode: int | None = None) -> None:
    """The file holds the text; who reads it meanwhile sees the old one, and so does who was there
    before a full disk. `hint` is what to type where it cannot be written; `mode` are rights other
    than the file has, or a new one gets here."""
    try:
        _replace(file, text, mode)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint=hint) from None


def _replace(file: Path, text: str, mode: int | None) -> None:
    target = Path(os.path.realpath(file))  # a link stays one
    if target.exists() and not target.is_file():  # /dev/stdout, a pipe
        target.write_text(text, encoding="utf-8")
        return
    handle, part = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        Path(part).chmod(_mode_of(target) if mode is None else mode)
        Path(part).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(part).unlink()
        raise


def _mode_of(target: Path) -> int:
    """The rights that the file has, or that a new one gets here."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
