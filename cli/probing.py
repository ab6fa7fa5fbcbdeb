"""From options and gloss.toml to what a probe may do: addresses, credentials, values, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from catalog.errors import NotFound, UsageError
from cli import console, settings
from cli.settings import DeclaredService, Settings

if TYPE_CHECKING:
    from psycopg import Connection

    from pipeline.probe import ProbeRequest
    from probing.addresses import Base
    from probing.plan import Rules
    from probing.planfile import SavedService
    from probing.values import Value
    from store.rows import ServiceRow


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line says about services and addresses."""

    names: tuple[str, ...] = ()
    base_url: str = ""
    spec_address: bool = False
    allow_hosts: frozenset[str] = frozenset()
    keep_values: bool = False
    again: bool = False


def requests(
    connection: Connection,
    config: Settings,
    asked: Asked,
    saved: Sequence[SavedService] | None = None,
) -> list[ProbeRequest]:
    """One request a service; UsageError where it is not clear which, or where to."""
    from pipeline.probe import ProbeRequest

    declared = {entry.name: entry for entry in config.services}
    chosen = _chosen(connection, asked, declared, saved)
    if asked.base_url and len(chosen) != 1:
        raise UsageError(
            "--base-url is the address of one service",
            hint="name the service, or set base_url for each in gloss.toml",
        )
    plans = {entry.name: entry for entry in saved or ()}
    return [
        ProbeRequest(
            service,
            _rules(connection, service, tools, asked, declared.get(service.name), plans),
            declared[service.name].include if service.name in declared else (),
            _credentials(declared.get(service.name)),
            plans.get(service.name),
        )
        for service, tools in chosen.values()
    ]


def _chosen(
    connection: Connection,
    asked: Asked,
    declared: Mapping[str, DeclaredService],
    saved: Sequence[SavedService] | None,
) -> dict[str, tuple[ServiceRow, frozenset[str]]]:
    """Services by name with the tools named of each; without names all that have an address."""
    from store.catalog import find_service, find_tool, list_services

    if saved is not None:
        return {s.name: (find_service(connection, s.name), frozenset()) for s in saved}
    named: dict[str, set[str]] = {}
    for name in asked.names:
        service, _, tool = name.partition("/")
        found = named.setdefault(service, set())
        if tool:
            found.add(find_tool(connection, name).name)
    if named:
        return {n: (find_service(connection, n), frozenset(t)) for n, t in named.items()}
    rows = list_services(connection)
    if not rows:
        raise NotFound("the catalog is empty", hint="gloss ingest SPEC…")
    own = [row for row in rows if row.name in declared and declared[row.name].base_url]
    everyone = asked.base_url or asked.spec_address or not own
    return {row.name: (row, frozenset()) for row in (rows if everyone else own)}


def _rules(
    connection: Connection,
    service: ServiceRow,
    tools: frozenset[str],
    asked: Asked,
    declared: DeclaredService | None,
    plans: Mapping[str, SavedService],
) -> Rules:
    from probing.plan import Rules

    given = declared.probe if declared else settings.ProbeSettings()
    values, tool_values = _values(given.values)
    return Rules(
        base=_base(connection, service, asked, declared, plans.get(service.name)),
        allow=given.allow,
        values=values,
        tool_values=tool_values,
        keep_values=given.keep_values or asked.keep_values,
        rate=given.rate,
        concurrency=given.concurrency,
        again=asked.again,
        tools=tools,
    )


def _base(
    connection: Connection,
    service: ServiceRow,
    asked: Asked,
    declared: DeclaredService | None,
    saved: SavedService | None,
) -> Base | None:
    from probing.addresses import base_of

    hosts = asked.allow_hosts | (declared.probe.allow_hosts if declared else frozenset())
    own = declared.base_url if declared else ""
    address = (saved.base_url if saved else "") or asked.base_url or own
    if address:
        source = "--base-url" if asked.base_url or address != own else "gloss.toml"
        headers = _headers_for(address, declared)
        return base_of(address, source, headers, hosts)  # type: ignore[arg-type]
    if not asked.spec_address:
        return None
    found = _spec_address(connection, service)
    return base_of(found, "the spec", _headers_for(found, declared), hosts) if found else None


def _headers_for(address: str, declared: DeclaredService | None) -> dict[str, str]:
    """The credentials of gloss.toml, for the host that they are written for and no other."""
    if declared is None or not declared.headers:
        return {}
    if declared.base_url and _host(declared.base_url) != _host(address):
        console.warning(
            f"{declared.name}: {_host(address)} is not the host of base_url in gloss.toml,"
            " so its headers are not sent there"
        )
        return {}
    return _credentials(declared)


def _credentials(declared: DeclaredService | None) -> dict[str, str]:
    given = declared.headers if declared else {}
    found = {name: settings.secret(value) for name, value in given.items()}
    for name, value in found.items():
        if not value.isprintable():
            raise UsageError(f"the header {name} has a line end in its value")
        console.keep_secret(value)
    return found


def _host(address: str) -> str:
    return urlsplit(address if "://" in address else f"grpc://{address}").netloc.lower()


def _spec_address(connection: Connection, service: ServiceRow) -> str:
    """The first address of its own that the spec gives, in the order of its operations."""
    from store.catalog import list_tools

    if service.source.startswith(("grpc://", "grpcs://")):
        return service.source
    for tool in list_tools(connection, service.name):
        binding = tool.binding
        addresses = (
            *getattr(binding, "servers", ()),
            *(one.address for one in getattr(binding, "endpoints", ())),
        )
        for address in addresses:
            if "://" in address and "{" not in address:
                return str(address)
    return ""


def _values(
    given: Mapping[str, Any],
) -> tuple[dict[str, Value], dict[str, dict[str, Value]]]:
    """Values by argument, and those that a table keeps for one tool: `getCust.custId`."""
    common: dict[str, Value] = {}
    of_tools: dict[str, dict[str, Value]] = {}
    for name, value in given.items():
        if isinstance(value, dict):
            of_tools[name] = {key: _value(key, part) for key, part in value.items()}
            common[name] = _value(name, value)  # an argument may be an object
        else:
            common[name] = _value(name, value)
    return common, of_tools


def _value(name: str, written: Any) -> Value:
    from probing.values import Value

    if isinstance(written, str) and written.startswith(("env:", "file:")):
        return Value(settings.secret(written), "gloss.toml", name, secret=True)
    return Value(written, "gloss.toml", name)
