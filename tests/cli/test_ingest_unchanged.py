"""What is as it was is not parsed again, and the report is the same; whatever changed is read."""

from __future__ import annotations

import pytest

from parsers import traces
from tests.cli.test_ingest import GOOD, ONE_BAD, tool_ids

SPLIT = """
openapi: 3.0.3
info: {title: Cats, version: "1"}
paths:
  /cats: {$ref: "parts/cats.yaml"}
"""
CATS = "get: {operationId: listCats, summary: All cats, responses: {'200': {description: ok}}}\n"
WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:t"
  xmlns:t="urn:t" xmlns:x="http://www.w3.org/2001/XMLSchema" name="t"><types><x:schema
  targetNamespace="urn:t"><x:include schemaLocation="t.xsd"/></x:schema></types>
  <message name="m"><part name="p" element="t:ask"/></message>
  <portType name="P"><operation name="ask"><input message="t:m"/></operation></portType>
</definitions>"""
XSD = """<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
  <x:element name="ask"><x:complexType><x:sequence><x:element name="FIELD" type="x:string"/>
  </x:sequence></x:complexType></x:element></x:schema>"""
PROTO = """syntax = "proto3"; package t; import "common/types.proto";
service S { rpc Ask(common.Asked) returns (common.Asked); }"""
TYPES = 'syntax = "proto3"; package common; message Asked { string FIELD = 1; }'


def again(gloss, *words):
    """The second run, and how many specs it did not parse."""
    done = gloss("ingest", *words, "--json")
    line = next((x for x in done.stderr.splitlines() if "unchanged since last read" in x), "")
    return done, int(line.split(": ")[1].split(" of ")[0]) if line else 0


def fields(gloss, tool):
    return list(gloss("show", tool, "--json").json["input_schema"]["properties"])


def test_an_unchanged_folder_is_not_parsed_and_says_the_same(gloss):
    gloss.write("specs/bins.yaml", GOOD)
    gloss.write("specs/half.yaml", ONE_BAD)
    gloss("ingest", "specs")

    kept, count = again(gloss, "specs")
    read, reread = again(gloss, "specs", "--reread")

    assert (count, reread) == (2, 0)
    assert kept.json == read.json
    assert kept.exit_code == read.exit_code == 0
    assert [s["unchanged"] for s in kept.json["sources"]] == [1, 1]
    assert "/bad" in kept.stderr


def test_the_table_is_the_same(gloss):
    gloss.write("half.yaml", ONE_BAD)
    gloss("ingest", "half.yaml")

    assert gloss("ingest", "half.yaml") == gloss("ingest", "half.yaml", "--reread")


def test_strict_goes_by_the_problems_that_were_kept(gloss):
    gloss.write("half.yaml", ONE_BAD)
    gloss("ingest", "half.yaml", "--strict")

    done, count = again(gloss, "half.yaml", "--strict")

    assert (done.exit_code, count) == (5, 1)


@pytest.mark.parametrize(
    "words",
    [("--strict",), ("-I", "elsewhere"), ("--allow-host", "a.test"), ("--allow-folder", "..")],
    ids=["strict", "import-root", "host", "folder"],
)
def test_another_option_reads_again(gloss, words):
    gloss.write("bins.yaml", GOOD)
    gloss("ingest", "bins.yaml")

    assert again(gloss, "bins.yaml", *words)[1] == 0
    assert again(gloss, "bins.yaml", *words)[1] == 1


def test_another_parser_version_reads_again(gloss, monkeypatch):
    gloss.write("bins.yaml", GOOD)
    gloss("ingest", "bins.yaml")
    monkeypatch.setattr(traces, "parser_version", lambda: "another")

    assert again(gloss, "bins.yaml")[1] == 0


def test_a_changed_file_is_read_again_and_its_neighbour_is_not(gloss):
    gloss.write("specs/bins.yaml", GOOD)
    gloss.write("specs/half.yaml", ONE_BAD)
    gloss("ingest", "specs")
    gloss.write("specs/bins.yaml", GOOD.replace("List", "Show"))

    done, count = again(gloss, "specs")

    assert count == 1
    assert [s["changed"] for s in done.json["sources"]] == [1, 0]


def test_a_changed_file_behind_a_reference_is_read(gloss):
    gloss.write("api.yaml", SPLIT)
    gloss.write("parts/cats.yaml", CATS)
    gloss("ingest", "api.yaml")
    assert again(gloss, "api.yaml")[1] == 1
    gloss.write("parts/cats.yaml", CATS.replace("All", "Some"))

    done, count = again(gloss, "api.yaml")

    assert (count, done.json["sources"][0]["changed"]) == (0, 1)


def test_a_file_that_went_is_missed(gloss):
    gloss.write("api.yaml", SPLIT + "  /dogs: {get: {operationId: d, responses: {}}}\n")
    file = gloss.write("parts/cats.yaml", CATS)
    gloss("ingest", "api.yaml")
    file.unlink()

    done, count = again(gloss, "api.yaml")

    assert (count, done.json["sources"][0]["removed"]) == (0, 1)


def test_a_file_that_came_is_found(gloss):
    gloss.write("api.yaml", SPLIT + "  /dogs: {get: {operationId: d, responses: {}}}\n")
    gloss("ingest", "api.yaml")
    assert again(gloss, "api.yaml")[1] == 1
    gloss.write("parts/cats.yaml", CATS)

    done, count = again(gloss, "api.yaml")

    assert (count, done.json["sources"][0]["added"]) == (0, 1)


def test_a_changed_schema_that_a_wsdl_includes_is_read(gloss):
    gloss.write("t.wsdl", WSDL)
    gloss.write("t.xsd", XSD.replace("FIELD", "before"))
    gloss("ingest", "t.wsdl")
    assert again(gloss, "t.wsdl")[1] == 1
    gloss.write("t.xsd", XSD.replace("FIELD", "after"))

    assert again(gloss, "t.wsdl")[1] == 0
    assert fields(gloss, "t/ask") == ["after"]


def test_a_changed_import_of_a_proto_is_read(gloss):
    gloss.write("protos/s.proto", PROTO)
    gloss.write("protos/common/types.proto", TYPES.replace("FIELD", "before"))
    gloss("ingest", "protos")
    assert again(gloss, "protos")[1] == 1
    gloss.write("protos/common/types.proto", TYPES.replace("FIELD", "after"))

    assert again(gloss, "protos")[1] == 0
    assert fields(gloss, "s/Ask") == ["after"]


def test_an_import_that_is_found_nearer_now_is_read(gloss):
    gloss.write("protos/a/s.proto", PROTO)
    gloss.write("protos/common/types.proto", TYPES.replace("FIELD", "far"))
    gloss("ingest", "protos")
    assert again(gloss, "protos")[1] == 1
    gloss.write("protos/a/common/types.proto", TYPES.replace("FIELD", "near"))

    assert again(gloss, "protos")[1] == 0
    assert fields(gloss, "s/Ask") == ["near"]


def test_a_link_that_leads_elsewhere_now_is_followed(gloss):
    gloss.write("api.yaml", SPLIT)
    gloss.write("one/cats.yaml", CATS)
    gloss.write("two/cats.yaml", CATS.replace("All", "Some"))
    link = gloss.folder / "parts"
    link.symlink_to("one")
    gloss("ingest", "api.yaml")
    assert again(gloss, "api.yaml")[1] == 1
    link.unlink()
    link.symlink_to("two")

    done, count = again(gloss, "api.yaml")

    assert (count, done.json["sources"][0]["changed"]) == (0, 1)


def test_a_service_that_was_removed_comes_back(gloss, remove):
    gloss.write("bins.yaml", GOOD)
    gloss("ingest", "bins.yaml")
    remove("bins")

    done, count = again(gloss, "bins.yaml")

    assert (count, done.json["sources"][0]["added"]) == (0, 1)
    assert tool_ids(gloss) == ["bins/listBins"]


@pytest.fixture
def remove(gloss):
    """Removes a service, as a caller of the store does."""
    from store.catalog import remove_service
    from store.migrate import open_catalog

    def run(name):
        with open_catalog(gloss.environment["GLOSS_DATABASE_URL"]) as conn:
            remove_service(conn, name)

    return run


def test_two_files_read_into_one_service_in_turn_are_read_each_time(gloss):
    gloss.write("a.yaml", GOOD)
    gloss.write("b.yaml", GOOD.replace("listBins", "bins"))
    gloss("ingest", "a.yaml", "--service", "shop")
    gloss("ingest", "b.yaml", "--service", "shop")

    done, count = again(gloss, "a.yaml", "--service", "shop")

    assert (count, done.json["sources"][0]["added"]) == (0, 1)
    assert tool_ids(gloss) == ["shop/listBins"]


def test_a_file_takes_no_name_from_another_of_the_same_run(gloss):
    gloss.write("a/bins.yaml", GOOD)
    gloss("ingest", "a/bins.yaml")
    gloss.write("bins.yaml", GOOD)

    gloss("ingest", "a/bins.yaml", "bins.yaml")

    assert len(tool_ids(gloss)) == 2


def test_a_dry_run_parses_nothing_either(gloss):
    gloss.write("bins.yaml", GOOD)
    gloss("ingest", "bins.yaml")

    assert again(gloss, "bins.yaml", "--dry-run")[1] == 1


def test_a_spec_that_was_mended_back_is_unchanged(gloss):
    gloss.write("bins.yaml", GOOD)
    gloss("ingest", "bins.yaml")
    gloss.write("bins.yaml", "openapi: 3.0.3\npaths: [\n")
    assert gloss("ingest", "bins.yaml").exit_code == 1
    assert gloss("ingest", "bins.yaml").exit_code == 1
    gloss.write("bins.yaml", GOOD)

    assert again(gloss, "bins.yaml")[1] == 1
