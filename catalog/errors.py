"""Every error a person can meet, and the exit code each one ends with.

GlossError                1   failed, or the answer is no
├── SpecError             1   a file that cannot be read as a spec
├── NotFound              1   no such service, tool, proposal …
├── UsageError            2   wrong words on the command line or in gloss.toml
├── CredentialsRefused    4   the other side does not accept who we are
├── BudgetReached         6   a clean stop at a cap the user set
└── TryLater             75   a lock is held, a server does not answer

A problem with one operation is a `catalog.Problem`, not an error.
"""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """sysexits.h where it has a code (75), small numbers that scripts can tell apart elsewhere."""

    OK = 0
    FAILED = 1
    USAGE = 2
    PENDING = 3
    CREDENTIALS = 4
    PARTIAL = 5
    BUDGET = 6
    TRY_LATER = 75
    INTERRUPTED = 130
    PIPE_CLOSED = 141


class GlossError(Exception):
    """What happened and where (`message`), and what to type next (`hint`)."""

    exit_code: Exit = Exit.FAILED

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SpecError(GlossError):
    """The file as a whole is not a spec that can be read; the message names file and cause."""


class NotFound(GlossError):
    """Nothing in the catalog goes by that name."""


class UsageError(GlossError):
    exit_code = Exit.USAGE


class CredentialsRefused(GlossError):
    exit_code = Exit.CREDENTIALS


class BudgetReached(GlossError):
    exit_code = Exit.BUDGET


class TryLater(GlossError):
    exit_code = Exit.TRY_LATER
