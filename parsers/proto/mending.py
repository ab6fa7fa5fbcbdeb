"""Compiling what the compiler would refuse: each complaint costs what it is about, and no more.

Options without a definition are left out, types that are nowhere become placeholders, a broken rpc
or field is dropped, a broken import is an empty file; each with a problem. Then comes another try.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from catalog.errors import SpecError
from catalog.spec import Level, Problem
from parsers.proto import complaints, scan
from parsers.proto.compiler import Diagnostic, Workshop
from parsers.proto.edits import Edit, Option, apply, blank, options, type_at, without_options
from parsers.proto.staging import STUB, Tree

MAX_ROUNDS = 20
MAX_ROUND_BYTES = 2**21  # of text compiled in all rounds together: a large file has fewer rounds
MAX_FAULTS = 10_000
NEWEST_EDITION = "2024"
_PLACEHOLDERS = "gloss_missing"


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
    mender.leave_out_what_is_missing()
    rounds = _rounds_for(tree)
    with Workshop(where) as shop:
        for left in range(rounds - 1, -1, -1):
            result = shop.compile(tree.texts, tree.main)
            if isinstance(result, bytes):
                dropped = tuple(mender.dropped)
                return Compiled(result, mender.problems(), dropped, mender.placeholders)
            if len(result) > MAX_FAULTS:
                raise _given_up(mender, result, f"more than {MAX_FAULTS:,} faults")
            if not left:
                raise _given_up(mender, result, f"not mended in {rounds} rounds")
            if not mender.mend(result):
                break
    raise SpecError(mender.complaint([] if isinstance(result, bytes) else result))


def _rounds_for(tree: Tree) -> int:
    size = sum(len(text) for text in tree.texts.values())
    return max(3, min(MAX_ROUNDS, MAX_ROUND_BYTES // max(size, 1)))


def _given_up(mender: _Mender, found: list[Diagnostic], limit: str) -> SpecError:
    return SpecError(
        f"{mender.complaint(found)} ({limit})",
        hint="mend the first faults, or give a compiled set (protoc --descriptor_set_out)",
    )


class _Mender:
    def __init__(self, tree: Tree) -> None:
        self.placeholders: dict[str, tuple[str, str]] = {}
        self.dropped: list[tuple[str, str]] = []
        self._made: dict[tuple[str, str], str] = {}
        self._tree = tree
        self._problems: dict[str, Problem] = {}
        self._edits: dict[str, list[Edit]] = {}
        self._gone: dict[str, set[Option]] = {}
        self._emptied: set[str] = set()
        self._tried: set[tuple[str, str]] = set()

    def problems(self) -> tuple[Problem, ...]:
        return (*self._tree.missing.values(), *self._problems.values())

    def complaint(self, found: list[Diagnostic]) -> str:
        """The first thing that is wrong with the document itself, else with anything."""
        causes = complaints.causes(found) or found
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
        self._begin()
        for diagnostic in complaints.causes(found):
            if diagnostic.file in before and diagnostic.file not in self._emptied:
                self._mend_one(diagnostic, before[diagnostic.file])
        self._make_edits()
        return self._tree.texts != before

    def _begin(self) -> None:
        self._edits, self._gone, self._emptied = {}, {}, set()

    def _make_edits(self) -> None:
        for name in {*self._edits, *self._gone} - self._emptied:
            text = self._tree.texts[name]
            edits = without_options(text, scan.outline(text), self._gone.get(name, ()))
            self._tree.texts[name] = apply(text, [*edits, *self._edits.get(name, ())])
        if self._made:
            bodies = "".join(f"message T{n} {{}}\n" for n in range(len(self._made)))
            self._tree.texts[f"{_PLACEHOLDERS}.proto"] = f"{STUB}package {_PLACEHOLDERS};\n{bodies}"

    def _mend_one(self, said: Diagnostic, text: str) -> None:
        offset = complaints.offset(said, text)
        said = said if said.line else replace(said, line=scan.line_of(text, offset))
        if match := complaints.CYCLE.match(said.message):
            return self._break_cycle(match["chain"].split(" -> "))
        if match := complaints.EDITION.search(said.message):
            newest = match["newest"] or NEWEST_EDITION
            return self._too_new(said, newer_edition(match["late"] or match["unknown"], newest))
        if match := complaints.UNDEFINED.match(said.message):
            return self._undefined(said, text, offset, match)
        if said.message.startswith(complaints.NO_SEMICOLON) and self._ended(said, text, offset):
            return None
        outline = scan.outline(text)
        for option in options(text):
            if option.start <= offset < option.end:
                return self._leave_out(said, option)
        unfinished = scan.ending_at(outline.top, offset)
        statement = unfinished or scan.innermost(outline.top, offset)
        if statement is not None:
            return self._statement(said, text, statement)
        return self._give_up(said)

    def _ended(self, said: Diagnostic, text: str, offset: int) -> bool:
        """Whether the semicolon that is missing here was put in: not twice at one place."""
        if not self._once(said.file, f"semicolon {len(text) - offset} from the end"):
            return False
        self._add(said.file, Edit(offset, offset, ";"))
        key = f"semicolon at line {said.line}, column {said.column}"
        self._say("warning", said, "a semicolon is missing before this place: mended", key)
        return True

    def _too_new(self, said: Diagnostic, message: str) -> None:
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
        made = self._made.setdefault(key, f"{_PLACEHOLDERS}.T{len(self._made)}")
        self.placeholders[made] = key
        self._add(said.file, Edit(*span, f".{made}"))
        self._import(said.file, f"{_PLACEHOLDERS}.proto")
        reason = complaints.short(said.message)
        self._say("warning", said, f'type "{name}" is left open: {reason}', f"type {name}")

    def _import(self, file: str, source: str) -> None:
        if self._once(file, f'import "{source}"'):
            end = scan.header(self._tree.texts[file]).end
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
        """An option that cannot be read goes; one defined nowhere goes with its whole family."""
        family = option.extension.rpartition(".")[0]
        if not option.extension or not complaints.UNKNOWN_OPTION.match(said.message):
            self._strip(said.file, lambda other: other == option)
        elif family in self._packages():
            self._strip(said.file, lambda other: other.extension == option.extension)
        else:
            self._strip_family(family or option.extension)
        if not self._tree.missing or not option.extension:
            reason = complaints.short(said.message)
            self._say("warning", said, f"option {option.shown} is left out: {reason}")

    def leave_out_what_is_missing(self) -> None:
        """Options of the imports that were not found: validate/x.proto is taken to be validate."""
        self._begin()
        folders = {tuple(name.split("/")[1:-1]) for name in self._tree.missing}
        families = {".".join(parts[at:]) for parts in folders for at in range(len(parts))}
        for family in sorted(families - self._packages()):
            self._strip_family(family)
        self._make_edits()

    def _packages(self) -> set[str]:
        return {scan.header(text).package for text in self._tree.texts.values()} | {
            "google.protobuf"
        }

    def _strip_family(self, family: str) -> None:
        for name, text in self._tree.texts.items():
            if family in text and self._once(name, f"family {family}"):
                self._strip(name, lambda other: _is_of(other.extension, family))

    def _strip(self, name: str, goes: Callable[[Option], bool]) -> None:
        text = self._tree.texts[name]
        found = options(text)
        self._gone.setdefault(name, set()).update(option for option in found if goes(option))

    def _statement(self, said: Diagnostic, text: str, statement: scan.Statement) -> None:
        rpc = _enclosing_rpc(statement)
        if rpc is not None:
            return self._drop(said, text, rpc)
        if complaints.SYNTAX.match(said.message) and not _stands_alone(statement, text):
            return self._give_up(said)
        if match := complaints.ELSEWHERE.match(said.message):
            self._import(said.file, match["file"])
        return self._drop(said, text, statement)

    def _drop(self, said: Diagnostic, text: str, statement: scan.Statement) -> None:
        if not self._once(said.file, f"drop {statement.start} of {len(text)}"):
            return None
        self._add(said.file, blank(text, statement.start, max(statement.end, statement.start)))
        reason = complaints.short(said.message)
        if statement.words[0] == "rpc" and said.file == self._tree.main:
            return self._drop_rpc(said, statement, reason)
        kind = " ".join(statement.words[:2])
        return self._say("warning", said, f'"{kind}" is left out: {reason}')

    def _drop_rpc(self, said: Diagnostic, statement: scan.Statement, reason: str) -> None:
        service = "".join(statement.parent.words[1:2]) if statement.parent else ""
        method = "".join(statement.words[1:2])  # a broken rpc may have no name
        key = f"{service}.{method} at {statement.start}"
        if self._once(said.file, key):
            self.dropped.append((service, method))
            self._say("error", said, f"rpc {service}.{method} is left out: {reason}", key)

    def _give_up(self, said: Diagnostic) -> None:
        """A broken import counts as missing; a broken document is an error (nothing changes)."""
        if said.file != self._tree.main:
            self._drop_file(said, complaints.short(said.message))

    def _drop_file(self, said: Diagnostic, reason: str) -> None:
        self._tree.texts[said.file] = STUB
        self._emptied.add(said.file)
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


def newer_edition(edition: str, newest: str = NEWEST_EDITION) -> str:
    return f"edition {edition} is newer than this product reads ({newest})"


def _is_of(extension: str, family: str) -> bool:
    return extension == family or extension.rpartition(".")[0] == family


def _stands_alone(statement: scan.Statement, text: str) -> bool:
    """Whether a part of a message, enum or service can go without taking others along."""
    is_part = statement.parent is not None and not statement.children
    return is_part and scan.outline(text).balanced


def _enclosing_rpc(statement: scan.Statement | None) -> scan.Statement | None:
    while statement is not None and statement.words[0] != "rpc":
        statement = statement.parent
    return statement
