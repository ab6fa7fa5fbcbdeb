"""prance on a whole document, for `--strict`: the rules that no schema can say.

prance follows references by itself, so it is given only documents that refer to nothing outside
themselves, in a process of its own that can be ended: on entangled types it may not come back.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

MAX_SECONDS = 20.0
_PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
from prance import BaseParser, ValidationError
try:
    BaseParser(spec_string=sys.stdin.read(), backend="openapi-spec-validator")
except ValidationError as error:
    said = getattr(error.__cause__, "message", "") or str(error)
    sys.stdout.write(str(said).splitlines()[0] if str(said) else "not valid")
"""


def first_fault(tree: Any) -> str:
    """The first fault that prance names, or "" where it finds none or does not say."""
    if _reaches_out(tree):
        return ""
    import orjson

    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _PROGRAM],
            input=orjson.dumps(tree, default=str),
            capture_output=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"prance did not finish within {MAX_SECONDS:.0f} s"
    except TypeError:
        return ""
    return done.stdout.decode("utf-8", "replace").strip()


def _reaches_out(tree: Any) -> bool:
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            ref = node.get("$ref")
            if isinstance(ref, str) and not ref.startswith("#"):
                return True
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return False
