"""`gloss probe` against real servers: what is called, what is not, what is kept of the answers."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
from collections import Counter

import psycopg
import pytest

from sample_specs.server import serve
from tests.cli.conftest import SAMPLES, Gloss, bare_environment
from tests.probing import scripted
from tests.probing.scripted import Reply, Scripted, get, spec

CANARY_NAME = "Zebulon Quartermain"
CANARIES = {
    "token": "sk-live-CANARY0123456789",
    "mail": "zebulon@canary.example",
    "card": "4111 1111 1111 1111",
    "name": CANARY_NAME,
}


def config(**addresses: str) -> str:
    return "".join(
        f'[[services]]\nname = "{name}"\nspec = "{name}"\nbase_url = "{url}"\n'
        for name, url in addresses.items()
    )


def ingested(gloss: Gloss, paths: dict[str, str], url: str = "", extra: str = "") -> Gloss:
    gloss.write("api.yaml", spec(paths))
    done = gloss("ingest", "api.yaml", "--service", "api")
    assert done.exit_code == 0, done.stderr
    if url:
        gloss.write("gloss.toml", config(api=url) + extra)
    return gloss


def outcomes(done) -> dict[str, str]:
    rows = done.json["probes"]
    return {row["tool"].partition("/")[2]: row["outcome"] for row in rows}


# --- the sample world --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def world():
    with serve() as running:
        yield running


@pytest.fixture(scope="module")
def probed(world, server_url, template_database, tmp_path_factory):
    """The four sample specs, planned and probed once."""
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE gloss_probed TEMPLATE {template_database}")
    address = server_url.replace("/postgres?", "/gloss_probed?")
    folder = tmp_path_factory.mktemp("probed")
    gloss = Gloss(folder, {**bare_environment(folder), "GLOSS_DATABASE_URL": address})
    addresses = {name: url for name, url in world.addresses().items() if name != "calls"}
    gloss.write("gloss.toml", config(**addresses))
    assert gloss("ingest", SAMPLES).exit_code == 0
    world.forget()
    gloss.plan = gloss("probe", "--plan", "--json")
    gloss.calls_of_the_plan = world.calls()
    gloss.first = gloss("probe", "--rate", "1000", "--json")
    gloss.calls = world.calls()
    world.forget()
    gloss.second = gloss("probe", "--rate", "1000", "--json")
    gloss.calls_of_the_second = world.calls()
    return gloss


def test_a_plan_sends_nothing(probed):
    assert probed.plan.exit_code == 0
    assert probed.calls_of_the_plan == []


def test_only_what_reads_is_called_and_each_once(probed):
    calls = Counter(f"{call.service}/{call.operation}" for call in probed.calls)
    planned = {call["tool"] for s in probed.plan.json["services"] for call in s["calls"]}

    assert not [call for call in probed.calls if call.state_changing]
    assert max(calls.values()) == 1
    assert set(calls) <= planned


def test_whatever_can_be_filled_has_a_sample(probed):
    rows = [row for row in probed.first.json["probes"] if row["outcome"] == "alive"]
    unfilled = [row for row in probed.first.json["probes"] if row["detail"].startswith("no value")]

    assert probed.first.exit_code == 0, probed.first.stderr
    assert all(row["has_shape"] for row in rows)
    assert len(rows) == len(probed.calls) == 57
    assert {row["tool"] for row in unfilled} == {
        "crm/chkDup",
        "hr/k2",
        "inventory/FndItm",
        "inventory/XPk",
    }


def test_a_second_probe_sends_nothing(probed):
    assert probed.calls_of_the_second == []
    assert probed.second.exit_code == 0


def test_a_tool_by_name_is_called_again(probed, world):
    world.forget()
    done = probed("probe", "hr/lst01", "--json")

    assert [call.operation for call in world.calls()] == ["lst01"]
    assert outcomes(done)["lst01"] == "alive"


def test_the_same_shape_whatever_the_protocol(probed):
    def fields(tool):
        return set(probed("show", tool, "--json").json["shape"]["properties"])

    assert {"psId", "grossPay", "deductions"} <= fields("hr/ps1")
    assert {"custId"} <= fields("crm/getCust2")
    assert {"lots"} <= fields("inventory/Qry2")


def test_show_sketches_the_shape(probed):
    page = probed("show", "hr/lst01")

    assert "employees: list of object [5]" in page
    assert "  jobTitle: string" in page
    assert "alive" in page


def test_tools_carry_the_shape_and_name_what_has_none(probed):
    shapes = {tool["id"]: tool["shape"] for tool in probed("tools", "hr", "--json").json["tools"]}
    missing = [row["id"] for row in probed("tools", "--missing-evidence", "--json").json["tools"]]

    assert shapes["hr/x17"]["properties"]["leaveDaysRemaining"] == {"type": "integer"}
    assert shapes["hr/k2"] is None
    assert "hr/k2" in missing
    assert "hr/x17" not in missing


def test_search_reads_the_fields_of_the_shape(probed):
    first = probed("index")
    words = ("search", "annual leave days remaining", "--service", "hr", "--json")
    found = probed(*words)
    again = probed("index")

    assert first.exit_code == 0, first.stderr
    answer = found.json
    hits = {hit["id"]: hit for hit in answer["hits"] or answer["nearest"]}
    assert "leav" in hits["hr/x17"]["why"]["fields"]["response"]
    assert ": 0 texts embedded" in again


def test_credentials_that_are_missing_are_an_exit_code(gloss):
    with serve(token="t0ken-of-the-world") as guarded:
        gloss("ingest", SAMPLES / "hr.swagger.json", "--service", "hr")
        gloss.write("gloss.toml", config(hr=guarded.hr_url))
        refused = gloss("probe", "--rate", "1000")
        gloss.write(
            "gloss.toml", config(hr=guarded.hr_url) + 'headers = { X-HR-Key = "env:HR_KEY" }\n'
        )
        let_in = gloss("probe", "--rate", "1000", env={"HR_KEY": "t0ken-of-the-world"})

    assert refused.exit_code == 4
    assert "needs-credentials" in refused
    assert let_in.exit_code == 0, let_in.stderr
    assert "t0ken-of-the-world" not in let_in + let_in.stderr


# --- what a probe meets ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stranger():
    with Scripted({"/taken": Reply()}) as other:
        yield other


@pytest.fixture
def api(stranger):
    utf16 = '{"grüße": 1}'.encode("utf-16")
    routes = {
        "/good": Reply(body=b'{"count": 1}'),
        "/blank": Reply(body=b"", content_type=""),
        "/secure": Reply(401),
        "/forbidden": Reply(403),
        "/quota": Reply(429, headers={"Retry-After": "0"}),
        "/boom": Reply(503),
        "/gone": Reply(410),
        "/picky": Reply(422),
        "/other": Reply(405, headers={"Allow": "POST"}),
        "/page": Reply(body=b"<!doctype html><p>Welcome", content_type="text/html"),
        "/moved": Reply(302, headers={"Location": f"{stranger.url}/taken?key=abc"}),
        "/loop": Reply(302, headers={"Location": "/loop"}),
        "/slow": scripted.silent,
        "/drip": scripted.dripping,
        "/endless": scripted.endless,
        "/bomb": Reply(body=gzip.compress(b"[" * 10**7), headers={"Content-Encoding": "gzip"}),
        "/packed": Reply(body=gzip.compress(b'{"x": 1}'), headers={"Content-Encoding": "gzip"}),
        "/huge": Reply(body=b'"' + b"x" * 300_000 + b'"'),
        "/cut": scripted.cut_off,
        "/charset": Reply(
            body='{"name": "Größe"}'.encode("latin-1"),
            content_type="application/json; charset=utf-8",
        ),
        "/utf16": Reply(body=utf16, content_type="application/json"),
    }
    with Scripted(routes) as server:
        yield server


EXPECTED = {
    "good": "alive",
    "blank": "alive",
    "secure": "needs-credentials",
    "forbidden": "needs-credentials",
    "quota": "slow-down",
    "boom": "broken",
    "gone": "gone",
    "picky": "rejected",
    "other": "exists",
    "page": "not-json",
    "moved": "moved",
    "loop": "moved",
    "slow": "timed-out",
    "drip": "timed-out",
    "endless": "too-large",
    "bomb": "too-large",
    "packed": "alive",
    "huge": "too-large",
    "cut": "cut-off",
    "charset": "wrong-charset",
    "utf16": "alive",
}


def test_each_kind_of_endpoint_has_its_outcome_and_costs_no_other(gloss, api, stranger):
    secret = 'headers = { Authorization = "env:KEY", X-Api-Key = "env:KEY" }\n'
    paths = {f"/{name}": get(name) for name in EXPECTED}
    ingested(gloss, paths, api.url, secret)
    words = ("--timeout", "0.6", "--max-size", "0.1", "--rate", "1000")

    done = gloss("probe", *words, "--json", env={"KEY": "canary-of-the-header"})

    assert outcomes(done) == EXPECTED
    assert done.exit_code == 5
    assert sorted(api.calls) == sorted(f"GET /{name}" for name in EXPECTED)
    assert stranger.calls == []
    assert api.seen[0].headers["X-Api-Key"] == "canary-of-the-header"
    assert "canary-of-the-header" not in done + done.stderr


def test_no_tool_goes_whatever_came_back(gloss, api):
    ingested(gloss, {"/gone": get("gone"), "/boom": get("boom")}, api.url)
    gloss("probe")

    assert len(gloss("tools", "--json").json["tools"]) == 2


def test_a_certificate_that_nobody_signed_is_an_outcome(gloss, tmp_path):
    with Scripted({"/a": Reply()}, scripted.certificate(tmp_path)) as server:
        ingested(gloss, {"/a": get("a"), "/b": get("b")}, server.url)
        done = gloss("probe", "--json")

    assert set(outcomes(done).values()) == {"tls"}
    assert server.calls == []
    assert done.exit_code == 75


def test_a_closed_port_is_an_outcome_for_all_and_tried_once(gloss):
    with Scripted({}) as server:
        port = server.port
    paths = {f"/{name}": get(f"op_{name}") for name in "abcdefgh"}
    ingested(gloss, paths, f"http://127.0.0.1:{port}")

    done = gloss("probe", "--concurrency", "1", "--json")

    rows = done.json["probes"]
    assert {row["outcome"] for row in rows} == {"refused"}
    assert sum(row["sent"] for row in rows) == 1
    assert done.exit_code == 75


def test_an_unknown_host_is_an_outcome(gloss):
    ingested(gloss, {"/a": get("a")}, "http://nowhere.invalid")

    assert outcomes(gloss("probe", "--json")) == {"a": "unknown-host"}


def test_grpc_at_a_closed_port_is_an_outcome_too(gloss):
    with Scripted({}) as server:
        port = server.port
    gloss("ingest", SAMPLES / "inventory.proto", "--service", "inventory")
    done = gloss("probe", "--base-url", f"127.0.0.1:{port}", "--json")

    found = set(outcomes(done).values())
    assert found == {"refused", "skipped"}
    assert done.stderr.count("\n") < 10


def test_a_service_read_by_reflection_is_called_too(gloss, world):
    address = f"grpc://{world.grpc_target}"
    gloss("ingest", address, "--service", "inv")
    world.forget()
    words = ("probe", "inv", "--spec-address", "--allow-host", "127.0.0.1", "--rate", "1000")
    done = gloss(*words, "--json")

    assert outcomes(done)["ListWarehouses"] == "alive"
    assert "XPk" not in {call.operation for call in world.calls()}
    assert len(world.calls()) == 7


# --- values ------------------------------------------------------------------------------------

DETAIL = "parameters: [{name: id, in: path, required: true, schema: {type: integer}}]"


def test_an_identifier_goes_from_the_list_to_the_detail(gloss):
    routes = {"/records": Reply(body=b'[{"id": 41}, {"id": 42}]'), "/records/41": Reply()}
    with Scripted(routes) as server:
        paths = {"/records/{id}": get("detail", DETAIL), "/records": get("listing")}
        ingested(gloss, paths, server.url)
        done = gloss("probe", "--json")

    assert server.calls == ["GET /records", "GET /records/41"]
    detail = next(row for row in done.json["probes"] if row["tool"] == "api/detail")
    assert detail["values"] == {"id": "answer listing [].id"}


def test_no_brace_reaches_the_wire(gloss):
    with Scripted({"/records": Reply(body=b"[]")}) as server:
        paths = {"/records/{id}": get("detail", DETAIL), "/records": get("listing")}
        ingested(gloss, paths, server.url)
        done = gloss("probe", "--json")

    assert server.calls == ["GET /records"]
    assert outcomes(done)["detail"] == "skipped"
    assert "no value for id" in json.dumps(done.json)


def test_values_of_gloss_toml_go_first_and_secrets_are_not_shown(gloss):
    paths = {"/r/{id}": get("detail", DETAIL), "/k": get("keyed", f"{_query('key')}")}
    with Scripted({"/r/7": Reply(), "/k": Reply()}) as server:
        values = '[services.probe.values]\nid = 7\nkey = "env:KEY"\n'
        ingested(gloss, paths, server.url, values)
        plan = gloss("probe", "--plan", env={"KEY": "canary-value-1"})
        done = gloss("probe", env={"KEY": "canary-value-1"})

    assert sorted(server.calls) == ["GET /k?key=canary-value-1", "GET /r/7"]
    assert "id = 7 (gloss.toml)" in plan
    assert "canary-value-1" not in plan + plan.stderr + done + done.stderr


def _query(name: str) -> str:
    return f"parameters: [{{name: {name}, in: query, required: true, schema: {{type: string}}}}]"


def test_a_detail_that_came_later_gets_its_value_from_a_list_called_again(gloss):
    routes = {"/records": Reply(body=b'[{"id": 41}]'), "/records/41": Reply()}
    with Scripted(routes) as server:
        ingested(gloss, {"/records": get("listing")}, server.url)
        gloss("probe")
        ingested(gloss, {"/records": get("listing"), "/records/{id}": get("detail", DETAIL)})
        gloss("probe")

    assert server.calls == ["GET /records", "GET /records", "GET /records/41"]


# --- what is never called ----------------------------------------------------------------------


def test_what_deletes_is_never_called_even_as_a_get(gloss):
    paths = {
        "/jobs/purge": get("purge", "summary: Deletes all finished jobs"),
        "/jobs": get("jobs"),
        "/mail": get("mail", "summary: Sends a letter to everybody"),
    }
    with Scripted({"/jobs": Reply()}) as server:
        ingested(gloss, paths, server.url)
        gloss("probe")

    assert server.calls == ["GET /jobs"]


def test_no_value_and_no_header_of_a_spec_makes_a_get_change_something(gloss):
    def one(place, name, choices):
        schema = f"schema: {{type: string, enum: [{choices}]}}"
        return f"parameters: [{{name: {name}, in: {place}, required: true, {schema}}}]"

    paths = {
        "/a": get("a", one("query", "action", "purge")),
        "/b": get("b", one("query", "action", "deleteAll, list")),
        "/c": get("c", one("header", "X-HTTP-Method-Override", "GET")),
        "/d": get("d", one("query", "_method", "DELETE")),
        "/e": get("e", one("header", "Host", "elsewhere.example")),
    }
    with Scripted({"/b": Reply(), "/e": Reply()}) as server:
        ingested(gloss, paths, server.url)
        gloss("probe")

    assert sorted(server.calls) == ["GET /b?action=list", "GET /e"]
    assert {one.headers["Host"] for one in server.seen} == {f"127.0.0.1:{server.port}"}


def test_a_post_is_sent_only_when_it_is_listed(gloss):
    posts = """
openapi: 3.0.3
info: {title: Posts, version: "1"}
paths:
  /search: {post: {operationId: search, responses: {"200": {description: ok}}}}
  /order: {post: {operationId: order, responses: {"200": {description: ok}}}}
"""
    gloss.write("posts.yaml", posts)
    gloss("ingest", "posts.yaml", "--service", "posts")
    with Scripted({"/search": Reply(body=b'{"hits": 1}')}) as server:
        base = config(posts=server.url)
        gloss.write("gloss.toml", base)
        gloss("probe")
        gloss.write("gloss.toml", base + 'probe = { allow = ["search", "typo"] }\n')
        done = gloss("probe")

    assert server.calls == ["POST /search"]
    assert "probe.allow names typo" in done.stderr


def test_a_listed_soap_operation_gets_its_values_whole(gloss, world):
    gloss("ingest", SAMPLES / "crm.wsdl", "--service", "crm")
    probe = """
[services.probe]
allow = ["updCust"]
[services.probe.values]
custId = "C-1003"
[services.probe.values.updCust]
dat.mainPhone = "1"
dat.address = { street = "s", town = "t", postcode = "p", countryCode = "GB" }
"""
    gloss.write("gloss.toml", config(crm=world.soap_url) + probe)
    world.forget()
    done = gloss("probe", "crm/updCust", "--json")

    (call,) = world.calls()
    assert outcomes(done)["updCust"] == "alive"
    assert call.arguments["custId"] == "C-1003"
    assert call.arguments["dat"]["address"]["town"] == "t"


def test_the_address_of_the_spec_is_not_called_unless_confirmed(gloss):
    with Scripted({"/a": Reply(body=b'{"x": 1}')}) as server:
        text = spec({"/a": get("a")}) + f"servers: [{{url: '{server.url}'}}]\n"
        gloss.write("own.yaml", text)
        gloss("ingest", "own.yaml", "--service", "own")
        nothing = gloss("probe", "own")
        private = gloss("probe", "--spec-address", "--json")
        before = list(server.calls)
        allowed = gloss("probe", "--spec-address", "--allow-host", "127.0.0.1", "--json")

    assert nothing.exit_code == 2
    assert "--base-url" in nothing.stderr
    assert before == []
    assert outcomes(private) == {"a": "skipped"}
    assert outcomes(allowed) == {"a": "alive"}


def test_headers_of_gloss_toml_go_to_no_other_host(gloss, stranger):
    with Scripted({"/a": Reply()}) as server:
        headers = 'headers = { X-Api-Key = "canary-key-42" }\n'
        ingested(gloss, {"/a": get("a")}, "http://api.example", headers)
        done = gloss("probe", "api", "--base-url", server.url)

    assert server.calls == ["GET /a"]
    assert "X-Api-Key" not in server.seen[0].headers
    assert "not sent there" in done.stderr


def test_cookies_are_not_kept(gloss):
    reply = Reply(headers={"Set-Cookie": "session=canary"})
    with Scripted({"/a": reply, "/b": reply}) as server:
        ingested(gloss, {"/a": get("a"), "/b": get("b")}, server.url)
        gloss("probe", "--concurrency", "1")

    assert [one.headers.get("Cookie") for one in server.seen] == [None, None]


# --- limits ------------------------------------------------------------------------------------


def test_max_requests_is_a_clean_stop_and_the_next_run_goes_on(gloss):
    paths = {f"/{name}": get(f"op_{name}") for name in "abcde"}
    with Scripted({path: Reply(body=b'{"x": 1}') for path in paths}) as server:
        ingested(gloss, paths, server.url)
        stopped = gloss("probe", "--max-requests", "2")
        count = len(server.calls)
        gloss("probe")

    assert stopped.exit_code == 6
    assert "--max-requests 2 is reached" in stopped.stderr
    assert count == 2
    assert sorted(server.calls) == sorted(f"GET {path}" for path in paths)


def test_the_whole_probe_ends_within_its_limit(gloss):
    paths = {f"/{name}": get(f"op_{name}") for name in "abc"}
    with Scripted(dict.fromkeys(paths, scripted.silent)) as server:
        ingested(gloss, paths, server.url)
        done = gloss("probe", "--time-limit", "0.4", "--timeout", "30", "--concurrency", "1")

    assert done.exit_code == 6
    assert len(server.calls) == 1


def test_a_long_retry_after_is_kept_and_ends_the_host(gloss):
    paths = {f"/{name}": get(f"op_{name}") for name in "abc"}
    busy = Reply(429, headers={"Retry-After": "3600"})
    with Scripted(dict.fromkeys(paths, busy)) as server:
        ingested(gloss, paths, server.url)
        done = gloss("probe", "--concurrency", "1", "--json")
        first = next(row for row in done.json["probes"] if row["outcome"] == "slow-down")
        tool = first["tool"]
        gloss("probe", "--concurrency", "1")
        plan = gloss("probe", "--plan", "--json").json

    assert first["retry_after_s"] == 3600
    assert server.calls.count(server.calls[0]) == 1
    left = {entry["tool"]: entry["reason"] for entry in plan["services"][0]["left"]}
    assert "asked to wait until" in left[tool]


def test_interrupted_what_is_there_stays(gloss):
    paths = {"/a": get("a"), "/b": get("b")}
    with Scripted({"/a": Reply(body=b'{"x": 1}'), "/b": scripted.silent}) as server:
        ingested(gloss, paths, server.url)
        asked = _Reached(server, 2)
        process = subprocess.Popen(
            [sys.executable, "-m", "cli", "probe", "--concurrency", "1", "--timeout", "60"],
            cwd=gloss.folder,
            env=gloss.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        asked.wait()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)

    assert process.returncode == 130, stderr
    assert b"Traceback" not in stderr
    assert gloss("show", "api/a", "--json").json["shape"]["properties"] == {
        "x": {"type": "integer"}
    }


class _Reached:
    """Waits until a server was asked so many times, without looking at a clock."""

    def __init__(self, server: Scripted, count: int) -> None:
        import threading

        self._event = threading.Event()
        event = self._event

        class Counting(list):
            def append(self, one):
                super().append(one)
                if len(self) >= count:
                    event.set()

        server.seen = Counting(server.seen)

    def wait(self) -> None:
        assert self._event.wait(60)


# --- plan files --------------------------------------------------------------------------------


def test_a_plan_runs_as_it_was_saved(gloss):
    paths = {"/a": get("a"), "/b": get("b")}
    with Scripted({path: Reply() for path in paths}) as server:
        ingested(gloss, paths)
        gloss("probe", "--plan", "--plan-file", "plan.json", "--base-url", server.url)
        plan = json.loads((gloss.folder / "plan.json").read_text())
        plan["services"][0]["calls"] = plan["services"][0]["calls"][:1]
        gloss.write("plan.json", json.dumps(plan))
        done = gloss("probe", "--plan-file", "plan.json")

    assert done.exit_code == 0, done.stderr
    assert server.calls == ["GET /a"]


def test_a_plan_is_refused_once_the_spec_changed(gloss):
    with Scripted({"/a": Reply()}) as server:
        ingested(gloss, {"/a": get("a")})
        gloss("probe", "--plan", "--plan-file", "plan.json", "--base-url", server.url)
        ingested(gloss, {"/a": get("a", "summary: Something else")})
        done = gloss("probe", "--plan-file", "plan.json")

    assert done.exit_code == 1
    assert "changed since the plan was made" in done.stderr
    assert server.calls == []


def test_a_line_added_to_a_plan_by_hand_is_not_sent(gloss):
    paths = {"/a": get("a"), "/jobs/purge": get("purge")}
    with Scripted({path: Reply() for path in paths}) as server:
        ingested(gloss, paths)
        gloss("probe", "--plan", "--plan-file", "plan.json", "--base-url", server.url)
        plan = json.loads((gloss.folder / "plan.json").read_text())
        calls = plan["services"][0]["calls"]
        calls.append({**calls[0], "tool": "api/purge"})
        gloss.write("plan.json", json.dumps(plan))
        gloss("probe", "--plan-file", "plan.json")

    assert server.calls == ["GET /a"]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"kind": "gloss probe plan"}'])
def test_what_is_no_plan_is_refused(gloss, text):
    gloss.write("plan.json", text)

    assert gloss("probe", "--plan-file", "plan.json").exit_code == 1


# --- nobody's data -----------------------------------------------------------------------------


def test_canaries_appear_nowhere(gloss):
    body = {
        "auth": CANARIES["token"],
        "status": CANARIES["mail"],
        "type": CANARIES["card"],
        "people": {CANARY_NAME: {"kind": CANARIES["token"], "n": 1}},
        "records": [{"id": 5, "state": CANARY_NAME}],
        CANARIES["mail"]: 1,
    }
    headers = {"Location": f"/x/{CANARIES['token']}", "Retry-After": "0", "X-Note": CANARY_NAME}
    routes = {
        "/a": Reply(body=json.dumps(body).encode(), headers=headers),
        "/records/5": Reply(404, json.dumps(body).encode()),
        "/moved": Reply(302, headers=headers),
        "/fault": Reply(500, json.dumps(body).encode(), content_type=f"text/{CANARY_NAME}"),
    }
    with Scripted(routes) as server:
        paths = {
            "/a": get("a"),
            "/records/{id}": get("detail", DETAIL),
            "/moved": get("moved"),
            "/fault": get("fault"),
        }
        ingested(gloss, paths, server.url)
        said = [
            gloss("probe", "--json"),
            gloss("probe", "--plan", "--plan-file", "plan.json"),
            gloss("show", "api/a"),
            gloss("show", "api/a", "--json"),
            gloss("tools", "--json"),
            gloss("opt-in", "api"),
            gloss("enrich", "--show-prompt", "api/a"),
        ]
    texts = [text for done in said for text in (done, done.stderr)]
    texts.append(_rows(gloss))
    texts.append((gloss.folder / "plan.json").read_text())
    assert len(server.calls) == 4
    for canary in (*CANARIES.values(), "Zebulon", "Quartermain"):
        assert not [text for text in texts if canary in text], canary


def _rows(gloss: Gloss) -> str:
    """Every row of every table of the catalog, as text."""
    with psycopg.connect(gloss.environment["GLOSS_DATABASE_URL"]) as conn:
        query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        tables = [name for (name,) in conn.execute(query)]
        found = {
            name: conn.execute(f'SELECT t::text FROM "{name}" t').fetchall() for name in tables
        }
    assert len(found["samples"]) == 4
    return str(found)


def test_values_are_kept_only_when_asked_and_marked(gloss):
    with Scripted({"/a": Reply(body=b'{"sku": "TB-4410", "mail": "a@b.example"}')}) as server:
        ingested(gloss, {"/a": get("a")}, server.url)
        gloss("probe")
        without = gloss("show", "api/a", "--json")
        gloss("probe", "--again", "--keep-values")
        kept = gloss("show", "api/a", "--json")

    assert "TB-4410" not in without
    assert "TB-4410" in kept
    assert "a@b.example" not in kept
    assert kept.json["sample"]["values_kept"] is True


def test_an_answer_that_contradicts_the_spec_is_reported(gloss):
    typed = """{operationId: typed, responses: {"200": {description: ok, content: {application/json:
      {schema: {type: object, required: [id], properties: {n: {type: string}}}}}}}}"""
    with Scripted({"/a": Reply(body=b'{"n": 7}')}) as server:
        ingested(gloss, {"/a": typed}, server.url)
        done = gloss("probe")

    assert "n: an integer, the spec says string" in done.stderr
    assert "id: missing, the spec requires it" in done.stderr
    assert "contradicts" in gloss("show", "api/typed")


def test_examples_of_the_spec_are_samples(gloss):
    example = """{operationId: shown, responses: {"200": {description: ok, content:
      {application/json: {schema: {type: object},
        example: {orderNo: O-1, placedOn: "2025-03-01"}}}}}}"""
    ingested(gloss, {"/a": example})

    shape = gloss("show", "api/shown", "--json").json["shape"]
    assert shape["properties"] == {
        "orderNo": {"type": "string"},
        "placedOn": {"type": "string", "format": "date"},
    }


# --- words on the command line -----------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("probe",),
        ("probe", "nosuch"),
        ("probe", "api/nosuch"),
        ("probe", "--base-url", "ftp://x"),
        ("probe", "--base-url", "http://u:p@host"),
        ("probe", "--plan-file", "nosuch.json"),
        ("probe", "--rate", "0"),
    ],
    ids=" ".join,
)
def test_wrong_words_say_what_to_type(gloss, words):
    ingested(gloss, {"/a": get("a")})
    done = gloss(*words)

    assert done.exit_code in (1, 2)
    assert "try:" in done.stderr


def test_a_plan_without_an_address_says_what_is_missing(gloss):
    ingested(gloss, {"/a": get("a")})

    assert "base_url" in gloss("probe", "--plan")
    assert gloss("probe", "--plan").exit_code == 0


def test_one_address_is_for_one_service(gloss):
    ingested(gloss, {"/a": get("a")})
    gloss.write("two.yaml", spec({"/b": get("b")}, title="Two"))
    gloss("ingest", "two.yaml", "--service", "two")

    assert gloss("probe", "--base-url", "http://127.0.0.1:9").exit_code == 2
