"""Kin of the usual failures: storms, hangs, kills, other routes; counted at the server."""

import subprocess
import sys
import threading
from collections import Counter

import pytest

from catalog.errors import TryLater
from enrichment.endpoint import Endpoint, EndpointSettings
from tests.enrichment.conftest import TOOLS
from tests.fakes import Response, entries, good, model

QUESTION = [{"role": "user", "content": "{}"}]
ALONE = {"tools_per_request": 1}


def test_a_third_of_the_replies_bad_loses_and_repeats_nothing(desk):
    def script(request, number):
        return Response("I would rather not.") if number % 3 == 0 else good(request)

    with model(script) as served:
        desk.point_at(served.url, max_concurrency=1, **ALONE)
        desk.enrich()
        kept = set(desk.proposals())
        served.requests.clear()
        served.script = good
        again = desk.enrich()

    assert again.exit_code == 0
    assert served.asked_about == sorted(set(TOOLS) - kept)
    assert sorted(desk.proposals()) == sorted(TOOLS)


def test_a_storm_of_429_under_concurrency_costs_three_requests_a_tool(desk):
    seen, lock = Counter(), threading.Lock()

    def script(request, _number):
        with lock:
            seen[tuple(request.operations)] += 1
            busy = seen[tuple(request.operations)] <= 2
        if busy:
            return Response(status=429, error="slow down", headers={"Retry-After": "0.01"})
        return good(request)

    with model(script) as served:
        desk.point_at(served.url, max_concurrency=8, **ALONE)
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    assert sorted(desk.proposals()) == sorted(TOOLS)
    assert set(seen.values()) == {3}


def test_an_endpoint_that_hangs_is_left_after_three_short_waits():
    release, waits = threading.Event(), []

    def script(request, _number):
        release.wait(20)
        return good(request)

    with model(script) as served:
        endpoint = Endpoint(EndpointSettings(served.url, "m", timeout_s=0.2), wait=waits.append)
        with pytest.raises(TryLater, match=r"no answer within 0\.2 s"):
            endpoint.ask(QUESTION, {}, 50)
        count = len(served.requests)
        release.set()

    assert count == endpoint.requests == 3
    assert len(waits) == 2
    assert 0 < waits[0] < waits[1] * 4 < 60


def test_a_kill_in_the_middle_loses_only_what_was_in_flight(desk):
    running: list[subprocess.Popen] = []

    def script(request, number):
        if number == 3:
            running[0].kill()
        return good(request)

    with model(script) as served:
        desk.point_at(served.url, max_concurrency=1, **ALONE)
        environment = {**desk.gloss.environment, "MODEL_KEY": "sk-not-a-real-key"}
        command = [sys.executable, "-m", "cli", "enrich"]
        running.append(subprocess.Popen(command, cwd=desk.gloss.folder, env=environment))
        running[0].wait(60)
        first = served.asked_about
        kept = set(desk.proposals())
        served.requests.clear()
        served.script = good
        again = desk.enrich()

    assert len(first) == 3
    assert len(kept) == 2
    assert again.exit_code == 0
    assert served.asked_about == sorted(set(TOOLS) - kept)
    assert sorted(desk.proposals()) == sorted(TOOLS)


def test_azure_with_a_dated_version_has_its_own_path_and_key_header(desk):
    with model() as served:
        root = served.url.removesuffix("/v1")
        desk.point_at(root, model="small", api_version="2024-10-21")
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    path = "/openai/deployments/small/chat/completions?api-version=2024-10-21"
    assert {request.path for request in served.requests} == {path}
    assert {request.headers.get("api-key") for request in served.requests} == {"sk-not-a-real-key"}


def test_azure_by_its_v1_route_is_like_any_other(desk):
    with model() as served:
        desk.point_at(served.url.removesuffix("/v1") + "/openai/v1/")
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    assert {request.path for request in served.requests} == {"/openai/v1/chat/completions"}


def test_a_proxy_of_the_environment_is_used(desk):
    with model() as served:
        desk.point_at("http://llm.internal.example:8000/v1")
        proxy = {"http_proxy": served.url.removesuffix("/v1"), "MODEL_KEY": "sk-not-a-real-key"}
        done = desk.gloss("enrich", env=proxy)

    assert done.exit_code == 0, done.stderr
    wanted = "http://llm.internal.example:8000/v1/chat/completions"
    assert {request.path for request in served.requests} == {wanted}


def test_models_that_set_their_own_temperature_and_limit_are_asked_their_way(desk):
    def script(request, _number):
        for name, instead in (("max_tokens", "max_completion_tokens"), ("temperature", "1")):
            if name in request.body:
                said = f"Unsupported parameter: '{name}' is not supported. Use '{instead}'."
                return Response(status=400, error=said)
        return good(request)

    with model(script) as served:
        desk.point_at(served.url, max_concurrency=1)
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    assert sorted(desk.proposals()) == sorted(TOOLS)
    refused = [r for r in served.requests if "max_tokens" in r.body or "temperature" in r.body]
    assert len(refused) == 2, "what was minded is not sent again"


def test_content_that_is_no_text_is_no_answer(desk):
    with model(lambda *_: Response([{"type": "text", "text": "{}"}])) as served:
        desk.point_at(served.url)
        done = desk.enrich()

    assert done.exit_code == 5
    assert "Traceback" not in done.stderr


DOCTOR = {
    "strict-schema": lambda request, _: Response('{"tools": []}'),
    "text": lambda request, _: (
        Response(status=400, error="response_format and tools are not supported")
        if "response_format" in request.body or "tools" in request.body
        else Response('Sure: {"tools": []}', usage=None)
    ),
}


@pytest.mark.parametrize("form", DOCTOR)
def test_the_doctor_says_what_the_endpoint_can_do(desk, form):
    with model(DOCTOR[form]) as served:
        desk.point_at(served.url)
        done = desk.gloss("doctor", "--llm", "--json", env={"MODEL_KEY": "sk-not-a-real-key"})

    found = {check["check"]: check for check in done.json["checks"]}
    assert found["llm"]["state"] == "ok"
    assert f"m, {form}, " in found["llm"]["found"]
    assert ("llm usage" in found) == (form == "text")
    assert len(served.requests) <= 5
    assert "sk-not-a-real-key" not in done


def test_the_doctor_says_why_an_endpoint_does_not_answer(desk):
    with model(lambda *_: Response(status=401, error="wrong key")) as served:
        desk.point_at(served.url)
        done = desk.gloss("doctor", "--llm", env={"MODEL_KEY": "sk-not-a-real-key"})

    assert done.exit_code == 1
    assert "wrong key" in done


def test_the_doctor_asks_nobody_unless_told_to(desk):
    with model() as served:
        desk.point_at(served.url)
        desk.gloss("doctor", env={"MODEL_KEY": "sk-not-a-real-key"})

    assert served.requests == []


def test_usage_with_no_numbers_in_it_is_counted_by_letters(desk):
    with model(lambda request, _: Response(entries(request), usage=None)) as served:
        desk.point_at(served.url, price_in=2.5, price_out=10.0)
        done = desk.enrich("--json")

    assert done.json["input_tokens"] > 100
    assert done.json["cost_usd"] > 0
