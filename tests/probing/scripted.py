"""A loopback server whose every answer is written out, and which lists what it was asked."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    status: int = 200
    body: bytes = b"{}"
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


Answer = Reply | Callable[[BaseHTTPRequestHandler, threading.Event], None]


class Scripted:
    """`routes` by path; whatever else is asked gets 404."""

    def __init__(self, routes: dict[str, Answer], certificate: tuple[Path, Path] | None = None):
        self.routes = routes
        self.seen: list[Seen] = []
        self.ended = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
            self._http.handle_error = lambda *_: None  # type: ignore[method-assign]
            scheme = "https"
        self.port = self._http.server_port
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Scripted:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def calls(self) -> list[str]:
        return [f"{one.method} {one.path}" for one in self.seen]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                server.seen.append(Seen(self.command, self.path, dict(self.headers), body))
                answer = server.routes.get(self.path.partition("?")[0], Reply(404))
                if isinstance(answer, Reply):
                    _send(self, answer)
                else:
                    answer(self, server.ended)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    handler.send_response(reply.status)
    if reply.content_type:
        handler.send_header("Content-Type", reply.content_type)
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(reply.body)))
    handler.end_headers()
    handler.wfile.write(reply.body)


def silent(_: BaseHTTPRequestHandler, ended: threading.Event) -> None:
    """Takes the request and says nothing as long as the server lives."""
    ended.wait(60)


def endless(handler: BaseHTTPRequestHandler, ended: threading.Event) -> None:
    """Sends a piece of an answer for as long as somebody reads."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    try:
        while not ended.is_set():
            handler.wfile.write(b"[" * 4096)
    except OSError:
        pass


def dripping(handler: BaseHTTPRequestHandler, ended: threading.Event) -> None:
    """Sends a byte now and then: each read succeeds, the whole never comes."""
    handler.send_response(200)
    handler.end_headers()
    try:
        while not ended.wait(0.05):
            handler.wfile.write(b"[")
            handler.wfile.flush()
    except OSError:
        pass


def cut_off(handler: BaseHTTPRequestHandler, _: threading.Event) -> None:
    """Promises a hundred bytes and hangs up after ten."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b"0123456789")
    handler.close_connection = True


def certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1 and its key, made now."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not there to make a certificate")
    files = folder / "certificate.pem", folder / "key.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["-out", str(files[0]), "-keyout", str(files[1])]
    command = [program, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*command, *names, *made], check=True, capture_output=True)
    return files


def spec(paths: dict[str, str], title: str = "Scripted") -> str:
    """An OpenAPI description of paths; each value is the body of its `get`, in YAML flow style."""
    lines = [f'openapi: 3.0.3\ninfo: {{title: {title}, version: "1"}}\npaths:']
    lines += [f'  "{path}": {{get: {body}}}' for path, body in paths.items()]
    return "\n".join(lines) + "\n"


def get(name: str, more: str = "") -> str:
    """A GET that promises JSON of an unknown shape."""
    content = "{application/json: {schema: {type: object}}}"
    promised = f'responses: {{"200": {{description: ok, content: {content}}}}}'
    return f"{{operationId: {name}, {more}{', ' if more else ''}{promised}}}"
