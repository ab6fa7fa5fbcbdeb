"""Every way an endpoint can answer, refuse or fail; counted at the server."""

import json

import pytest

from tests.enrichment.conftest import TOOLS
from tests.fakes import Response, entries, good, model


def refuses(*parameters):
    """A server that minds these parameters, by name or by the type they ask for."""

    def script(request, number):
        asked = request.body.get("response_format", {})
        named = {
            "response_format": bool(asked),
            "json_schema": asked.get("type") == "json_schema",
            "strict": bool(asked.get("json_schema", {}).get("strict")),
            "tools": "tools" in request.body,
        }
        for parameter in parameters:
            if named[parameter]:
                return Response(status=400, error=f"{parameter} is not supported")
        return good(request)

    return script


RUNGS = {
    "strict schema": (),
    "schema": ("strict",),
    "tool call": ("json_schema",),
    "json object": ("json_schema", "tools"),
    "plain text": ("response_format", "tools"),
}


@pytest.mark.parametrize("minded", RUNGS.values(), ids=RUNGS)
def test_the_strictest_form_the_endpoint_takes_is_used_and_remembered(desk, minded):
    with model(refuses(*minded)) as served:
        desk.point_at(served.url, max_concurrency=1)
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    assert sorted(desk.proposals()) == sorted(TOOLS)
    forms = [
        json.dumps(r.body.get("response_format", r.body.get("tools"))) for r in served.requests
    ]
    refused = forms[: forms.index(forms[-1])]
    assert len(set(refused)) == len(refused), "a form that was refused is not tried again"
    assert set(forms[len(refused) :]) == {forms[-1]}


def test_a_forced_tool_call_is_read_from_its_arguments(desk):
    def script(request, number):
        if "tools" not in request.body:
            return Response(status=400, error="response_format json_schema is not supported")
        return Response(text=None, arguments=entries(request))

    with model(script) as served:
        desk.point_at(served.url)
        desk.enrich()

    assert sorted(desk.proposals()) == sorted(TOOLS)


def test_a_form_refused_as_a_fault_of_the_server_is_climbed_down_from(desk):
    """llama-cpp-python 0.3.36 answers 500 to a type of response_format that it does not know."""
    minded = (
        "1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), "
        "'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}"
    )

    def script(request, number):
        if request.body.get("response_format", {}).get("type") == "json_schema":
            return Response(status=500, error=minded)
        return good(request)

    with model(script) as served:
        desk.point_at(served.url, max_concurrency=1)
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    assert sorted(desk.proposals()) == sorted(TOOLS)


WRAPPED = {
    "fences": "```json\n{}\n```",
    "prose": "Here is the JSON you asked for:\n{}\nI hope that helps!",
    "thoughts with braces": '<think>The user wants {{"tools": [...]}}. I write it.</think>\n{}',
    "an object of another form first": '{{"note": "working on it"}}\n{}',
}


@pytest.mark.parametrize("frame", WRAPPED.values(), ids=WRAPPED)
def test_json_is_found_in_what_surrounds_it(desk, frame):
    with model(lambda request, _: Response(frame.format(entries(request)))) as served:
        desk.point_at(served.url)
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    assert sorted(desk.proposals()) == sorted(TOOLS)


NO_ANSWER = {
    "empty": Response(""),
    "reasoning only": Response(None, extra={"reasoning_content": '{"tools": []}'}),
    "thoughts only": Response("<think>so be it"),
    "refused": Response(None, extra={"refusal": "I cannot help with that."}),
    "filtered": Response("", finish_reason="content_filter"),
    "half an object": Response('{"tools": [{"number": 1, "name": "get_order'),
    "no object": Response("I would call it get_order_progress."),
    "wrong types": Response('{"tools": [{"number": "one", "name": 7}]}'),
    "another form": Response('{"summary": "Lists bins."}'),
}


@pytest.mark.parametrize("answer", NO_ANSWER.values(), ids=NO_ANSWER)
def test_no_answer_leaves_the_tools_unenriched_and_named(desk, answer):
    with model(lambda *_: answer) as served:
        desk.point_at(served.url)
        done = desk.enrich()

    assert done.exit_code == 5
    assert desk.proposals() == {}
    for tool in TOOLS:
        assert f"legacy/{tool}: not enriched" in done.stderr
    assert len(served.requests) <= 2 * 4, "at most one repair for each group"


def test_a_reply_that_was_cut_off_is_asked_once_more_with_more_room(desk):
    def script(request, number):
        first = sum(r.body["messages"] == request.body["messages"] for r in served.requests) == 1
        return Response('{"tools": [', finish_reason="length") if first else good(request)

    with model(script) as served:
        desk.point_at(served.url)
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    rooms = [r.body["max_tokens"] for r in served.requests]
    assert max(rooms) > min(rooms)
    assert sorted(desk.proposals()) == sorted(TOOLS)


def test_a_wrong_key_stops_the_run_at_once_and_is_not_shown(desk):
    with model(lambda *_: Response(status=401, error="wrong key")) as served:
        desk.point_at(served.url, max_concurrency=1)
        done = desk.enrich()

    assert done.exit_code == 4
    assert len(served.requests) == 1
    assert "sk-not-a-real-key" not in done + done.stderr


def test_a_wrong_key_in_the_middle_keeps_what_was_written(desk):
    def script(request, number):
        return good(request) if number == 1 else Response(status=401, error="key revoked")

    with model(script) as served:
        desk.point_at(served.url, max_concurrency=1)
        done = desk.enrich()
        first = served.requests[0].operations

    assert done.exit_code == 4
    assert sorted(desk.proposals()) == sorted(first)


def test_being_told_to_slow_down_is_heeded_and_counted_in_one_place(desk):
    def script(request, number):
        if number <= 2:
            return Response(status=429, error="slow down", headers={"Retry-After": "0"})
        return good(request)

    with model(script) as served:
        desk.point_at(served.url, max_concurrency=1)
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    first = served.requests[0].operations
    assert sum(r.operations == first for r in served.requests) == 3


def test_an_endpoint_that_never_recovers_is_try_later(desk):
    storm = Response(status=429, error="slow down", headers={"Retry-After": "0"})
    with model(lambda *_: storm) as served:
        desk.point_at(served.url, max_concurrency=1)
        done = desk.enrich()

    assert done.exit_code == 75
    assert len(served.requests) == 3


def test_a_quota_that_is_used_up_is_no_rate_limit(desk):
    used_up = Response(status=429, error="You exceeded your quota", code="insufficient_quota")
    with model(lambda *_: used_up) as served:
        desk.point_at(served.url, max_concurrency=1)
        done = desk.enrich()

    assert done.exit_code == 6
    assert len(served.requests) == 1


def test_a_prompt_the_endpoint_will_not_take_costs_only_its_tools(desk):
    def script(request, number):
        if "delNote" in request.operations:
            return Response(status=400, error="this prompt is longer than the model's context")
        return good(request)

    with model(script) as served:
        desk.point_at(served.url, max_concurrency=1)
        done = desk.enrich()
        assert done.exit_code == 5
        assert sorted(desk.proposals()) == sorted(set(TOOLS) - {"delNote"})

        served.script = good
        served.requests.clear()
        again = desk.enrich()

    assert again.exit_code == 0
    assert served.asked_about == ["delNote"]


def test_a_connection_that_is_cut_is_tried_again(desk):
    def script(request, number):
        return Response(cut_connection=True) if number == 1 else good(request)

    with model(script) as served:
        desk.point_at(served.url, max_concurrency=1, timeout_s=20)
        done = desk.enrich()

    assert done.exit_code == 0, done.stderr
    assert sorted(desk.proposals()) == sorted(TOOLS)


def test_nobody_at_the_address_is_try_later_and_names_it(desk):
    desk.point_at("http://127.0.0.1:9/v1", max_concurrency=1)

    done = desk.enrich()

    assert done.exit_code == 75
    assert "127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_such_model_is_a_matter_of_settings(desk):
    with model(lambda *_: Response(status=404, error="no model m")) as served:
        desk.point_at(served.url, max_concurrency=1)
        done = desk.enrich()

    assert done.exit_code == 2
    assert "no model m" in done.stderr
