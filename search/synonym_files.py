"""Files of synonyms: a word and its synonyms a line, or an object of lists."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from catalog.errors import UsageError

Entry = tuple[str, str, str]
"""(service, word, synonym); the service is empty where the file names none."""


def read_synonyms(path: Path) -> list[Entry]:
    """Each entry once, in the order of the file. Lines that begin with # are left out."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}", hint="gloss synonyms import FILE.tsv"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8", hint="save the file as UTF-8") from None
    found = _json(path, text) if path.suffix == ".json" else _lines(path, text)
    return list(dict.fromkeys(found))


def _lines(path: Path, text: str) -> Iterator[Entry]:
    sign = "\t" if path.suffix == ".tsv" or "\t" in text else ","
    rows = csv.reader(text.splitlines(), delimiter=sign)
    for row in rows:
        cells = [cell.strip() for cell in row if cell.strip()]
        if not cells or cells[0].startswith("#"):
            continue
        if len(cells) < 2:
            raise UsageError(
                f"{path}:{rows.line_num}: a word without a synonym",
                hint="a line is: word, then its synonyms, with tabs or commas between",
            )
        yield from (("", cells[0], synonym) for synonym in cells[1:])


def _json(path: Path, text: str) -> Iterator[Entry]:
    try:
        value: Any = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{path}: no valid JSON: {error}", hint=f"mend {path}") from None
    entries = value.get("synonyms", value) if isinstance(value, dict) else value
    if isinstance(entries, list):  # what `gloss synonyms list --json` prints
        yield from (_entry(path, entry) for entry in entries if not _learnt(entry))
        return
    for word, synonyms in entries.items() if isinstance(entries, dict) else ():
        for synonym in synonyms if isinstance(synonyms, list) else [synonyms]:
            yield _entry(path, {"word": word, "synonym": synonym})


def _learnt(value: Any) -> bool:
    """Each catalog learns its own."""
    return isinstance(value, dict) and value.get("origin") == "index"


def _entry(path: Path, value: Any) -> Entry:
    fields = value if isinstance(value, dict) else {}
    service, word, synonym = fields.get("service") or "", fields.get("word"), fields.get("synonym")
    if not (isinstance(service, str) and isinstance(word, str) and isinstance(synonym, str)):
        raise UsageError(f"{path}: no synonym: {value!r}", hint='{"word": ["synonym", …]}')
    return service, word, synonym
