"""A real browser without a window, driven through its debugging pipe (Chrome DevTools Protocol)."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-extensions "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--no-default-browser-check --disable-dev-shm-usage --remote-debugging-pipe"
).split()
PATIENCE_S = 60.0


def program() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page. `requests` are the addresses it asked for, `complaints` what it printed."""

    def __init__(self, out: int, into: int) -> None:
        self._out, self._in, self._rest = out, into, b""
        self._number = 0
        self._session = ""
        self.requests: list[str] = []
        self.complaints: list[str] = []

    def attach(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._in, json.dumps(asked).encode() + b"\0")
        while True:
            told = self._read()
            if told.get("id") == self._number:
                assert "error" not in told, told
                result: dict[str, Any] = told["result"]
                return result
            self._note(told)

    def _read(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE_S
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._out], [], [], deadline - time.monotonic())
            data = os.read(self._out, 1 << 16) if ready else b""
            assert data, "the browser says nothing"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(line)
        return told

    def _note(self, told: dict[str, Any]) -> None:
        method, params = told.get("method"), told.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(json.dumps(params))
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(f"dialog: {params['message']}")
        elif method == "Page.loadEventFired":
            self.loaded = True

    def open(self, file: Path) -> None:
        self.loaded = False
        self.call("Page.navigate", url=file.as_uri())
        while not self.loaded:
            self._note(self._read())

    def do(self, script: str) -> Any:
        """What the expression is worth in the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str) -> None:
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        code = {"Enter": 13, "Space": 32, "Tab": 9}[key]
        named = {"key": " " if key == "Space" else key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def look(self, width: int, *, dark: bool = False, height: int = 900) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self) -> bytes:
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])


@contextmanager
def browser() -> Iterator[Browser]:
    found = program()
    assert found
    folder = Path(tempfile.mkdtemp(prefix="gb-"))
    ours_in, theirs_out = os.pipe()
    theirs_in, ours_out = os.pipe()

    def place() -> None:
        high = fcntl.fcntl(theirs_in, fcntl.F_DUPFD, 20), fcntl.fcntl(theirs_out, fcntl.F_DUPFD, 20)
        for at, file in enumerate(high, 3):
            os.dup2(file, at)

    process = subprocess.Popen(
        [found, *FLAGS, f"--user-data-dir={folder}"],
        preexec_fn=place,
        pass_fds=(3, 4),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        driven = Browser(ours_in, ours_out)
        driven.attach()
        yield driven
    finally:
        with suppress(OSError, AssertionError):
            driven._session = ""
            driven.call("Browser.close")
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(ours_in)
        os.close(ours_out)
        shutil.rmtree(folder, ignore_errors=True)
