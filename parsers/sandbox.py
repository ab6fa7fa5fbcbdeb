"""Parsing in child processes that can be ended: a bad document costs only itself.

Budgets for one document: its bytes; seconds, more for a larger one; memory (address space that the
child may map beyond what it starts with). Over a budget the child is killed with all it started,
the document gets an error that names the budget, and the next one a fresh child. Answers come in
the order of the documents.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path

from catalog.errors import GlossError, SpecError
from catalog.spec import ParsedSpec
from parsers.document import MAX_SPEC_BYTES, Document, FileDocument
from parsers.traces import Trace
from parsers.worker import READY, Answer

_HOME = str(Path(__file__).resolve().parent.parent)
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from parsers.worker import main; main(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])"
)
_AHEAD = 16  # documents that may be done before one that is waited for, for each child
_DOCUMENTS_A_CHILD = 500
_BYTES_A_CHILD = 128 * 1024 * 1024
_MAX_ANSWER_BYTES = 2**31 - 1
_START_SECONDS = 60.0  # a machine may be busy; the document's own seconds count from then


@dataclass(frozen=True, slots=True)
class Budget:
    """`workers` 0 means one for each core, four at the most. Seconds are wall time."""

    size_bytes: int = MAX_SPEC_BYTES
    seconds: float = 60.0
    seconds_a_mb: float = 3.0
    memory_bytes: int = 3 * 2**30
    workers: int = 0

    def seconds_for(self, size_bytes: int) -> float:
        return self.seconds + self.seconds_a_mb * size_bytes / 2**20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a document: `parsed` or `error`, never both.

    `crashed` marks an error that is a fault of a parser rather than of the document; `trace` tells
    what `parsed` depended on.
    """

    document: Document
    parsed: ParsedSpec | None = None
    error: GlossError | None = None
    elapsed_ms: float = 0.0
    crashed: bool = False
    trace: Trace | None = None


def parse_all(
    documents: Sequence[Document],
    budget: Budget | None = None,
    parser: str = "parsers:parse",
) -> Iterator[Outcome]:
    """An outcome for each document, in order; closing the iterator ends the children.

    `parser` is the function that the children call, as `module:name`.
    """
    budget = budget or Budget()
    count = budget.workers or min(len(os.sched_getaffinity(0)), 4)
    children = [_Child(budget, parser) for _ in range(min(count, len(documents)))]
    waiting = deque(enumerate(documents))
    done: dict[int, Outcome] = {}
    try:
        for position in range(len(documents)):
            while position not in done:
                _hand_out(children, waiting, position, done)
                _collect(children, done)
            yield done.pop(position)
    finally:
        for child in children:
            child.end()


def _hand_out(
    children: list[_Child],
    waiting: deque[tuple[int, Document]],
    position: int,
    done: dict[int, Outcome],
) -> None:
    for child in children:
        if waiting and child.idle and waiting[0][0] < position + _AHEAD * len(children):
            number, document = waiting.popleft()
            refused = child.begin(number, document)
            if refused:
                done[number] = refused


def _collect(children: list[_Child], done: dict[int, Outcome]) -> None:
    """Waits for the first answer or deadline and takes in all that are due."""
    busy = [child for child in children if not child.idle]
    if not busy:
        return
    now = time.monotonic()
    patience = max(min(child.deadline for child in busy) - now, 0)
    ready = set(wait([child.pipe for child in busy], patience))
    for child in busy:
        number = child.number
        if child.pipe in ready:
            outcome = child.hear()
            if outcome is not None:
                done[number] = outcome
        elif time.monotonic() >= child.deadline:
            done[number] = child.give_up()


@dataclass
class _Child:
    """A worker process, started when it is first needed and again after each failure."""

    budget: Budget
    parser: str
    idle: bool = True
    number: int = 0
    deadline: float = 0.0
    _process: subprocess.Popen[bytes] | None = None
    _pipe: Connection | None = None
    _document: Document | None = None
    _seconds: float = 0.0
    _ready: bool = False
    _documents: int = field(default=0)
    _bytes: int = field(default=0)

    @property
    def pipe(self) -> Connection:
        assert self._pipe is not None
        return self._pipe

    @property
    def document(self) -> Document:
        assert self._document is not None
        return self._document

    def begin(self, number: int, document: Document) -> Outcome | None:
        """Hands the document to the process; an outcome at once when its size is over budget."""
        size = _size_of(document)
        if size > self.budget.size_bytes:
            limit = self.budget.size_bytes / 2**20
            error = SpecError(f"{document.location}: is larger than {limit:g} MB")
            return Outcome(document, error=error)
        self._renew(size)
        self.number, self._document, self.idle = number, document, False
        self._seconds = self.budget.seconds_for(size)
        patience = self._seconds if self._ready else max(self._seconds, _START_SECONDS)
        self.deadline = time.monotonic() + patience
        with suppress(OSError):  # a child that died meanwhile shows when its answer is read
            self.pipe.send_bytes(pickle.dumps(document, pickle.HIGHEST_PROTOCOL))
        return None

    def hear(self) -> Outcome | None:
        """The outcome from the process's answer or its end; None when it said that it began."""
        document = self.document
        try:
            said = self.pipe.recv_bytes(_MAX_ANSWER_BYTES)
        except (EOFError, OSError):
            self.idle = True
            return Outcome(document, error=self._how_it_died(document), crashed=True)
        if said == READY:
            self._ready, self.deadline = True, time.monotonic() + self._seconds
            return None
        self.idle, answer = True, _loads(said)
        if answer.fatal:
            self.end()
        return Outcome(
            document,
            answer.parsed,
            answer.error,
            answer.elapsed_ms,
            answer.crashed,
            answer.trace,
        )

    def give_up(self) -> Outcome:
        document, self.idle = self.document, True
        self.end()
        error = SpecError(
            f"{document.location}: took longer than {self._seconds:.3g} s",
            hint="split the document, or raise the budget of seconds",
        )
        return Outcome(document, error=error, elapsed_ms=self._seconds * 1000)

    def end(self) -> None:
        """Kills the process and all that it started."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self.pipe.close()

    def _renew(self, size: int) -> None:
        """A process for the next document: the same until it has read its share."""
        worn = self._documents >= _DOCUMENTS_A_CHILD or self._bytes >= _BYTES_A_CHILD
        if worn or (self._process is not None and self._process.poll() is not None):
            self.end()
        if self._process is None:
            self._process, self._pipe = _start(self.budget.memory_bytes, self.parser)
            self._documents = self._bytes = 0
            self._ready = False
        self._documents += 1
        self._bytes += size

    def _how_it_died(self, document: Document) -> SpecError:
        process = self._process
        with suppress(subprocess.TimeoutExpired):
            if process is not None:
                process.wait(5)
        code = process.returncode if process is not None else None
        self.end()
        cause = signal.Signals(-code).name if code is not None and code < 0 else f"status {code}"
        return SpecError(
            f"{document.location}: the parser's process died ({cause})",
            hint="it may need more memory than there is; the other documents are not affected",
        )


def _start(memory_bytes: int, parser: str) -> tuple[subprocess.Popen[bytes], Connection]:
    """`-P` keeps the working directory off the child's path: a folder there may bear our names."""
    ours, theirs = Pipe()
    handle = theirs.fileno()
    command = [sys.executable, "-P", "-c", _START, _HOME, str(handle), str(memory_bytes), parser]
    try:
        process = subprocess.Popen(
            command,
            pass_fds=(handle,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    finally:
        theirs.close()
    return process, ours


def _loads(data: bytes) -> Answer:
    gc.disable()
    try:
        answer: Answer = pickle.loads(data)
    finally:
        gc.enable()
    return answer


def _size_of(document: Document) -> int:
    if isinstance(document, FileDocument):
        with suppress(OSError):
            return Path(document.location).stat().st_size
        return 0
    return len(document.data)
