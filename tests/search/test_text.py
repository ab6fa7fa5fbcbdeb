from catalog.binding import GrpcBinding, HttpBinding, SoapBinding
from catalog.spec import Operation
from search.text import (
    EnrichedText,
    embedding_text,
    enriched_embedding_text,
    lexical_fields,
    shortened,
    tool_text,
)

DEFINITIONS = {
    "Customer": {
        "type": "object",
        "properties": {"fullName": {"type": "string"}, "manager": {"$ref": "#/$defs/Person"}},
    },
    "Person": {
        "type": "object",
        "properties": {"email": {"type": "string"}, "boss": {"$ref": "#/$defs/Person"}},
    },
}


def rest(**given):
    binding = HttpBinding("GET", given.pop("path", "/api/v2/customers/{customer_id}/orders"))
    return Operation("crm", given.pop("name", "listOrders"), "rest", binding, **given)


def test_fields_are_kept_apart():
    text = tool_text(
        rest(
            summary="List orders",
            description="List orders. Newest first.",
            input_schema={
                "type": "object",
                "properties": {"customer_id": {"description": "Who bought. Must exist."}},
            },
            output_schema={"type": "array", "items": {"$ref": "#/$defs/Customer"}},
            tags=("sales",),
        ),
        DEFINITIONS,
    )

    assert text.name == "listOrders"
    assert text.path == "customers orders"
    assert text.scope == "crm sales"
    assert text.summary == "List orders"
    assert text.description == "Newest first."
    assert text.parameters == "customer_id Who bought."
    assert text.response == "Customer fullName manager Person email boss"


def test_wire_names_of_every_protocol_are_read():
    soap = Operation("crm", "op", "soap", SoapBinding("getCust2", "CrmPort"))
    grpc = Operation("inv", "op", "grpc", GrpcBinding("/inv.v1.Bins/ListBins", "A", "B"))

    assert tool_text(soap, {}).name == "op getCust2"
    assert tool_text(soap, {}).scope == "crm CrmPort"
    assert tool_text(grpc, {}).name == "op ListBins"
    assert tool_text(grpc, {}).scope == "inv Bins"


def test_schemas_that_are_no_objects_are_no_trouble():
    text = tool_text(rest(input_schema=True, output_schema={"$ref": "#/$defs/Gone"}), {})

    assert (text.parameters, text.response) == ("", "Gone")


def test_the_encoder_reads_words_and_says_nothing_twice():
    text = tool_text(rest(summary="list orders", description="All orders of a customer."), {})

    assert embedding_text(text) == "list orders. customers orders. All orders of a customer"


def test_where_the_spec_says_nothing_its_fields_tell():
    text = tool_text(
        rest(
            name="getProcInfo3",
            path="/",
            description="See documentation.",
            input_schema={"type": "object", "properties": {"custId": {}}},
            output_schema={"$ref": "#/$defs/Customer"},
        ),
        DEFINITIONS,
    )

    assert embedding_text(text) == (
        "get process information 3. See documentation. customer id. "
        "customer full name manager person email boss"
    )


def test_clear_short_forms_are_spelled_out_for_the_encoder():
    text = tool_text(rest(name="updAcctSt2", path="/"), {})

    assert embedding_text(text) == "update account st 2"


def test_short_forms_are_searched_in_full_as_well():
    name = lexical_fields(tool_text(rest(name="getProcInfo3", path="/"), {}))[0].split()

    assert {"proc", "process", "procedure", "information", "getprocinfo3"} <= set(name)


def test_aliases_are_embedded_after_name_and_description():
    text = EnrichedText("get_customer_status", "Status of one customer.", ("blocked", "overdue"))

    assert enriched_embedding_text(text) == (
        "get customer status. Status of one customer. blocked overdue"
    )


def test_markup_and_addresses_are_not_text():
    text = tool_text(rest(description="See <b>the</b> `docs` at https://x.example/a?b=c"), {})

    assert text.description == "See the docs at"


def test_a_long_text_ends_with_a_sentence():
    text = "One two. " * 30

    assert shortened(text, 100).endswith("two.")
    assert len(shortened("x" * 500, 100)) == 100
