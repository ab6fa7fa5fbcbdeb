"""The sample world, served on loopback: `python -m sample_specs.server`.

Billing and HR over HTTP, the CRM over SOAP, the warehouse over gRPC. Every call is listed at
`/_calls` of the REST address. Calls that would change something are answered and listed as
such, but change nothing: each run sees the same company.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sample_specs.serving import rpc, web
from sample_specs.serving.calls import Call, CallLog
from sample_specs.serving.rest import RestApplication
from sample_specs.serving.soap import SoapApplication


@dataclass(frozen=True)
class World:
    rest_url: str
    soap_url: str
    grpc_target: str
    log: CallLog

    @property
    def billing_url(self) -> str:
        return f"{self.rest_url}/billing"

    @property
    def hr_url(self) -> str:
        return f"{self.rest_url}/hr"

    def calls(self) -> list[Call]:
        return self.log.all()

    def forget(self) -> None:
        self.log.clear()

    def addresses(self) -> dict[str, str]:
        return {
            "billing": self.billing_url,
            "hr": self.hr_url,
            "crm": self.soap_url,
            "inventory": self.grpc_target,
            "calls": f"{self.rest_url}/_calls",
        }


@contextmanager
def serve(
    rest_port: int = 0, soap_port: int = 0, grpc_port: int = 0, token: str | None = None
) -> Iterator[World]:
    """The world while it is up. Port 0 takes a free port; with a token, calls must carry it."""
    log = CallLog()
    with (
        web.running(RestApplication(log, token), rest_port) as rest_url,
        web.running(SoapApplication(log, token), soap_port) as soap_url,
        rpc.running(log, grpc_port, token) as grpc_target,
    ):
        yield World(rest_url, f"{soap_url}/crm", grpc_target, log)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sample_specs.server")
    for protocol in ("rest", "soap", "grpc"):
        parser.add_argument(f"--port-{protocol}", type=int, default=0, help="0: a free port")
    parser.add_argument("--token", help="ask for this token (bearer, X-Api-Key or X-HR-Key)")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    options = _options(arguments)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    ports = (options.port_rest, options.port_soap, options.port_grpc)
    with serve(*ports, token=options.token) as world:
        sys.stdout.write(json.dumps(world.addresses()) + "\n")
        sys.stdout.flush()
        stop.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
