"""Names of definitions: readable, distinct, and the same whatever is reached first."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

from parsers.wsdl.files import BUILTIN
from parsers.wsdl.xsd.components import Component, part

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_MAX = 100


def definition_names(components: Iterable[Component]) -> dict[Component, str]:
    """A plain name for one claimant; where several types, or a type and an element, share one, each
    gets a mark of its own namespace and kind."""
    claims: dict[str, list[Component]] = {}
    for component in components:
        if _may_be_defined(component):
            claims.setdefault(_plain(component), []).append(component)
    return {
        component: name if len(group) == 1 else _marked(name, component)
        for name, group in claims.items()
        for component in group
    }


def late_name(component: Component, taken: Mapping[Component, str]) -> str:
    """The name of a component that was not there when names were given."""
    name = _plain(component)
    return _marked(name, component) if name in taken.values() else name


def hoisted_name(path: Iterable[str], count: int) -> str:
    """The name of a type without one that lies deep inside another."""
    name = safe(".".join(path))
    return name if count == 1 else f"{name}.{count}"


def safe(text: str) -> str:
    name = _UNSAFE.sub("_", text).strip("_.") or f"type_{_hash(text)}"
    return name if len(name) <= _MAX else f"{name[: _MAX - 9]}_{_hash(text)}"


def _may_be_defined(component: Component) -> bool:
    if component.kind == "element":
        return any(part(child) == "complexType" for child in component.node)
    return component.kind == "type"


def _plain(component: Component) -> str:
    name = safe(component.name.local)
    if component.scope.location.startswith(BUILTIN):
        file = component.scope.location.removeprefix(BUILTIN).removesuffix(".xsd")
        return f"{file}.{name}"
    return name


def _marked(name: str, component: Component) -> str:
    return f"{name}_{_hash(f'{component.kind} {component.name}')}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
