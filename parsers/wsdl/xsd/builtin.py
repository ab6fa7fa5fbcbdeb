"""The types that XML Schema brings along (part 2, §3) as JSON Schema."""

from __future__ import annotations

from typing import Any

from parsers.wsdl.names import SOAP_ENCODINGS, XSD_ALL, QName

_STRING = {"type": "string"}
_NUMBER = {"type": "number"}
_WORDS = {"type": "array", "items": _STRING, "xml": {"list": True}}


def _integer(low: int | None, high: int | None) -> dict[str, Any]:
    bounds = {"minimum": low, "maximum": high}
    return {"type": "integer", **{key: value for key, value in bounds.items() if value is not None}}


def _format(name: str) -> dict[str, Any]:
    return {"type": "string", "format": name}


_TYPES: dict[str, dict[str, Any]] = {
    **dict.fromkeys(
        "string normalizedString token language Name NCName NMTOKEN ID IDREF ENTITY QName NOTATION "
        "gYear gYearMonth gMonth gMonthDay gDay".split(),
        _STRING,
    ),
    **dict.fromkeys("IDREFS ENTITIES NMTOKENS".split(), _WORDS),
    "boolean": {"type": "boolean"},
    **dict.fromkeys("decimal float double precisionDecimal".split(), _NUMBER),
    "integer": _integer(None, None),
    "long": _integer(-(2**63), 2**63 - 1),
    "int": _integer(-(2**31), 2**31 - 1),
    "short": _integer(-(2**15), 2**15 - 1),
    "byte": _integer(-(2**7), 2**7 - 1),
    "nonNegativeInteger": _integer(0, None),
    "positiveInteger": _integer(1, None),
    "nonPositiveInteger": _integer(None, 0),
    "negativeInteger": _integer(None, -1),
    "unsignedLong": _integer(0, 2**64 - 1),
    "unsignedInt": _integer(0, 2**32 - 1),
    "unsignedShort": _integer(0, 2**16 - 1),
    "unsignedByte": _integer(0, 2**8 - 1),
    "dateTime": _format("date-time"),
    "dateTimeStamp": _format("date-time"),
    "timeInstant": _format("date-time"),  # the draft of 1999
    "date": _format("date"),
    "time": _format("time"),
    **dict.fromkeys(
        "duration timeDuration dayTimeDuration yearMonthDuration".split(), _format("duration")
    ),
    "anyURI": _format("uri-reference"),
    "uriReference": _format("uri-reference"),
    "base64Binary": {"type": "string", "contentEncoding": "base64"},
    "base64": {"type": "string", "contentEncoding": "base64"},  # SOAP 1.1 §5.2.3
    "hexBinary": {"type": "string", "contentEncoding": "base16"},
    "anySimpleType": {"type": ["string", "number", "boolean"]},
    "anyAtomicType": {"type": ["string", "number", "boolean"]},
    "anyType": {},
    "ur-type": {},
}


def builtin(name: QName) -> dict[str, Any] | None:
    """The schema of a built-in type; the SOAP encoding repeats each one under its own namespace."""
    if name.namespace in XSD_ALL or name.namespace in SOAP_ENCODINGS:
        found = _TYPES.get(name.local)
        return None if found is None else dict(found)
    return None
