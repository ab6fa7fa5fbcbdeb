"""`gloss mcp`: the same search for agents."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.errors import TryLater, UsageError
from cli import completing, console, settings

if TYPE_CHECKING:
    from mcp.server import MCPServer

HELP = """Serve search to agents, by the Model Context Protocol.

Two tools: search_tools finds operations by what they do, get_tool returns one whole. Speaks on
standard input and output, as clients start it; with --http on an address of this machine, at
/mcp. Needs the extra: pip install 'apigloss[mcp]'.

\b
  gloss mcp
  gloss mcp --service crm --service billing
  gloss mcp --http 8321
"""

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def register(app: typer.Typer) -> None:
    app.command("mcp", help=HELP)(mcp)


def mcp(
    http: Annotated[
        str,
        typer.Option(metavar="[HOST:]PORT", help="Serve streamable HTTP on this machine."),
    ] = "",
    services: Annotated[
        list[str] | None,
        typer.Option(
            "--service",
            "-s",
            metavar="NAME",
            help="Only these services.",
            autocompletion=completing.services,
        ),
    ] = None,
) -> None:
    _require_sdk()
    from cli.mcp_desk import Desk
    from cli.mcp_server import build

    address = _address(http) if http else None
    with Desk(settings.load(), settings.session(), tuple(services or ())) as desk:
        server = build(desk)
        speak = partial(_serve, server, *address) if address else partial(server.run, "stdio")
        signalled = _until_signalled(speak)
    if signalled:
        console.flush()
        os._exit(128 + signalled)


def _until_signalled(speak: Callable[[], None]) -> int:
    """Until it ends, or a signal, whose number is returned; what was opened is closed by the caller
    then, and the SDK's reader, which waits for a line, is left behind."""
    told: SimpleQueue[int | BaseException] = SimpleQueue()

    def run() -> None:
        try:
            speak()
            told.put(0)
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            told.put(error)

    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: told.put(number))
    threading.Thread(target=run, daemon=True).start()
    outcome = told.get()
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _require_sdk() -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise UsageError(
            "gloss mcp needs the MCP SDK, which is not installed",
            hint="pip install 'apigloss[mcp]'",
        )


def _address(given: str) -> tuple[str, int]:
    host, _, port = given.rpartition(":")
    host = host.strip("[]") or LOOPBACK[0]
    if host not in LOOPBACK:
        raise UsageError(
            f"{host} is not of this machine alone: the server asks nobody who they are",
            hint="gloss mcp --http 8321, behind a proxy that does",
        )
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise UsageError(f"{given}: no port", hint="gloss mcp --http 8321")
    return host, int(port)


def _serve(server: MCPServer, host: str, port: int) -> None:
    """Only for requests that name this machine as their host: no browser is led here by a name."""
    from mcp.server.transport_security import TransportSecuritySettings

    _require_free(host, port)
    names = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
    shown = f"[{host}]" if ":" in host else host
    console.log(f"serving http://{shown}:{port}/mcp until interrupted")
    server.run("streamable-http", host=host, port=port, transport_security=security)


def _require_free(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise TryLater(f"{host}:{port}: {error.strerror}", hint="take another port") from None
