"""Short forms of identifiers, learnt at `gloss index` from what the specs write beside them."""

import json

import pytest

WRITTEN = {
    "getWhseStk": "Stock on hand in a warehouse.",
    "addWhseBin": "Adds a bin to the warehouse.",
    "getShpmtEta": "When a shipment is to arrive.",
    "delShpmt": "Calls a shipment off.",
    "ackShpmt": "A shipment has come in.",
    "setGrnlvl": "Sets the level.",
}
OPAQUE = {"updKqpl": "", "lstWhse": "", "fixShpmtTag": ""}


def specification(name, operations):
    paths = {
        f"/{number}": {
            "get": {"operationId": tool, "summary": text, "responses": {"200": {"description": ""}}}
        }
        for number, (tool, text) in enumerate(operations.items(), 1)
    }
    return json.dumps({"openapi": "3.0.3", "info": {"title": name, "version": "1"}, "paths": paths})


@pytest.fixture
def depot(gloss):
    gloss.write("depot.json", specification("depot", WRITTEN | OPAQUE))
    assert gloss("ingest", "depot.json").exit_code == 0
    assert gloss("index").exit_code == 0
    return gloss


def learnt(run):
    rows = run("synonyms", "list", "--json").json["synonyms"]
    return {(row["word"], row["synonym"]) for row in rows if row["origin"] == "index"}


def why(done, tool):
    hits = done.json.get("hits") or done.json["nearest"]
    return next(hit["why"] for hit in hits if hit["id"] == tool)


def test_what_stands_beside_the_word_in_two_operations_is_learnt(depot):
    assert learnt(depot) == {("shipment", "shpmt")}


def test_a_query_in_words_meets_the_short_form(depot):
    done = depot("search", "print the label of a shipment", "-k", "9", "--json")

    assert why(done, "depot/fixShpmtTag")["synonyms"] == {"shipment": ["shpmt"]}
    words = {t: why(done, t)["lexical"]["score"] for t in ("depot/delShpmt", "depot/fixShpmtTag")}
    assert words["depot/delShpmt"] > words["depot/fixShpmtTag"] > 0
    assert "synonyms" not in why(done, "depot/lstWhse")


def test_another_index_run_follows_the_texts_and_leaves_what_people_named(depot):
    depot("synonyms", "add", "shipment", "consignment", "--service", "depot")
    depot.write("depot.json", specification("depot", {"getShpmt": "Reads a shipment."}))
    depot("ingest", "depot.json")
    depot("index")

    rows = depot("synonyms", "list", "--json").json["synonyms"]
    assert [(row["synonym"], row["origin"]) for row in rows] == [("consignment", "person")]


def test_what_was_learnt_is_not_imported_as_named_by_people(depot):
    file = depot.write("kept.json", str(depot("synonyms", "list", "--json")))

    assert depot("synonyms", "import", file, "--json").json["added"] == 0
