"""Contents written as JSON Schema objects: keys, required, alternatives, and the facts of XML.

What a call needs and JSON Schema cannot say stands under `xml`, as in OpenAPI: on a property
`name` (where the key differs), `namespace`, `attribute`, `nodeType: text`; on an object `children`,
the namespace of those of its elements that name none of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from catalog.words import distinct_keys
from parsers.wsdl.xsd.content import MANY, Branch, Choice, Field, FieldId

Keys = Mapping[FieldId, str]


def keys_of(ids: Sequence[FieldId]) -> dict[FieldId, str]:
    """Property keys: the plain name where it is unique, else `name_element`, `name_attribute`."""
    seen: Counter[tuple[str, str]] = Counter()
    wanted = []
    for one in ids:
        seen[one.name, one.place] += 1
        count = seen[one.name, one.place]
        wanted.append((one.name, one.place if count == 1 else f"{one.place}_{count}"))
    return dict(zip(ids, distinct_keys(wanted), strict=True))


def object_schema(
    fields: Sequence[Field], choices: Sequence[Choice] = (), is_open: bool = False
) -> dict[str, Any]:
    keys = keys_of([one.id for one in fields])
    children = children_namespace(fields)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {keys[one.id]: property_schema(one, keys, children) for one in fields},
    }
    required = [keys[one.id] for one in fields if one.least > 0]
    if required:
        schema["required"] = required
    schema.update(alternatives(choices, keys))
    if is_open:
        schema["additionalProperties"] = True
    if children:
        schema["xml"] = {"children": children}
    return schema


def children_namespace(fields: Sequence[Field]) -> str:
    return next((one.id.namespace for one in fields if one.id.place == "element"), "")


def property_schema(one: Field, keys: Keys, children: str) -> dict[str, Any]:
    schema = repeated(one)
    facts = _facts(one.id, keys[one.id], children)
    if not facts:
        return schema
    return {**schema, "xml": {**schema.get("xml", {}), **facts}}


def repeated(one: Field) -> dict[str, Any]:
    """An array where the field may occur more than once; its words move to the array."""
    if one.most <= 1:
        return one.schema
    words = {"description"} if "description" in one.schema else set()
    schema: dict[str, Any] = {
        "type": "array",
        "items": {key: value for key, value in one.schema.items() if key not in words},
        **{word: one.schema[word] for word in words},
    }
    if one.least > 1:
        schema["minItems"] = one.least
    if one.most < MANY:
        schema["maxItems"] = one.most
    return schema


def _facts(field_id: FieldId, key: str, children: str) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if field_id.place == "text":
        return {"nodeType": "text"}
    if field_id.place in ("part", "header"):
        return {}  # said by the arguments of the binding
    if field_id.place == "attribute":
        facts["attribute"] = True
        children = ""
    if field_id.namespace != children:
        facts["namespace"] = field_id.namespace
    if key != field_id.name:
        facts["name"] = field_id.name
    return facts


def alternatives(choices: Sequence[Choice], keys: Keys) -> dict[str, Any]:
    written = [_choice(one, keys) for one in choices]
    unique = [one for index, one in enumerate(written) if one not in written[:index]]
    if len(unique) > 1:
        return {"allOf": unique}
    return unique[0] if unique else {}


def _choice(choice: Choice, keys: Keys) -> dict[str, Any]:
    return {
        "oneOf" if choice.exclusive else "anyOf": [_branch(one, keys) for one in choice.branches]
    }


def _branch(branch: Branch, keys: Keys) -> dict[str, Any]:
    required = [keys[one] for one in branch.required]
    inside = alternatives(branch.choices, keys)
    return {"required": required, **inside} if required else inside
