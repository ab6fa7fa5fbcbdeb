"""The sample specs read by plain means, so that our own parsers are not their own witness."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from lxml import etree

SPECS = Path(__file__).parents[2] / "sample_specs"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"


def openapi(name: str) -> dict[str, Any]:
    text = (SPECS / name).read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text) if name.endswith("json") else yaml.safe_load(text)
    return loaded


def operation_ids(name: str) -> list[str]:
    return [
        operation["operationId"]
        for item in openapi(name)["paths"].values()
        for method, operation in item.items()
        if method in ("get", "put", "post", "patch", "delete")
    ]


def soap_operations() -> list[str]:
    port_type = etree.parse(SPECS / "crm.wsdl").find(f"{WSDL}portType")
    assert port_type is not None
    return [str(operation.get("name")) for operation in port_type.findall(f"{WSDL}operation")]


def rpc_methods(folder: Path) -> list[tuple[str, str]]:
    """(service, method) of inventory.proto, through protoc and a descriptor set."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet
    from grpc_tools import protoc

    target = folder / "set.pb"
    options = ["-I", str(SPECS), f"--descriptor_set_out={target}"]
    bundled = str(Path(protoc.__file__).parent / "_proto")
    assert protoc.main(["protoc", *options, "-I", bundled, "inventory.proto"]) == 0
    (file,) = FileDescriptorSet.FromString(target.read_bytes()).file
    return [(service.name, method.name) for service in file.service for method in service.method]


def tool_ids(folder: Path) -> set[str]:
    """Every `service/name` of the four specs."""
    methods = rpc_methods(folder)
    shared = Counter(method for _, method in methods)
    return {
        *(f"crm/{name}" for name in soap_operations()),
        *(f"billing/{name}" for name in operation_ids("billing.openapi.yaml")),
        *(f"hr/{name}" for name in operation_ids("hr.swagger.json")),
        *(f"inventory/{method}" for _, method in methods if shared[method] == 1),
        *(f"inventory/{service}_{method}" for service, method in methods if shared[method] > 1),
    }


def intents() -> list[dict[str, Any]]:
    lines = (SPECS / "intents.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]
