"""A small OpenAI-compatible server of embeddings that answers as it is told."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.serving import serving

WIDTH = 16


@dataclass
class Answer:
    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    wait_s: float = 0.0


Script = Callable[[dict[str, Any], int], Answer]


def vector(text: str, width: int = WIDTH) -> list[float]:
    """Texts that share words are near each other."""
    row = [1e-3] * width
    for word in text.lower().replace(".", " ").split():
        row[int(hashlib.sha256(word.encode()).hexdigest(), 16) % width] += 1
    return row


def good(body: dict[str, Any], _number: int = 0, width: int = WIDTH) -> Answer:
    rows = [
        {"object": "embedding", "index": i, "embedding": vector(text, width)}
        for i, text in enumerate(body["input"])
    ]
    return Answer({"object": "list", "data": rows, "model": body["model"], "usage": {}})


def refusal(status: int, said: str, **headers: str) -> Answer:
    return Answer({"error": {"message": said, "type": "x"}}, status, headers)


class Served:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.url = ""


@contextmanager
def embeddings(script: Script = good) -> Iterator[Served]:
    served = Served(script)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append({**body, "key": self.headers.get("Authorization")})
            answer = served.script(body, len(served.requests))
            time.sleep(answer.wait_s)
            if answer.cut:
                self.close_connection = True
                return
            data = json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(OSError):  # the client gave up, as a test wants it to
                self.wfile.write(data)

    with serving(Handler) as url:
        served.url = f"{url}/v1"
        yield served
