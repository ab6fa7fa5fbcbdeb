"""Python, the terminal's letters, the disk, names that another package claims."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from cli.checks.finding import Finding, failed, ok, warning
from cli.settings import Settings

_HOME = Path(__file__).parent.parent.parent
LOW_DISK_BYTES = 500 * 1024 * 1024
OURS = "catalog parsers store probing enrichment search evaluation pipeline cli".split()
VARIABLES = (
    "GLOSS_CONFIG GLOSS_DATABASE_URL GLOSS_DATA_DIR GLOSS_DEBUG "
    "GLOSS_EMBEDDING_BASE_URL GLOSS_EMBEDDING_MODEL GLOSS_LLM_BASE_URL "
    "GLOSS_LLM_MODEL GLOSS_SEARCH_WEIGHTS GLOSS_SESSION "
).split()


def checks() -> Iterator[Finding]:
    yield ok("python", sys.version.split()[0])
    yield from _packages()
    yield _locale()
    yield from _variables()


def _packages() -> Iterator[Finding]:
    """Our packages have plain names; a folder that is looked in before ours may hide them."""
    from importlib.util import find_spec

    for name in OURS:
        spec = find_spec(name)
        found = Path(spec.origin).parent if spec and spec.origin else None
        if found is None or found.parent != _HOME:
            where = f"{name} is read from {found or 'nowhere'}, not from {_HOME}"
            yield failed("packages", where, "pipx install apigloss, or unset PYTHONPATH")


def _locale() -> Finding:
    """What the output can carry; letters that it lacks are escaped."""
    encoding = sys.stdout.encoding or "ascii"
    if encoding.lower().replace("-", "") == "utf8":
        return ok("locale", encoding)
    return warning("locale", f"the output carries only {encoding}", "export LC_ALL=C.UTF-8")


def _variables() -> Iterator[Finding]:
    """GLOSS_… variables that nothing reads, which are those with a typing error."""
    from difflib import get_close_matches

    for name in sorted(os.environ):
        if name.startswith("GLOSS_") and name not in VARIABLES:
            near = get_close_matches(name, VARIABLES, 1)
            mend = f"unset {name}" + (f", or did you mean {near[0]}?" if near else "")
            yield warning("environment", f"nothing reads {name}", mend)


def disk(config: Settings) -> Finding:
    folder = config.data_dir
    while True:
        try:
            free = shutil.disk_usage(folder).free
            break
        except OSError:  # not made yet, or not for us to look into
            folder = folder.parent
    found = f"{free // 2**20:,} MB free at {folder}"
    if free < LOW_DISK_BYTES:
        return warning("disk", found, "free some space, or set GLOSS_DATA_DIR")
    return ok("disk", found)
