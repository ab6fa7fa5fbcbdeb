"""Comments as their author would want them read: no gutters, rulers, licences or linter talk."""

from __future__ import annotations

import re
import textwrap

_INTERNAL = re.compile(r"\(--.*?(?:--\)|\Z)", re.DOTALL)  # google.aip.dev/192: not for readers
_BRACKETED = re.compile(r"\[#[^\]\n]*\]")  # envoy's notes to its own tools
_DIRECTIVE = re.compile(
    r"^[\s*/]*(?:buf:lint:|protolint:|api-linter:|nolint\b|NOLINT|@exclude\b|clang-format "
    r"|IWYU pragma|LINT\.|go:generate|\$hide_from_docs|option\s*\(|-\*-).*$",
    re.MULTILINE,
)
_RULER = re.compile(r"^[\s\-=*/#_~+<>.]{3,}$", re.MULTILINE)
_SLASHES = re.compile(r"^[ \t]*(?:/+|!|<)(?=\s|$)", re.MULTILINE)
_STAR = re.compile(r"^[ \t]*\*+(?=\s|$)", re.MULTILINE)
_STARRED = re.compile(r"^[ \t]*\*")
_LICENCE = re.compile(r"copyright|licen[sc]e|SPDX-", re.IGNORECASE)
_BLANKS = re.compile(r"\n(?:[ \t]*\n)+")


def joined(leading: str, trailing: str, detached: list[str]) -> str:
    """One text of what stands before and behind a name; a detached comment only if it is alone."""
    parts = [clean(leading), clean(trailing)]
    if not any(parts):
        parts = [clean(text) for text in detached[-1:] if not _LICENCE.search(text)]
    return "\n\n".join(dict.fromkeys(part for part in parts if part))


def clean(text: str) -> str:
    if not text.strip():
        return ""
    text = _INTERNAL.sub("", text.replace("\r", ""))
    text = _DIRECTIVE.sub("", _BRACKETED.sub("", _SLASHES.sub("", text)))
    text = _RULER.sub("", _without_gutter(text))
    text = textwrap.dedent(_aligned(text).expandtabs(4))
    return _BLANKS.sub("\n\n", "\n".join(line.rstrip() for line in text.split("\n"))).strip()


def first_paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def _without_gutter(text: str) -> str:
    """Stars go from the first line, and from all where all have one; else they are bullets."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and all(_STARRED.match(line) for line in lines[1:]):
        return _STAR.sub("", text)
    return re.sub(r"\A\s*\*+(?=\s)", "", text)


def _aligned(text: str) -> str:
    """The first line as deep as the next: block comments begin it elsewhere."""
    first, _, rest = text.partition("\n")
    depths = [len(line) - len(line.lstrip()) for line in rest.split("\n") if line.strip()]
    if not first.strip() or not depths:
        return text
    return " " * min(depths) + first.lstrip() + "\n" + rest
