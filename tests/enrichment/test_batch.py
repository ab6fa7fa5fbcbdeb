"""Batch files: questions out, answers in, in any order, some of them missing or wrong."""

import json

from tests.enrichment.conftest import TOOLS
from tests.fakes import Request, entries, model


def written(desk, **more):
    desk.point_at("http://127.0.0.1:9/v1", **more)
    done = desk.enrich("--batch-out", "ask.jsonl")
    assert done.exit_code == 0, done.stderr
    return [json.loads(line) for line in (desk.gloss.folder / "ask.jsonl").read_text().splitlines()]


def answer(question, text=None, **more):
    request = Request(question["url"], question["body"], {})
    message = {"role": "assistant", "content": entries(request) if text is None else text}
    body = {
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 400, "completion_tokens": 150, "total_tokens": 550},
    }
    response = {"status_code": 200, "body": body}
    return {"id": "b", "custom_id": question["custom_id"], "response": response, **more}


def taken(desk, lines, *words):
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    desk.gloss.write("answers.jsonl", text)
    return desk.enrich("--batch-in", "answers.jsonl", *words)


def test_a_line_is_a_request_of_the_batch_api(desk):
    questions = written(desk)

    ids = [question["custom_id"] for question in questions]
    assert len(set(ids)) == len(ids) > 1
    assert all(len(name) <= 64 for name in ids)
    for question in questions:
        assert (question["method"], question["url"]) == ("POST", "/v1/chat/completions")
        assert question["body"]["model"] == "m"
        assert question["body"]["response_format"]["type"] == "json_schema"
    assert "sk-not-a-real-key" not in json.dumps(questions)
    assert [q["custom_id"] for q in written(desk)] == ids


def test_answers_in_any_order_become_proposals_at_half_the_price(desk):
    questions = written(desk, price_in=2.5, price_out=10.0)
    done = taken(desk, [answer(question) for question in reversed(questions)], "--json")

    assert done.exit_code == 0, done.stderr
    assert sorted(desk.proposals()) == sorted(TOOLS)
    full = (400 * 2.5 + 150 * 10) / 1e6 * len(questions)
    assert 0.4 * full < done.json["cost_usd"] < 0.7 * full
    assert desk.enrich("--plan", "--json").json["plan"][0]["tools"] == 0


def test_missing_and_unknown_ids_are_named_and_the_rest_is_kept(desk):
    first, *others = written(desk)
    stranger = answer(first) | {"custom_id": "gloss-0000000000"}
    done = taken(desk, [stranger, *[answer(question) for question in others]])

    missing = set(TOOLS) - set(desk.proposals())
    assert 0 < len(missing) < len(TOOLS)
    assert "gloss-0000000000: answers nothing" in done.stderr
    for tool in missing:
        assert f"legacy/{tool}" in done.stderr
    assert desk.enrich("--plan", "--json").json["plan"][0]["tools"] == len(missing)


def test_an_answer_taken_twice_is_written_once(desk):
    questions = written(desk)
    lines = [answer(question) for question in questions]
    taken(desk, lines + lines)
    again = taken(desk, lines)

    assert sorted(desk.proposals()) == sorted(TOOLS)
    assert again.exit_code == 0
    assert "answers nothing" in again.stderr


def test_what_changed_since_is_not_answered(desk):
    questions = written(desk)
    text = (desk.gloss.folder / "legacy.yaml").write_text
    from tests.enrichment.conftest import LEGACY

    text(LEGACY.read_text().replace("complaintNo", "complaintNumber"))
    desk.gloss("ingest", "legacy.yaml", "--service", "legacy")
    done = taken(desk, [answer(question) for question in questions])

    assert "getProcInfo4" not in desk.proposals()
    assert "legacy/getProcInfo4" in done.stderr


def test_bad_lines_cost_only_their_tools(desk):
    first, *others = written(desk)
    failed = {"custom_id": first["custom_id"], "error": {"message": "too long"}, "response": None}
    lines = ["{half", '"text"', "[]", failed, *[answer(question) for question in others]]
    done = taken(desk, lines)

    assert done.exit_code == 5
    assert "too long" in done.stderr
    assert "Traceback" not in done.stderr
    assert desk.proposals()


def test_answers_are_checked_as_usual(desk):
    questions = written(desk)
    bad = {"delNote": {"name": "get_customer_note"}}
    lines = [answer(q, entries(Request("", q["body"], {}), **bad)) for q in questions]
    done = taken(desk, lines)

    assert done.exit_code == 5
    assert "only reads" in done.stderr
    assert sorted(desk.proposals()) == sorted(set(TOOLS) - {"delNote"})


def test_without_a_model_there_is_nothing_to_batch(desk):
    done = desk.gloss("enrich", "--batch-out", "ask.jsonl")

    assert done.exit_code == 2
    assert "base_url" in done.stderr


def test_writing_a_batch_calls_nothing(desk):
    with model() as served:
        desk.point_at(served.url)
        desk.enrich("--batch-out", "ask.jsonl")

    assert served.requests == []
