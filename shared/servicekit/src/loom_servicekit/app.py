"""What every service is: routers, things that run in the background, health, problems, and one way to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

import uvicorn
from fastapi import APIRouter, FastAPI
from starlette.responses import JSONResponse

from loom.errors import LoomError
from loom_servicekit.bodies import BodyLimit
from loom_servicekit.hosts import LoopbackHosts, is_loopback
from loom_servicekit.problems import add_problem_handlers
from loom_servicekit.request_spans import RequestSpans

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig

log = logging.getLogger(__name__)

KEEP_ALIVE_S = 30  # longer than any client keeps an idle connection, so that no request meets a closing one
DRAIN_S = 10

_SPANS_ARE_OURS: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""FastAPI would make spans of every poll, and log the messages of exceptions, which may quote a payload."""


class Background(Protocol):
    """Something that runs beside the routes: a loop, a relay, a consumer, held polls."""

    async def start(self) -> None: ...

    async def stop(self) -> None:
        """End at once what is held, give up duties, finish what was accepted."""

    def why_unready(self) -> str | None:
        """Why the service should get no traffic; None if it should."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """`schemas`: components for the OpenAPI that its routes refer to. `body_bytes`: the longest body it takes."""

    name: str
    routers: tuple[APIRouter, ...] = ()
    background: tuple[Background, ...] = ()
    schemas: Mapping[str, Any] = field(default_factory=dict)
    body_bytes: int = 1 << 20


class Life:
    """The backgrounds of all services of a process, started in order, stopped once, in reverse.

    The backgrounds of one service are stopped together: none leans on another, and one that cannot reach what it needs
    leaves the others their time.
    """

    def __init__(self, services: Sequence[Service]) -> None:
        self._services = services
        self._running: list[tuple[str, list[Background]]] = []
        self.stopping = False

    async def start(self) -> None:
        self.stopping = False
        for service in self._services:
            started: list[Background] = []
            self._running.append((service.name, started))
            for background in service.background:
                started.append(background)
                await background.start()

    async def stop(self) -> None:
        self.stopping = True
        while self._running:
            name, backgrounds = self._running.pop()
            await asyncio.gather(*(_stop(name, background) for background in reversed(backgrounds)))

    def why_unready(self) -> dict[str, str]:
        """Reasons by service; none: ready."""
        if self.stopping:
            return {service.name: "stopping" for service in self._services}
        reasons = {}
        for name, backgrounds in self._running:
            for background in backgrounds:
                if reason := background.why_unready():
                    reasons[name] = reason
        return reasons


async def _stop(name: str, background: Background) -> None:
    try:
        await background.stop()
    except Exception as error:
        known = isinstance(error, LoomError)
        told = log.warning if known else log.error
        told(
            "%s: %s did not stop cleanly: %r", name, type(background).__name__, error, exc_info=None if known else error
        )


def create_app(services: Sequence[Service], *, title: str = "Loom") -> FastAPI:
    """One ASGI application of these services. Its lifespan starts and stops their backgrounds."""
    life = Life(services)
    app = FastAPI(
        title=title,
        version=version("loom-servicekit"),
        redoc_url=None,
        lifespan=_lifespan(life),
        telemetry=_SPANS_ARE_OURS,
    )
    app.state.life = life
    add_problem_handlers(app)
    app.include_router(_health(life))
    for service in services:
        for router in service.routers:
            app.include_router(router)
    _add_schemas(app, services)
    app.add_middleware(BodyLimit, body_bytes=max((service.body_bytes for service in services), default=1 << 20))
    app.add_middleware(RequestSpans)
    return app


def server(app: FastAPI, *, host: str, port: int, log_level: str = "warning") -> Server:
    """A server for `app`, to `run()`, or to `serve()` inside a running loop. On loopback it takes no other name's."""
    if is_loopback(host):
        app.add_middleware(LoopbackHosts)
    return Server(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            log_level=log_level,
            access_log=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=DRAIN_S,
            date_header=False,
            server_header=False,
        )
    )


class Server(uvicorn.Server):
    """Stops listening and stops the backgrounds, at once: held polls end, each connection closes with its answer, and
    what was accepted is finished.

    SIGINT and SIGTERM end `run()` in the ordinary way, so that its caller can close what it opened.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app = self.config.app
        assert isinstance(app, FastAPI)
        stopping = asyncio.create_task(app.state.life.stop())
        await super().shutdown(sockets)
        await stopping


def _lifespan(life: Life) -> Any:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            await life.start()
            yield
        finally:
            await life.stop()

    return lifespan


def _health(life: Life) -> APIRouter:
    router = APIRouter(tags=["health"])

    @router.get("/healthz/live", summary="Is the process alive")
    async def live() -> JSONResponse:
        return JSONResponse({"live": True})

    @router.get("/healthz/ready", summary="Should it get traffic", responses={503: {"description": "Not now"}})
    async def ready() -> JSONResponse:
        reasons = life.why_unready()
        return JSONResponse({"ready": not reasons, "reasons": reasons}, 503 if reasons else 200)

    return router


def _add_schemas(app: FastAPI, services: Sequence[Service]) -> None:
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        document = generate()
        components = document.setdefault("components", {}).setdefault("schemas", {})
        for service in services:
            components.update(service.schemas)
        return document

    app.openapi = openapi  # type: ignore[method-assign]
