"""From gloss.toml to what `gloss sync` works on."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from catalog.errors import UsageError
from cli import console, files, settings, wiring
from cli.settings import DeclaredService, Settings

if TYPE_CHECKING:
    from psycopg import Connection

    from pipeline.ingest import IngestRequest
    from pipeline.probe import ProbeRequest
    from pipeline.sync_night import Means, SyncRequest
    from pipeline.sync_report import SyncReport


def chosen_services(config: Settings, only: Sequence[str]) -> list[DeclaredService]:
    """The services of gloss.toml, or those named, in the order of the file."""
    if not config.services:
        where = (
            f"{config.file} declares no [[services]]" if config.file else "there is no gloss.toml"
        )
        raise UsageError(f"{where}, so there is nothing to keep in step", hint="gloss init")
    names = {part.strip() for given in only for part in given.split(",")}
    known = [service.name for service in config.services]
    for name in sorted(names - set(known)):
        near = get_close_matches(name, known, 3)
        raise UsageError(
            f"{config.file} declares no service {name}",
            hint=f"did you mean {', '.join(near)}?" if near else f"--only {known[0]}",
        )
    return [service for service in config.services if not names or service.name in names]


def request(config: Settings, service: DeclaredService) -> SyncRequest:
    """Credentials are read when the service's turn comes, so that one missing costs no other."""
    from pipeline.sync_night import SyncRequest

    return SyncRequest(
        name=service.name,
        source=service.spec,
        ingest=lambda: _ingest(service),
        probe=lambda connection: _probe(connection, config, service),
        probe_rules=_probe_rules(service),
        owner=service.owner,
        opt_in=service.enrich,
        auto_apply=service.auto_apply,
        max_cost=service.max_cost,
    )


def _ingest(service: DeclaredService) -> IngestRequest:
    from parsers.document import ParseOptions
    from pipeline.ingest import IngestRequest

    return IngestRequest(
        (service.spec,),
        service.name,
        ParseOptions(include=service.include),
        {name: settings.secret(value) for name, value in service.headers.items()},
        enrich=service.enrich,
    )


def _probe(connection: Connection, config: Settings, service: DeclaredService) -> ProbeRequest:
    from cli.probing import Asked, requests

    (found,) = requests(connection, config, Asked(names=(service.name,)))
    return found


def _probe_rules(service: DeclaredService) -> str:
    """The rules as written, secrets by the name of their place; empty without an address."""
    if not service.base_url:
        return ""
    rules = asdict(service.probe) | {"headers": dict(service.headers), "url": service.base_url}
    return json.dumps(rules, sort_keys=True, default=lambda value: sorted(map(str, value)))


def means(config: Settings, max_cost: float | None) -> Means:
    from pipeline.sync_night import Means

    return Means(
        encoder=lambda: wiring.open_encoder(config, exporting=True),
        endpoint=lambda: wiring.open_endpoint(config),
        writer=wiring.writer_model(config),
        group_size=config.llm.tools_per_request,
        max_cost=config.llm.max_cost if max_cost is None else max_cost,
        mix=wiring.mix(config),
        masked=console.masked,
    )


def require_writable(file: Path | None) -> None:
    """Before a night's work rather than after it."""
    if file is None:
        return
    folder = file.absolute().parent
    if file.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise UsageError(f"{file}: cannot be written there", hint=f"mkdir -p {folder}")


def write_stamp(file: Path, report: SyncReport) -> None:
    told = f"{report.started_at.isoformat(timespec='seconds')} {report.run_id}\n"
    files.write(file, told, "gloss sync --stamp FILE")
