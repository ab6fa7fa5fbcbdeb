"""Two streams: records to stdout, everything else to stderr. Nothing else in the house prints."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO, Any, cast

from catalog.text import json_safe, printable

_secrets: list[str] = []
_log = {"stamped": False}


class ReaderGone(Exception):
    """Nobody reads stdout any more; no OSError, which typer would end with a code of its own."""


def prepare() -> None:
    """Make the streams safe: no letter that the terminal lacks, no closed stream, is an error."""
    _log["stamped"] = False
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def keep_secret(value: str) -> None:
    """From now on `value` appears in no output, whoever hands it over."""
    if len(value) >= 4 and value not in _secrets:
        _secrets.append(value)


def masked(text: str) -> str:
    for secret in _secrets:
        text = text.replace(secret, "***")
    return text


def out(text: str) -> None:
    """A record, or a part of one, as the user asked for it."""
    with _reader():
        sys.stdout.write(masked(text) + "\n")


def ask(text: str) -> None:
    """A question on stdout; the answer comes on the same line."""
    with _reader():
        sys.stdout.write(masked(text))
        sys.stdout.flush()


def out_json(value: Any, *, indent: bool = False) -> None:
    """JSON in UTF-8; where stdout cannot carry it, escaped, which is the same JSON."""
    import json

    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    text = json.dumps(value, ensure_ascii=ascii_only, indent=2 if indent else None)
    out(json_safe(text))


def stamp_log() -> None:
    """From now on every line on stderr begins with its time and level, unless a person watches."""
    _log["stamped"] = not on_terminal(sys.stderr)


def log(text: str) -> None:
    """Words for the person or the log; never part of the result."""
    _say("INFO", text)


def warning(text: str) -> None:
    shown = printable(text)
    _say(
        "WARNING",
        shown if _log["stamped"] else f"{_coloured('warning:', '33', sys.stderr)} {shown}",
    )


def error(message: str, hint: str = "") -> None:
    shown = printable(message)
    tried = f"{'' if hint.endswith('?') else 'try: '}{printable(hint)}"
    if _log["stamped"]:
        _say("ERROR", f"{shown}; {tried}" if hint else shown)
        return
    _say("ERROR", f"{_coloured('error:', '31', sys.stderr)} {shown}")
    if hint:
        _say("ERROR", f"  {tried}")


def _say(level: str, text: str) -> None:
    if _log["stamped"]:
        from datetime import datetime

        now = datetime.now().astimezone().isoformat(timespec="seconds")
        text = "\n".join(f"{now} {level} {line}" for line in text.splitlines())
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(masked(text) + "\n")
        sys.stderr.flush()


def flush() -> None:
    with _reader():
        sys.stdout.flush()


@contextlib.contextmanager
def _reader() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise ReaderGone from None


def abandon_stdout() -> None:
    """Stdout takes nothing more: write no more to it, and let nothing complain at exit."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError, ValueError):
        os.dup2(devnull, sys.stdout.fileno())


def on_terminal(stream: IO[str] | None = None) -> bool:
    stream = stream or sys.stdout
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


def colours(stream: IO[str] | None = None) -> bool:
    return on_terminal(stream) and not os.environ.get("NO_COLOR")


def gone(text: str) -> str:
    """What a diff takes away."""
    return _coloured(text, "31", sys.stdout)


def new(text: str) -> str:
    """What a diff brings."""
    return _coloured(text, "32", sys.stdout)


def bold(text: str) -> str:
    return _coloured(text, "1", sys.stdout)


def dim(text: str) -> str:
    return _coloured(text, "2", sys.stdout)


def _coloured(text: str, code: str, stream: Any) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colours(cast(IO[str], stream)) else text
