"""`gloss edit`: the text about one tool, written by hand."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.errors import Exit, GlossError, UsageError
from cli import completing, console, settings, wiring

if TYPE_CHECKING:
    from catalog.enrichment import Enrichment
    from enrichment.handwork import Draft

EDIT_HELP = """Write a tool's text by hand.

Opens $VISUAL or $EDITOR on a small YAML page with the evidence beside the text; what does not pass
the rules comes back with the reason. Live after a question, or a proposal with --propose. No model
ever overwrites it. Scripts print the page and hand it back.

\b
  gloss edit crm/getProcInfo3
  gloss edit crm/getProcInfo3 --print > page.yaml
  gloss edit crm/getProcInfo3 --from page.yaml
"""
_ASKED = "Live now? [y]es, as a [p]roposal, [e]dit again, [n]o"


def register(app: typer.Typer) -> None:
    app.command("edit", help=EDIT_HELP)(edit)


def edit(
    tool: Annotated[
        str, typer.Argument(hidden=True, metavar="TOOL", autocompletion=completing.tools)
    ],
    from_file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Take the page from FILE, or - for stdin."),
    ] = None,
    print_page: Annotated[
        bool, typer.Option("--print", help="Print the page; edit nothing.")
    ] = False,
    propose: Annotated[
        bool, typer.Option("--propose", help="As a proposal, for others to look at.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    config = settings.load()
    about = _draft(config, tool)
    if print_page:
        return _print(about)
    if from_file is not None:
        text = _from_file(about, from_file)
    else:
        _require_terminal(tool)
        text = _edited(about)
    live = not propose
    while text is not None and live and not yes and on_terminal():
        answer = _ask(about, text)
        if answer == "n":
            raise GlossError("nothing was saved")
        if answer != "e":
            live = answer == "y"
            break
        text = _edited(replace(about, text=text, standing="what you wrote")) or text
    return _keep(config, about, text, live)


def _draft(config: settings.Settings, tool: str) -> Draft:
    from enrichment.handwork import draft

    with wiring.open_catalog(config) as connection:
        return draft(connection, tool)


def _print(about: Draft) -> int:
    from enrichment.handwork import write_page

    console.out(write_page(about, about.text).rstrip("\n"))
    return Exit.OK


def on_terminal() -> bool:
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and stream.isatty() for stream in streams)


def _require_terminal(tool: str) -> None:
    if not on_terminal():
        raise UsageError(
            "an editor needs a terminal",
            hint=f"gloss edit {tool} --print > page.yaml, then --from page.yaml",
        )


def _edited(about: Draft) -> Enrichment | None:
    from cli.editor import edited

    return edited(about)


def _from_file(about: Draft, file: Path) -> Enrichment | None:
    from cli.editor import accepted

    text, faults = accepted(about, _content(file))
    if faults:
        for fault in faults[:-1]:
            console.warning(fault)
        raise GlossError(faults[-1], hint="mend the page; docs/enrichment-rules.md has the rules")
    if text is None:
        raise GlossError(f"{file}: says nothing", hint="gloss edit TOOL --print > page.yaml")
    return None if text == replace(about.text, grounds=()) else text


def _content(file: Path) -> str:
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint="gloss edit TOOL --from FILE") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file}: not UTF-8", hint="save it as UTF-8") from None


def _ask(about: Draft, text: Enrichment) -> str:
    from cli.commands.diff_text import page
    from enrichment.handwork import preview

    console.out("\n".join(page(preview(about, text, settings.user_name()))) + "\n")
    console.flush()
    while True:
        given = typer.prompt(_ASKED, prompt_suffix=" ", err=True).strip().lower()[:1]
        if given and given in "ypen":
            return str(given)


def _keep(config: settings.Settings, about: Draft, text: Enrichment | None, live: bool) -> int:
    from enrichment.handwork import keep

    if text is None:
        console.out("nothing was changed")
        return Exit.OK
    with wiring.open_catalog(config) as connection:
        keep(connection, about, text, settings.user_name(), live=live)
    console.out(
        f"{about.tool_id}: " + ("live now; next: gloss index" if live else "proposed; gloss diff")
    )
    return Exit.OK
