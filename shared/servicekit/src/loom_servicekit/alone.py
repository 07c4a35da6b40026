"""A service as a process of its own: its settings or exit status 2, its log, its server until SIGINT or SIGTERM."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from loom_servicekit.app import Service, create_app, server
from loom_servicekit.settings import settings_or_exit
from loom_servicekit.telemetry import TracedFormatter, TracingSettings, exporting

log = logging.getLogger(__name__)

Settings = TypeVar("Settings")


class Listening(Protocol):
    """What the settings of every service say."""

    @property
    def host(self) -> str: ...

    @property
    def port(self) -> int: ...

    @property
    def tracing(self) -> TracingSettings: ...


def run_alone(cls: type[Settings], serve: Callable[[Settings], Coroutine[Any, Any, None]]) -> None:
    """The whole of a service's `main`: returns when the process was told to stop and has finished what it accepted."""
    settings = settings_or_exit(cls)
    log_to_stderr()
    asyncio.run(serve(settings))


def log_to_stderr() -> None:
    """One line a fact. What the clients say of every request and every partition is left out."""
    handler = logging.StreamHandler()
    handler.setFormatter(TracedFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for talkative in ("httpx", "aiokafka"):
        logging.getLogger(talkative).setLevel(logging.WARNING)


async def serve_alone(services: Sequence[Service], settings: Listening, *, title: str) -> None:
    """Serve these until told to stop; whoever opened what they stand on closes it afterwards.

    Spans go out under the name of the last of them.
    """
    log.info("%s on http://%s:%d", title, settings.host, settings.port)
    with exporting(services[-1].name, settings.tracing):
        await server(create_app(services, title=title), host=settings.host, port=settings.port).serve()
    log.info("%s has stopped", title)
