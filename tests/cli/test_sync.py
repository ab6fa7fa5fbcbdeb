"""The nightly command: what it does, what it leaves, how it ends."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.keeping import LeaseLost
from pipeline.sync import sync
from pipeline.sync_night import Means
from store import leases, runs
from store.index import index_state
from tests.cli.test_imports import loaded_by
from tests.fakes import Response, good, model
from tests.week import KEY, TOKEN, spec_of

DESK = ["getProcInfo3", "getProcInfo4"]
LLM = """
[llm]
base_url = "{url}"
model = "m"
api_key_file = "{key}"
tools_per_request = 2
price_in = 2.5
price_out = 10.0
"""
SERVICE = '[[services]]\nname = "{name}"\nspec = "{name}.yaml"\n'
WRITTEN = SERVICE + "enrich = true\n"


@pytest.fixture
def night(gloss):
    """A service `desk` that is opted in, with a key in a file and no endpoint yet."""
    gloss.write("desk.yaml", spec_of(DESK))
    gloss.write("key", KEY + "\n")
    gloss.write("gloss.toml", WRITTEN.format(name="desk"))
    return gloss


def declare(gloss, url="", *services):
    llm = LLM.format(url=url, key=gloss.folder / "key") if url else ""
    gloss.write("gloss.toml", llm + "\n".join(services or [WRITTEN.format(name="desk")]))


def lines(done):
    rows = [line.split("\t") for line in done.splitlines()]
    return {name: (state, words) for name, state, words in rows}


def enriched(gloss):
    tools = gloss("tools", "--json").json["tools"]
    return sorted(tool["name"] for tool in tools if tool["enriched"])


def test_a_night_does_all_and_the_next_one_nothing(night):
    with model() as served:
        declare(night, served.url, WRITTEN.format(name="desk") + "auto_apply = true\n")
        first = night("sync")
        asked = len(served.requests)
        second = night("sync")
        again = len(served.requests) - asked

    assert first.exit_code == 0, first.stderr
    assert lines(first)["desk"] == (
        "changed",
        "2 tools: 2 added; 2 proposals ($0.0022); 2 applied; 2 indexed",
    )
    assert enriched(night) == DESK
    assert (second.exit_code, again) == (0, 0)
    assert lines(second)["desk"] == ("unchanged", "2 tools, nothing new")
    assert "1 services, nothing to do" in second.stderr


def test_a_quiet_night_loads_no_model_and_no_client(night):
    night("sync")

    loaded = loaded_by(night, "sync")

    heavy = {"onnxruntime", "tokenizers", "openai", "zeep", "grpc", "prance", "numpy", "rich"}
    assert loaded & heavy == set()


def test_without_auto_apply_proposals_wait_for_a_person(night):
    with model() as served:
        declare(night, served.url)
        done = night("sync")

    assert "2 proposals wait for a decision" in lines(done)["desk"][1]
    assert enriched(night) == []


def test_without_an_endpoint_the_plain_writer_writes(night):
    done = night("sync")

    assert done.exit_code == 0, done.stderr
    assert lines(done)["desk"][1].startswith("2 tools: 2 added; 2 proposals;")


def test_a_service_that_is_not_opted_in_is_not_written_about(night):
    with model() as served:
        declare(night, served.url, SERVICE.format(name="desk"))
        done = night("sync")

    assert done.exit_code == 0, done.stderr
    assert not served.requests


def test_one_failure_costs_no_other(night):
    declare(night, "", SERVICE.format(name="gone"), SERVICE.format(name="desk"))
    done = night("sync", "--stamp", "stamp")

    assert done.exit_code == 5
    assert [(name, state) for name, (state, _) in lines(done).items()] == [
        ("gone", "failed"),
        ("desk", "changed"),
    ]
    assert "gone.yaml" in lines(done)["gone"][1]
    assert "nothing of it is known yet" in lines(done)["gone"][1]
    assert not (night.folder / "stamp").exists()


def test_where_all_failed_the_run_failed(night):
    declare(night, "", SERVICE.format(name="gone"), SERVICE.format(name="lost"))

    assert night("sync").exit_code == 1


def test_a_header_that_is_missing_costs_its_own_service(night):
    with_header = SERVICE.format(name="far").replace("far.yaml", "http://127.0.0.1:9/a.yaml")
    header = 'headers = { Key = "env:FAR_KEY" }\n'
    declare(night, "", with_header + header, SERVICE.format(name="desk"))
    done = night("sync")

    assert done.exit_code == 5
    assert "the environment has no FAR_KEY" in done.stderr
    assert lines(done)["desk"][0] == "changed"


def test_an_address_that_does_not_answer_is_for_later(night):
    far = SERVICE.format(name="far").replace("far.yaml", "http://127.0.0.1:9/a.yaml")
    declare(night, "", far)

    assert night("sync").exit_code == 75


ENDS = {
    "the key is refused": (Response(status=401, error="no such key"), 4),
    "the endpoint is down": (Response(status=503, error="x", headers={"Retry-After": "0"}), 75),
    "its quota is used up": (Response(status=402, error="pay first"), 6),
}


@pytest.mark.parametrize(("answer", "code"), ENDS.values(), ids=ENDS)
def test_the_endpoint_ends_the_writing_and_nothing_else(night, answer, code):
    night.write("till.yaml", spec_of(DESK, " Till."))
    with model(lambda *_: answer) as served:
        declare(night, served.url, WRITTEN.format(name="desk"), WRITTEN.format(name="till"))
        done = night("sync")

    assert done.exit_code == code, done.stderr
    assert lines(done)["desk"][0] == lines(done)["till"][0] == "waiting"
    assert "2 tools wait to be written about" in lines(done)["till"][1]
    about_till = [r for r in served.requests if "service: till" in r.body["messages"][1]["content"]]
    assert not about_till, "an endpoint that gave up is not asked for the next service"


def test_a_service_may_have_a_budget_of_its_own(night):
    night.write("till.yaml", spec_of(DESK, " Till."))
    poor = WRITTEN.format(name="desk") + "max_cost = 0.001\n"
    with model() as served:
        declare(night, served.url, poor, WRITTEN.format(name="till"))
        done = night("sync", "--max-cost", "0.50", "--json")

    assert done.exit_code == 6
    states = {each["service"]: each["state"] for each in done.json["services"]}
    assert states == {"desk": "waiting", "till": "changed"}
    assert done.json["budget_left_usd"] == pytest.approx(0.50 - 0.0022)


def test_what_cannot_be_written_about_is_tried_on_three_nights(night):
    with model(lambda *_: Response("no")) as served:
        declare(night, served.url)
        asked = []
        for _ in range(4):
            served.requests.clear()
            done = night("sync")
            asked.append((done.exit_code, bool(served.requests)))
        night.write("desk.yaml", spec_of(DESK, " New."))
        served.script = good
        changed = night("sync")

    assert asked == [(5, True), (5, True), (5, True), (0, False)]
    assert "2 proposals" in lines(changed)["desk"][1]


def test_a_stamp_is_written_on_success_also_of_a_night_without_news(night):
    night("sync")
    done = night("sync", "--stamp", "stamp")

    assert done.exit_code == 0
    assert re.fullmatch(r"\d{4}-\S+ [0-9a-f-]{36}\n", (night.folder / "stamp").read_text())


def test_a_file_that_cannot_be_written_is_refused_before_the_work(night):
    done = night("sync", "--stamp", "no/such/folder/stamp")

    assert done.exit_code == 2
    assert "mkdir -p" in done.stderr
    assert night("services", "--json").json["services"] == []


GRAMMAR = re.compile(r'[a-z_]+(\{([a-z]+="([^"\\\n]|\\[\\"n])*",?)+\})? -?[0-9.e+-]+')


def test_metrics_are_readable_by_others_and_keep_the_last_success(night):
    owner = 'owner = "the \\"desk\\" \\\\ team"\n'
    declare(night, "", SERVICE.format(name="desk") + owner)
    before = os.umask(0o077)
    try:
        night("sync", "--prometheus", "gloss.prom")
        file = night.folder / "gloss.prom"
        first = file.read_text()
        (night.folder / "desk.yaml").write_text("openapi: [")
        failed = night("sync", "--prometheus", "gloss.prom")
    finally:
        os.umask(before)
    second = file.read_text()

    assert failed.exit_code == 1
    assert file.stat().st_mode & 0o777 == 0o644
    for line in second.splitlines():
        assert re.match(r"# (HELP|TYPE) gloss_", line) or GRAMMAR.fullmatch(line), line
    values = dict(line.rsplit(" ", 1) for line in second.splitlines() if line[0] != "#")
    success = "gloss_sync_last_success_timestamp_seconds"
    assert f"\n{success} {values[success]}\n" in first
    assert values["gloss_sync_services_failed"] == "1"
    assert values["gloss_sync_exit_code"] == "1"
    labels = r'{service="desk",owner="the \"desk\" \\ team"}'
    assert values["gloss_sync_service_failed" + labels] == "1"
    assert values["gloss_tools"] == "2", "what was known stays"


def test_a_plan_calls_and_writes_nothing(night, conn):
    with model() as served:
        declare(night, served.url)
        first = night("sync", "--plan")
        empty = night("services", "--json").json["services"]
        night("sync")
        night.write("desk.yaml", spec_of([*DESK, "delNote"]))
        served.requests.clear()
        second = night("sync", "--plan", "--json")

    assert first == "desk\tspec changed: 2 added\n"
    assert empty == []
    assert not served.requests
    assert second.json["plan"][0]["spec"] == "changed: 1 added"
    assert [run.state for run in runs.list_runs(conn)] == ["done"]


def test_since_skips_what_succeeded_lately(night):
    night("sync")
    done = night("sync", "--since", "1d")

    assert done.exit_code == 0
    assert lines(done)["desk"][0] == "skipped"
    assert "in step since" in lines(done)["desk"][1]


def test_only_takes_names_and_refuses_others(night):
    night.write("till.yaml", spec_of(DESK, " Till."))
    declare(night, "", SERVICE.format(name="desk"), SERVICE.format(name="till"))

    assert list(lines(night("sync", "--only", "till"))) == ["till"]
    wrong = night("sync", "--only", "dask")
    assert wrong.exit_code == 2
    assert "did you mean desk?" in wrong.stderr


def test_without_declared_services_there_is_nothing_to_keep_in_step(gloss):
    done = gloss("sync")

    assert done.exit_code == 2
    assert "gloss init" in done.stderr


def test_json_says_what_the_lines_say(night):
    done = night("sync", "--json")

    assert done.json["schema"] == 1
    assert (done.json["exit_code"], done.json["changed"], done.json["failed"]) == (0, 1, 0)
    [desk] = done.json["services"]
    assert (desk["service"], desk["state"], desk["added"], desk["indexed"]) == (
        "desk", "changed", 2, 2,
    )  # fmt: skip


def test_every_line_of_the_log_has_time_and_level(night):
    declare(night, "", SERVICE.format(name="gone"), SERVICE.format(name="desk"))
    done = night("sync")

    form = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d (INFO|WARNING|ERROR) .+")
    assert all(form.fullmatch(line) for line in done.stderr.splitlines()), done.stderr
    assert " ERROR gone: reading the spec: " in done.stderr


def test_another_mix_of_original_and_enriched_text_is_taken_up(night, conn):
    night("sync")
    declare(night, "", "[search]\nweights = [0.5, 0.5]\n", WRITTEN.format(name="desk"))
    done = night("sync")

    assert done.exit_code == 0, done.stderr
    assert index_state(conn).weights["mix"] == {"original": 0.5, "enriched": 0.5}


# --- one at a time -----------------------------------------------------------------------------

ELSEWHERE = {"host": "box2", "pid": 77, "started": "1", "machine": "another"}


def dead_process():
    """Who ran here and has ended, as it told of itself."""
    program = (
        "import json; from store.holders import this_process as p; print(json.dumps(p().as_json()))"
    )
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, check=True
    )
    return json.loads(done.stdout)


def test_a_run_elsewhere_is_named(night, conn):
    leases.acquire(conn, "sync", "other", 60, ELSEWHERE)
    done = night("sync")

    assert (done.exit_code, str(done)) == (75, "")
    assert re.search(r"process 77 on box2, since \d{4}-\d\d-\d\d", done.stderr)


def test_a_lease_that_ran_out_blocks_nobody(night, conn):
    leases.acquire(conn, "sync", "other", 0, ELSEWHERE)

    assert night("sync").exit_code == 0


def test_a_holder_that_died_here_blocks_nobody_and_its_run_counts_as_killed(night, conn):
    leases.acquire(conn, "sync", "crashed", 600, dead_process())
    runs.start_run(conn, "sync", host="here", pid=1)
    shown = night("sync", "--history", "--json").json["runs"]
    done = night("sync")

    assert [run["state"] for run in shown] == ["killed"]
    assert done.exit_code == 0
    assert "(process 1 on here) was killed" in done.stderr
    assert [run.state for run in runs.list_runs(conn)] == ["done", "killed"]


def test_a_run_that_loses_its_lease_stops(night, conn, database_url):
    """Between two events; the lease here lasts as long as a heartbeat takes."""
    from cli import settings
    from cli.commands.sync_parts import request

    entry = settings.DeclaredService("desk", str(night.folder / "desk.yaml"))
    config = settings.Settings(night.folder, services=(entry,))
    means = Means(encoder=lambda: pytest.fail("stopped before"), endpoint=lambda: None, writer="m",
                  group_size=1)  # fmt: skip
    work = sync(conn, database_url, [request(config, entry)], means, lease_s=60)
    next(work)
    held = leases.holder(conn, "sync")
    assert held is not None
    assert leases.acquire(conn, "sync", "thief", 60, dead=held.owner)
    work.close()

    short = sync(conn, database_url, [request(config, entry)], means, lease_s=60)
    with pytest.raises(Exception, match="another gloss sync is at work"):
        next(short)
    [row] = runs.list_runs(conn)
    assert (row.state, leases.holder(conn, "sync").owner) == ("failed", "thief")


def test_a_heartbeat_that_is_refused_ends_the_work(conn, database_url):
    from pipeline.keeping import kept

    with kept(conn, database_url, "sync", 3) as keeper:
        held = leases.holder(conn, "sync")
        assert leases.acquire(conn, "sync", "thief", 60, dead=held.owner)
        assert keeper.gone.wait(30)
        with pytest.raises(LeaseLost):
            keeper.require()


# --- secrets -----------------------------------------------------------------------------------


def test_a_planted_secret_is_nowhere(night, conn):
    far = SERVICE.format(name="far").replace("far.yaml", f"http://u:{TOKEN}@127.0.0.1:9/a.yaml")
    header = 'headers = { Key = "env:FAR_KEY" }\n'
    seen = []

    def script(request, number):
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                seen.append(file.read_bytes().decode(errors="replace"))
            except OSError:
                continue
        return Response(status=401, error=f"the key {KEY} is not known")

    with model(script) as served:
        declare(night, served.url, far + header, WRITTEN.format(name="desk"))
        done = night.process(
            "sync", "--prometheus", "gloss.prom", "--json", env={"FAR_KEY": "header-" + TOKEN}
        )

    assert f"Bearer {KEY}" in served.requests[0].headers.values()
    kept = json.dumps([dict(run.summary) for run in runs.list_runs(conn)])
    metrics = (night.folder / "gloss.prom").read_text()
    for text in (done, done.stderr, kept, metrics, *seen):
        assert KEY not in text
        assert TOKEN not in text
