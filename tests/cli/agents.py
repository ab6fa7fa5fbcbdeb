"""`gloss mcp` as a real process, asked by the SDK's own client."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.cli.conftest import Gloss

COMMAND = [sys.executable, "-m", "cli", "mcp"]


def started_by_a_client(gloss: Gloss, *words: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], *words],
        env=gloss.environment,
        cwd=str(gloss.folder),
    )


def ask(server: Any, question: Callable[[Client], Awaitable[Any]], **words: Any) -> Any:
    async def asked() -> Any:
        async with Client(server, **words) as client:
            return await question(client)

    return asyncio.run(asked())


async def found(client: Client, query: str, **more: Any) -> list[str]:
    """The ids of the tools that a search found."""
    answer = await client.call_tool("search_tools", {"query": query, **more})
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return [tool["id"] for tool in answer.structured_content["tools"]]


@contextmanager
def over_http(gloss: Gloss) -> Iterator[str]:
    """The address of a server that takes clients over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [*COMMAND, "--http", str(port)],
        env=gloss.environment,
        cwd=gloss.folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    try:
        _await_port(port, server)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.send_signal(signal.SIGTERM)
        server.stderr.close()
        server.wait()


def _await_port(port: int, server: subprocess.Popen[str]) -> None:
    pause = threading.Event()
    while server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            pause.wait(0.05)
    pytest.fail(server.stderr.read() if server.stderr else "it ended")
