from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import zeep
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from lxml import etree

from sample_specs.server import World, serve
from sample_specs.serving import bookings, rpc, soap
from sample_specs.serving.rest import HANDLERS as REST_HANDLERS
from tests.sample_specs.reading import SPECS, openapi, soap_operations, tool_ids

CUSTOMER = {"custId": "C-1003"}
SOAP_ARGUMENTS: dict[str, dict[str, Any]] = {
    "getCustLst": {"srch": "bath"},
    "getCustLst2": {"terrCd": "S2"},
    "updAcctSt": {"acctNo": "5001003", "st": "BLOCKED"},
    "updCust": {**CUSTOMER, "dat": {"mainPhone": "1"}},
    "addCtc": {**CUSTOMER, "ctc": {"personName": "Ines Novak"}},
    "addNt": {**CUSTOMER, "chan": "PHONE", "txt": "called"},
    "mrgRec": {"id1": "C-1003", "id2": "C-1004"},
    "chkDup": {"nm": "Hartley"},
    "setRelMgr": {**CUSTOMER, "empNo": "E-203"},
    "setOptFl": {"ctcId": "P-10030", "fl": "SMS", "val": False},
    "runJob9": {"terrCd": "N1"},
}


@pytest.fixture(scope="module")
def running() -> Iterator[World]:
    with serve() as world:
        yield world


@pytest.fixture
def world(running: World) -> World:
    running.forget()
    return running


def ask(
    url: str, method: str = "GET", body: object = None, **headers: str
) -> tuple[int, str, bytes]:
    data = None if body is None else json.dumps(body).encode()
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    headers |= {"Content-Type": "application/json"} if data else {}
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers.get("Content-Type", ""), answer.read()
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, answer.headers.get("Content-Type", ""), answer.read()


def read(url: str) -> Any:
    status, _, body = ask(url)
    assert status == 200, body
    return json.loads(body)


def test_every_operation_of_the_specs_is_served(tmp_path: Path) -> None:
    served = {
        *(f"{service}/{name}" for service, known in REST_HANDLERS.items() for name in known),
        *(f"crm/{name}" for name in soap.HANDLERS),
        *(f"inventory/{name}" for name in rpc.HANDLERS),
    }

    assert served == tool_ids(tmp_path)


def test_lists_lead_to_details(world: World) -> None:
    customers = read(f"{world.billing_url}/customers")["items"]
    for customer in customers:
        full = read(f"{world.billing_url}/customers/{customer['customer_id']}/full")
        assert full["name"] == customer["name"]
    for employee in read(f"{world.hr_url}/lst/01")["employees"]:
        assert "leaveDaysRemaining" in read(f"{world.hr_url}/x17?empNo={employee['empNo']}&yr=2025")
    slip = read(f"{world.hr_url}/ps?empNo=E-204&yr=2025")["payslips"][0]["psId"]
    assert "deductions" in read(f"{world.hr_url}/ps/{slip}")


def test_pages_join_to_the_whole_list(world: World) -> None:
    whole = read(f"{world.billing_url}/invoices")["items"]

    found, cursor = [], ""
    while cursor is not None:
        page = read(f"{world.billing_url}/invoices?limit=3&cursor={cursor}")
        found, cursor = found + page["items"], page["next_cursor"]

    assert found == whole


def test_reading_answers_match_the_billing_schemas(world: World) -> None:
    from openapi_schema_validator import OAS31Validator
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT202012

    document = openapi("billing.openapi.yaml")
    registry = Registry().with_resource("urn:b", Resource(document, DRAFT202012))
    ids = {"customer_id": "C-1003", "invoice_id": "INV-24-0311", "payment_id": "PAY-9001"}
    ids |= {"country": "GB", "export_id": "EX-501"}
    checked = 0
    for path in (p for p, item in document["paths"].items() if "get" in item):
        status, media_type, body = ask(world.billing_url + path.format(**ids))
        assert status == 200
        if media_type == "application/json":
            pointer = path.replace("~", "~0").replace("/", "~1")
            base = f"urn:b#/paths/{pointer}/get/responses/200"
            response = document["paths"][path]["get"]["responses"]["200"]
            if "$ref" in response:
                base = "urn:b" + response["$ref"]
            schema = {"$ref": f"{base}/content/application~1json/schema"}
            OAS31Validator(schema, registry=registry).validate(json.loads(body))
            checked += 1
    assert checked >= 14


def test_refusals_have_their_status(world: World) -> None:
    billing, hr = world.billing_url, world.hr_url

    assert ask(f"{billing}/customers/C-9")[0] == 404
    assert ask(f"{billing}/nowhere")[0] == 404
    assert ask(f"{billing}/invoices", "POST", {"customer_id": "C-1003"})[0] == 422
    assert ask(f"{billing}/invoices/INV-24-0311/cancel", "POST")[0] == 409
    assert ask(f"{hr}/x17?empNo=E-204")[0] == 422
    assert ask(f"{billing}/invoices/INV-24-0322/cancel", "POST")[0] == 204


def test_documents_come_in_the_type_asked_for(world: World) -> None:
    statement = f"{world.billing_url}/customers/C-1003/statement"

    assert ask(statement)[1] == "application/json"
    assert ask(statement, Accept="text/csv")[2].startswith(b"booked_on,")
    assert ask(statement, Accept="application/pdf")[2].startswith(b"%PDF")


def test_calls_are_listed_with_arguments_and_whether_they_change_something(world: World) -> None:
    ask(f"{world.billing_url}/customers/C-1003?x=1")
    ask(f"{world.billing_url}/invoices/search", "POST", {"text": "glass"})
    ask(f"{world.hr_url}/do/7/LR-1", "DELETE")
    ask(f"{world.hr_url}/nowhere")

    listed = read(f"{world.rest_url}/_calls")

    assert [(c["service"], c["operation"], c["state_changing"]) for c in listed] == [
        ("billing", "get_customer", False),
        ("billing", "search_invoices", False),
        ("hr", "doAct7", True),
        ("?", "?", False),
    ]
    assert listed[0] == {
        "protocol": "rest",
        "service": "billing",
        "operation": "get_customer",
        "arguments": {"x": "1", "customer_id": "C-1003"},
        "state_changing": False,
    }
    assert [call.as_json() for call in world.calls()] == listed


def test_every_billing_write_answers(world: World) -> None:
    document = openapi("billing.openapi.yaml")
    ids = {"customer_id": "C-1003", "payment_id": "PAY-9003", "invoice_id": "INV-24-0317"}
    body = {
        "customer_id": "C-1003",
        "lines": [{"text": "Tumbler", "quantity": 2, "unit_price": "1.20"}],
        "amount": "5.00",
        "reason": "twice",
        "allocations": [{"invoice_id": "INV-24-0317", "amount": "5.00"}],
        "invoice_ids": ["INV-24-0317"],
        "instalments": 3,
        "payee": {"agent_id": "A-1"},
        "period": "2025-03",
    }
    for path, item in document["paths"].items():
        for method in ("post", "put", "patch"):
            if method in item:
                draft = item[method]["operationId"] in ("issue_invoice", "cancel_invoice")
                url = path.format(**{**ids, "invoice_id": "INV-24-0322"} if draft else {**ids})
                status, _, answer = ask(world.billing_url + url, method.upper(), body)
                assert status in (200, 201, 202, 204), (path, answer)

    written = {call.operation for call in world.calls() if call.state_changing}
    assert written == set(bookings.WRITERS)


@pytest.mark.parametrize("port", ["CrmSoap11", "CrmSoap12"])
def test_zeep_calls_every_soap_operation(world: World, port: str) -> None:
    client = zeep.Client(f"{world.soap_url}?wsdl", settings=zeep.Settings(strict=True))
    service = client.bind("CrmService", port)

    for name in soap_operations():
        answer = getattr(service, name)(**SOAP_ARGUMENTS.get(name, CUSTOMER))
        assert answer is not None, name

    assert [call.operation for call in world.calls()] == soap_operations()
    assert sum(call.state_changing for call in world.calls()) == 8


def test_soap_answers_are_valid_by_the_schema(world: World) -> None:
    found = etree.parse(SPECS / "crm.wsdl").find(".//{http://www.w3.org/2001/XMLSchema}schema")
    base = str(SPECS / "crm.wsdl")
    schema = etree.XMLSchema(etree.fromstring(etree.tostring(found), base_url=base))
    client = zeep.Client(f"{world.soap_url}?wsdl")
    for name in soap_operations():
        arguments = SOAP_ARGUMENTS.get(name, CUSTOMER)
        with client.settings(raw_response=True):
            answer = getattr(client.service, name)(**arguments)
        (body,) = etree.fromstring(answer.content)
        schema.assertValid(etree.ElementTree(etree.fromstring(etree.tostring(body[0]))))


@pytest.mark.parametrize("port", ["CrmSoap11", "CrmSoap12"])
def test_unknown_customer_is_a_fault(world: World, port: str) -> None:
    client = zeep.Client(f"{world.soap_url}?wsdl")

    with pytest.raises(zeep.exceptions.Fault, match="C-9 is not known") as caught:
        client.bind("CrmService", port).getCust(custId="C-9")
    assert b"NOT_FOUND" in etree.tostring(caught.value.detail)


def test_what_is_no_envelope_is_refused(world: World) -> None:
    assert ask(world.soap_url, "POST", {"no": "xml"})[0] == 400
    assert [call.operation for call in world.calls()] == ["?"]


def call_rpc(target: str, path: str, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Answers of a method found through reflection, without our .proto."""
    service_name, _, method_name = path.rpartition("/")
    with grpc.insecure_channel(target) as channel:
        pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
        method = pool.FindServiceByName(service_name).FindMethodByName(method_name)
        ask_type, answer_type = map(
            message_factory.GetMessageClass, (method.input_type, method.output_type)
        )
        codecs = (ask_type.SerializeToString, answer_type.FromString)
        messages = [json_format.ParseDict(request, ask_type()) for request in requests]
        if method.client_streaming:
            answers = [channel.stream_unary(f"/{path}", *codecs)(iter(messages), timeout=10)]
        elif method.server_streaming:
            answers = list(channel.unary_stream(f"/{path}", *codecs)(messages[0], timeout=10))
        else:
            answers = [channel.unary_unary(f"/{path}", *codecs)(messages[0], timeout=10)]
        return [json_format.MessageToDict(answer) for answer in answers]


STOCK, INBOUND = (f"tarnbrook.inventory.v2.{name}Service" for name in ("Stock", "Inbound"))
LINES = [{"sku": "TB-4410", "quantity": {"value": 2, "unit": "CASE"}}]
RPC_CALLS: list[tuple[str, dict[str, Any]]] = [
    (f"{STOCK}/GetStockLevel", {"sku": "TB-4410", "warehouseCode": "LDS"}),
    (f"{STOCK}/WatchStockLevels", {"skus": ["TB-4410"]}),
    (f"{STOCK}/ListWarehouses", {}),
    (f"{STOCK}/Qry1", {"sku": "TB-4410"}),
    (f"{STOCK}/Qry2", {"sku": "TB-6001"}),
    (f"{STOCK}/FndItm", {"ean": "5012345678900"}),
    (f"{STOCK}/GetSubst", {"sku": "TB-4415"}),
    (f"{STOCK}/XPk", {"ono": "SO-70012"}),
    (f"{INBOUND}/Qry1", {"warehouseCode": "LDS"}),
    (f"{STOCK}/ReserveStock", {"orderNo": "SO-70012", "lines": LINES}),
    (f"{STOCK}/ReleaseReservation", {"reservationId": "RSV-810"}),
    (f"{STOCK}/AdjustStock", {"sku": "TB-4410", "warehouseCode": "LDS", "delta": -3}),
    (f"{STOCK}/MvTrf", {"src": "LDS", "dst": "BRS", "ln": LINES}),
    (f"{STOCK}/UploadCountSheets", {"bins": [{"sku": "TB-4410", "countedQty": 3}]}),
    (f"{INBOUND}/BookDock", {"warehouseCode": "LDS", "arrival": "2025-04-17T09:00:00Z"}),
    (f"{INBOUND}/Rcv", {"poNo": "PO-3301", "ln": LINES}),
]


def test_every_rpc_method_answers_through_reflection(world: World) -> None:
    for path, request in RPC_CALLS:
        answers = call_rpc(world.grpc_target, path, request)
        assert answers, path
        assert all(answers), path

    calls = world.calls()
    assert [call.operation for call in calls if not call.state_changing] == list(rpc.stock.READERS)
    assert [call.operation for call in calls if call.state_changing] == list(rpc.stock.WRITERS)


def test_server_stream_sends_several_and_client_stream_adds_up(world: World) -> None:
    sheet = {"bins": [{"sku": "TB-4410", "countedQty": 3}]}

    assert len(call_rpc(world.grpc_target, f"{STOCK}/WatchStockLevels", {"maxChanges": 5})) == 5
    (summary,) = call_rpc(world.grpc_target, f"{STOCK}/UploadCountSheets", sheet, sheet)
    assert summary["sheets"] == 2


def test_unknown_article_is_not_found(world: World) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        call_rpc(world.grpc_target, f"{STOCK}/Qry2", {"sku": "TB-0"})
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def test_with_a_token_calls_without_it_are_refused_and_listed() -> None:
    with serve(token="t-1") as world:
        assert ask(f"{world.billing_url}/customers")[0] == 401
        assert ask(f"{world.billing_url}/customers", Authorization="Bearer t-1")[0] == 200
        assert ask(f"{world.hr_url}/t8", X_HR_Key="t-1")[0] == 200
        with pytest.raises(grpc.RpcError) as caught:
            call_rpc(world.grpc_target, f"{STOCK}/ListWarehouses", {})
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        assert len(world.calls()) == 4


def test_command_prints_its_addresses_and_stops_on_a_signal() -> None:
    command = [sys.executable, "-m", "sample_specs.server"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=SPECS.parent
    ) as process:
        assert process.stdout
        assert process.stderr
        addresses = json.loads(process.stdout.readline())
        read(f"{addresses['hr']}/t8")
        assert [call["operation"] for call in read(addresses["calls"])] == ["t8"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert process.stderr.read() == ""
