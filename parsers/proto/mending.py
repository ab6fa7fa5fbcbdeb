"""Compiling what the compiler would refuse: each complaint costs what it is about, and no more.

Options without a definition are left out, types that are nowhere become placeholders, a broken rpc
or field is dropped, a broken import is an empty file; each with a problem. Then comes another try.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from time import monotonic

from catalog.errors import SpecError
from catalog.spec import Level, Problem
from parsers.proto import scan
from parsers.proto.compiler import Diagnostic, Workshop
from parsers.proto.edits import Edit, Option, apply, blank, options, type_at, without_options
from parsers.proto.staging import STUB, Tree

MAX_ROUNDS = 60
MENDING_LIMIT_S = 120
NEWEST_EDITION = "2024"
_PLACEHOLDERS = "gloss_missing"
_EDITION = re.compile(r'Edition (\S+) is later than|Unknown edition "?([^".]+)')
_UNDEFINED = re.compile(
    r'"(?P<name>[^"]+)" (?:is not defined\.|is not a (?:message )?type\.'
    r'|is resolved to "(?P<full>[^"]+)", which is not defined'
    r'|seems to be defined in "(?P<file>[^"]+)")'
)
_ELSEWHERE = re.compile(r'"[^"]+" is already defined in file "(?P<file>[^"]+)"')
_CASCADE = re.compile(r'Import "[^"]+" was not found or had errors')
_CYCLE = re.compile(r"File recursively imports itself: (?P<chain>.*)")
_ADVICE = "Suggested field numbers"
_SYNTAX = re.compile(
    r"(Expected|Missing|Unexpected|Reached|Unmatched|Invalid|Need|Unrecognized|String|Multi"
    r"|Block comment|End-of-file|Interpreting|Control)"
)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A serialised set, what was mended, and for each placeholder type (written name, package).

    `dropped` are the rpcs (service, method) that have an error among the problems.
    """

    data: bytes
    problems: tuple[Problem, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()
    placeholders: dict[str, tuple[str, str]] = field(default_factory=dict)


def compile_tree(tree: Tree) -> Compiled:
    """The descriptors of a staged document; SpecError when it cannot be read even with mends."""
    where = tree.origins[tree.main]
    mender = _Mender(tree)
    end = monotonic() + MENDING_LIMIT_S
    with Workshop(where) as shop:
        for attempt in range(MAX_ROUNDS):
            result = shop.compile(tree.texts, tree.main)
            if isinstance(result, bytes):
                dropped = tuple(mender.dropped)
                return Compiled(result, mender.problems(), dropped, mender.placeholders)
            tired = monotonic() > end or attempt == MAX_ROUNDS - 1
            if tired or not mender.mend(result):
                break
    raise SpecError(mender.complaint([] if isinstance(result, bytes) else result))


class _Mender:
    def __init__(self, tree: Tree) -> None:
        self.placeholders: dict[str, tuple[str, str]] = {}
        self.dropped: list[tuple[str, str]] = []
        self._tree = tree
        self._problems: dict[str, Problem] = {}
        self._edits: dict[str, list[Edit]] = {}
        self._tried: set[tuple[str, str]] = set()

    def problems(self) -> tuple[Problem, ...]:
        return (*self._tree.missing.values(), *self._problems.values())

    def complaint(self, found: list[Diagnostic]) -> str:
        """The first thing that is wrong with the document itself, else with anything."""
        causes = _causes(found) or found
        first = next(
            (d for d in causes if d.file == self._tree.main), causes[0] if causes else None
        )
        if first is None:
            return f"{self._tree.origins[self._tree.main]}: the compiler gave no descriptors"
        if not first.line:
            return f"{self._tree.origins[self._tree.main]}: {first.message}"
        return f"{self._tree.place(first.file, first.line)}:{first.column}: {first.message}"

    def mend(self, found: list[Diagnostic]) -> bool:
        """Whether anything was changed, so that compiling again makes sense."""
        before = dict(self._tree.texts)
        self._edits = {}
        for diagnostic in _causes(found):
            if diagnostic.file in before:
                self._mend_one(diagnostic, before[diagnostic.file])
        for name, edits in self._edits.items():
            self._tree.texts[name] = apply(self._tree.texts[name], edits)
        return self._tree.texts != before

    def _mend_one(self, said: Diagnostic, text: str) -> None:
        offset = _offset(said, text)
        said = said if said.line else replace(said, line=scan.line_of(text, offset))
        if match := _CYCLE.match(said.message):
            return self._break_cycle(match["chain"].split(" -> "))
        if match := _EDITION.search(said.message):
            return self._too_new(said, match[1] or match[2])
        if match := _UNDEFINED.match(said.message):
            return self._undefined(said, text, offset, match)
        outline = scan.outline(text)
        for option in options(text, outline):
            if option.start <= offset < option.end:
                return self._leave_out(said, option)
        statement = scan.innermost(outline.top, offset)
        if statement is not None:
            return self._statement(said, text, statement)
        return self._give_up(said)

    def _too_new(self, said: Diagnostic, edition: str) -> None:
        message = newer_edition(edition)
        if said.file == self._tree.main:
            raise SpecError(f"{self._tree.place(said.file, said.line)}: {message}")
        self._drop_file(said, message)

    def _undefined(self, said: Diagnostic, text: str, at: int, match: re.Match[str]) -> None:
        name, source = match["name"], match["file"]
        statement = scan.innermost(scan.outline(text).top, at)
        if statement is not None and statement.words[0] == "extend":
            return self._drop(said, text, statement)
        if source and self._once(said.file, source) and not self._needs(source, said.file):
            return self._import(said.file, source)
        if match["full"] and self._once(said.file, f".{name}"):
            return self._add(said.file, Edit(at, at, "."))
        span = type_at(text, at)
        if span is None or "".join(text[slice(*span)].split()).strip(".") != name.strip("."):
            return self._statement(said, text, statement) if statement else self._give_up(said)
        return self._placeholder(said, span, name.strip("."))

    def _placeholder(self, said: Diagnostic, span: tuple[int, int], name: str) -> None:
        """A type that is nowhere becomes an empty message of its own."""
        key = (name, scan.header(self._tree.texts[said.file]).package)
        known = {written: made for made, written in self.placeholders.items()}
        made = known.get(key) or f"{_PLACEHOLDERS}.T{len(known)}"
        self.placeholders[made] = key
        bodies = "".join(f"message T{n} {{}}\n" for n in range(len(self.placeholders)))
        file = f"{_PLACEHOLDERS}.proto"
        self._tree.texts[file] = f"{STUB}package {_PLACEHOLDERS};\n{bodies}"
        self._add(said.file, Edit(*span, f".{made}"))
        self._import(said.file, file)
        self._say("warning", said, f'type "{name}" is not in the files it imports')

    def _import(self, file: str, source: str) -> None:
        text = self._tree.texts[file]
        if f'import "{source}";' not in text:
            end = scan.header(text).end
            self._add(file, Edit(end, end, f' import "{source}";'))

    def _break_cycle(self, chain: list[str]) -> None:
        """The import that closes a cycle goes; the types behind it are found again by name."""
        text = self._tree.texts[chain[-2]]
        for entry in scan.imports(text):
            if entry.path == chain[-1]:
                statement = scan.innermost(scan.outline(text).top, entry.start)
                if statement is not None:
                    self._add(chain[-2], blank(text, statement.start, statement.end))
                    said = Diagnostic(chain[-2], entry.line, 1, "")
                    self._say("warning", said, f"files import each other: {' -> '.join(chain)}")

    def _needs(self, file: str, other: str) -> bool:
        """Whether a file imports another, through however many."""
        seen: set[str] = set()
        stack = [file]
        while stack:
            name = stack.pop()
            if name == other:
                return True
            if name not in seen and name in self._tree.texts:
                seen.add(name)
                stack += [entry.path for entry in scan.imports(self._tree.texts[name])]
        return False

    def _leave_out(self, said: Diagnostic, option: Option) -> None:
        """An option the compiler cannot read goes, from all files where it is an extension."""
        names = list(self._tree.texts) if option.extension else [said.file]
        for name in names:
            text = self._tree.texts[name]
            if option.extension.rpartition(".")[2] in text:
                self._leave_out_of(name, text, option, name == said.file)
        if not self._tree.missing or not option.extension:
            shown = f"({option.extension})" if option.extension else option.name
            self._say("warning", said, f"option {shown} is left out: {_short(said.message)}")

    def _leave_out_of(self, name: str, text: str, option: Option, here: bool) -> None:
        outline = scan.outline(text)
        gone = [
            other
            for other in options(text, outline)
            if (option.extension and other.extension == option.extension)
            or (here and other == option)
        ]
        self._edits.setdefault(name, []).extend(without_options(text, outline, gone))

    def _statement(self, said: Diagnostic, text: str, statement: scan.Statement) -> None:
        rpc = _enclosing_rpc(statement)
        if rpc is not None:
            return self._drop(said, text, rpc)
        if _SYNTAX.match(said.message):
            return self._give_up(said)
        if match := _ELSEWHERE.match(said.message):
            self._import(said.file, match["file"])
        return self._drop(said, text, statement)

    def _drop(self, said: Diagnostic, text: str, statement: scan.Statement) -> None:
        self._add(said.file, blank(text, statement.start, max(statement.end, statement.start)))
        reason = _short(said.message)
        if statement.words[0] == "rpc" and said.file == self._tree.main:
            return self._drop_rpc(said, statement, reason)
        kind = " ".join(statement.words[:2])
        return self._say("warning", said, f"{kind} is left out: {reason}")

    def _drop_rpc(self, said: Diagnostic, statement: scan.Statement, reason: str) -> None:
        service = statement.parent.words[1] if statement.parent else ""
        method = statement.words[1]
        key = f"{service}.{method} at {statement.start}"
        if self._once(said.file, key):
            self.dropped.append((service, method))
            self._say("error", said, f"rpc {service}.{method} is left out: {reason}", key)

    def _give_up(self, said: Diagnostic) -> None:
        """A broken import counts as missing; a broken document is an error (nothing changes)."""
        if said.file != self._tree.main:
            self._drop_file(said, _short(said.message))

    def _drop_file(self, said: Diagnostic, reason: str) -> None:
        self._tree.texts[said.file] = STUB
        self._edits.pop(said.file, None)
        self._say("warning", said, f"the file cannot be read, what needs it is left open: {reason}")

    def _add(self, file: str, edit: Edit) -> None:
        self._edits.setdefault(file, []).append(edit)

    def _once(self, file: str, what: str) -> bool:
        fresh = (file, what) not in self._tried
        self._tried.add((file, what))
        return fresh

    def _say(self, level: Level, said: Diagnostic, message: str, key: str = "") -> None:
        problem = Problem(level, self._tree.place(said.file, said.line), message)
        self._problems.setdefault(key or message, problem)


def _offset(said: Diagnostic, text: str) -> int:
    """Where a complaint points; protoc gives no place for the value type of a map."""
    if said.line:
        return scan.offset_of(text, said.line, said.column)
    match = _UNDEFINED.match(said.message)
    name = re.escape(match["name"]) if match else "(?!)"
    found = re.search(rf"map\s*<[^<>]*,\s*(?P<value>\.?{name})\s*>", text)
    return found.start("value") if found else len(text)


def _causes(found: list[Diagnostic]) -> list[Diagnostic]:
    """What is worth mending now: not advice, nor what another file's failure brought about."""
    waiting = {d.file for d in found if _CASCADE.match(d.message)}
    return [
        d
        for d in found
        if not _CASCADE.match(d.message)
        and not d.message.startswith(_ADVICE)
        and not (d.file in waiting and _UNDEFINED.match(d.message))
    ]


def newer_edition(edition: str) -> str:
    return f"edition {edition} is newer than this product reads ({NEWEST_EDITION})"


def _enclosing_rpc(statement: scan.Statement | None) -> scan.Statement | None:
    while statement is not None and statement.words[0] != "rpc":
        statement = statement.parent
    return statement


def _short(message: str) -> str:
    """The first sentence: the rest of protoc's advice is about files that the reader never sees."""
    return _text(re.split(r"(?<=\.)\s|\. ", message, maxsplit=1)[0])


def _text(message: str) -> str:
    return message[:300]
