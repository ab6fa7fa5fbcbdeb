"""A chat endpoint that answers enrichment prompts from a file of earlier answers.

    python bench/replay_server.py sample_specs/replay/answers.jsonl

Prints its address; point [llm] base_url there. Answers only operations that the file holds.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).parent.parent / "sample_specs" / "replay" / "answers.jsonl"
Messages = list[dict[str, str]]


class Replay:
    """`changed` are the tools whose prompt is not the one that was answered."""

    def __init__(self, file: Path = ANSWERS) -> None:
        lines = file.read_text(encoding="utf-8").splitlines()
        self.entries = {entry["tool"]: entry for entry in map(json.loads, lines)}
        self.changed: set[str] = set()
        self.requests = 0
        self.url = ""

    def answer(self, messages: Messages) -> str:
        self.requests += 1
        asked, again = messages[1]["content"], len(messages) > 2
        service = re.search(r"^service: (\S+)", asked, re.MULTILINE)
        tools = []
        for number, sketch in _sketches(asked):
            found = re.match(r"operation: (\S+)", sketch)
            tool = f"{service and service[1]}/{found and found[1]}"
            entry = self.entries.get(tool)
            if entry is not None:
                if entry["sketch"] != hashlib.sha256(sketch.encode()).hexdigest():
                    self.changed.add(tool)
                text = entry.get("repaired", entry["entry"]) if again else entry["entry"]
                tools.append({"number": number, **text})
        return json.dumps({"tools": tools}, ensure_ascii=False)


def _sketches(asked: str) -> Iterator[tuple[int, str]]:
    body = asked.partition("<DATA>\n")[2].rpartition("\n</DATA>")[0]
    parts = re.split(r"^\[(\d+)\] ", body, flags=re.MULTILINE)
    for number, sketch in zip(parts[1::2], parts[2::2], strict=True):
        yield int(number), sketch.strip()


@contextmanager
def replaying(file: Path = ANSWERS) -> Iterator[Replay]:
    replay = Replay(file)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(replay))
    replay.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield replay
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(replay: Replay) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = json.dumps(_completion(request, replay.answer(request["messages"]))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _completion(request: dict[str, Any], text: str) -> dict[str, Any]:
    """`usage` counts a token for four letters."""
    spent = sum(len(message["content"]) for message in request["messages"]) // 4, len(text) // 4
    message = {"role": "assistant", "content": text}
    return {
        "id": "replay",
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model", "replay"),
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {
            "prompt_tokens": spent[0],
            "completion_tokens": spent[1],
            "total_tokens": sum(spent),
        },
    }


def main() -> None:
    with replaying(Path(sys.argv[1]) if len(sys.argv) > 1 else ANSWERS) as replay:
        print(replay.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
