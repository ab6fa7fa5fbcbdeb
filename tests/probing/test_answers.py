"""Replies read as the operation promises them."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from catalog.binding import Argument, Endpoint, HttpBinding, SoapBinding
from catalog.retrying import retry_after
from catalog.spec import Operation
from probing.answers import http_answer
from probing.rest import Unfit, http_call
from probing.soap import soap_call
from probing.wire import Reply
from probing.xmlvalues import parsed

SOAP11 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP12 = "http://www.w3.org/2003/05/soap-envelope"


def rest(media_type="application/json", schema=None):
    binding = HttpBinding("GET", "/x", response_media_type=media_type)
    return Operation("s", "x", "rest", binding, output_schema=schema)


def soap(schema=None, transport="soap11", arguments=(), input_schema=None, definitions=None):
    endpoint = Endpoint("S", "P", "http://h", transport, "urn:do", "document", "literal")
    binding = SoapBinding(
        "getIt",
        "P",
        "urn:do",
        (endpoint,),
        tuple(arguments),
        "{urn:a}getIt",
        "{urn:a}getItResponse",
    )
    given = input_schema or {"type": "object", "properties": {}}
    return Operation("s", "getIt", "soap", binding, input_schema=given, output_schema=schema)


def answer(body, content_type="application/json", status=200, operation=None, definitions=None):
    data = body if isinstance(body, bytes) else body.encode()
    reply = Reply(status, {"content-type": content_type}, data)
    return http_answer(reply, operation or rest(), definitions or {})


def enveloped(content, space=SOAP11):
    return f'<e:Envelope xmlns:e="{space}"><e:Body>{content}</e:Body></e:Envelope>'


@pytest.mark.parametrize(
    ("body", "content_type", "value"),
    [
        ('{"a": 1}', "application/json", {"a": 1}),
        ('{"a": 1}', "text/html", {"a": 1}),
        ('\ufeff{"a": 1}', "", {"a": 1}),
        ('{"a": 1}\n{"a": 2}\n', "application/x-ndjson", [{"a": 1}, {"a": 2}]),
        ('data: {"a": 1}\n\ndata: {"a": 2}\n', "text/event-stream", [{"a": 1}, {"a": 2}]),
        ("<r><a>1</a><a>2</a><b>x</b></r>", "application/xml", {"a": [1, 2], "b": "x"}),
        ("true", "application/json", True),
    ],
)
def test_a_body_is_read_for_what_it_is(body, content_type, value):
    found = answer(body, content_type)

    assert (found.outcome, found.value) == ("alive", value)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<!DOCTYPE html><html></html>", "text/html"),
        ("<html>Log in", "application/json"),
        ("oops", "text/plain"),
        ("{broken", "application/json"),
        (b"\x89PNG\r\n", "image/png"),
        ('<!DOCTYPE x [<!ENTITY e "a">]><x>&e;</x>', "application/xml"),
    ],
)
def test_what_was_not_promised_is_doubtful(body, content_type):
    found = answer(body, content_type)

    assert found.outcome == "not-json"
    assert not found.has_value


def test_a_promised_file_is_alive_and_a_table_has_columns():
    pdf = answer(b"%PDF-1.4 canary", "application/pdf", operation=rest("application/pdf"))
    table = answer("sku;qty\nA;1\n", "text/csv", operation=rest("text/csv"))

    assert (pdf.outcome, pdf.value) == ("alive", "")
    assert table.value == [{"sku": "A", "qty": "1"}]


def test_a_redirect_names_the_host_and_no_token():
    reply = Reply(302, {"location": "https://login.example/in/sk-live-canary?token=canary"}, b"")
    found = http_answer(reply, rest(), {})

    assert found.outcome == "moved"
    assert "https://login.example" in found.detail
    assert "canary" not in found.detail


def test_retry_after_in_seconds_or_as_a_date():
    later = datetime.now(UTC) + timedelta(seconds=90)

    assert retry_after({"retry-after": "120"}) == 120
    assert 60 < retry_after({"retry-after": format_datetime(later, usegmt=True)}) <= 90
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


@pytest.mark.parametrize("space", [SOAP11, SOAP12])
def test_a_soap_answer_has_the_types_of_the_spec(space):
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "row": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
        },
    }
    rows = {"Row": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    content = (
        '<a:getItResponse xmlns:a="urn:a"><a:id>007</a:id><a:row><n>1</n></a:row></a:getItResponse>'
    )

    found = answer(enveloped(content, space), "text/xml", operation=soap(schema), definitions=rows)

    assert found.value == {"id": "007", "row": [{"n": 1}]}


@pytest.mark.parametrize(
    ("content", "space", "outcome"),
    [
        ("<e:Fault><faultcode>e:Client</faultcode><faultstring>canary</faultstring></e:Fault>",
         SOAP11, "rejected"),
        ("<e:Fault><faultcode>e:Server</faultcode><faultstring>canary</faultstring></e:Fault>",
         SOAP11, "broken"),
        ("<e:Fault><e:Code><e:Value>e:Sender</e:Value></e:Code></e:Fault>", SOAP12, "rejected"),
        ("<e:Fault><e:Code><e:Value>e:Receiver</e:Value></e:Code></e:Fault>", SOAP12, "broken"),
    ],
)  # fmt: skip
def test_faults_by_their_code_alone(content, space, outcome):
    found = answer(enveloped(content, space), "text/xml", 500, soap())

    assert found.outcome == outcome
    assert "canary" not in found.detail


def test_no_envelope_is_no_soap():
    assert answer("<html/>", "text/html", 200, soap()).outcome == "not-json"
    assert answer("", "text/xml", 401, soap()).outcome == "needs-credentials"


@pytest.mark.parametrize(("transport", "space"), [("soap11", SOAP11), ("soap12", SOAP12)])
def test_an_envelope_has_the_namespaces_of_the_binding(transport, space):
    arguments = [
        Argument("id", "id", "part", {"namespace": "urn:a"}),
        Argument("who", "who", "part", {"namespace": "urn:a"}),
        Argument("v", "v", "part", {"attribute": True}),
    ]
    schema = {"type": "object", "properties": {"who": {"$ref": "#/$defs/Who"}}}
    types = {"Who": {"type": "object", "xml": {"children": "urn:t"}, "properties": {}}}
    operation = soap(None, transport, arguments, schema)

    call = soap_call(
        operation, "http://h", {"id": 7, "who": {"names": ["a", "b"]}, "v": True}, types
    )

    wrapper = parsed(call.body).find(f"{{{space}}}Body/{{urn:a}}getIt")
    assert wrapper.get("v") == "true"
    assert wrapper.findtext("{urn:a}id") == "7"
    assert [n.text for n in wrapper.findall("{urn:a}who/{urn:t}names")] == ["a", "b"]
    assert 'urn:do"' in (call.headers.get("SOAPAction", "") + call.headers["Content-Type"])


@pytest.mark.parametrize(
    ("options", "value", "query"),
    [
        ({}, "a b&c", "q=a%20b%26c"),
        ({}, ["a", "b"], "q=a&q=b"),
        ({"explode": False}, ["a", "b"], "q=a,b"),
        ({"style": "pipeDelimited", "explode": False}, ["a", "b"], "q=a|b"),
        ({"style": "deepObject"}, {"k": "v"}, "q[k]=v"),
        ({}, True, "q=true"),
    ],
)
def test_query_styles(options, value, query):
    binding = HttpBinding("GET", "/x", arguments=(Argument("q", "q", "query", options),))

    assert http_call(binding, "http://h/base/", {"q": value}).url == f"http://h/base/x?{query}"


@pytest.mark.parametrize("value", ["", ".", "..", "a/b", "{id}", "a{"])
def test_a_value_that_bends_the_path_is_not_sent(value):
    binding = HttpBinding("GET", "/x/{id}", arguments=(Argument("id", "id", "path"),))

    with pytest.raises(Unfit):
        http_call(binding, "http://h", {"id": value})


def test_a_hole_in_the_path_is_not_sent():
    with pytest.raises(Unfit):
        http_call(HttpBinding("GET", "/x/{id}"), "http://h", {})


def test_a_line_end_never_gets_into_a_header():
    binding = HttpBinding("GET", "/x", arguments=(Argument("h", "h", "header"),))
    with pytest.raises(Unfit):
        http_call(binding, "http://h", {"h": "a\r\nX: y"})
