"""Bytes of a spec to the values that JSON has: text keys, finite numbers, no shared surprises.

JSON goes through orjson when it is plain, else through the standard library, which can say more;
what is no JSON is read as YAML.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

import orjson

from catalog.errors import SpecError
from catalog.text import storable
from parsers.openapi.encodings import decode
from parsers.openapi.yamltree import MAX_DEPTH, NOT_FINITE, Words, YamlFault, YamlTree, both

_UTF8_MARK = b"\xef\xbb\xbf"
_LONG = b"0" * 19  # digits of an integer that orjson might make a float
_DIGITS = bytes(48 if chr(code).isdigit() and code < 128 else 32 for code in range(256))
_KEY_END = re.compile(rb'(?<!\\)"\s*:')
_CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAY_BE_UNSTORABLE = re.compile(r"\\(?:u0000|x00|0|u[dD][89a-fA-F])")
_SURROGATES = re.compile(  # JSON's escapes, which libyaml refuses
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?"
    r"|\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_COMMENT_OR_TEXT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
_FLOW = re.compile(r"\s*\{\s*[A-Za-z'$]")  # a mapping of YAML, not of JSON
_MAX_INT_DIGITS = 4000
_SPEC_KEYS = ("openapi", "swagger")


@dataclass(frozen=True, slots=True)
class Loaded:
    """By `id`, `lines` gives the line of a mapping; `words` are of YAML only."""

    tree: Any
    warnings: tuple[str, ...] = ()
    lines: dict[int, int] = field(default_factory=dict)
    words: Words = field(default_factory=dict)


class _Careful:
    """JSON that orjson refuses or would change: what is wrong is left out, with a warning."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def load(self, text: str) -> Any:
        return json.loads(
            text,
            strict=False,
            object_pairs_hook=self._mapping,
            parse_constant=lambda word: NOT_FINITE,
            parse_int=_whole_number,
            parse_float=_finite,
        )

    def _mapping(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(pairs)
        return out if len(out) == len(pairs) else self._twice(pairs)

    def _twice(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, value in pairs:
            if key in out:
                value, said = both(key, out[key], value)
                self.warnings.append(said)
            out[key] = value
        return out


def load(data: bytes, location: str) -> Loaded:
    """The tree of one file; SpecError names the file, the place and the cause."""
    body = data.removeprefix(_UTF8_MARK)
    if body.lstrip()[:1] in (b"{", b"[") and not _needs_care(body):
        try:
            return Loaded(_strict_json(body))
        except ValueError:  # orjson's; said better below, or mended
            pass
    text, warnings = decode(data)
    _refuse_binary(text, location)
    loaded = _read_text(text, location)
    if _measure(loaded.tree)[1] > MAX_DEPTH:
        raise _too_deep(location)
    loaded = _storable(loaded) if _MAY_BE_UNSTORABLE.search(text) else loaded
    return Loaded(loaded.tree, (*warnings, *loaded.warnings), loaded.lines, loaded.words)


def _needs_care(body: bytes) -> bool:
    """Whether there is a NUL or a big integer. Without `re`, which takes ten times longer."""
    if b"\\u0000" in body:
        return True
    digits = body.translate(_DIGITS)
    place = digits.find(_LONG)
    while place >= 0:
        if body[max(place - 64, 0) : place].rstrip(b"-\t\r\n ")[-1:] in (b":", b"[", b","):
            return True
        end = digits.find(b" ", place)
        place = digits.find(_LONG, end) if end >= 0 else -1
    return False


def _strict_json(body: bytes) -> Any:
    """The tree, or ValueError when it is not plain JSON, too deep, or holds a key twice."""
    tree = orjson.loads(body)
    keys, depth = _measure(tree)
    written = body.count(b'":') - body.count(b'\\":')
    if depth > MAX_DEPTH or (written != keys and len(_KEY_END.findall(body)) != keys):
        raise ValueError("perhaps a key that stands twice")
    return tree


def _measure(tree: Any) -> tuple[int, int]:
    """How many keys the tree has, and how deep it is."""
    keys = depth = 0
    level: list[Any] = [tree]
    while level and depth <= MAX_DEPTH:
        depth += 1
        below: list[Any] = []
        for node in level:
            if type(node) is dict:
                keys += len(node)
                below += node.values()
            elif type(node) is list:
                below += node
        level = below
    return keys, depth


def _storable(loaded: Loaded) -> Loaded:
    tree, replaced = storable(loaded.tree)
    if not replaced:
        return loaded
    said = f"{replaced} texts with NUL or half a surrogate pair: written as U+FFFD"
    return Loaded(tree, (*loaded.warnings, said))


def _read_text(text: str, location: str) -> Loaded:
    json_fault = ""
    if text.lstrip()[:1] in ("{", "[", "/"):
        try:
            return _json_or_near(text)
        except RecursionError:
            raise _too_deep(location) from None
        except ValueError as error:
            json_fault = "" if _FLOW.match(text) else str(error)
    try:
        return _yaml(text, json_fault)
    except YamlFault as error:
        if json_fault:
            raise SpecError(f"{location}: not valid JSON: {json_fault}") from None
        raise SpecError(f"{location}: not valid YAML: {error}", hint=_yaml_hint(text)) from None


def _json_or_near(text: str) -> Loaded:
    """JSON, with comments or without; ValueError for the fault that it has beside those."""
    try:
        return _careful_json(text)
    except ValueError as fault:
        bare = _COMMENT_OR_TEXT.sub(_without_comment, text)
        if bare == text:
            raise
        try:
            read = _careful_json(bare)
        except ValueError:
            raise fault from None
    said = "comments, which JSON does not have: left out"
    return Loaded(read.tree, (said, *read.warnings), read.lines, read.words)


def _without_comment(found: re.Match[str]) -> str:
    """A text as it is; a comment as its line ends, so that faults keep their lines."""
    return found[1] or "\n" * found[0].count("\n") or " "


def _careful_json(text: str) -> Loaded:
    reader = _Careful()
    tree, dropped = _finite_only(reader.load(text))
    if dropped:
        reader.warnings.append(
            f"{dropped} times infinity or NaN, which JSON does not have: left out"
        )
    return Loaded(tree, tuple(reader.warnings))


def _yaml(text: str, json_fault: str) -> Loaded:
    cleaned, bad = _CONTROL.subn("\ufffd", text)
    warnings = [f"not valid JSON ({json_fault}); read as YAML"] if json_fault else []
    try:
        read = YamlTree(cleaned)
    except YamlFault as fault:
        whole = _SURROGATES.sub(_joined, cleaned)
        if whole == cleaned:
            raise
        read = YamlTree(whole)
        warnings.append(f"mended: {fault} (letters above U+FFFF are written \\UXXXXXXXX in YAML)")
    if bad:
        warnings.append(f"{bad} control characters that YAML does not allow: written as U+FFFD")
    if len(read.documents) > 1:
        warnings.append(_left_out(read.documents))
    tree = _the_spec(read.documents)
    return Loaded(tree, (*warnings, *read.warnings), read.lines, read.words)


def _joined(found: re.Match[str]) -> str:
    """The letter that a pair of JSON escapes means; half a pair means none."""
    code = bytes.fromhex(found[0].replace("\\u", "")).decode("utf-16-be", "replace")
    return code if len(code) == 1 else "\ufffd"


def _the_spec(documents: list[Any]) -> Any:
    for tree in documents:
        if isinstance(tree, dict) and any(key in tree for key in _SPEC_KEYS):
            return tree
    return documents[0] if documents else None


def _left_out(documents: list[Any]) -> str:
    """Says how many documents of a file were left out, and what they call themselves."""
    others = [tree for tree in documents if tree is not _the_spec(documents)]
    infos = [tree.get("info") for tree in others if isinstance(tree, dict)]
    titles = [str(info.get("title"))[:80] for info in infos if isinstance(info, dict)]
    named = f" ({', '.join(titles[:5])})" if titles else ""
    many = len(documents)
    return f"{many} YAML documents in one file: one was read, {many - 1} left out{named}"


def _finite_only(tree: Any) -> tuple[Any, int]:
    """The tree without what stands for infinity and NaN, in place, and how many there were."""
    if tree is NOT_FINITE:
        return None, 1
    dropped, stack = 0, [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            bad = [key for key, value in node.items() if value is NOT_FINITE]
            for key in bad:
                del node[key]
            dropped += len(bad)
            stack.extend(node.values())
        elif isinstance(node, list):
            kept = [value for value in node if value is not NOT_FINITE]
            dropped += len(node) - len(kept)
            node[:] = kept
            stack.extend(kept)
    return tree, dropped


def _whole_number(digits: str) -> Any:
    return int(digits) if len(digits) < _MAX_INT_DIGITS else NOT_FINITE


def _finite(digits: str) -> Any:
    number = float(digits)
    return number if math.isfinite(number) else NOT_FINITE


def _too_deep(location: str) -> SpecError:
    return SpecError(f"{location}: nested more than {MAX_DEPTH} levels deep")


def _refuse_binary(text: str, location: str) -> None:
    head = text[:4096]
    if head and len(_CONTROL.findall(head)) * 10 > len(head):
        raise SpecError(
            f"{location}: not a text file",
            hint="unpack it first if it is an archive",
        )


def _yaml_hint(text: str) -> str:
    if re.search(r"(?m)^ *\t", text):
        return "YAML does not allow tabs at the beginning of a line; use spaces"
    return ""
