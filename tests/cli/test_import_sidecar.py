"""`gloss export --format sidecar`: a page beside the spec, and its way back."""

import json

import pytest
import yaml

from tests.cli.conftest import SAMPLES
from tests.cli.exchanging import LEGACY, NOTE, PROGRESS, STATUS, Exchange, enriched, with_text

WSDL = SAMPLES / "crm.wsdl"
FILE = "legacy.gloss.yaml"


class Page(Exchange):
    """`page` is the sidecar's text; `back` imports it changed."""

    def page(self) -> str:
        done = self.gloss("export", "legacy", "--format", "sidecar")
        assert done.exit_code == 0, done.stderr
        return str(done)

    def back(self, page, *words):
        return self.gloss("import", self.gloss.write(FILE, page), *words)


@pytest.fixture
def desk(gloss):
    gloss("ingest", LEGACY, "--service", "legacy")
    desk = Page(gloss)
    done = desk.edit(with_text(PROGRESS, NOTE))
    assert done.exit_code == 0, done.stderr
    return desk


def test_the_page_shows_the_original_as_a_comment_and_the_text_below(desk):
    page = desk.page()
    tool = yaml.safe_load(page)["tools"]["getProcInfo3"]

    assert "    # GET /p3\n    # See documentation.\n    name: get_order_progress\n" in page
    assert tool["description"] == enriched(PROGRESS)["description"]
    assert tool["aliases"] == enriched(PROGRESS)["aliases"]
    assert tool["evidence"] == enriched(PROGRESS)["evidence"]
    assert max(map(len, page.splitlines())) <= 100


def test_as_it_is_it_changes_nothing(desk):
    before = str(desk.gloss("export"))
    done = desk.back(desk.page())

    assert (done, done.exit_code) == ("", 0)
    assert desk.gloss("export") == before


def test_an_edited_page_is_live(desk):
    page = desk.page().replace("order status lookup", "where my order is")
    done = desk.back(page)

    assert done == f"applied\t{PROGRESS}\tget_order_progress\n"
    assert "where my order is" in desk.live(PROGRESS)["aliases"]


def test_a_page_can_be_filled_in(desk):
    said = enriched(STATUS)
    head, _, tail = desk.page().partition("  updAcctSt:\n")
    filled = (
        tail.replace("name:", f"name: {said['name']}")
        .replace("description:", f"description: >\n      {said['description']}")
        .replace("aliases: []", f"aliases: {json.dumps(said['aliases'])}")
    )
    done = desk.back(f"{head}  updAcctSt:\n{filled}")

    assert done.exit_code == 0, done.stderr
    assert desk.live(STATUS)["description"] == said["description"]


def test_a_text_deleted_from_the_page_is_taken_out(desk):
    page = yaml.safe_load(desk.page())
    for key in ("name", "description", "aliases", "not_for", "evidence"):
        page["tools"]["delNote"][key] = ""
    done = desk.back(yaml.safe_dump(page))

    assert done == f"reverted\t{NOTE}\t\n", done.stderr
    assert desk.live(NOTE) is None


def test_both_sides_changed_is_a_conflict_here_too(desk):
    page = desk.page().replace("order status lookup", "where my order is")
    desk.edit(lambda lines: lines[PROGRESS]["enriched"].update(not_for="old complaints"))
    done = desk.back(page)

    assert done.exit_code == 5
    assert f"conflict\t{PROGRESS}" in done
    assert desk.back(page, "--theirs").exit_code == 0


FAULTS = (
    ("name: get_order_progress", "name: get_order_progress\n    name: twice", "stands twice"),
    ("name: get_order_progress", "nmae: get_order_progress", "nmae: no such key"),
    ("name: get_order_progress", "name: [a, b]", "getProcInfo3: enriched.name: "),
    ("  getProcInfo3:", "  getProcInfo33:", "did you mean legacy/getProcInfo3?"),
)


def test_a_fault_is_named_with_its_line_and_costs_no_other(desk):
    for old, new, said in FAULTS:
        done = desk.back(desk.page().replace(old, new))

        assert done.exit_code == 5
        assert f"{FILE}: line " in done.stderr
        assert said in done.stderr
        assert "unchanged" in done.stderr


WHOLE = (
    ("schema: 1", "schema: 9", "another schema"),
    ("tools:", "tools: [1", "no valid YAML"),
    ("service: legacy", "service: &a legacy\nagain: *a", "an alias"),
    ("service: legacy", "service: legacy\ndeep: " + "[" * 5000, ""),
    ("service: legacy\n", "", "`service` and `tools`"),
)


def test_a_page_that_cannot_be_read_says_where(desk):
    for old, new, said in WHOLE:
        done = desk.back(desk.page().replace(old, new, 1))

        assert done.exit_code == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr


def test_the_sidecars_of_a_folder_lie_beside_the_specs(desk):
    folder = desk.gloss.folder / "specs"
    folder.mkdir()
    (folder / "crm.wsdl").write_bytes(WSDL.read_bytes())
    desk.gloss("ingest", folder, "-I", SAMPLES)
    done = desk.gloss("export", "--format", "sidecar", "-o", "specs")
    again = desk.gloss("export", "--format", "sidecar", "--check", "specs")
    ingested = desk.gloss("ingest", folder)

    assert {file.name for file in folder.iterdir()} == {"crm.wsdl", "crm.gloss.yaml", FILE}
    assert (done.exit_code, again.exit_code, ingested.exit_code) == (0, 0, 0)


def test_words_of_the_spec_cannot_leave_their_comment(gloss):
    text = "first\\nname: evil\\r\\u2028schema: 2\\u0085x: y\\u0007 # {[ --- "
    paths = {
        "/a\"{b}'~": {
            "get": {"operationId": "on", "description": json.loads(f'"{text}"'), "responses": {}}
        }
    }
    spec = {"openapi": "3.0.3", "info": {"title": "Odd", "version": "1"}, "paths": paths}
    gloss("ingest", gloss.write("odd.json", json.dumps(spec)))
    page = str(gloss("export", "odd", "--format", "sidecar"))

    assert yaml.safe_load(page)["tools"].keys() == {"on"}
    assert gloss("import", gloss.write("odd.gloss.yaml", page)).exit_code == 0
