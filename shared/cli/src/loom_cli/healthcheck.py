"""`loom healthcheck SERVICE`: what a container asks of the service in it."""

from __future__ import annotations

import ipaddress
import os
from argparse import ArgumentParser, Namespace

from loom_cli.command import Command, Session, declare_json
from loom_cli.exits import Exit

PORTS = {"event-store": 7300, "supervisor": 7301, "timers": 7302, "retention": 7303}
WAIT_S = 3.0


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("service", metavar="SERVICE", choices=tuple(PORTS), help=", ".join(PORTS))
    parser.add_argument("--live", action="store_true", help="is the process alive, ready or not")
    declare_json(parser)


async def _healthcheck(args: Namespace, session: Session) -> Exit:
    """0 yes, 1 no: a container's check knows no other numbers."""
    import httpx

    asked = f"{where(args.service, os.environ)}/healthz/{'live' if args.live else 'ready'}"
    try:
        async with httpx.AsyncClient(timeout=WAIT_S, trust_env=False) as client:
            answer = await client.get(asked)
    except (httpx.TransportError, httpx.InvalidURL) as error:
        session.output.note(f"loom: {asked} does not answer: {str(error) or type(error).__name__}")
        return Exit.FAILED
    session.output.note(answer.text)
    return Exit.COMPLETED if answer.is_success else Exit.FAILED


def where(service: str, environ: os._Environ[str] | dict[str, str]) -> str:
    """The address that the service's settings say, from inside: of an address of any, loopback."""
    host = environ.get("LOOM_HOST", "").strip() or "127.0.0.1"
    port = environ.get("LOOM_PORT", "").strip() or PORTS[service]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return f"http://{host}:{port}"
    if address.is_unspecified:
        address = ipaddress.ip_address("127.0.0.1" if address.version == 4 else "::1")
    return f"http://[{address}]:{port}" if address.version == 6 else f"http://{address}:{port}"


COMMAND = Command("healthcheck", "ask whether a service here is ready", _declare, _healthcheck)
