"""`gloss trace`: recorded traffic to shapes, and the calls that no spec has."""

import json

import pytest

from sample_specs.serving.people import READERS
from tests.cli.conftest import SAMPLES
from tests.probing.scripted import get, spec
from tests.probing.test_traces import SOAPUI, entry, har

ENVELOPE = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>'
    '<c:{0} xmlns:c="urn:tarnbrook:crm:2014">{1}</c:{0}></e:Body></e:Envelope>'
)


@pytest.fixture
def hr(gloss):
    gloss("ingest", SAMPLES / "hr.swagger.json", "--service", "hr")
    return gloss


def recorded(name, path, **arguments):
    return entry(f"https://hr.tarnbrook.example/hr{path}", json.dumps(READERS[name](arguments)))


def test_a_har_gives_shapes_and_names_what_is_not_in_the_spec(hr):
    pairs = [
        recorded("emp_q1", "/emp/q1?empNo=E-201", empNo="E-201"),
        recorded("emp_q1", "/emp/q1?empNo=E-202", empNo="E-202"),
        recorded("ps1", "/ps/PS-201-01", psId="PS-201-01"),
        entry("https://hr.tarnbrook.example/hr/secret/E-203/a@b.example?token=canary"),
        entry("https://hr.tarnbrook.example/hr/k1?empNo=E-1", '{"rc": 404}', status=404),
    ]
    hr.write("browser.har", har(*pairs))

    done = hr("trace", "browser.har", "--json")

    assert done.exit_code == 0, done.stderr
    tools = {tool["tool"]: tool for tool in done.json["tools"]}
    assert tools["hr/emp_q1"]["responses"] == 2
    assert tools["hr/k1"]["errors"] == 1
    assert done.json["unmatched"] == [
        {"call": "GET hr.tarnbrook.example/hr/secret/{}/{}", "count": 1}
    ]
    shape = hr("show", "hr/emp_q1", "--json").json["shape"]
    assert shape["properties"]["workEmail"] == {"type": "string", "format": "email"}
    assert "canary" not in done + done.stderr
    assert hr("show", "hr/k1", "--json").json["shape"] is None


def test_the_same_recording_twice_changes_nothing(hr):
    hr.write("a.har", har(recorded("ps1", "/ps/PS-201-01", psId="PS-201-01")))
    hr("trace", "a.har")
    before = hr("show", "hr/ps1", "--json").json["shape"]
    hr("trace", "a.har")

    assert hr("show", "hr/ps1", "--json").json["shape"] == before


def test_what_was_recorded_is_not_probed_again(hr):
    hr.write("a.har", har(recorded("ps1", "/ps/PS-201-01", psId="PS-201-01")))
    hr("trace", "a.har")
    plan = hr("probe", "--plan", "--base-url", "http://127.0.0.1:9", "--json").json

    left = {entry["tool"]: entry["reason"] for entry in plan["services"][0]["left"]}
    assert "unchanged since its trace" in left["hr/ps1"]


def test_a_literal_path_goes_before_a_template(gloss):
    gloss.write("api.yaml", spec({"/users/{id}": get("one"), "/users/me": get("me")}))
    gloss("ingest", "api.yaml", "--service", "api")
    gloss.write("a.har", har(entry("http://h/users/me", '{"own": 1}')))
    done = gloss("trace", "a.har", "--json", "--service", "api", "--base-url", "http://h")

    assert [tool["tool"] for tool in done.json["tools"]] == ["api/me"]


def test_soap_by_action_by_element_and_by_name(gloss):
    gloss("ingest", SAMPLES / "crm.wsdl", "--service", "crm")
    answer = ENVELOPE.format("getRelMgrResponse", "<c:custId>C-1</c:custId>")
    asked = ENVELOPE.format("getRelMgr", "<c:custId>C-1</c:custId>")
    pairs = [
        {
            "request": {"method": "POST", "url": "http://x/any", "body": asked},
            "response": {"status": 200, "body": answer, "headers": {"Content-Type": "text/xml"}},
        },
        {
            "request": {
                "method": "POST",
                "url": "http://x/any",
                "headers": {"SOAPAction": '"urn:tarnbrook:crm:2014:getCtc"'},
            },
            "response": {"status": 200, "body": ENVELOPE.format("getCtcResponse", "")},
        },
    ]
    gloss.write("soap.jsonl", "\n".join(map(json.dumps, pairs)))
    gloss.write("project.xml", SOAPUI)

    done = gloss("trace", "soap.jsonl", "project.xml", "--json")

    assert {tool["tool"] for tool in done.json["tools"]} == {
        "crm/getRelMgr",
        "crm/getCtc",
        "crm/getCust",
    }
    assert "custId" in gloss("show", "crm/getRelMgr", "--json").json["shape"]["properties"]


def test_grpc_by_its_path(gloss):
    gloss("ingest", SAMPLES / "inventory.proto", "--service", "inventory")
    path = "/tarnbrook.inventory.v2.StockService/XPk"
    pair = {"method": "POST", "url": path, "status": 200, "response_body": {"pickListNo": "PL-1"}}
    done = gloss("trace", "-", "--json", stdin=json.dumps(pair))

    assert [tool["tool"] for tool in done.json["tools"]] == ["inventory/XPk"]


def test_a_recording_that_contradicts_the_spec_is_reported(gloss):
    gloss("ingest", SAMPLES / "billing.openapi.yaml", "--service", "billing")
    url = "https://eu1.ledgerline.example/tarnbrook/v4/customers/C-1"
    gloss.write("a.har", har(entry(url, '{"customer_id": 7}')))
    done = gloss("trace", "a.har")

    assert "customer_id: an integer, the spec says string" in done.stderr


def test_files_that_cannot_be_read_cost_only_themselves(hr):
    hr.write("good.har", har(recorded("ps1", "/ps/PS-201-01", psId="PS-201-01")))
    hr.write("bad.har", "not a recording")
    whole = har(recorded("ps1", "/ps/PS-201-01", psId="PS-201-01"), entry())
    hr.write("cut.har", whole[:-300])

    done = hr("trace", "good.har", "bad.har", "cut.har", "nosuch.har", "--json")
    nothing = hr("trace", "bad.har")

    assert done.exit_code == 5
    assert [bool(file["problem"]) for file in done.json["files"]] == [False, True, True, True]
    assert done.json["tools"][0]["responses"] == 2
    assert nothing.exit_code == 1
    assert "HAR" in nothing.stderr


def test_what_matches_nothing_is_no_success(hr):
    hr.write("a.har", har(entry("http://elsewhere/x")))

    assert hr("trace", "a.har").exit_code == 1


def test_a_file_that_is_not_there_is_named_once(hr):
    done = hr("trace", "no.har")

    assert done.exit_code == 1
    assert done.stderr.count("no.har") == 1
    assert "HAR" in done.stderr
    assert "Traceback" not in done.stderr
