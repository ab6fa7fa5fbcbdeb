"""`gloss export --format overlay`: applied by a small program of our own after RFC 9535, and by
an independent one."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import yaml

from pipeline.exchange.overlay import target
from tests.cli.conftest import SAMPLES, Gloss, bare_environment

ODD_PATHS = ("/it's", '/say/"{word}"', "/~tilde/{a}~1", "/back\\slash", "/both/'\"", "/größe/{id}")
SEGMENT = re.compile(
    r"""\.(?P<dot>[A-Za-z_]\w*)|\[(?:'(?P<one>(?:\\.|[^'\\])*)'|"(?P<two>(?:\\.|[^"\\])*)")\]"""
)


def found(document, path):
    """The node that a singular query selects (RFC 9535 §2.3.5.1), or None."""
    at, node = 1, document
    assert path[0] == "$"
    while at < len(path):
        step = SEGMENT.match(path, at)
        assert step, path[at:]
        node = node.get(name_of(step)) if isinstance(node, dict) else None
        at = step.end()
    return node


def name_of(step):
    if step["dot"]:
        return step["dot"]
    if step["two"] is not None:
        return json.loads(f'"{step["two"]}"')
    one = step["one"].replace("\\'", "'")
    return json.loads('"' + re.sub(r'(?<!\\)"', r"\"", one) + '"')


def merged(old, new):
    """Overlay 1.0 §4.4.3: objects merge, lists grow, all else is replaced."""
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(key), dict):
            merged(old[key], value)
        elif isinstance(value, list) and isinstance(old.get(key), list):
            old[key].extend(value)
        else:
            old[key] = value


def applied(document, overlay):
    document = copy.deepcopy(document)
    for action in overlay["actions"]:
        node = found(document, action["target"])
        assert node is not None, action["target"]
        merged(node, action["update"])
    return document


def without_text(document):
    rest = copy.deepcopy(document)
    for item in rest["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict):
                for key in ("summary", "description", "x-gloss"):
                    operation.pop(key, None)
    return rest


SOURCES = {"billing": "billing.openapi.yaml", "hr": "hr.swagger.json", "odd": "odd.json"}


@pytest.fixture(scope="module")
def world(server_url, template_database, tmp_path_factory) -> Gloss:
    """Sample specs and one of odd paths with live texts, and their overlays in `out`."""
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE gloss_overlays TEMPLATE {template_database}")
    folder = tmp_path_factory.mktemp("overlays")
    url = server_url.replace("/postgres?", "/gloss_overlays?")
    gloss = Gloss(folder, {**bare_environment(folder), "GLOSS_DATABASE_URL": url})
    for source in ("billing.openapi.yaml", "hr.swagger.json", "inventory.proto"):
        gloss.write(source, (SAMPLES / source).read_text("utf-8"))
    gloss.write("odd.json", json.dumps(odd_spec()))
    for words in (
        ("ingest", *SOURCES.values(), "inventory.proto", "-I", SAMPLES),
        ("opt-in", "billing", "hr"),
    ):
        assert gloss(*words).exit_code == 0
    gloss("enrich")
    gloss("apply", "--yes")
    done = gloss("import", "-", stdin=odd_texts(gloss("export", "odd").jsonl))
    assert done.exit_code == 0, done.stderr
    return gloss


def odd_spec():
    return {
        "openapi": "3.0.3",
        "info": {"title": "Odd", "version": "1"},
        "paths": {
            path: {"get": {"operationId": f"q{n}", "responses": {}, "parameters": []}}
            for n, path in enumerate(ODD_PATHS)
        },
    }


def odd_texts(lines):
    for n, line in enumerate(lines):
        line["enriched"] = {
            "name": f"get_thing_{'abcdef'[n]}",
            "description": "Returns what the odd path holds. Use it to look into one.",
            "aliases": ["odd thing", "odd answer", "what is odd"],
        }
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture(scope="module")
def made(world):
    done = world("export", "--format", "overlay", "-o", "out/")
    assert done.exit_code == 0, done.stderr
    assert "left out: inventory: a gRPC service" in done.stderr
    return world.folder


def pair(folder, service):
    document = yaml.safe_load((folder / SOURCES[service]).read_text("utf-8"))
    overlay = yaml.safe_load((folder / f"out/{service}.overlay.yaml").read_text("utf-8"))
    return document, overlay


@pytest.mark.parametrize("service", SOURCES)
def test_it_changes_text_and_nothing_else_and_a_second_time_nothing(made, service):
    document, overlay = pair(made, service)
    once = applied(document, overlay)

    assert overlay["overlay"] == "1.0.0"
    assert overlay["actions"]
    assert once != document
    assert applied(once, overlay) == once
    assert without_text(once) == without_text(document)


def test_readers_see_the_clearer_text_and_then_what_stood_there(world, made):
    once = applied(*pair(made, "hr"))
    line = next(line for line in world("export", "hr").jsonl if line["enriched"])
    operation = found(once, target(*line["wire"].split(" ", 1)))

    assert operation["description"].startswith(line["enriched"]["description"])
    assert line["original"]["description"] in operation["description"]
    assert operation["operationId"] == line["original"]["name"]
    assert operation["x-gloss"]["name"] == line["enriched"]["name"]
    assert operation["x-gloss"]["aliases"] == "; ".join(line["enriched"]["aliases"])


def test_the_ending_of_the_file_makes_it_json(world, made):
    done = world("export", "hr", "--format", "overlay", "-o", "hr.json")

    assert done.exit_code == 0
    assert json.loads((made / "hr.json").read_text("utf-8")) == pair(made, "hr")[1]


@pytest.mark.parametrize("service", SOURCES)
def test_an_independent_program_makes_the_same_of_it(made, service):
    expected = texts(applied(*pair(made, service)))
    once = oas_patch(made, SOURCES[service], service)
    (made / "once.yaml").write_text(once, "utf-8")
    twice = oas_patch(made, "once.yaml", service)

    assert texts(yaml.safe_load(once)) == expected
    assert texts(yaml.safe_load(twice)) == expected


def oas_patch(folder, source, service):
    program = Path(sys.executable).with_name("oas-patch")
    command = [program, "overlay", source, f"out/{service}.overlay.yaml"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def texts(document):
    return {
        (path, method): tuple(str(op.get(key)) for key in ("summary", "description", "x-gloss"))
        for path, item in document["paths"].items()
        for method, op in item.items()
        if isinstance(op, dict)
    }


@pytest.mark.parametrize("path", ODD_PATHS)
def test_odd_paths_are_found(path):
    document = {"paths": {path: {"get": {"here": True}}, "/": {"get": {}}}}

    assert found(document, target("GET", path)) == {"here": True}


def test_methods_beyond_the_usual_are_additional_operations():
    assert target("COPY", "/a") == "$.paths['/a'].additionalOperations['COPY']"


def test_what_is_no_openapi_is_refused_with_the_way_out(samples):
    done = samples("export", "crm", "--format", "overlay")

    assert done.exit_code == 2
    assert "crm is a WSDL service" in done.stderr
    assert "gloss export crm --format sidecar" in done.stderr


def test_a_service_without_text_has_no_overlay(samples):
    done = samples("export", "hr", "--format", "overlay")

    assert done.exit_code == 1
    assert "no live text" in done.stderr
