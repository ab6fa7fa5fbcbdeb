"""A week of nights of `gloss sync`, as real processes, against servers that come and go.

After each night the catalog must be what the specs say that could be read last, and the summary
must say what happened. `scripts/week.py` runs whole weeks; the tests run single nights of one.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from sample_specs.server import serve
from tests.fakes import Model, Request, Response, good, model
from tests.serving import serving

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample_specs"
KEY = "sk-planted-7f3a9c"
TOKEN = "planted-token-41c2"
PARTS = {
    "getProcInfo3": (
        "/p3: {get: {operationId: getProcInfo3, description: See documentation.TWIST,"
        " parameters: [{name: custId, in: query, required: true, schema: {type: string}}],"
        " responses: {'200': {description: ok, content: {application/json: {schema: {type: object,"
        " properties: {orderNo: {type: string}, orderStatus: {type: string,"
        " enum: [OPEN, PICKED, SENT]}, step: {type: integer},"
        " dueDate: {type: string, format: date}}}}}}}}}"
    ),
    "getProcInfo4": (
        "/p4: {get: {operationId: getProcInfo4, description: See documentation.TWIST,"
        " parameters: [{name: custId, in: query, required: true, schema: {type: string}}],"
        " responses: {'200': {description: ok, content: {application/json: {schema: {type: object,"
        " properties: {complaintNo: {type: string}, handledBy: {type: string},"
        " outcome: {type: string}}}}}}}}}"
    ),
    "updAcctSt": (
        "/st: {put: {operationId: updAcctSt, description: See documentation.TWIST,"
        " requestBody: {content: {application/json: {schema: {type: object,"
        " properties: {acctNo: {type: string}, newStatus: {type: string,"
        " enum: [BLOCKED, FREE]}}}}}}, responses: {'204': {description: done}}}}"
    ),
    "delNote": (
        "'/n/{noteId}': {delete: {operationId: delNote,"
        " description: Notes are about customers.TWIST,"
        " parameters: [{name: noteId, in: path, required: true, schema: {type: string}}],"
        " responses: {'204': {description: done}}}}"
    ),
}
TOML = """
[llm]
base_url = "{model}"
model = "m"
api_key_env = "MODEL_KEY"
tools_per_request = 2
price_in = 2.5
price_out = 10.0
max_cost = 1.0

[[services]]
name = "desk"
spec = "specs/desk.yaml"
enrich = true
auto_apply = true
owner = "desk-team"

[[services]]
name = "till"
spec = "specs/till/"
enrich = true

[[services]]
name = "shop"
spec = "{web}/shop.yaml"
headers = {{ X-Api-Key = "env:SHOP_KEY" }}

[[services]]
name = "stock"
spec = "specs/inv*.proto"
include = ["specs"]

[[services]]
name = "crm"
spec = "specs/crm.wsdl"
base_url = "{soap}"
headers = {{ Authorization = "file:token" }}
probe = {{ rate = 200.0 }}
"""


def spec_of(operations: list[str], twist: str = "", title: str = "Customer desk") -> str:
    paths = "\n".join(f"  {PARTS[name].replace('TWIST', twist)}" for name in operations)
    return f'openapi: 3.0.3\ninfo: {{title: {title}, version: "9"}}\npaths:\n{paths}\n'


@dataclass
class Web:
    """A file server of one spec; `status` other than 200 is its answer to everything."""

    url: str = ""
    text: str = ""
    status: int = 200
    requests: int = 0
    keys: set[str] = field(default_factory=set)


@contextmanager
def web() -> Iterator[Web]:
    served = Web()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            served.requests += 1
            served.keys.add(self.headers.get("X-Api-Key", ""))
            data = served.text.encode() if served.status == 200 else b""
            self.send_response(served.status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with serving(Handler) as url:
        served.url = url
        yield served


@dataclass
class Night:
    """How one run ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> dict[str, tuple[str, str]]:
        """Service → (state, summary); exactly one line each."""
        rows = [line.split("\t") for line in self.out.splitlines()]
        assert len({row[0] for row in rows}) == len(rows), self.out
        return {name: (state, words) for name, state, words in rows}

    @property
    def states(self) -> dict[str, str]:
        return {name: state for name, (state, _) in self.lines.items()}


class Week:
    """The declared services with what is true of them: `specs` on disk, `known` in the catalog."""

    def __init__(
        self, folder: Path, environment: dict[str, str], seed: int, small: bool = False
    ) -> None:
        """`small`: without the sample specs and the calls to the CRM."""
        self.folder, self.random, self.small = folder, random.Random(seed), small
        self.environment = {
            **environment, "MODEL_KEY": KEY, "SHOP_KEY": TOKEN, "TZ": "UTC",
        }  # fmt: skip
        self.known: dict[str, set[str]] = {}
        self.written: list[str] = []
        self.took_s = 6.0
        self.down = False
        self.gate: threading.Event | None = None
        self.asked = threading.Event()
        self._parts = ExitStack()

    def __enter__(self) -> Week:
        self.model: Model = self._parts.enter_context(model(self._answer))
        self.web = self._parts.enter_context(web())
        self.world = self._parts.enter_context(serve(token=TOKEN))
        (self.folder / "specs" / "till").mkdir(parents=True)
        if not self.small:
            _copy_samples(self.folder / "specs")
        (self.folder / "token").write_text(f"Bearer {TOKEN}\n")
        toml = TOML.format(model=self.model.url, web=self.web.url, soap=self.world.soap_url)
        declared = toml.partition('[[services]]\nname = "stock"')[0] if self.small else toml
        (self.folder / "gloss.toml").write_text(declared)
        self.desk(["getProcInfo3", "getProcInfo4", "updAcctSt", "delNote"])
        self.till(["getProcInfo3", "updAcctSt"])
        self.shop(["getProcInfo4", "delNote"])
        return self

    def __exit__(self, *given: object) -> None:
        self._parts.close()

    def _answer(self, request: Request, number: int) -> Response:
        self.asked.set()
        if self.gate is not None:
            self.gate.wait(60)
        if self.down:
            return Response(status=503, error="down for the night", headers={"Retry-After": "0"})
        return good(request)

    # --- what happens to the specs -----------------------------------------------------------

    def desk(self, operations: list[str], twist: str = "") -> None:
        text = spec_of(operations, twist)
        (self.folder / "specs" / "desk.yaml").write_text(text)
        self.known["desk"] = set(operations)

    def till(self, operations: list[str], twist: str = "") -> None:
        text = spec_of(operations, twist + " Tills.", "Till")
        (self.folder / "specs" / "till" / "till.yaml").write_text(text)
        self.known["till"] = set(operations)

    def shop(self, operations: list[str], twist: str = "") -> None:
        self.web.text = spec_of(operations, twist, "Shop")
        self.web.status = 200
        self.known["shop"] = set(operations)

    def lose_till(self) -> None:
        (self.folder / "specs" / "till" / "till.yaml").unlink(missing_ok=True)

    def break_desk(self) -> None:
        (self.folder / "specs" / "desk.yaml").write_text("openapi: [3.0.3\n  paths: {")

    # --- runs ----------------------------------------------------------------------------------

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "cli", *words],
            cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def end(self, process: subprocess.Popen[bytes]) -> Night:
        out, err = process.communicate(timeout=240)
        night = Night(process.returncode, out.decode(), err.decode())
        self.require_no_secret(night.out + night.err)
        assert "Traceback" not in night.err, night.err
        return night

    def run(self, *words: str) -> Night:
        return self.end(self.start(*words))

    def sync(self, *words: str) -> Night:
        self.model.requests.clear()
        self.world.forget()
        started = time.monotonic()
        night = self.run("sync", *words)
        self.took_s = time.monotonic() - started
        return night

    def look(self, *words: str) -> str:
        """What a command that changes nothing prints."""
        return self.run(*words).out

    def kill_somewhere(self) -> float:
        """Start a run and kill -9 it at a point of its course that the seed says."""
        process = self.start("sync")
        delay_s = self.random.random() * self.took_s
        try:
            process.wait(delay_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        return delay_s

    # --- what must be true ---------------------------------------------------------------------

    def tools(self) -> dict[str, dict[str, Any]]:
        found = json.loads(self.look("tools", "--json"))["tools"]
        return {tool["id"]: tool for tool in found}

    def require_catalog(self, *failing: str, waiting: tuple[str, ...] = ()) -> None:
        """The tools of every service; and but for the services named, nothing is left to do."""
        tools = self.tools()
        for service in ("desk", "till", "shop"):
            names = {tool["name"] for tool in tools.values() if tool["service"] == service}
            assert names == self.known[service], (service, names, self.known[service])
        for service, count in () if self.small else (("stock", 16), ("crm", 26)):
            assert sum(tool["service"] == service for tool in tools.values()) == count
        if "desk" not in (*failing, *waiting):
            bare = [t["id"] for t in tools.values() if t["service"] == "desk" and not t["enriched"]]
            assert not bare, bare
        plan = json.loads(self.look("sync", "--plan", "--json"))["plan"]
        for each in plan:
            if each["service"] in failing:
                continue
            left = (each["to_index"], each["to_apply"], each["calls"])
            assert left == (0, 0, 0), each
            assert (each["texts"] > 0) == (each["service"] in waiting), each
            assert each["spec"] == "unchanged" or each["service"] == "shop", each

    def runs(self) -> list[dict[str, Any]]:
        return list(json.loads(self.look("sync", "--history", "--json"))["runs"])

    def require_no_secret(self, text: str) -> None:
        for secret in (KEY, TOKEN):
            assert secret not in text, text


def _copy_samples(specs: Path) -> None:
    for name in ("crm.wsdl", "inventory.proto", "crm", "common"):
        source = SAMPLES / name
        for file in source.iterdir() if source.is_dir() else (source,):
            target = specs / file.relative_to(SAMPLES)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(file.read_bytes())


def environment(folder: Path) -> dict[str, str]:
    """As little as cron gives."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GLOSS_DATA_DIR": str(folder / "data"),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


# --- nights ------------------------------------------------------------------------------------


def first_night(week: Week) -> str:
    night = week.sync("--stamp", "stamp", "--prometheus", "gloss.prom")
    assert night.code == 0, (night.out, night.err)
    assert set(night.states.values()) == {"changed"}, night.out
    assert "4 applied" in night.lines["desk"][1], night.out
    assert "2 proposals wait for a decision" in night.lines["till"][1], night.out
    assert week.small or week.world.calls(), "the CRM was probed"
    assert week.web.keys == {TOKEN}
    assert (week.folder / "stamp").is_file()
    week.require_catalog()
    return night.out


def quiet_night(week: Week) -> str:
    before = (week.folder / "stamp").stat().st_mtime_ns
    night = week.sync("--stamp", "stamp")
    assert night.code == 0, (night.out, night.err)
    assert set(night.states.values()) == {"unchanged"}, night.out
    assert "nothing to do" in night.err, night.err
    assert not week.model.requests
    assert not week.world.calls()
    assert (week.folder / "stamp").stat().st_mtime_ns > before
    return night.out


def specs_change_vanish_and_break(week: Week) -> str:
    week.desk(["getProcInfo3", "updAcctSt", "delNote"], f" Rev {week.random.randrange(99)}.")
    week.lose_till()
    week.web.status = week.random.choice([404, 500, 401])
    before = (week.folder / "stamp").stat().st_mtime_ns
    night = week.sync("--stamp", "stamp", "--prometheus", "gloss.prom")
    assert night.code == 5, (night.out, night.err)
    expected = {"desk": "changed", "till": "failed", "shop": "failed"}
    assert night.states | expected == night.states, night.out
    assert "its 2 tools stay" in night.lines["till"][1], night.out
    assert "3 changed, 1 removed" in night.lines["desk"][1], night.out
    assert (week.folder / "stamp").stat().st_mtime_ns == before, "no stamp without success"
    metrics = (week.folder / "gloss.prom").read_text()
    assert re.search(r"^gloss_sync_services_failed 2$", metrics, re.M), metrics
    assert re.search(r"^gloss_sync_last_success_timestamp_seconds \d", metrics, re.M), metrics
    week.require_catalog("till", "shop")
    return night.out


def all_is_well_again(week: Week) -> str:
    week.down = False
    week.web.status = 200
    week.till(sorted(week.known["till"]), f" Rev {week.random.randrange(99)}.")
    night = week.sync()
    assert night.code == 0, (night.out, night.err)
    assert night.states["till"] == "changed", night.out
    week.require_catalog()
    return night.out


def endpoint_dies(week: Week) -> str:
    week.desk(list(PARTS), f" Rev {week.random.randrange(100, 199)}.")
    week.till(["updAcctSt"], f" Rev {week.random.randrange(100, 199)}.")
    week.down = True
    night = week.sync()
    assert night.code == 75, (night.out, night.err)
    assert night.states["desk"] == night.states["till"] == "waiting", night.out
    assert "4 tools wait to be written about" in night.lines["desk"][1], night.out
    assert len(week.model.requests) <= 6, "an endpoint that is down is not asked for each service"
    week.require_catalog("desk", waiting=("till",))
    week.down = False
    return night.out


def budget_runs_out(week: Week) -> str:
    week.desk(list(PARTS), f" Rev {week.random.randrange(200, 299)}.")
    night = week.sync("--max-cost", "0.025")
    assert night.code == 6, (night.out, night.err)
    assert night.states["desk"] == "waiting", night.out
    assert "2 tools wait to be written about" in night.lines["desk"][1], night.out
    assert "the cap of" in night.err, night.err
    again = week.sync()
    assert again.code == 0, (again.out, again.err)
    week.require_catalog()
    return night.out + again.out


def killed_at_random(week: Week, times: int = 3) -> str:
    """Whatever was cut off, the next run finds it and ends with the catalog as it should be."""
    words = []
    for at in range(times):
        week.desk(list(PARTS), f" Cut {week.random.randrange(10_000)} {at}.")
        week.till(week.random.sample(sorted(PARTS), 3), f" Cut {at}.")
        week.shop(week.random.sample(sorted(PARTS), 2), f" Cut {at}.")
        before = {run["run"] for run in week.runs()}
        words.append(f"killed after {week.kill_somewhere():.2f} s: ")
        cut = [run for run in week.runs() if run["run"] not in before]
        words.append(", ".join(run["state"] for run in cut) or "before it began")
        assert all(run["state"] in ("killed", "done") for run in cut), cut
        night = week.sync()
        assert night.code == 0, (night.out, night.err, words)
        assert ("was killed" in night.err) == any(run["state"] == "killed" for run in cut)
        week.require_catalog()
        words.append("; ")
    return "".join(words)


def two_at_once(week: Week) -> str:
    week.desk(list(PARTS), f" Twice {week.random.randrange(10_000)}.")
    week.gate = threading.Event()
    week.asked.clear()
    first = week.start("sync")
    try:
        assert week.asked.wait(120), "the first run asks the model"
        second = week.run("sync")
    finally:
        week.gate.set()
    night = week.end(first)
    week.gate = None
    assert second.code == 75, second.err
    assert re.search(rf"process {first.pid} on .*, since \d{{4}}-", second.err), second.err
    assert second.out == ""
    assert night.code == 0, (night.out, night.err)
    week.require_catalog()
    return second.err + night.out


def told_to_stop(week: Week) -> str:
    """SIGTERM, as a shutdown sends it: the run says its end and lets go of the lease."""
    week.desk(list(PARTS), f" Stop {week.random.randrange(10_000)}.")
    week.gate = threading.Event()
    week.asked.clear()
    process = week.start("sync")
    try:
        assert week.asked.wait(120), "the run asks the model"
        process.send_signal(signal.SIGTERM)
    finally:
        week.gate.set()
    stopped = week.end(process)
    week.gate = None
    assert stopped.code == 143, (stopped.code, stopped.err)
    assert (week.runs()[0]["state"], week.runs()[0]["exit_code"]) == ("failed", 143)
    night = week.sync()
    assert night.code == 0, (night.out, night.err)
    assert "killed" not in night.err
    week.require_catalog()
    return stopped.out + night.out


WEEK = (
    first_night,
    quiet_night,
    specs_change_vanish_and_break,
    all_is_well_again,
    endpoint_dies,
    budget_runs_out,
    killed_at_random,
    two_at_once,
    told_to_stop,
    quiet_night,
)


def whole_week(folder: Path, seed: int, small: bool) -> Iterator[tuple[str, float, str]]:
    """Night, seconds, and what it said."""
    with Week(folder, environment(folder), seed, small) as week:
        for night in WEEK:
            started = time.monotonic()
            said = night(week)
            yield night.__name__.replace("_", " "), time.monotonic() - started, said
