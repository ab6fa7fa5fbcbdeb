"""A small OpenAI-compatible server that answers as it is told, and remembers what it was asked."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.serving import serving

ENTRIES: dict[str, dict[str, Any]] = {
    "getProcInfo3": {
        "name": "get_order_progress",
        "description": "Returns how far a customer's order has come: its step, status and due "
        "date. Use it when someone asks where an order stands.",
        "aliases": ["order progress", "order status lookup", "where is the order"],
        "not_for": "complaints",
        "grounds": ["order = orderNo", "status = orderStatus"],
    },
    "getProcInfo4": {
        "name": "get_complaint_handling",
        "description": "Returns the handling of a customer's complaint, with its outcome. Use it "
        "when someone asks what became of a complaint.",
        "aliases": ["complaint handling", "complaint outcome", "what became of a complaint"],
        "not_for": "",
        "grounds": ["complaint = complaintNo", "outcome = outcome"],
    },
    "updAcctSt": {
        "name": "update_account_status",
        "description": "Changes the status of an account. Use it to block an account or to free "
        "it again.",
        "aliases": ["block account", "change account status", "unblock account"],
        "not_for": "",
        "grounds": ["account = acctNo", "status = newStatus"],
    },
    "delNote": {
        "name": "delete_customer_note",
        "description": "Deletes a note about a customer. Use it to take a note away for good.",
        "aliases": ["remove note", "delete note", "erase customer note"],
        "not_for": "",
        "grounds": ["note = noteId"],
    },
}
"""Answers that pass the checker, for the operations of `tests/enrichment/legacy.yaml`."""

QUESTIONS: dict[str, list[str]] = {
    "getProcInfo3": [
        "has the order of this customer been sent",
        "when is the order due that the customer waits for",
        "how far is the order",
    ],
    "getProcInfo4": [
        "how did the complaint of the customer end",
        "who handles the complaint",
        "what became of the complaint",
    ],
    "updAcctSt": [
        "block the account of somebody",
        "set an account free again",
        "change whether an account is blocked",
    ],
    "delNote": [
        "take away a note about a customer",
        "remove the remark on a customer",
        "get rid of an old note",
    ],
}
"""Questions that pass their rules, for the same operations."""


@dataclass
class Request:
    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def operations(self) -> list[str]:
        """The operations asked about, in the order of their numbers."""
        text = "\n".join(message["content"] or "" for message in self.body["messages"][:2])
        return re.findall(r"^\[\d+\] operation: (\w+)", text, re.MULTILINE)

    @property
    def wants_questions(self) -> bool:
        return "You write questions" in self.body["messages"][0]["content"]


@dataclass
class Response:
    """`text` is the assistant's; `status` other than 200 makes an error of `error`."""

    text: str | None = ""
    status: int = 200
    error: str = ""
    code: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    finish_reason: str = "stop"
    extra: dict[str, Any] = field(default_factory=dict)
    usage: tuple[int, int] | None = (400, 120)
    cut_connection: bool = False
    arguments: str | None = None

    def body(self) -> dict[str, Any]:
        if self.status != 200:
            kind = "invalid_request_error"
            return {"error": {"message": self.error, "type": kind, "code": self.code or None}}
        message: dict[str, Any] = {"role": "assistant", "content": self.text, **self.extra}
        if self.arguments is not None:
            call = {"name": "write_index_entries", "arguments": self.arguments}
            message["tool_calls"] = [{"id": "c1", "type": "function", "function": call}]
        choice = {"index": 0, "finish_reason": self.finish_reason, "message": message}
        answer = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
        used = None
        if self.usage is not None:
            given, written = self.usage
            used = {
                "prompt_tokens": given,
                "completion_tokens": written,
                "total_tokens": sum(self.usage),
            }
        return {**answer, "choices": [choice], "usage": used}


Script = Callable[[Request, int], Response]
"""The request and its number, from 1, to the response."""


def entries(request: Request, **changes: dict[str, Any]) -> str:
    """The JSON that answers a request well; `changes` by operation replace keys of its entry."""
    tools = [
        {"number": number, **ENTRIES[name], **changes.get(name, {})}
        for number, name in enumerate(request.operations, 1)
    ]
    return json.dumps({"tools": tools})


def questions(request: Request, **changes: list[str]) -> str:
    """The JSON that answers a request for questions well; `changes` by operation replace them."""
    tools = [
        {"number": number, "questions": changes.get(name, QUESTIONS[name])}
        for number, name in enumerate(request.operations, 1)
    ]
    return json.dumps({"tools": tools})


def good(request: Request, _number: int = 0) -> Response:
    return Response(questions(request) if request.wants_questions else entries(request))


class Model:
    """The server's address and everything it was asked."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.url = ""
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Response:
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        return self.script(request, number)

    @property
    def asked_about(self) -> list[str]:
        return sorted(name for request in self.requests for name in request.operations)


@contextmanager
def model(script: Script = good) -> Iterator[Model]:
    served = Model(script)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(length))
            response = served.answer(Request(self.path, body, dict(self.headers)))
            if response.cut_connection:
                self.close_connection = True
                return
            data = json.dumps(response.body()).encode()
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with serving(Handler) as url:
        served.url = f"{url}/v1"
        yield served
