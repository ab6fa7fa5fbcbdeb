"""`gloss export`, `gloss import`: text for pull requests and gateways, and back."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.errors import Exit, GlossError, UsageError
from cli import completing, console, files, output, settings, wiring
from cli.commands.exchange_text import show
from cli.output import JsonOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.exchange.exporting import Export
    from pipeline.exchange.importing import Step
    from pipeline.exchange.merging import Side

EXPORT_HELP = """Write the catalog's text to a file.

For review in git (jsonl, sidecar), for the spec's readers (overlay), for gateways (mcp). The same
catalog gives the same bytes everywhere. Overlays and sidecars are one file a service: name one, or
a folder with -o. With --check nothing is written, and a file that differs is exit code 3.

\b
  gloss export -o gloss.jsonl
  gloss export --proposals -o gloss.jsonl
  gloss export billing --format overlay -o billing.overlay.yaml
  gloss export --format sidecar -o specs/
  gloss export --format mcp > tools.json
  gloss export --check gloss.jsonl
"""
IMPORT_HELP = """Take edited text back, live at once.

FILE is what gloss export wrote, lines or a sidecar, or - for stdin. Each text is held against the
rules that texts by hand are. One that changed in the file and in the catalog is a conflict: both
are shown, nothing is done, and the exit code is 5; --theirs takes the file's, --ours the catalog's.
What the spec says is never changed. A second time changes nothing.

\b
  gloss import gloss.jsonl --plan
  gloss import gloss.jsonl
  gloss import crm.gloss.yaml --theirs
"""


class ExportFormat(StrEnum):
    jsonl = "jsonl"
    overlay = "overlay"
    mcp = "mcp"
    sidecar = "sidecar"


class ImportFormat(StrEnum):
    jsonl = "jsonl"
    sidecar = "sidecar"


def register(app: typer.Typer) -> None:
    app.command("export", help=EXPORT_HELP)(export)
    app.command("import", help=IMPORT_HELP)(import_)


def export(
    services: Annotated[
        list[str] | None,
        typer.Argument(
            hidden=True, metavar="SERVICE", show_default=False, autocompletion=completing.services
        ),
    ] = None,
    form: Annotated[
        ExportFormat, typer.Option("--format", help="What to write.")
    ] = ExportFormat.jsonl,
    to: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="File or folder; - is stdout.")
    ] = "-",
    proposals: Annotated[
        bool, typer.Option("--proposals", help="Open proposals in place of what is live.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Schemas of any size (mcp).")] = False,
    check: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Exit 3 when FILE is not what would be written."),
    ] = None,
) -> int:
    from catalog.assembly import DEFAULT_SIZE_BYTES
    from pipeline.exchange.exporting import ExportRequest
    from pipeline.exchange.exporting import export as run

    as_json = str(check or to).endswith(".json")
    size = None if full else DEFAULT_SIZE_BYTES
    request = ExportRequest(form.value, tuple(services or ()), proposals, as_json, size)
    with wiring.open_catalog(settings.load()) as connection:
        made = run(connection, request)
    for service, reason in made.left:
        console.log(f"left out: {service}: {reason}")
    if check is not None:
        return _check(made, check)
    return _write(made, to)


def _write(made: Export, to: str) -> int:
    if not made.files:
        console.log("nothing to export")
        return Exit.OK
    if to == "-":
        _require_one(made)
        _print(made.files[0].text)
        return Exit.OK
    for file, text, tools in _places(made, Path(to), is_folder=to.endswith("/")):
        if _content(file) == text.encode():
            console.log(f"{file}: up to date, {tools} tools")
            continue
        files.write(file, text, "gloss export -o FILE")
        console.log(f"{file}: written, {tools} tools")
    return Exit.OK


def _require_one(made: Export) -> None:
    if len(made.files) > 1:
        raise UsageError(
            f"{len(made.files)} services, and this format is one file each",
            hint="name one service, or a folder: -o DIR/",
        )


def _places(made: Export, to: Path, *, is_folder: bool) -> list[tuple[Path, str, int]]:
    """Each file with its text as it may be seen, and how many tools it speaks of."""
    if is_folder:
        to.mkdir(parents=True, exist_ok=True)
    if to.is_dir():
        return [(to / part.name, console.masked(part.text), part.tools) for part in made.files]
    _require_one(made)
    return [(to, console.masked(part.text), part.tools) for part in made.files]


def _print(text: str) -> None:
    """In UTF-8 whatever the locale says: a file made by redirection is the same everywhere."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    if text:
        console.out(text.removesuffix("\n"))


def _check(made: Export, against: Path) -> int:
    from pipeline.exchange.comparing import differences

    differing = 0
    for file, text, _ in _places(made, against, is_folder=False):
        found = _content(file)
        if found == text.encode():
            continue
        differing += 1
        what = "is not there" if found is None else differences(text, found)
        console.error(f"{file}: {what}", f"gloss export -o {against}")
    if not differing:
        console.log(f"{against}: up to date")
    return Exit.PENDING if differing else Exit.OK


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint="gloss export -o FILE") from None


def import_(
    file: Annotated[Path, typer.Argument(hidden=True, metavar="FILE")],
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what would change; do nothing.")
    ] = False,
    theirs: Annotated[
        bool, typer.Option("--theirs", help="In conflicts, the file's text.")
    ] = False,
    ours: Annotated[bool, typer.Option("--ours", help="In conflicts, the catalog's text.")] = False,
    form: Annotated[
        ImportFormat | None,
        typer.Option("--format", help="What FILE is, where its content does not tell."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> int:
    from pipeline.exchange.entry import Entry
    from pipeline.exchange.importing import pending
    from pipeline.exchange.importing import plan as planned
    from pipeline.exchange.reading import Unread, read
    from pipeline.exchange.taking import take

    side = _side(theirs, ours)
    found = read(_given(file), form.value if form else None)
    entries = [one for one in found if isinstance(one, Entry)]
    unread = [one for one in found if isinstance(one, Unread)]
    with wiring.open_catalog(settings.load()) as connection:
        steps = planned(connection, entries, side)
        if not plan:
            _require_consent(list(pending(steps)), file, yes)
            steps = list(take(connection, steps, settings.user_name()))
    name = "stdin" if str(file) == "-" else str(file)
    return show(name, steps, unread, output.chosen(output.Format.text, as_json), plan=plan)


def _side(theirs: bool, ours: bool) -> Side:
    if theirs and ours:
        raise UsageError("--theirs and --ours at once", hint="gloss import FILE --theirs")
    return "theirs" if theirs else "ours" if ours else ""


def _given(file: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint="gloss export -o FILE") from None


def _require_consent(steps: Sequence[Step], file: Path, yes: bool) -> None:
    """Off a terminal, naming the file is consent enough."""
    asks = str(file) != "-" and sys.stdin is not None and sys.stdin.isatty()
    if not steps or yes or not asks:
        return
    for step in steps:
        console.log(f"  {step.entry.tool}  {step.entry.text.name if step.entry.text else '(none)'}")
    if not typer.confirm(f"Make {len(steps)} texts of {file} live?", err=True):
        raise GlossError("nothing was changed")
