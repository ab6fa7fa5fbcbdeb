"""The names of the security schemes that a call needs."""

from __future__ import annotations

from parsers.openapi.node import Node

NOTHING = "none"


def security_names(operation: Node, root: Node) -> tuple[str, ...]:
    """One entry for each way to be let in; schemes needed together are joined by " + ".

    An operation's list, even an empty one, replaces the document's. `none` is the way without.
    """
    own = operation.value.get("security")
    given = root.value.get("security") if own is None else own
    ways = given if isinstance(given, list) else [given]
    named = [" + ".join(map(str, way)) or NOTHING for way in ways if isinstance(way, dict)]
    return tuple(dict.fromkeys(named))
