"""`gloss synonyms`: words that people use, beside those that the specs use."""

import json

import pytest

SPEC = """
openapi: 3.0.0
info: {{title: {name}, version: "1"}}
paths:
  /bills:
    get: {{operationId: listBills, summary: Lists invoices., responses: {{}}}}
  /notes:
    get: {{operationId: listNotes, summary: Lists notes., responses: {{}}}}
"""


@pytest.fixture
def crm(gloss):
    for name in ("crm", "erp"):
        gloss("ingest", gloss.write(f"{name}.yaml", SPEC.format(name=name)))
    assert gloss("index").exit_code == 0
    return gloss


def scores(done):
    hits = done.json.get("hits") or done.json["nearest"]
    return {hit["id"]: hit["score"] for hit in hits}


def why(done, tool):
    hits = done.json.get("hits") or done.json["nearest"]
    return next(hit["why"] for hit in hits if hit["id"] == tool)


def test_a_synonym_widens_the_next_search_without_an_index_run(crm):
    crm("synonyms", "add", "zorgblatts", "invoice", "open bill")

    done = crm("search", "zorgblatt", "--json")

    assert next(iter(scores(done))).endswith("/listBills")
    assert why(done, "crm/listBills")["synonyms"] == {"zorgblatt": ["invoice", "open bill"]}
    assert "synonyms" not in why(done, "crm/listNotes")


def test_the_word_itself_counts_more_than_its_synonym(crm):
    crm("synonyms", "add", "notes", "invoices")

    done = crm("search", "notes", "--json")

    words = {tool: why(done, tool)["lexical"]["score"] for tool in scores(done)}
    assert words["crm/listNotes"] > words["crm/listBills"] > 0


def test_a_phrase_of_several_words_has_synonyms(crm):
    crm("synonyms", "add", "grand total", "invoice")

    assert "synonyms" in why(crm("search", "the grand totals", "--json"), "crm/listBills")
    assert "synonyms" not in why(crm("search", "total invoices", "--json"), "crm/listBills")


def test_one_of_a_service_holds_for_its_tools_alone(crm):
    crm("synonyms", "add", "zorgblatt", "invoice", "--service", "erp")

    done = crm("search", "zorgblatt", "--json")

    assert "synonyms" in why(done, "erp/listBills")
    assert "synonyms" not in why(done, "crm/listBills")
    assert why(done, "crm/listBills")["lexical"]["score"] == 0


def test_list_remove_and_add_twice(crm):
    assert crm("synonyms", "add", "client", "customer", "buyer", "--json").json["added"] == 2
    assert crm("synonyms", "add", "client", "customer", "--json").json["added"] == 0
    listed = crm("synonyms", "list", "--json").json["synonyms"]
    assert [(row["word"], row["synonym"]) for row in listed] == [
        ("client", "buyer"),
        ("client", "customer"),
    ]
    assert crm("synonyms", "remove", "client", "buyer", "--json").json["removed"] == 1
    assert crm("synonyms", "remove", "Client", "--json").json["removed"] == 1
    assert crm("synonyms", "remove", "client").exit_code == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("words.tsv", "# ours\nclient\tcustomer\tbuyer\n\nPO\tpurchase order\n"),
        ("words.csv", 'client,customer,"buyer"\nPO,purchase order\n'),
        ("words.json", json.dumps({"client": ["customer", "buyer"], "PO": "purchase order"})),
    ],
)
def test_files_are_imported_once(crm, name, text):
    file = crm.write(name, text)

    assert crm("synonyms", "import", file, "--json").json["added"] == 3
    assert crm("synonyms", "import", file, "--json").json == {"schema": 1, "added": 0, "known": 3}


def test_what_was_listed_comes_back_with_its_services(crm):
    crm("synonyms", "add", "client", "customer")
    crm("synonyms", "add", "PO", "purchase order", "--service", "erp")
    listed = crm("synonyms", "list", "--json")
    file = crm.write("kept.json", listed.replace('"erp"', '"crm"'))
    other = crm.write("other.json", listed.replace('"erp"', '"wms"'))

    assert crm("synonyms", "import", file, "--json").json == {"schema": 1, "added": 1, "known": 1}
    waiting = crm("synonyms", "import", other)

    rows = crm("synonyms", "list", "--json").json["synonyms"]
    services = [row["service"] for row in rows if row["word"] == "PO"]
    assert services == ["crm", "erp", "wms"]
    assert "no such service yet: wms" in waiting.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.tsv", "alone\n"), ("a.json", "{"), ("a.json", "[1]"), ("a.json", '{"a": [3]}')],
)
def test_a_file_that_cannot_be_read_is_a_usage_error(crm, name, text):
    done = crm("synonyms", "import", crm.write(name, text))

    assert done.exit_code == 2
    assert name in done.stderr


def test_signs_are_no_word(crm):
    assert crm("synonyms", "add", "???", "invoice").exit_code == 2


def test_an_unknown_service_is_said(crm):
    assert crm("synonyms", "add", "a", "b", "--service", "nope").exit_code == 1
