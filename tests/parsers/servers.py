"""Real servers on the loopback interface for the tests of fetching."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, dict[str, str], bytes]
Route = Answer | Callable[[dict[str, str]], Answer]


class Server:
    """Answers GET by path; keeps the headers of each request."""

    def __init__(self, routes: dict[str, Route], host: str = "127.0.0.1") -> None:
        self.routes = routes
        self.requests: list[tuple[str, dict[str, str]]] = []
        self._http = ThreadingHTTPServer((host, 0), self._handler())
        self._http.daemon_threads = True
        self.port = self._http.server_port
        self.url = f"http://{host}:{self.port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, path: str, headers: dict[str, str]) -> Answer:
        self.requests.append((path, headers))
        route = self.routes.get(path.partition("?")[0], (404, {}, b"not here"))
        return route(headers) if callable(route) else route

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, headers, body = server.answer(self.path, dict(self.headers))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@contextmanager
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])
