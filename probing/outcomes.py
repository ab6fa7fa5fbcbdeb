"""What became of a call, as data. No outcome ever takes a tool out of the catalog."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Outcome = Literal[
    "alive",
    "needs-credentials",
    "slow-down",
    "broken",
    "not-json",
    "wrong-charset",
    "moved",
    "exists",
    "gone",
    "not-found",
    "rejected",
    "timed-out",
    "refused",
    "unknown-host",
    "tls",
    "cut-off",
    "too-large",
    "skipped",
]
OUTCOMES: tuple[str, ...] = get_args(Outcome)

MEANING: dict[str, str] = {
    "alive": "it answered as the protocol says; the shape is kept where there is a body",
    "needs-credentials": "it is there and asks who we are (401, 403, UNAUTHENTICATED)",
    "slow-down": "it is there and asks for fewer calls (429); Retry-After is kept",
    "broken": "it is there and failed by its own account (5xx, a server fault)",
    "not-json": "it answered something other than the spec promises, such as a page",
    "wrong-charset": "the bytes are not in the charset they claim; the shape is kept",
    "moved": "it points elsewhere; the redirect is reported and not followed",
    "exists": "it is there and takes other methods (405, Allow)",
    "gone": "it says that it is gone for good (410, UNIMPLEMENTED)",
    "not-found": "the address, or the thing with that identifier, is not there (404)",
    "rejected": "it did not take our values (400, 409, 422, a client fault)",
    "timed-out": "no whole answer within the time-outs",
    "refused": "no connection: nothing listens there, or no way leads there",
    "unknown-host": "the name of the host is not known",
    "tls": "no secure connection: the certificate or the handshake is bad",
    "cut-off": "the connection ended in the middle of the answer",
    "too-large": "the answer is larger than the limit; the rest was not read",
    "skipped": "nothing was sent; the detail says why",
}

UNREACHABLE = frozenset({"refused", "unknown-host", "tls"})
"""The host as a whole: once met, its other operations are not tried in the same run."""

FAILED = UNREACHABLE | {"broken", "timed-out", "cut-off", "too-large"}
"""What a person would call a failure; the rest is an answer."""

SETTLED = frozenset({"alive", "wrong-charset", "exists", "gone"})
"""Not asked again until the operation changes; anything else may be the fault of an address, of
values or of the hour."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, in memory only: `value` never reaches the store, a log or a screen.

    `detail` holds our own words, never text of the other side.
    """

    outcome: Outcome
    detail: str = ""
    status_code: int | None = None
    media_type: str = ""
    value: Any = field(default=None, repr=False)
    has_value: bool = False
    size_bytes: int = 0
    retry_after_s: float | None = None
