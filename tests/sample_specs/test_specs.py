from __future__ import annotations

from pathlib import Path

import pytest
import zeep
from openapi_spec_validator import validate

from tests.sample_specs.reading import (
    SPECS,
    openapi,
    operation_ids,
    rpc_methods,
    soap_operations,
    tool_ids,
)


@pytest.mark.parametrize("name", ["billing.openapi.yaml", "hr.swagger.json"])
def test_openapi_documents_are_valid(name: str) -> None:
    validate(openapi(name))


def test_operations_are_as_many_as_told() -> None:
    assert len(operation_ids("billing.openapi.yaml")) == 32
    assert len(operation_ids("hr.swagger.json")) == 23
    assert len(soap_operations()) == 26


def test_names_are_distinct(tmp_path: Path) -> None:
    assert len(tool_ids(tmp_path)) == 32 + 23 + 26 + 16


def test_proto_has_both_kinds_of_stream_and_a_name_used_twice(tmp_path: Path) -> None:
    methods = rpc_methods(tmp_path)

    assert len(methods) == 16
    assert [service for service, method in methods if method == "Qry1"] == [
        "StockService",
        "InboundService",
    ]
    text = (SPECS / "inventory.proto").read_text("utf-8")
    assert text.count("returns (stream ") == 1
    assert text.count("(stream ") == 2


def test_strict_zeep_loads_both_ports_with_every_operation() -> None:
    client = zeep.Client(str(SPECS / "crm.wsdl"), settings=zeep.Settings(strict=True))

    (service,) = client.wsdl.services.values()
    counts = {port.name: len(port.binding._operations) for port in service.ports.values()}
    assert counts == {"CrmSoap11": 26, "CrmSoap12": 26}


def test_crm_texts_tell_next_to_nothing() -> None:
    text = (SPECS / "crm.wsdl").read_text("utf-8")

    assert text.count("See documentation.") >= 22


def test_hr_responses_say_only_object() -> None:
    paths = openapi("hr.swagger.json")["paths"].values()
    schemas = [o["responses"]["200"]["schema"] for item in paths for o in item.values()]

    assert schemas == [{"type": "object"}] * 23
