"""`gloss`: the commands put together, and the one place where errors become exit codes."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from catalog.errors import Exit, GlossError, UsageError
from cli import console
from cli.commands import (
    catalog,
    database,
    doctor,
    edit,
    enrich,
    evaluate,
    exchange,
    feedback,
    index,
    ingest,
    init,
    interactive,
    mcp,
    probe,
    review,
    search,
    stats,
    sync,
    synonyms,
    trace,
    train,
)
from cli.shells import COMPLETE, SCRIPTS, Shell, install

HELP = """Make obscure APIs readable for LLM agents.

Reads OpenAPI, WSDL and .proto files into a catalog, and answers "which tool does this?".

\b
  gloss ingest specs/
  gloss index
  gloss search "who manages this customer's account"
"""

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)

app = typer.Typer(
    help=HELP,
    no_args_is_help=True,
    add_completion=False,  # our own below: typer's guesses the shell and fails without one
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for module in (
    init,
    ingest,
    catalog,
    probe,
    trace,
    enrich,
    review,
    interactive,
    edit,
    exchange,
    index,
    search,
    synonyms,
    feedback,
    stats,
    evaluate,
    train,
    sync,
    mcp,
    doctor,
):
    module.register(app)
app.add_typer(database.app, name="db")


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        console.out(f"gloss {version('apigloss')}")
        raise typer.Exit


def _show_completion(shell: Shell | None) -> None:
    if shell:
        console.out(SCRIPTS[shell].rstrip("\n"))
        raise typer.Exit


def _install_completion(shell: Shell | None) -> None:
    if shell:
        if not os.environ.get("HOME"):
            raise UsageError("no HOME to write it to", hint=f"gloss --show-completion {shell}")
        file = install(shell, Path.home())
        console.log(f"wrote {file}; the tab key knows gloss in the next {shell}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    shown: Annotated[
        Shell | None,
        typer.Option(
            "--show-completion",
            metavar="SHELL",
            callback=_show_completion,
            is_eager=True,
            help="Print the script for the tab key of bash, zsh or fish.",
        ),
    ] = None,
    installed: Annotated[
        Shell | None,
        typer.Option(
            "--install-completion",
            metavar="SHELL",
            callback=_install_completion,
            is_eager=True,
            help="Add it to the start-up files of that shell.",
        ),
    ] = None,
) -> None:
    pass


def main() -> NoReturn:
    console.prepare()
    signal.signal(signal.SIGTERM, _terminated)
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if COMPLETE in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
    sys.exit(run(lambda: app(prog_name="gloss", standalone_mode=False)))


def run(command: Callable[[], object]) -> int:
    """Do the command; everything that can go wrong ends here as one message and one exit code."""
    try:
        outcome = command()
        console.flush()
        if outcome == Exit.INTERRUPTED:  # typer's own answer to Ctrl-C, which says nothing
            raise KeyboardInterrupt
        return int(outcome) if isinstance(outcome, int) else Exit.OK
    except GlossError as error:
        console.error(error.message, error.hint)
        return error.exit_code
    except typer.TyperException as error:
        return _usage(error)
    except (KeyboardInterrupt, typer.Abort):
        console.error("interrupted; what was saved before stays")
        return Exit.INTERRUPTED
    except console.ReaderGone:
        console.abandon_stdout()
        return Exit.PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - a fault of ours: one line, and a way to see more
        return _our_fault(error)


def _usage(error: typer.TyperException) -> int:
    if isinstance(error, typer.Exit):
        return int(error.exit_code)
    context = getattr(error, "ctx", None)
    hint = f"{context.command_path} --help" if context else "gloss --help"
    message = getattr(error, "format_message", lambda: str(error))()
    if message.startswith("Usage:"):  # a command without arguments: the help is the message
        console.log(message)
    elif message:
        console.error(message.replace("Value error, ", ""), hint)
    return Exit.USAGE


def _our_fault(error: Exception) -> int:
    if os.environ.get("GLOSS_DEBUG"):
        import traceback

        console.log(console.masked("".join(traceback.format_exception(error))))
    if isinstance(error, OSError) and (error.filename or error.errno in NO_ROOM):
        return _refused_by_system(error)
    kind = type(error).__name__
    console.error(
        f"this is a fault of gloss: {kind}: {error}", "GLOSS_DEBUG=1 shows where; please report it"
    )
    return Exit.FAILED


def _refused_by_system(error: OSError) -> int:
    """A full disk, a file that may not be read: the system's fault, in its words."""
    if error.errno in NO_ROOM:
        console.abandon_stdout()
    console.error(f"{error.filename or 'the output'}: {error.strerror}")
    return Exit.FAILED


def _terminated(_signal: int, _frame: object) -> None:
    sys.exit(128 + signal.SIGTERM)
