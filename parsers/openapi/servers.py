"""Where an API lives: addresses with their variables filled in, without a slash at the end."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from parsers.addresses import HELD_CREDENTIALS, without_credentials
from parsers.openapi.node import Node
from parsers.openapi.placenames import joined
from parsers.openapi.problems import Problems

_VARIABLE = re.compile(r"\{([^{}]+)\}")


class Servers:
    """An operation's own servers, else its path's, else the document's.

    A relative address is kept as it is, for a local file has no host; in a document that came from
    the network it is relative to where the document was (OpenAPI 3 §4.8.5).
    """

    def __init__(self, document: Node, location: str, problems: Problems) -> None:
        self._base = location if location.startswith(("http://", "https://")) else ""
        self._problems = problems
        self._document = document
        old = document.file.version == "2.0"
        self._shared = self._of_2(document) if old else self._listed(document)

    def of(self, item: Node, operation: Node) -> tuple[str, ...]:
        if self._document.file.version == "2.0":
            schemes = operation.value.get("schemes")
            return self._of_2(self._document, schemes) if schemes else self._shared
        return self._listed(operation) or self._listed(item) or self._shared

    def _listed(self, owner: Node) -> tuple[str, ...]:
        found = [self._address(server) for server in owner.child("servers").elements()]
        return tuple(dict.fromkeys(address for address in found if address is not None))

    def _address(self, server: Node) -> str | None:
        url = server.child("url").value
        if not isinstance(url, str):
            self._problems.warn(server, "a server without `url`: left out")
            return None
        values = {name: _value(entry.value) for name, entry in server.child("variables").entries()}
        filled = self._bare(
            _VARIABLE.sub(lambda found: values.get(found[1]) or found[0], url.strip()), server
        )
        if "{" in filled:
            self._problems.warn(server, "a variable of the server has no value", filled)
        return self._placed(filled)

    def _bare(self, address: str, place: Node) -> str:
        bare = without_credentials(address)
        if bare != address:
            self._problems.warn(place, HELD_CREDENTIALS)
        return bare

    def _placed(self, address: str) -> str:
        """The address, whole where the document's own address says the rest."""
        if self._base:
            address = joined(self._base, address)
        return address.rstrip("/") or "/"

    def _of_2(self, document: Node, schemes: Any = None) -> tuple[str, ...]:
        host = document.value.get("host")
        base = document.value.get("basePath")
        path = base.strip().rstrip("/") if isinstance(base, str) else ""
        path = f"/{path.lstrip('/')}" if path else ""
        if not isinstance(host, str) or not host.strip():
            return (self._placed(path),) if path or self._base else ()
        bare = host.strip().rstrip("/")
        named = bare if "://" in bare else f"//{bare}"
        bare = self._bare(named, document.child("host")).removeprefix("//")
        if "://" in bare:
            self._problems.warn(document.child("host"), "`host` with a scheme: taken as it is")
            return (bare + path,)
        return tuple(f"{scheme}//{bare}{path}" for scheme in self._schemes(schemes or document))

    def _schemes(self, given: Any) -> list[str]:
        listed = given.value.get("schemes") if isinstance(given, Node) else given
        listed = listed if isinstance(listed, list) else [listed]
        words = [f"{one}:" for one in listed if isinstance(one, str)]
        if words:
            return words
        return [f"{urlsplit(self._base).scheme}:"] if self._base else ["https:"]


def _value(variable: Any) -> str:
    """The default; where it is forgotten, the first of the values that are allowed."""
    if not isinstance(variable, dict):
        return ""
    default = variable.get("default")
    if default is None and isinstance(variable.get("enum"), list) and variable["enum"]:
        default = variable["enum"][0]
    return "" if default is None or isinstance(default, dict | list) else str(default)
