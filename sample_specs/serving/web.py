"""A threaded HTTP server on loopback around one function from request to answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Request:
    method: str
    target: str  # path and query
    headers: Message  # looks names up whatever their case
    body: bytes


@dataclass(frozen=True)
class Answer:
    status: int
    media_type: str = "application/json"
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def json_answer(status: int, value: Any, media_type: str = "application/json") -> Answer:
    return Answer(status, media_type, json.dumps(value, ensure_ascii=False).encode())


Application = Callable[[Request], Answer]


def authorised(request: Request, token: str | None) -> bool:
    """Whether no token is asked for, or the request carries it in one of the usual headers."""
    given = [request.headers.get(name) for name in ("X-Api-Key", "X-HR-Key")]
    bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return token is None or token in (*given, bearer)


@contextmanager
def running(application: Application, port: int) -> Iterator[str]:
    """The address of the application while it is served; port 0 takes a free one."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler(application))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(application: Application) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = Request(self.command, self.path, self.headers, body)
            self._send(application(request))

        def _send(self, answer: Answer) -> None:
            self.send_response(answer.status)
            if answer.status != 204:
                self.send_header("Content-Type", answer.media_type)
                self.send_header("Content-Length", str(len(answer.body)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    return Handler
