"""What a command is, and what it is given."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from urllib.parse import urlsplit

from loom.kernel.raw_json import RawJson
from loom.stores.event_store import EventStore
from loom.stores.timer_store import TimerRows
from loom_cli.durations import read_duration
from loom_cli.output import Output

DEFAULT_PORT = 7300
DEFAULT_URL = f"http://127.0.0.1:{DEFAULT_PORT}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The ports that one URL offers."""

    store: EventStore
    timers: TimerRows


Connect = Callable[[str], AbstractAsyncContextManager[Server]]
"""Reach the server at a URL, and leave it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What every command is given: where its words go, and how to reach a server."""

    output: Output
    connect: Connect


@dataclass(frozen=True, slots=True)
class Command:
    """One line of `loom --help`. `run` answers with the number the process ends with.

    `service`: under which name its spans are exported; None where it sees to that itself.
    """

    name: str
    summary: str
    declare: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Session], Awaitable[int]]
    service: str | None = "client"


def declare_json(parser: ArgumentParser) -> None:
    """For a reader that is a program."""
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def declare_server(parser: ArgumentParser) -> None:
    """Which server, which namespace."""
    url = os.environ.get("LOOM_URL", DEFAULT_URL)
    namespace = os.environ.get("LOOM_NAMESPACE", "default")
    parser.add_argument("--url", type=server_url, default=url, help=f"the server (LOOM_URL, else {DEFAULT_URL})")
    parser.add_argument("-n", "--namespace", default=namespace, help="(LOOM_NAMESPACE, else default)")


def declare_execution(parser: ArgumentParser) -> None:
    """Which execution."""
    parser.add_argument("execution", metavar="ID", help="the id of an execution")
    declare_server(parser)


def server_url(text: str) -> str:
    """An argument of the parser: http or https, a host, perhaps a port."""
    try:
        parts = urlsplit(text)
        named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        named = False
    if not named:
        raise ArgumentTypeError(f"{text!r} is no address of a server: write {DEFAULT_URL}")
    return text.rstrip("/")


def duration(text: str) -> int:
    """An argument of the parser, in milliseconds."""
    try:
        return read_duration(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def json_text(text: str) -> RawJson:
    """An argument of the parser that must be JSON; it is carried as written."""
    try:
        RawJson(text).parsed()
    except (ValueError, RecursionError) as error:
        raise ArgumentTypeError(f"not JSON: {error}") from None
    return RawJson(text)


def json_or_text(text: str) -> RawJson:
    """JSON as written where it is JSON, else the words as a JSON string."""
    try:
        return json_text(text)
    except ArgumentTypeError:
        return RawJson.of(text)
