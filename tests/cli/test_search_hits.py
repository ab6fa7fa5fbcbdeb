"""What hits say of each other, and queries in other languages."""

import pytest

SPEC = """
openapi: 3.0.0
info: {title: crm, version: "1"}
paths:
  /proc/{custId}:
    get:
      operationId: getProcInfo3
      summary: See documentation.
      parameters:
        - {name: custId, in: path, required: true, schema: {type: string}}
        - {name: opt, in: query, schema: {type: string}}
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: {$ref: "#/components/schemas/Order"}
  /proc2/{custId}:
    get:
      operationId: getProcInfo4
      summary: See documentation.
      parameters:
        - {name: custId, in: path, required: true, schema: {type: string}}
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: {$ref: "#/components/schemas/Complaint"}
  /kunden:
    get: {operationId: listKunden, summary: Liste., responses: {}}
  /rechnung/größe:
    get: {operationId: getRechnungGroesse, summary: x., responses: {}}
  /facture:
    get: {operationId: getFacture, summary: y., responses: {}}
  /clientes:
    get: {operationId: buscarClientes, summary: z., responses: {}}
  /顧客情報:
    get: {operationId: kokyaku, summary: 顧客情報を取得する, responses: {}}
components:
  schemas:
    Order: {type: object, properties: {orderNo: {type: string}, status: {type: string}}}
    Complaint: {type: object, properties: {complaintNo: {type: string}, status: {type: string}}}
"""


@pytest.fixture
def crm(gloss):
    gloss("ingest", gloss.write("crm.yaml", SPEC))
    assert gloss("index").exit_code == 0
    return gloss


def test_look_alikes_say_how_they_differ(crm):
    done = crm("search", "process info of a customer id", "-k", "7", "--json").json

    hits = done["hits"] or done["nearest"]
    assert {hit["name"]: hit["differs"] for hit in hits if "Proc" in hit["name"]} == {
        "getProcInfo3": "unlike getProcInfo4: takes opt; returns orderNo; GET /proc/{custId}",
        "getProcInfo4": "unlike getProcInfo3: takes no opt; returns complaintNo; "
        "GET /proc2/{custId}",
    }
    assert "unlike getProcInfo4: takes opt" in crm("search", "getProcInfo3", "-k", "7")


def test_other_languages_reach_names_and_break_nothing(crm):
    asked = {
        "zeige mir alle Kunden": "crm/listKunden",
        "Größe der Rechnung": "crm/getRechnungGroesse",
        "où est ma facture ?": "crm/getFacture",
        "quiero buscar clientes": "crm/buscarClientes",
        "顧客情報": "crm/kokyaku",
    }
    lines = "\n".join([*asked, "где мой заказ", "لا شيء", "🙂"])

    done = crm("search", "--stdin", "-k", "1", stdin=lines + "\n")

    assert done.exit_code == 0
    found = [(r.get("nearest") or r["hits"] or [{"id": None}])[0]["id"] for r in done.jsonl]
    assert found[:5] == list(asked.values())
    assert len(found) == 8
