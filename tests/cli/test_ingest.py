"""What `gloss ingest` says, returns and leaves in the catalog."""

import pytest

from tests.cli.conftest import SAMPLES

GOOD = """
openapi: 3.0.3
info: {title: Bins, version: "1"}
paths:
  /bins:
    get: {operationId: listBins, summary: List storage bins, responses: {"200": {description: ok}}}
"""
ONE_BAD = """
openapi: 3.0.3
info: {title: Half good, version: "1"}
paths:
  /good: {get: {operationId: good, responses: {"200": {description: ok}}}}
  /bad: {get: not-a-mapping}
"""


def tool_ids(gloss):
    return sorted(tool["id"] for tool in gloss("tools", "--json").json["tools"])


def test_the_contract_of_json(gloss):
    gloss.write("bins.yaml", GOOD)

    done = gloss("ingest", "bins.yaml", "--json")

    assert done.exit_code == 0, done.stderr
    assert done.json["schema"] == 1
    (source,) = done.json["sources"]
    assert source["service"] == "bins"
    assert source["kind"] == "openapi"
    assert (source["operations"], source["added"], source["removed"]) == (1, 1, 0)
    assert source["problems"] == []


def test_ingesting_twice_changes_nothing(gloss):
    gloss.write("bins.yaml", GOOD)
    gloss("ingest", "bins.yaml")

    again = gloss("ingest", "bins.yaml", "--json")

    (source,) = again.json["sources"]
    assert (source["added"], source["changed"], source["unchanged"]) == (0, 0, 1)


def test_added_changed_and_removed_are_counted(gloss):
    gloss.write("bins.yaml", GOOD + "  /b: {get: {operationId: b, responses: {}}}\n")
    gloss("ingest", "bins.yaml")
    gloss.write(
        "bins.yaml",
        GOOD.replace("List storage bins", "All storage bins")
        + "  /c: {get: {operationId: c, responses: {}}}\n",
    )

    (source,) = gloss("ingest", "bins.yaml", "--json").json["sources"]

    assert [source[key] for key in ("added", "changed", "unchanged", "removed")] == [1, 1, 0, 1]
    assert tool_ids(gloss) == ["bins/c", "bins/listBins"]


def test_a_dry_run_says_what_would_change_and_keeps_nothing(gloss):
    gloss.write("bins.yaml", GOOD)

    done = gloss("ingest", "bins.yaml", "--dry-run", "--json")

    assert done.json["sources"][0]["added"] == 1
    assert tool_ids(gloss) == []


def test_the_sample_specs_give_every_operation(samples):
    services = {s["name"]: s for s in samples("services", "--json").json["services"]}

    assert set(services) == {"billing", "crm", "hr", "inventory"}
    assert services["crm"]["kind"] == "wsdl"
    assert services["inventory"]["kind"] == "proto"


def test_one_bad_operation_costs_only_itself(gloss):
    gloss.write("half.yaml", ONE_BAD)

    done = gloss("ingest", "half.yaml", "--json")

    assert done.exit_code == 0
    assert tool_ids(gloss) == ["half/good"]
    (problem,) = done.json["sources"][0]["problems"]
    assert problem["level"] == "error"
    assert "/bad" in problem["location"] + problem["message"]
    assert "/bad" in done.stderr


def test_strict_makes_a_skipped_operation_exit_5(gloss):
    gloss.write("half.yaml", ONE_BAD)

    done = gloss("ingest", "half.yaml", "--strict")

    assert done.exit_code == 5
    assert tool_ids(gloss) == ["half/good"]


def test_a_file_that_is_no_spec_is_an_error_that_names_it(gloss):
    gloss.write("page.html", "<!doctype html><html><body>Sign in</body></html>")

    done = gloss("ingest", "page.html")

    assert done.exit_code == 1
    assert "page.html" in done.stderr
    assert "HTML" in done.stderr
    assert "Traceback" not in done.stderr


def test_one_unreadable_file_costs_only_itself_and_exits_5(gloss):
    gloss.write("specs/bins.yaml", GOOD)
    gloss.write("specs/broken.yaml", "openapi: 3.0.3\npaths: [\n")

    done = gloss("ingest", "specs")

    assert done.exit_code == 5
    assert "broken.yaml" in done.stderr
    assert tool_ids(gloss) == ["bins/listBins"]


def test_a_spec_that_no_longer_parses_removes_nothing(gloss):
    gloss.write("bins.yaml", GOOD)
    gloss("ingest", "bins.yaml")
    gloss.write("bins.yaml", "openapi: 3.0.3\npaths: [\n")

    done = gloss("ingest", "bins.yaml")

    assert done.exit_code == 1
    assert tool_ids(gloss) == ["bins/listBins"]


def test_an_empty_folder_is_said(gloss):
    (gloss.folder / "empty").mkdir()

    done = gloss("ingest", "empty")

    assert done.exit_code == 1
    assert "empty" in done.stderr
    assert "try:" in done.stderr


def test_a_file_that_is_not_there_is_said(gloss):
    done = gloss("ingest", "nowhere.yaml")

    assert done.exit_code == 1
    assert "nowhere.yaml" in done.stderr


def test_nothing_to_read_is_a_usage_error(gloss):
    done = gloss("ingest")

    assert done.exit_code == 2
    assert "gloss ingest specs/" in done.stderr


def test_a_spec_from_standard_input(gloss):
    done = gloss("ingest", "-", "--service", "piped", stdin=GOOD)

    assert done.exit_code == 0, done.stderr
    assert tool_ids(gloss) == ["piped/listBins"]


def test_services_declared_in_gloss_toml(gloss):
    gloss.write("specs/bins.yaml", GOOD)
    gloss.write("gloss.toml", '[[services]]\nname = "stock"\nspec = "specs/bins.yaml"\n')

    done = gloss("ingest")

    assert done.exit_code == 0, done.stderr
    assert tool_ids(gloss) == ["stock/listBins"]


def test_two_specs_that_want_one_name_stay_two(gloss):
    gloss.write("shop/api.yaml", GOOD.replace("Bins", "Shop"))
    gloss.write("bank/api.yaml", GOOD.replace("Bins", "Bank"))
    gloss("ingest", "shop/api.yaml")
    gloss("ingest", "bank/api.yaml")
    gloss("ingest", "bank/api.yaml", "shop/api.yaml")

    assert len(tool_ids(gloss)) == 2


@pytest.mark.parametrize(
    ("name", "tool", "place"),
    [
        ("crm", "crm/getProcInfo3", "part"),
        ("billing", "billing/get_customer", "path"),
        ("inventory", "inventory", "message"),
    ],
)
def test_bindings_say_where_each_argument_goes(samples, name, tool, place):
    tools = samples("tools", name, "--json", "--schemas").json["tools"]
    chosen = [t for t in tools if t["id"].startswith(tool)]
    arguments = [a for t in chosen for a in t["binding"]["arguments"]]

    assert {a["place"] for a in arguments} >= {place}
    for t in chosen:
        keys = {a["key"] for a in t["binding"]["arguments"]}
        assert keys == set(t["input_schema"].get("properties", {}))


def test_every_sample_file_is_where_the_demo_expects_it():
    for name in ("crm.wsdl", "billing.openapi.yaml", "hr.swagger.json", "inventory.proto"):
        assert (SAMPLES / name).is_file()


def test_a_file_keeps_its_name_whoever_stands_beside_it(gloss):
    gloss.write("specs/bins/api.yaml", GOOD)
    gloss.write("specs/lamps/api.yaml", GOOD.replace("Bins", "Lamps").replace("listBins", "lamps"))
    gloss("ingest", "specs/bins/api.yaml")
    before = tool_ids(gloss)

    gloss.write("specs/bins/api.json", GOOD)
    gloss("ingest", "specs")
    gloss("ingest", "specs/bins/api.yaml")

    assert set(before) < set(tool_ids(gloss))
    assert len(tool_ids(gloss)) == 3


def test_another_spec_through_the_pipe_takes_nothing_away(gloss):
    gloss("ingest", "-", stdin=GOOD)
    other = gloss("ingest", "-", stdin=GOOD.replace("Bins", "Lamps").replace("listBins", "lamps"))

    assert "another spec in the catalog has stdin" in other.stderr
    assert len(tool_ids(gloss)) == 2
    assert "stdin/listBins" in tool_ids(gloss)


def test_a_spec_that_lost_everything_takes_nothing_away_and_is_no_success(gloss):
    gloss.write("bins.yaml", GOOD)
    gloss("ingest", "bins.yaml")
    gloss.write(
        "bins.yaml",
        'openapi: 3.0.3\ninfo: {title: Bins, version: "1"}\npaths: {/bins: {get: not-a-mapping}}\n',
    )

    done = gloss("ingest", "bins.yaml")

    assert done.exit_code == 1
    assert "none of its operations" in done.stderr
    assert "/bins" in done.stderr
    assert tool_ids(gloss) == ["bins/listBins"]


def test_a_declared_service_may_be_opted_in(gloss):
    gloss.write("bins.yaml", GOOD)
    gloss.write("gloss.toml", '[[services]]\nname = "a"\nspec = "bins.yaml"\nenrich = true\n')
    gloss("ingest")

    (service,) = gloss("services", "--json").json["services"]

    assert service["opted_in"] is True


def test_a_file_name_with_a_line_break_and_an_escape_is_printed_harmlessly(gloss):
    gloss.write("odd\nname\x1b[31mred.yaml", ONE_BAD)

    done = gloss("ingest", ".", "--service", "odd")

    assert done.exit_code == 0, done.stderr
    shown = f"{gloss.folder}/odd name\\x1b[31mred.yaml"
    assert done == f"odd\topenapi\t1\t1\t0\t0\t0\t{shown}\n"
    assert "/odd\\nname\\x1b[31mred.yaml: #/paths/~1bad/get: " in done.stderr.splitlines()[0]


def test_of_several_documents_in_a_pipe_the_others_are_named(gloss):
    done = gloss("ingest", "-", stdin=f"{GOOD}---{ONE_BAD}")

    assert done == "stdin\topenapi\t1\t1\t0\t0\t0\tstdin\n"
    assert "2 YAML documents in one file: one was read, 1 left out (Half good)" in done.stderr
