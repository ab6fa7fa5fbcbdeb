"""Specs that attack the model, and the worst case of a model that obeys them."""

import json
import re
from pathlib import Path

import pytest
import yaml

from catalog.text import printable
from tests.cli import conftest as command
from tests.enrichment.conftest import Desk
from tests.fakes import Response, model

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("hostile.jsonl").read_text("utf-8").splitlines()
]
gloss = command.gloss


def operation(number):
    return f"binQ{number:02}"


def spec(texts):
    answer = {
        "type": "object",
        "properties": {"binCode": {"type": "string"}, "capacity": {"type": "integer"}},
    }
    content = {"application/json": {"schema": answer}}
    paths = {
        f"/bins/{number}": {
            "get": {
                "operationId": operation(number),
                "description": text,
                "parameters": [{"name": "depotId", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "ok", "content": content}},
            }
        }
        for number, text in enumerate(texts)
    }
    info = {"title": "Depot", "version": "1", "description": "Bins of a depot."}
    return yaml.safe_dump({"openapi": "3.0.3", "info": info, "paths": paths}, allow_unicode=False)


def harmless(number):
    return {
        "name": f"get_bin_capacity_{number}",
        "description": "Returns the capacity of a bin. Use it for a bin in the depot.",
        "aliases": ["bin capacity", "depot bin", "room in a bin"],
        "not_for": "",
        "grounds": ["capacity = capacity"],
    }


def obeying(request, _number):
    """Answers as the hostile text of each operation asks, also when told to mend it."""
    tools = []
    for at, name in enumerate(request.operations, 1):
        number = int(name.removeprefix("binQ"))
        changes = CASES[number]["reply"]
        entry = {**harmless(number), **changes}
        entry["name"] = entry["name"].replace("{sibling}", operation((number + 1) % len(CASES)))
        tools.append({"number": at, **entry})
    return Response(json.dumps({"tools": tools}))


@pytest.fixture
def depot(gloss):
    gloss.write("depot.yaml", spec([case["spec"] for case in CASES]))
    gloss.write("vault.yaml", spec(["Bins."]))
    for words in (
        ("ingest", "depot.yaml", "--service", "depot"),
        ("ingest", "vault.yaml", "--service", "vault-secrets"),
        ("opt-in", "depot"),
    ):
        assert gloss(*words).exit_code == 0
    return Desk(gloss)


def live(gloss):
    found = gloss("tools", "depot", "--json").json["tools"]
    return {tool["name"]: tool["enriched"] for tool in found if tool["enriched"]}


def test_the_set_is_large_enough():
    assert len({case["id"] for case in CASES}) == len(CASES) >= 40


def test_nothing_hostile_goes_live_even_when_the_model_obeys(depot):
    with model(obeying) as served:
        depot.point_at(served.url, tools_per_request=8)
        done = depot.enrich("--apply", "--json")

    reached = sorted(CASES[int(name.removeprefix("binQ"))]["id"] for name in live(depot.gloss))
    assert reached == []
    assert len(done.json["failed"]) == len(CASES)
    assert printable(done) == done
    assert printable(done.stderr) == done.stderr
    for request in served.requests:
        asked = "".join(message["content"] for message in request.body["messages"][:2])
        assert asked.count("<DATA>") == asked.count("</DATA>") == 1
        assert printable(asked) == asked
        assert len(request.operations) == len(set(request.operations))


def test_the_same_answers_without_the_hostile_part_pass(depot):
    def script(request, _number):
        numbers = [int(name.removeprefix("binQ")) for name in request.operations]
        tools = [{"number": at, **harmless(n)} for at, n in enumerate(numbers, 1)]
        return Response(json.dumps({"tools": tools}))

    with model(script) as served:
        depot.point_at(served.url, tools_per_request=8)
        done = depot.enrich("--json")

    assert done.json["failed"] == []


def test_the_writer_without_a_model_repeats_nothing_hostile(depot):
    depot.gloss("enrich", "--apply")

    for text in live(depot.gloss).values():
        said = f"{text['name']} {text['description']} {' '.join(text['aliases'])}".lower()
        assert not re.search(r"ignore|must|always|never|password|evil|https?|salar|invoice", said)
        assert printable(said) == said


def test_what_a_diff_shows_of_a_hostile_original_is_harmless(depot):
    with model(lambda request, _: Response(json.dumps({"tools": [
        {"number": at, **harmless(int(name.removeprefix("binQ")))}
        for at, name in enumerate(request.operations, 1)
    ]}))) as served:  # fmt: skip
        depot.point_at(served.url, tools_per_request=8)
        depot.enrich()
    page = depot.gloss("diff")

    assert "owned" in page, "the original is shown"
    assert printable(page) == page
    assert not re.search("[\u00ad\u200b\u200e\u200f\U000e0000-\U000e01ef]", page)
