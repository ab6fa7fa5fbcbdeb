"""In what a file differs from what the catalog would write now, in a sentence."""

from __future__ import annotations

import json

_SHOWN = 5


def differences(text: str, found: bytes) -> str:
    """Tools by name where each has its line, else the first line that is another one."""
    ours, theirs = text.encode().split(b"\n"), found.split(b"\n")
    differing = set(ours).symmetric_difference(theirs)
    tools = {_tool_of(line) for line in differing} - {""}
    if tools:
        names = sorted(tools)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"differs from the catalog: {', '.join(names[:_SHOWN])}{more}"
    pairs = zip(ours, theirs, strict=False)
    same = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))
    return f"differs from the catalog at line {same + 1}"


def _tool_of(line: bytes) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return ""
    return str(value.get("tool", "")) if isinstance(value, dict) else ""
