"""`gloss review`: proposals one by one, a key for each decision."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from catalog.errors import Exit, GlossError, UsageError
from catalog.text import printable
from cli import console, keys, settings, wiring
from cli.commands.diff_text import family_line, page
from cli.commands.edit import on_terminal
from cli.commands.review import Names

if TYPE_CHECKING:
    from enrichment.deciding import Change
    from enrichment.reviewing import Review

REVIEW_HELP = """Decide on proposals one by one.

Look-alikes are shown together. A key decides, and the decision is saved at once: whatever stops a
review, the next one goes on with what is left. ? lists the keys. Needs a terminal.

\b
  gloss review
  gloss review crm
"""
_KEYS = "apply, reject, edit, skip, undo, quit, ? [areusq?]"
_HELP = """\
  a  apply: live from the next gloss index on
  A  apply the rest of the look-alikes too
  r  reject; a reason may be given
  R  reject the rest of the look-alikes too
  e  edit: opens your editor; the page is a proposal again
  s  skip, or space: leave it for another time
  u  undo the last decision
  v  view it again
  q  quit; what was decided stays decided"""


def register(app: typer.Typer) -> None:
    app.command("review", help=REVIEW_HELP)(review)


def review(names: Names = None) -> int:
    from enrichment.deciding import changes
    from enrichment.families import families
    from enrichment.reviewing import Review

    if not on_terminal():
        raise UsageError(
            "a review needs a terminal", hint="gloss diff, then gloss apply or gloss reject"
        )
    config = settings.load()
    with wiring.open_catalog(config) as connection:
        found = changes(connection, names or ())
        grouped = families(connection, found, config.llm.tools_per_request)
        session = _Session(Review(connection, grouped, settings.user_name()))
        try:
            session.run()
        finally:
            session.close()
    return Exit.OK


class _Session:
    """The talk at the terminal; what is decided is the review's matter."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self._shown: set[int] = set()
        self._acts: dict[str, Callable[[], object]] = {
            "a": self._apply,
            "A": self._apply_rest,
            "r": self._reject,
            "R": self._reject_rest,
            "e": self._edit,
            "s": review.skip,
            " ": review.skip,
            "u": self._undo,
            "v": self._shown.clear,
            "?": lambda: console.out(_HELP),
        }

    def run(self) -> None:
        while self.review.at < self.review.total:
            self._show()
            pressed = self._ask()
            if pressed in ("q", keys.END):
                return
            self._acts.get(pressed, lambda: console.out("  no such key; ? lists them"))()

    def close(self) -> None:
        review = self.review
        counts = review.counts()
        parts = [f"{counts[name]} {name}" for name in ("applied", "rejected", "skipped")]
        left = review.total - review.at
        parts += [f"{left} left"] if left else []
        next_ = "; next: gloss index" if counts["applied"] else ""
        console.out((", ".join(parts) if review.total else "nothing to review") + next_)

    def _show(self) -> None:
        """The proposal in hand, unless it stands there already: a family that fits on the screen is
        shown as one."""
        review = self.review
        if review.at in self._shown:
            return
        number, place = review.place
        family = review.families[number]
        console.out("")
        if len(family) > 1:
            console.out(family_line(family) + "\n")
        pages = [_page(change) for change in (review.change, *family[place + 1 :])]
        fits = sum(page.count("\n") + 2 for page in pages) < _rows()
        shown = pages if fits else pages[:1]
        self._shown |= set(range(review.at, review.at + len(shown)))
        console.out("\n\n".join(shown) + "\n")

    def _ask(self) -> str:
        review = self.review
        tool = console.bold(printable(review.change.proposal.tool_id))
        console.ask(f"{review.at + 1}/{review.total} {tool}  {_KEYS} ")
        pressed = keys.key()
        console.out(pressed if pressed.isprintable() else "")
        return pressed

    def _apply(self) -> None:
        proposal = self.review.change.proposal
        if proposal.stale:
            console.out("  changed since it was proposed; gloss enrich writes it anew")
        elif self.review.apply():
            console.out(console.new(f"  live: {printable(proposal.name)}"))
        else:
            console.out("  somebody else decided on it meanwhile")

    def _reject(self) -> None:
        console.ask("  why? (Enter: no reason) ")
        self._reject_for(_line())

    def _reject_for(self, reason: str) -> None:
        tool = printable(self.review.change.proposal.tool_id)
        if self.review.reject(reason):
            console.out(console.gone(f"  rejected: {tool}"))
        else:
            console.out("  somebody else decided on it meanwhile")

    def _apply_rest(self) -> None:
        for _ in range(self._rest()):
            before = self.review.at
            self._apply()
            if self.review.at == before:
                self.review.skip()

    def _reject_rest(self) -> None:
        console.ask("  why? (Enter: no reason) ")
        reason = _line()
        for _ in range(self._rest()):
            self._reject_for(reason)

    def _rest(self) -> int:
        number, place = self.review.place
        return len(self.review.families[number]) - place

    def _edit(self) -> None:
        from cli.editor import edited
        from enrichment.handwork import draft, keep

        review = self.review
        about = draft(review.connection, review.change.proposal.tool_id)
        try:
            text = edited(about)
        except GlossError as error:
            console.out(f"  {printable(error.message)}")
            return
        if text is None:
            console.out("  nothing was changed")
            return
        review.edit(lambda: keep(review.connection, about, text, review.decided_by, live=False))
        self._shown.discard(review.at)

    def _undo(self) -> None:
        tool = self.review.undo()
        console.out(f"  taken back: {printable(tool)}" if tool else "  nothing to take back")
        self._shown.discard(self.review.at)


def _page(change: Change) -> str:
    return "\n".join(page(change))


def _rows() -> int:
    return shutil.get_terminal_size((80, 24)).lines - 4


def _line() -> str:
    console.flush()
    return sys.stdin.readline().strip()
