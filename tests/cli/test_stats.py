"""`gloss stats`: the same figures as a table, as JSON and as a page for a browser."""

import json
import re

import psycopg
import pytest

from store.catalog import find_tool
from store.enrichments import Written, save_proposal
from tests import browser
from tests.cli.conftest import Gloss, bare_environment

HOSTILE = "</script><img src=x onerror=alert(1)>"
SPEC = """openapi: 3.0.3
info: {title: toys, version: "1"}
paths:
  /kites: {get: {operationId: listKites, summary: List all kites, responses: {}}}
  /boats:
    get:
      operationId: listBoats
      summary: "List boats HOSTILE"
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object,
        properties: {boatName: {type: string}, harbour: {type: string}}}}}}}
  /x/{id}: {get: {operationId: getProcInfo3, responses: {}}}
""".replace("HOSTILE", HOSTILE)


@pytest.fixture(scope="module")
def toys(server_url, template_database, tmp_path_factory):
    """Four searches: one used as found, one missed, one asked again, and one without a hit."""
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE gloss_stats TEMPLATE {template_database}")
    folder = tmp_path_factory.mktemp("stats")
    address = server_url.replace("/postgres?", "/gloss_stats?")
    run = Gloss(folder, {**bare_environment(folder), "GLOSS_DATABASE_URL": address})
    run.write("toys.yaml", SPEC)
    for words in (("ingest", "toys.yaml"), ("index",)):
        assert run(*words).exit_code == 0
    run("search", "list kites", "-k", "1", "--chosen", "toys/listKites")
    run("search", "list boats", "-k", "1", "--chosen", "toys/getProcInfo3")
    run("search", "show the kites", "-k", "1")
    run("search", f"kites {HOSTILE}", "-k", "1")
    run("search", f"bake rye bread {HOSTILE}", "-k", "1", env={"GLOSS_SESSION": "another"})
    with psycopg.connect(address, autocommit=True) as conn:
        tool = find_tool(conn, "toys/listBoats")
        text = {"name": "list_boats", "description": "Lists boats.", "aliases": (HOSTILE,)}
        save_proposal(
            conn, Written(tool.service_id, tool.name, tool.content_hash, "f", model="m", **text)
        )
    assert run("apply", "toys/listBoats").exit_code == 0
    return run


def test_json_has_every_figure(toys):
    value = toys("stats", "--json").json

    assert value["schema"] == 1
    totals = value["totals"]
    assert (totals["searches"], totals["empty"], totals["asked_again"]) == (5, 1, 1)
    assert (totals["choices"], totals["first"], totals["missed"]) == (2, 1, 1)
    assert totals["hit@1"] == 0.5
    assert totals["p50_ms"] <= totals["p95_ms"] <= totals["p99_ms"]
    kites = next(row for row in value["tools"] if row["tool"] == "toys/listKites")
    assert (kites["returned"], kites["mean_rank"], kites["best_rank"]) == (3, 1.0, 1)
    assert (kites["chosen"], kites["ignored"], kites["first_share"]) == (1, 2, 1.0)
    assert value["never_found"] == ["toys/getProcInfo3"]
    assert sum(entry["searches"] for entry in value["slices"]) == 5
    assert value["asked_again"][0]["query"] == "show the kites"
    assert value["empty"][0]["query"].startswith("bake rye bread")
    (live,) = value["enriched"]
    assert (live["tool"], live["returned_before"], live["rank_before"]) == ("toys/listBoats", 1, 1)


def test_json_lines_say_what_they_are(toys):
    kinds = [line["kind"] for line in toys("stats", "--format", "jsonl").jsonl]

    assert kinds[0] == "totals"
    assert {"services", "tools", "empty", "asked_again", "enriched"} <= set(kinds)


def test_in_a_pipe_each_line_begins_with_its_section(toys):
    lines = [line.split("\t") for line in toys("stats").splitlines()]

    assert ["all", "searches", "5"] in lines
    assert ["all", "nothing fits", "1", "20.0%"] in lines
    assert ["tool", "toys/listKites", "3", "1.0", "100%", "1", "0", "0", "0", "1", "0"] in lines
    assert ["never found", "toys/getProcInfo3"] in lines


def test_what_to_enrich_first_says_why_and_what_it_costs(gloss):
    gloss.write("toys.yaml", SPEC)
    gloss.write(
        "gloss.toml",
        '[llm]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
        "price_in = 2.5\nprice_out = 10.0\n",
    )
    gloss("ingest", "toys.yaml")

    (first,) = gloss("stats", "--json").json["enrich_first"]

    plan = gloss("opt-in", "toys") or gloss("enrich", "--plan", "--json").json
    assert first["service"] == "toys"
    assert first["tools"] == 3
    assert first["reasons"] == [
        "3 of 3 have no clearer text",
        "1 of 3 names say nothing",
        "1 of 3 have no description",
        "3 of 3 never found",
    ]
    # 0.04 + 0.02 + 3 × 0.01 searches, and the price that gloss enrich --plan gives
    assert first["gain"] == 0.09
    assert first["cost_usd"] == pytest.approx(_cost(plan))
    assert first["per_dollar"] == pytest.approx(0.09 / first["cost_usd"], abs=0.1)


def _cost(plan):
    found = re.search(r'"cost_usd": ([0-9.]+)', json.dumps(plan))
    return float(found[1])


def test_a_service_is_counted_alone_and_an_unknown_one_refused(toys):
    assert toys("stats", "toys", "--json").json["only"] == ["toys"]
    done = toys("stats", "toyz")
    assert done.exit_code == 1
    assert "toys" in done.stderr


def test_an_empty_log_and_an_empty_catalog_are_no_error(gloss):
    assert gloss("stats") == "all\tsearches\t0\n"
    assert gloss("stats", "--json").json["totals"]["searches"] == 0
    assert gloss("stats", "--html", "a.html").exit_code == 0


def test_letters_that_a_terminal_obeys_are_shown_as_escapes(gloss):
    gloss.write("toys.yaml", SPEC)
    gloss("ingest", "toys.yaml")
    gloss("index")
    for word in ("\x1b[31mred\x07", "\u202eevil", "nul\x00byte", "[bold]brackets[/]"):
        gloss("search", f"bake rye bread {word}")

    page = gloss("stats", "--html", "a.html") or (gloss.folder / "a.html").read_text("utf-8")
    shown = gloss("stats")

    for text in (page, shown):
        assert not {"\x1b", "\x07", "\u202e", "\x00"} & set(text)
        assert "\\x1b[31mred\\x07" in text
        assert "[bold]brackets[/]" in text


@pytest.mark.parametrize("since", ["0m", "2020-01-01", "all", "99w"])
def test_periods_as_people_type_them(toys, since):
    expected = 0 if since == "0m" else 5

    assert toys("stats", "--since", since, "--json").json["totals"]["searches"] == expected


@pytest.mark.parametrize("since", ["", "7x", "yesterday", "-3d"])
def test_a_period_that_is_none_says_how_to_write_one(toys, since):
    done = toys("stats", f"--since={since}")

    assert done.exit_code == 2
    assert "--since 7d" in done.stderr


def test_forget_deletes_what_is_older_and_nothing_else(gloss):
    with psycopg.connect(gloss.environment["GLOSS_DATABASE_URL"]) as conn:
        conn.execute(
            "INSERT INTO search_log (search_id, searched_at, origin, query, k, took_ms)"
            " SELECT gen_random_uuid(), now() - make_interval(days => n * 10), 'cli', 'q', 4, 1"
            " FROM generate_series(1, 5) n"
        )

    assert gloss("stats", "--forget", "25d") == "3 searches forgotten\n"
    assert gloss("stats", "--forget", "25d", "--json").json["searches"] == 0
    assert gloss("stats", "--since", "all", "--json").json["totals"]["searches"] == 2
    assert gloss("stats", "--forget", "all").exit_code == 2


def test_the_page_is_written_whole_or_not_at_all(toys):
    page = toys.folder / "stats.html"
    page.write_text("old")
    page.chmod(0o600)

    assert toys("stats", "--html", page).exit_code == 0

    assert page.read_text("utf-8").rstrip().endswith("</html>")
    assert page.stat().st_mode & 0o777 == 0o600
    assert not list(toys.folder.glob(".stats*"))
    refused = toys("stats", "--html", "no/such/folder/a.html")
    assert refused.exit_code == 2
    assert "--html FILE" in refused.stderr


def test_the_page_holds_no_markup_of_others_and_no_address(toys):
    toys("stats", "--html", "stats.html")

    page = (toys.folder / "stats.html").read_text("utf-8")

    assert HOSTILE not in page
    assert "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;" in page
    told = re.sub(r'"data:,"|"#[a-z]+"', '""', page.replace("src=x onerror", ""))
    assert re.findall(r"(?:src|href)=[^ >]+", told) == ['href=""'] * 7
    assert "http:" not in page
    assert "https:" not in page
    assert "default-src &#x27;none&#x27;" in page


def test_plots_are_letters_the_terminal_can_carry(toys):
    from cli import plots

    assert plots.bar(0.5, 4) in ("██░░", "##..")
    done = toys.process(
        "stats", env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    )
    assert done.exit_code == 0
    assert done.isascii()


def test_metrics_are_in_the_text_format_with_names_of_their_own(toys):
    done = toys("stats", "--prometheus", "stats.prom", "--since", "1d")

    assert (done.exit_code, done) == (0, "")
    file = toys.folder / "stats.prom"
    lines = file.read_text("utf-8").splitlines()
    assert file.stat().st_mode & 0o777 == 0o644
    assert {
        "# TYPE gloss_stats_searches gauge",
        "gloss_stats_searches 5",
        "gloss_stats_empty 1",
        "gloss_stats_asked_again 1",
        "gloss_stats_choices_missed 1",
        "gloss_stats_tools_never_found 1",
        'gloss_stats_service_missed{service="toys"} 1',
    } <= set(lines)
    assert all(line.startswith(("# ", "gloss_stats_")) for line in lines)
    assert sum(line.startswith("gloss_stats_search_seconds{") for line in lines) == 3


@pytest.fixture(scope="module")
def page(toys):
    if browser.program() is None:
        pytest.skip("no Chromium or Chrome on this machine")
    toys("stats", "--html", "stats.html")
    with browser.browser() as opened:
        opened.look(1280)
        opened.open(toys.folder / "stats.html")
        yield opened


def names(page):
    rows = "[...document.querySelectorAll('#tools-t tbody tr:not([hidden])')]"
    return page.do(f"{rows}.map(row => row.cells[0].textContent)")


def head(column):
    return f"document.querySelector('#tools-t th:nth-child({column})')"


def test_headings_sort_by_keyboard_and_say_so(page):
    page.do(f"{head(3)}.firstElementChild.focus()")
    page.press("Enter")
    assert page.do(f"{head(3)}.getAttribute('aria-sort')") == "descending"
    most = names(page)
    page.press("Space")
    assert page.do(f"{head(3)}.getAttribute('aria-sort')") == "ascending"
    assert names(page)[::-1] == most
    assert most[0] == "toys/listKites"
    page.do(f"{head(1)}.firstElementChild.click()")
    assert names(page) == ["toys/getProcInfo3", "toys/listBoats", "toys/listKites"]
    assert page.do(f"{head(3)}.getAttribute('aria-sort')") == "none"


def test_filtering_hides_rows_and_counts_them(page):
    page.do("document.querySelector('input[data-for=tools-t]').focus()")
    page.type("BOATS")
    assert names(page) == ["toys/listBoats"]
    assert page.do("document.querySelector('output[data-of=tools-t]').textContent") == "1 of 3 rows"
    page.do("document.querySelector('input[data-for=tools-t]').select()")
    page.type(" ")
    assert len(names(page)) == 3


def test_texts_before_and_after_can_be_filtered(page):
    cells = "[...document.querySelectorAll('#enriched-t tbody td')].map(cell => cell.textContent)"
    told = page.do(cells)
    output = "document.querySelector('output[data-of=enriched-t]').textContent"

    page.do("document.querySelector('input[data-for=enriched-t]').focus()")
    page.type("kites")
    without = page.do(output)
    page.do("document.querySelector('input[data-for=enriched-t]').select()")
    page.type("boats")

    assert told[0] == "toys/listBoats"
    assert told[3:6] == ["1.0 in 1", "no hit", ""]
    assert (without, page.do(output)) == ("0 of 1 rows", "1 of 1 rows")


def test_everything_is_reached_with_the_tab_key(page):
    page.do("document.activeElement.blur(); window.scrollTo(0, 0)")
    seen = set()
    for _ in range(80):
        page.press("Tab")
        seen.add(page.do("document.activeElement.closest('section, nav')?.id || 'nav'"))
    assert {"nav", "services", "tools", "empty", "again"} <= seen


def test_hostile_text_is_text(page):
    assert page.do("document.images.length") == 0
    assert page.do("document.scripts.length") == 1
    assert HOSTILE in page.do("document.querySelector('#empty-t').textContent")
    assert HOSTILE in page.do("document.querySelector('#enriched').textContent")


@pytest.mark.parametrize("width", [420, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_runs_out_of_the_page_in_light_and_dark(page, width, dark):
    page.look(width, dark=dark)

    assert page.do("document.documentElement.scrollWidth") <= width
    ground = page.do("getComputedStyle(document.body).backgroundColor")
    light = sum(int(part) for part in re.findall(r"\d+", ground)[:3]) > 380
    assert light is not dark


def test_the_page_asks_for_nothing_and_complains_of_nothing(page, toys):
    own = (toys.folder / "stats.html").as_uri()

    assert {address for address in page.requests if address != "data:,"} == {own}
    assert page.complaints == []


MANY = """
WITH s AS (
  INSERT INTO services (name, kind, version, identity, title, description, source)
  VALUES ('big', 'openapi', '3', 'big', '', '', '') RETURNING service_id
)
INSERT INTO operations (service_id, operation_id, name, protocol, binding, summary, description,
  input_schema, tags, deprecated, content_hash)
SELECT service_id, n, 'tool_' || n, 'rest', '{"protocol": "rest", "method": "GET", "path": "/x"}',
  '', 'Text.', '{}', '{}', false, '' FROM s, generate_series(1, 1000) n
"""


def test_of_many_tools_the_first_are_shown_and_all_are_searched(gloss, page):
    with psycopg.connect(gloss.environment["GLOSS_DATABASE_URL"]) as conn:
        conn.execute(MANY)
    gloss("stats", "--html", "many.html")
    page.look(1280)
    page.open(gloss.folder / "many.html")
    output = "document.querySelector('output[data-of=tools-t]').textContent"

    assert len(names(page)) == 200
    assert page.do(output) == "1000 rows, the first 200 shown"
    page.do("document.querySelector('input[data-for=tools-t]').focus()")
    page.type("tool_999")
    assert names(page) == ["big/tool_999"]
    page.do("document.querySelector('input[data-for=tools-t]').select()")
    page.type(" ")
    page.do("document.querySelector('button[data-more=tools-t]').click()")
    assert len(names(page)) == 1000
