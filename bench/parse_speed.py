"""Parsing a large OpenAPI document against its bare JSON load, in time and memory.

    python bench/parse_speed.py [FILE.json …]

Without a file, a document of about 13 MB with 1,100 operations and entangled types is made.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOAD = "import orjson; value = orjson.loads(data)"
PARSE = (
    "from parsers.openapi import parse; from parsers.document import Document; "
    "value = parse(Document(location=sys.argv[1], data=data, service='big'))"
)
PROGRAM = """
import resource, sys, time
data = open(sys.argv[1], 'rb').read()
{warm}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = time.perf_counter()
{work}
seconds = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(seconds, peak - before)
"""


def main() -> None:
    files = [Path(name) for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        for file in files or [made(Path(folder) / "made.json")]:
            report(file)


def report(file: Path) -> None:
    size = file.stat().st_size
    load_s, _ = run(file, "import orjson", LOAD)
    parse_s, grown_kb = run(file, "import orjson, parsers.openapi", PARSE)
    print(
        f"{file.name}: {size / 1e6:.1f} MB   load {load_s:.2f} s   parse {parse_s:.2f} s   "
        f"ratio {parse_s / load_s:.1f} (bar 8)   memory {grown_kb * 1024 / size:.1f} x file (bar 8)"
    )


def run(file: Path, warm: str, work: str) -> tuple[float, int]:
    """The best of three fresh processes: seconds, and growth of the peak in KB."""
    program = PROGRAM.format(warm=warm, work=work)
    figures = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program, str(file)], cwd=ROOT,
                              capture_output=True, text=True, check=True)  # fmt: skip
        seconds, grown = done.stdout.split()
        figures.append((float(seconds), int(grown)))
    return min(figures)


def made(file: Path) -> Path:
    draw = random.Random(7)
    schemas = {f"Type{n}": schema(n, draw) for n in range(900)}
    paths = {f"/things{n}/{{id}}": {"get": operation(n, draw)} for n in range(1100)}
    info = {"title": "Made", "version": "1"}
    file.write_text(json.dumps(
        {"openapi": "3.0.3", "info": info, "paths": paths, "components": {"schemas": schemas}}
    ))  # fmt: skip
    return file


def schema(number: int, draw: random.Random) -> dict[str, object]:
    text = "A field of this type, described at the length that vendors use. " * 3
    plain = {f"field_{n}": {"type": "string", "description": text} for n in range(30)}
    linked = {
        f"link_{n}": {"$ref": f"#/components/schemas/Type{draw.randrange(900)}"} for n in range(4)
    }
    return {"type": "object", "properties": {**plain, **linked}}


def operation(number: int, draw: random.Random) -> dict[str, object]:
    answer = {"$ref": f"#/components/schemas/Type{draw.randrange(900)}"}
    example = {f"field_{n}": "x" * 40 for n in range(30)}
    return {
        "operationId": f"getThing{number}",
        "summary": f"Get thing {number}",
        "description": "What it does, told at some length. " * 40,
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            *({"name": f"q{n}", "in": "query", "schema": {"type": "string"}} for n in range(6)),
        ],
        "responses": {
            "200": {
                "description": "ok",
                "content": {"application/json": {"schema": answer, "example": example}},
            }
        },
    }


if __name__ == "__main__":
    main()
