"""`loom dev`: all four services in one process and on the in-process bus, one port, state in a folder or a database."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from loom.errors import Contended
from loom_cli.command import DEFAULT_PORT, DEFAULT_URL, Command, Session, declare_json
from loom_cli.exits import Exit
from loom_cli.folder import FolderHeld, hold_folder
from loom_cli.output import Output
from loom_cli.sheets import Facts

if TYPE_CHECKING:
    from loom_servicekit.app import Server

BACKLOG = 512
SERVICES = ("event-store", "supervisor", "timers", "retention")


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=Path(".loom"), metavar="DIR", help="where state is kept (.loom)")
    parser.add_argument("--postgres", metavar="URL", help="keep state in this database, by its owner's URL")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help=f"0 takes a free one ({DEFAULT_PORT})")
    names = ", ".join(SERVICES)
    parser.add_argument("--only", action="append", choices=SERVICES, metavar="NAME", help=f"{names}; repeatable (all)")
    parser.add_argument("--host", default="127.0.0.1", help="another than loopback needs LOOM_DEV=1")
    declare_json(parser)


async def _dev(args: Namespace, session: Session) -> Exit:
    """Serve until SIGTERM or SIGINT. SIGKILL loses nothing that was acknowledged: start it again on the same folder."""
    from loom_servicekit.settings import SettingsError, why_exposed
    from loom_servicekit.sqlite import NewerFile

    output = session.output
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    if reason := why_exposed(args.host, os.environ.get("LOOM_DEV") in ("1", "true")):
        return _refuse(output, Exit.USAGE, "exposed", reason)
    try:
        listening = _listen(args.host, args.port)
    except (OSError, OverflowError) as error:
        taken = f"{args.host}:{args.port} cannot be listened on ({error}): stop what does, or say --port"
        return _refuse(output, Exit.FAILED, "port-taken", taken)
    with listening:
        try:
            if args.postgres is not None:
                return await _on_postgres(args, output, listening)
            return await _serve(args, output, listening)
        except FolderHeld as held:
            return _refuse(output, Exit.FAILED, "data-held", f"{args.data} is held by {held}: use it, or say --data")
        except (OSError, NewerFile, Contended) as error:
            return _refuse(output, Exit.FAILED, "data-unusable", f"{args.data}: {error}")
        except SettingsError as error:
            return _refuse(output, Exit.USAGE, "settings", str(error))


async def _on_postgres(args: Namespace, output: Output, listening: socket.socket) -> Exit:
    from loom_servicekit.migrations import DatabaseUnreachable, MigrationFault
    from loom_servicekit.postgres import DatabaseHeld

    try:
        return await _serve(args, output, listening)
    except DatabaseHeld as held:
        return _refuse(output, Exit.FAILED, "data-held", f"{held}: use it, or say another --postgres")
    except MigrationFault as fault:
        exit = Exit.UNREACHABLE if isinstance(fault, DatabaseUnreachable) else Exit.FAILED
        return _refuse(output, exit, "database-unusable", str(fault))


def _refuse(output: Output, exit: Exit, code: str, why: str) -> Exit:
    output.note(f"loom: {code}: {why}")
    return exit


def _listen(host: str, port: int) -> socket.socket:
    """A socket bound before anything else is opened: whoever loses the port has touched nothing."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of a killed one linger
        listening.bind((host, port))
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except BaseException:
        listening.close()
        raise
    return listening


async def _serve(args: Namespace, output: Output, listening: socket.socket) -> Exit:
    from loom_cli.cluster import open_cluster
    from loom_servicekit.app import create_app, server
    from loom_servicekit.telemetry import exporting, tracing_settings

    host, port = listening.getsockname()[:2]
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    only = args.only or SERVICES
    with hold_folder(args.data, f"{url}, process {os.getpid()}"):
        async with open_cluster(args.data, os.environ, only, args.postgres) as services:
            serving = server(create_app(services), host=host, port=port)
            with exporting("dev", tracing_settings(os.environ, ratio=1.0)), _stopping_quietly():
                task = asyncio.create_task(serving.serve([listening]))
                await _started(serving, task)
                if serving.started:
                    _announce(output, url, args.data)
                await task
    return Exit.COMPLETED if serving.started else Exit.FAILED


async def _started(serving: Server, task: asyncio.Task[None]) -> None:
    """Returns when it serves, or will not."""
    while not (serving.started or task.done()):  # noqa: ASYNC110 - the server has no event to wait for
        await asyncio.sleep(0.005)


def _announce(output: Output, url: str, data: Path) -> None:
    folder = str(data.resolve())
    form = {"url": url, "docs": f"{url}/docs", "data": folder, "pid": os.getpid()}
    output.result(form, Facts((("loom", url), ("docs", f"{url}/docs"), ("data", folder))))
    if url != DEFAULT_URL:
        output.hint(f"export LOOM_URL={url}", "in another terminal, as this is not the default")
    output.hint("loom new hello", "in another terminal; or loom run FILE, if you have one")


@contextmanager
def _stopping_quietly() -> Iterator[None]:
    """The server raises the signal that stopped it once more when it is done; by then that means nothing."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


COMMAND = Command("dev", "run all of Loom here: one process, one port, one folder", _declare, _dev, service=None)
