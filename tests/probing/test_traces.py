"""Recordings of each form, read one exchange at a time."""

import base64
import gzip
import io
import json
import tracemalloc

import pytest

from probing.traces.exchange import TraceProblem
from probing.traces.jsonstream import entries
from probing.traces.reading import exchanges


def read(data):
    raw = data if isinstance(data, bytes) else data.encode()
    form, found = exchanges(io.BytesIO(raw))
    return form, list(found)


def har(*pairs, before="", after=""):
    listed = ", ".join(json.dumps(pair) for pair in pairs)
    return f'{{"log": {{{before}"entries": [{listed}]{after}}}}}'


def entry(url="http://h/x", body="{}", encoding=None, method="GET", status=200):
    content = {"size": 2, "mimeType": "application/json", "text": body}
    if encoding:
        content["encoding"] = encoding
    return {
        "startedDateTime": "2025-03-01T10:00:00.000Z",
        "time": 3.2,
        "request": {
            "method": method,
            "url": url,
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": [{"name": "SOAPAction", "value": '"urn:a"'}],
            "queryString": [],
            "headersSize": -1,
            "bodySize": 0,
        },
        "response": {
            "status": status,
            "statusText": "OK",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": [],
            "content": content,
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": 2,
        },
        "cache": {},
        "timings": {"send": 0, "wait": 1, "receive": 1},
    }


def test_har_with_its_parts_in_any_order():
    head = '"version": "1.2", "creator": {"name": "t", "version": "1"}, "pages": [{"id": "p"}], '
    form, found = read(har(entry(), before=head, after=', "comment": "é [ ] { }"'))

    assert form == "HAR"
    assert (found[0].method, found[0].url, found[0].body) == ("GET", "http://h/x", b"{}")
    assert found[0].request_headers["soapaction"] == '"urn:a"'


@pytest.mark.parametrize("packed", [False, True])
def test_har_pretty_packed_and_with_base64(tmp_path, packed):
    from probing.traces.reading import opened

    body = base64.b64encode(b'{"n": 1}').decode()
    value = json.loads(har(entry(body=body, encoding="base64")))
    data = json.dumps(value, indent=2).encode("utf-8-sig")
    file = tmp_path / "a.har"
    file.write_bytes(gzip.compress(data) if packed else data)

    with opened(file) as stream:
        _, found = exchanges(stream)
        assert [one.body for one in found] == [b'{"n": 1}']


def test_har_entries_that_are_no_exchanges_are_passed_over():
    _, found = read(har({"request": None}, entry(), {}, 7))

    assert len(found) == 1


def test_a_har_cut_in_the_middle_gives_what_came_before():
    text = har(entry("http://h/1"), entry("http://h/2"))
    _, found = exchanges(io.BytesIO(text[:-200].encode()))

    assert next(found).url == "http://h/1"
    with pytest.raises(TraceProblem, match="ends in the middle"):
        next(found)


@pytest.mark.parametrize("size", [1, 7, 100])
def test_the_window_may_end_anywhere(size):
    class Small(io.StringIO):
        def read(self, _=-1):
            return super().read(size)

    text = (
        '{"a": [1, {"x": 2}], "b": {"c": [10, -2.5e3, "é\\n", true, {"k": [null]}, 123]}, "d": 9}'
    )

    assert list(entries(Small(text), ("b", "c"))) == json.loads(text)["b"]["c"]


@pytest.mark.parametrize(
    "text", ["", "{", '{"log"', '{"log": {}}', '{"log": {"entries": 3}}', "[]"]
)
def test_what_has_no_entries_is_told(text):
    with pytest.raises(TraceProblem):
        list(entries(io.StringIO(text), ("log", "entries")))


def test_memory_does_not_grow_with_the_recording():
    one = json.dumps(entry(body=json.dumps({"text": "x" * 3000})))

    class Long(io.RawIOBase):
        """A HAR of 10,000 entries that is nowhere as a whole."""

        def __init__(self):
            self._parts = self._made()
            self._left = b""

        def _made(self):
            yield b'{"log": {"entries": ['
            for n in range(10_000):
                yield (", " if n else "").encode() + one.encode()
            yield b"]}}"

        def readable(self):
            return True

        def readinto(self, buffer):
            while not self._left:
                self._left = next(self._parts, b"")
                if not self._left:
                    return 0
            size = min(len(buffer), len(self._left))
            buffer[:size], self._left = self._left[:size], self._left[size:]
            return size

    tracemalloc.start()
    try:
        _, found = exchanges(Long())
        count = sum(1 for _ in found)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 10_000
    assert peak < 16 * 2**20


PAIRS = [
    {"request": {"method": "get", "url": "/a"}, "response": {"status": 200, "body": {"n": 1}}},
    {"method": "GET", "url": "/a", "status": 200, "response_body": '{"n": 1}'},
    {"request": {"method": "GET", "path": "/a"}, "response": {"statusCode": 200, "json": {"n": 1}}},
    {"method": "GET", "path": "/a", "status_code": 200, "response": {"body": {"n": 1}}},
]


@pytest.mark.parametrize("pair", PAIRS, ids=range(len(PAIRS)))
@pytest.mark.parametrize("whole", [False, True], ids=["lines", "array"])
def test_pairs_under_the_usual_names(pair, whole):
    _, found = read(
        json.dumps([pair, pair]) if whole else f"{json.dumps(pair)}\n\n{json.dumps(pair)}\n"
    )

    assert [(one.method, one.url, json.loads(one.body)) for one in found] == [
        ("GET", "/a", {"n": 1})
    ] * 2


def test_a_broken_line_is_told_by_its_number():
    with pytest.raises(TraceProblem, match="line 2"):
        read(f"{json.dumps(PAIRS[0])}\n{{oops\n")


def test_postman_variables_and_folders():
    collection = {
        "info": {
            "name": "c",
            "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
        },
        "variable": [{"key": "base", "value": "http://h/api"}],
        "item": [
            {
                "name": "folder",
                "item": [
                    {
                        "name": "one",
                        "request": {"method": "GET", "url": {"raw": "{{base}}/c/:id"}},
                        "response": [
                            {
                                "name": "ok",
                                "originalRequest": {
                                    "method": "GET",
                                    "url": {
                                        "raw": "{{base}}/c/:id?x=1",
                                        "variable": [{"key": "id", "value": "7"}],
                                    },
                                },
                                "code": 200,
                                "header": [{"key": "Content-Type", "value": "application/json"}],
                                "body": '{"n": 1}',
                            },
                            {"name": "bare", "originalRequest": {"url": "{{unknown}}/c/8"}},
                        ],
                    }
                ],
            }
        ],
    }
    form, found = read(json.dumps(collection))

    assert form == "Postman collection"
    assert [one.url for one in found] == ["http://h/api/c/7?x=1", "/c/8"]
    assert found[0].body == b'{"n": 1}'


SOAPUI = """<?xml version="1.0" encoding="UTF-8"?>
<con:soapui-project name="p" xmlns:con="http://eviware.com/soapui/config">
  <con:mockService name="m" path="/mock">
    <con:mockOperation name="getCust" interface="B" operation="getCust">
      <con:response name="R1" httpResponseStatus="200">
        <con:responseContent><![CDATA[<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"
><e:Body><r/></e:Body></e:Envelope>]]></con:responseContent>
      </con:response>
    </con:mockOperation>
  </con:mockService>
  <con:restMockService name="r">
    <con:restMockAction name="a" method="GET" resourcePath="/c/7">
      <con:response name="R" httpResponseStatus="200" mediaType="application/json">
        <con:responseContent>{"n": 1}</con:responseContent>
      </con:response>
    </con:restMockAction>
  </con:restMockService>
</con:soapui-project>
"""


def test_soapui_mock_responses():
    form, found = read(SOAPUI)

    assert form == "SoapUI project"
    assert [(one.operation, one.method, one.url) for one in found] == [
        ("getCust", "POST", ""),
        ("", "GET", "/c/7"),
    ]
    assert b"Envelope" in found[0].body


def test_soapui_entities_are_not_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("canary")
    doctype = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{secret}">]>'
    text = SOAPUI.replace("?>\n", f"?>\n{doctype}\n", 1).replace('{"n": 1}', "&e;")

    assert b"canary" not in b"".join(one.body or b"" for one in read(text)[1])


def span(**attributes):
    listed = [{"key": k, "value": {"stringValue": v}} for k, v in attributes.items()]
    return {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "s", "attributes": listed}]}]}]}


SPANS = [
    {
        "http.request.method": "GET",
        "url.full": "http://h/a",
        "http.response.status_code": "200",
        "http.response.body": '{"n": 1}',
    },
    {
        "http.method": "GET",
        "http.host": "h",
        "http.target": "/a",
        "http.response.body.content": '{"n": 1}',
    },
    {"rpc.system": "grpc", "rpc.service": "p.S", "rpc.method": "M", "rpc.response.body": "{}"},
]


@pytest.mark.parametrize("attributes", SPANS, ids=["stable", "old", "rpc"])
@pytest.mark.parametrize("lines", [False, True])
def test_spans_with_bodies(attributes, lines):
    document = json.dumps(span(**attributes))
    _, found = read(f"{document}\n{document}\n" if lines else document)

    assert len(found) == (2 if lines else 1)
    assert found[0].url in ("http://h/a", "/p.S/M")
    assert found[0].body in (b'{"n": 1}', b"{}")


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"<html/>", b"\x00\x01", b'{"openapi": "3.0.0"\n}']
)
def test_what_is_no_recording_is_told(data):
    with pytest.raises(TraceProblem):
        read(data)
