"""gloss.toml as it stands against the machine: specs that are there, secrets that can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

from catalog.errors import GlossError
from cli.checks.finding import Finding, failed, of_error, warning
from cli.settings import Settings, secret

_ADDRESS = ("http://", "https://", "grpc://")


def checks(config: Settings) -> Iterator[Finding]:
    for service in config.services:
        yield from _spec(f"service {service.name}", service.spec)
    for place, value in _secrets(config):
        yield from _secret(place, value)
    yield from _file_rights(config)


def _spec(check: str, spec: str) -> Iterator[Finding]:
    from parsers.walking import files_of

    if spec.startswith(_ADDRESS):
        return
    try:
        files_of(spec)
    except GlossError as error:
        yield failed(check, error.message, "mend spec in gloss.toml, or put the file there")


def _secrets(config: Settings) -> Iterator[tuple[str, str]]:
    """Every value that says where a secret is, and the place that says so."""
    if config.llm.api_key:
        yield "[llm] key", config.llm.api_key
    for service in config.services:
        for name, value in (*service.headers.items(), *_texts(service.probe.values)):
            if value.startswith(("env:", "file:")):
                yield f"service {service.name}, {name}", value


def _texts(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    return ((name, value) for name, value in values.items() if isinstance(value, str))


def _secret(place: str, value: str) -> Iterator[Finding]:
    try:
        secret(value)
    except GlossError as error:
        yield of_error(place, error)
        return
    kind, _, name = value.partition(":")
    if kind == "file":
        yield from _readable_by_others(place, Path(name).expanduser())


def _readable_by_others(place: str, file: Path) -> Iterator[Finding]:
    try:
        mode = file.stat().st_mode & 0o777
    except OSError:
        return
    if mode & 0o077:
        found = f"others may read or write {file} ({mode:04o})"
        yield warning(place, found, f"chmod 600 {quote(str(file))}")


def _file_rights(config: Settings) -> Iterator[Finding]:
    """gloss.toml itself, where a secret stands in it rather than a pointer to one."""
    if config.file and _holds_secret(config):
        yield from _readable_by_others("secrets in gloss.toml", config.file)


def _holds_secret(config: Settings) -> bool:
    from store.connection import passwords

    plain = (
        name.lower() in ("authorization", "cookie") or "key" in name.lower()
        for service in config.services
        for name, value in service.headers.items()
        if not value.startswith(("env:", "file:"))
    )
    return any(plain) or bool(_url_in(config.file) and passwords(_url_in(config.file)))


def _url_in(file: Path | None) -> str:
    """The address that the file itself gives; the environment may give another."""
    from cli.config_file import read

    return read(file).database.url if file else ""
