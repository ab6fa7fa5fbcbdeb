"""XML read without trust: no network, no DTD, only small internal entities, bounded depth."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lxml import etree

from parsers.wsdl.decoding import UnknownEncoding, decode
from parsers.wsdl.entities import EntityRefused, expand
from parsers.wsdl.names import CUSTOMARY, Node

_SPACE = re.compile(r"[ \t\r\f\v]+")
_COMMENTS = r"\s*(?:<!--(?:(?!-->).)*+-->\s*|<\?(?:(?!\?>).)*+\?>\s*)*+"
_HTML = re.compile(rf"^{_COMMENTS}<(?:!doctype\s+html|html)[\s>]", re.I | re.S)
_PREFIX = re.compile(r"^Namespace prefix (\S+) ")
_ROOT = re.compile(rf"{_COMMENTS}<[^\s/>]+", re.S)
_TITLE = re.compile(r"<title[^>]*>([^<]{1,80})", re.I)
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


class Unreadable(Exception):
    """Why these bytes are no XML that we read: a phrase to put after the name of the file."""


@dataclass(frozen=True, slots=True)
class Tree:
    """`mended` says what was changed to read it at all."""

    root: Node
    mended: tuple[str, ...] = ()


def load(data: bytes) -> Tree:
    if not data.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise Unreadable("is empty")
    try:
        decoded = decode(data)
        if _HTML.match(decoded.text[:4000]):
            raise Unreadable(
                f"is an HTML page{_title(decoded.text)}, perhaps a sign-in or error page"
            )
        text, left_out = expand(decoded.text)
    except (UnknownEncoding, EntityRefused) as error:
        raise Unreadable(f"cannot be read: {error}") from None
    root, prefixes = _parsed(text)
    return Tree(root, decoded.mended + left_out + prefixes)


def _title(text: str) -> str:
    found = _TITLE.search(text[:20000])
    return f' ("{" ".join(found.group(1).split())}")' if found else ""


def _parsed(text: str) -> tuple[Node, tuple[str, ...]]:
    data = text.lstrip("\ufeff").encode("utf-8", "replace")
    parser = _parser()
    try:
        return etree.fromstring(data, parser), ()
    except etree.XMLSyntaxError as error:
        if "Excessive depth" in str(error.msg):
            raise Unreadable("is nested more than 256 levels deep") from None
        if not _only_names(parser):
            raise Unreadable(f"is not well-formed XML: {_cause(error)}") from None
        return _with_names_mended(data.decode(), parser, _cause(error))


def _parser(recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


def _only_names(parser: etree.XMLParser) -> bool:
    """Whether all that is wrong is a matter of prefixes: the structure is sound then."""
    log: Any = parser.error_log
    faults = [entry for entry in log if entry.level_name != "WARNING"]
    return bool(faults) and all(entry.domain_name == "NAMESPACE" for entry in faults)


def _with_names_mended(
    text: str, parser: etree.XMLParser, cause: str
) -> tuple[Node, tuple[str, ...]]:
    """Undeclared prefixes get the namespace that custom gives them, others one of their own."""
    log: Any = parser.error_log
    undeclared = {found.group(1) for entry in log if (found := _PREFIX.search(entry.message))}
    declarations = "".join(
        f' xmlns:{prefix}="{CUSTOMARY.get(prefix, f"urn:undeclared:{prefix}")}"'
        for prefix in sorted(undeclared)
    )
    mended = _ROOT.sub(lambda found: found.group() + declarations, text, count=1)
    try:
        root = etree.fromstring(mended.encode(), _parser(recover=not undeclared))
    except etree.XMLSyntaxError:
        raise Unreadable(f"is not well-formed XML: {cause}") from None
    if root is None:
        raise Unreadable(f"is not well-formed XML: {cause}")
    guessed = ", ".join(sorted(undeclared))
    return root, (f"{cause}: read with its customary meaning" if guessed else cause,)


def _cause(error: etree.XMLSyntaxError) -> str:
    text = str(error.msg or "it ends too early").partition(", line ")[0]
    return f"line {error.lineno or 1}: {text.strip()}"


def prose(node: Node) -> str:
    """All text below a node, blanks folded, paragraphs kept."""
    lines = (_SPACE.sub(" ", line).strip() for line in "".join(node.itertext()).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def prose_of(nodes: list[Node]) -> str:
    """Texts one below the other; of several languages, English or else the first."""
    languages = [node.get(_LANGUAGE, "").lower() for node in nodes]
    chosen = languages[0] if languages else ""
    chosen = next((tongue for tongue in languages if tongue.startswith("en")), chosen)
    texts = (
        prose(node)
        for node, tongue in zip(nodes, languages, strict=True)
        if not tongue or tongue == chosen
    )
    return "\n".join(text for text in texts if text)
