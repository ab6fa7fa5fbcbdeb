"""What may stand in the place of something: substitution groups, types derived from abstract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parsers.wsdl.names import XSI
from parsers.wsdl.xsd.components import Component, Schemas


def substitutes_of(schemas: Schemas, head: Component) -> list[Component]:
    """The element itself unless abstract, and every element of its substitution group."""
    found = _below(head, lambda one: schemas.substitutes.get(one.name, []))
    concrete = [one for one in found if not _is_abstract(one)]
    return concrete or [head]


def alternatives_of(
    schemas: Schemas, base: Component, reference: Callable[[Component], dict[str, Any]]
) -> list[dict[str, Any]]:
    """The types to send for an abstract one; `xsi_type` (the attribute xsi:type) tells which."""
    found = _below(base, lambda one: schemas.derived.get(one.name, []))
    return [_tagged(one, reference(one)) for one in found if not _is_abstract(one)]


def _tagged(component: Component, reference: dict[str, Any]) -> dict[str, Any]:
    facts = {"attribute": True, "name": "type", "namespace": XSI}
    value: dict[str, Any] = {"const": component.name.local, "xml": facts}
    if component.name.namespace:
        value["description"] = f"of {component.name.namespace}"
    return {**reference, "properties": {"xsi_type": value}, "required": ["xsi_type"]}


def _below(root: Component, step: Callable[[Component], list[Component]]) -> list[Component]:
    found = {root: None}
    queue = [root]
    while queue:
        for component in step(queue.pop(0)):
            if component not in found:
                found[component] = None
                queue.append(component)
    return list(found)


def _is_abstract(component: Component) -> bool:
    return component.node.get("abstract") in ("true", "1")
