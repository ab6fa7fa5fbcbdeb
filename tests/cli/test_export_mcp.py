"""`gloss export --format mcp`: tool definitions that a gateway can serve as they are."""

import json
import re

import pytest
from jsonschema import Draft202012Validator

from tests.cli.exchanging import LEGACY, NOTE, PROGRESS, STATUS, Exchange, enriched, with_text

SHAPES = {
    "named": {"$ref": "#/components/schemas/Thing"},
    "listed": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
    "plain": {"type": "string"},
    "either": {"oneOf": [{"$ref": "#/components/schemas/Thing"}, {"type": "object"}]},
    "maybe": {"type": ["object", "null"]},
    "tree": {"$ref": "#/components/schemas/Tree"},
    "rows": {"$ref": "#/components/schemas/Rows"},
}
WRAPPED = {"listed", "plain", "maybe", "rows"}


def shop(version="3.1.0"):
    schemas = {
        "Thing": {"type": "object", "properties": {"id": {"type": "string"}}},
        "Rows": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
        "Tree": {
            "type": "object",
            "properties": {
                "below": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}
            },
        },
    }
    paths = {
        f"/{name}": {
            "get": {
                "operationId": name,
                "summary": f"The {name} one",
                "responses": {
                    "200": {"description": "ok", "content": {"application/json": {"schema": shape}}}
                },
            }
        }
        for name, shape in SHAPES.items()
    }
    info = {"title": "Shop", "version": "1"}
    return {"openapi": version, "info": info, "paths": paths, "components": {"schemas": schemas}}


def definitions(gloss, *words):
    done = gloss("export", *words, "--format", "mcp")
    assert done.exit_code == 0, done.stderr
    return {tool["_meta"]["apigloss/tool"]: tool for tool in done.json["tools"]}


@pytest.fixture
def desk(gloss):
    gloss("ingest", LEGACY, "--service", "legacy")
    desk = Exchange(gloss)
    assert desk.edit(with_text(PROGRESS, STATUS, NOTE)).exit_code == 0
    return desk


def test_an_agent_reads_the_clearer_text_and_calls_the_original(desk):
    tool = definitions(desk.gloss)[PROGRESS]

    assert tool["name"] == "getProcInfo3"
    assert tool["title"] == "Get order progress"
    assert tool["description"] == (
        enriched(PROGRESS)["description"]
        + "\n\nNot for complaints.\n\nOriginal: See documentation."
    )
    assert tool["inputSchema"]["required"] == ["custId"]
    assert tool["_meta"]["apigloss/wire"] == "GET /p3"
    assert tool["_meta"]["apigloss/aliases"] == enriched(PROGRESS)["aliases"]


def test_hints_are_what_the_method_promises(desk):
    tools = definitions(desk.gloss)

    assert tools[PROGRESS]["annotations"] == {"readOnlyHint": True}
    for tool in (STATUS, NOTE):  # PUT and DELETE
        assert tools[tool]["annotations"] == {
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": True,
        }
    assert "outputSchema" not in tools[NOTE]


def test_names_that_services_share_begin_with_the_service(desk):
    desk.gloss("ingest", LEGACY, "--service", "twin")
    together, alone = definitions(desk.gloss), definitions(desk.gloss, "twin")

    assert together[PROGRESS]["name"] == "legacy_getProcInfo3"
    assert together["twin/getProcInfo3"]["name"] == "twin_getProcInfo3"
    assert alone["twin/getProcInfo3"]["name"] == "getProcInfo3"


def test_an_answer_that_is_no_object_is_wrapped_in_one(gloss):
    gloss("ingest", gloss.write("shop.json", json.dumps(shop())))
    tools = definitions(gloss)

    for name in SHAPES:
        schema = tools[f"shop/{name}"]["outputSchema"]
        assert schema["type"] == "object"
        assert (list(schema.get("properties", {})) == ["result"]) == (name in WRAPPED)
        Draft202012Validator.check_schema(schema)
    listed = tools["shop/rows"]["outputSchema"]
    Draft202012Validator(listed).validate({"result": [{"id": "1"}]})
    assert not Draft202012Validator(listed).is_valid({"result": [{"id": 1}]})
    assert not Draft202012Validator(tools["shop/named"]["outputSchema"]).is_valid({"id": 1})


def test_the_sample_specs_as_definitions(samples):
    tools = definitions(samples)

    names = [tool["name"].lower() for tool in tools.values()]
    assert len(set(names)) == len(names) == 97
    for tool in tools.values():
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool["name"])
        assert tool["inputSchema"]["type"] == "object"
        Draft202012Validator.check_schema(tool["inputSchema"])
    assert samples("export", "--format", "mcp") == samples("export", "--format", "mcp")


def test_the_protocol_s_own_types_take_them(samples):
    types = pytest.importorskip("mcp.types", reason="the extra [mcp] is not installed")
    listed = types.ListToolsResult.model_validate(samples("export", "--format", "mcp").json)

    assert len(listed.tools) == 97
    tool = next(tool for tool in listed.tools if tool.name == "get_customer")
    assert tool.annotations.read_only_hint is True
