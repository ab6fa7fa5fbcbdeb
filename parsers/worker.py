"""The child that parses: one document in, one answer out, until its input ends.

Started by `parsers.sandbox` in a process group of its own. When the parent goes away the input ends
and the whole group is killed, also in the middle of a document.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import resource
import signal
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue

from catalog.errors import GlossError, SpecError
from catalog.spec import ParsedSpec
from parsers.document import Document, FileDocument
from parsers.traces import Trace, tracing


@dataclass(frozen=True, slots=True)
class Answer:
    """`crashed` marks a fault of ours; `fatal` a child that is spent: its memory is used up."""

    parsed: ParsedSpec | None
    error: GlossError | None
    elapsed_ms: float
    crashed: bool = False
    fatal: bool = False
    trace: Trace | None = None


READY = b"ready"
Parser = Callable[[Document], ParsedSpec]


def main(handle: int, memory_bytes: int, parser: str) -> None:
    """Answers documents that come over the inherited socket."""
    _quiet()
    pipe = Connection(handle)
    module, _, name = parser.partition(":")
    parse: Parser = getattr(importlib.import_module(module), name)
    _limit_memory(memory_bytes)
    gc.freeze()
    inbox: SimpleQueue[Document] = SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, inbox), daemon=True).start()
    pipe.send_bytes(READY)
    while True:
        pipe.send_bytes(_answer(inbox.get(), parse, memory_bytes))


def _receive(pipe: Connection, inbox: SimpleQueue[Document]) -> None:
    try:
        while True:
            inbox.put(pickle.loads(pipe.recv_bytes()))
    except (EOFError, OSError):
        os.killpg(0, signal.SIGKILL)


def _quiet() -> None:
    """Libraries that print must not reach the user's streams."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _limit_memory(memory_bytes: int) -> None:
    """Address space, the only limit that Linux keeps: what is mapped now and the budget more."""
    mapped = _mapped_bytes() + memory_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = mapped if hard == resource.RLIM_INFINITY else min(mapped, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _mapped_bytes() -> int:
    try:
        pages = Path("/proc/self/statm").read_bytes().split()[0]
        return int(pages) * resource.getpagesize()
    except OSError:
        return 0


def _answer(document: Document, parse: Parser, memory_bytes: int) -> bytes:
    began = time.perf_counter()
    gc.disable()  # a document is many small objects and no garbage: collecting costs a third
    answer = _parse(document, parse, memory_bytes, began)
    try:
        return pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
    except (RecursionError, MemoryError) as error:
        told = _told(document, error, memory_bytes)
        failed = Answer(None, told, _since(began), crashed=True, fatal=True)
        return pickle.dumps(failed, pickle.HIGHEST_PROTOCOL)
    finally:
        del answer
        gc.enable()
        gc.collect()


def _parse(document: Document, parse: Parser, memory_bytes: int, began: float) -> Answer:
    try:
        loaded = document.loaded() if isinstance(document, FileDocument) else document
        with tracing(loaded) as trace:
            parsed = parse(loaded)
        return Answer(parsed, None, _since(began), trace=trace)
    except GlossError as error:
        return Answer(None, error, _since(began))
    except Exception as error:  # noqa: BLE001 (whatever it is, the other documents go on)
        told = _told(document, error, memory_bytes)
        spent = isinstance(error, MemoryError)
        return Answer(None, told, _since(began), crashed=not spent, fatal=spent)


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _told(document: Document, error: Exception, memory_bytes: int) -> GlossError:
    """The document's error in words; for a fault of ours also the place in our code."""
    where = document.location
    if isinstance(error, MemoryError):
        return SpecError(f"{where}: needs more than {memory_bytes / 2**30:g} GB of memory")
    if isinstance(error, RecursionError):
        return SpecError(f"{where}: is nested too deeply")
    if isinstance(error, OSError) and error.filename:
        return SpecError(f"{where}: cannot be read ({error.strerror})")
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" at {Path(last[0].filename).name}:{last[0].lineno}" if last else ""
    return SpecError(
        f"{where}: the parser failed ({type(error).__name__}{place})",
        hint="this is a fault of apigloss: please report it with the file",
    )
