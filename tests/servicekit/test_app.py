from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from fastapi import APIRouter, FastAPI

from loom.errors import ERRORS
from loom_servicekit.app import Service, create_app


@asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """The application between its start and its end, and who speaks to it."""
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(base_url="http://loom", transport=httpx.ASGITransport(app)) as client,
    ):
        yield client


class Recorder:
    """A background that writes down what happens to it."""

    def __init__(self, name: str, story: list[str], fault: str = "") -> None:
        self.name = name
        self.story = story
        self.fault = fault
        self.reason: str | None = None

    async def start(self) -> None:
        """Told, or failed."""
        self.story.append(f"start {self.name}")
        if self.fault == "start":
            raise RuntimeError(self.name)

    async def stop(self) -> None:
        """Told, or failed."""
        self.story.append(f"stop {self.name}")
        if self.fault == "stop":
            raise RuntimeError(self.name)

    def why_unready(self) -> str | None:
        """Whatever the test says."""
        return self.reason


async def test_backgrounds_start_in_order_and_stop_once_in_reverse() -> None:
    """What was started last leans on what was started first."""
    story: list[str] = []
    first = Service(name="a", background=(Recorder("a1", story), Recorder("a2", story)))
    second = Service(name="b", background=(Recorder("b1", story),))
    app = create_app([first, second])

    async with running(app) as client:
        assert (await client.get("/healthz/ready")).status_code == 200
        await app.state.life.stop()  # as the server does before it drains

    assert story == ["start a1", "start a2", "start b1", "stop b1", "stop a2", "stop a1"]


async def test_what_has_started_is_stopped_when_another_cannot_start() -> None:
    """A boot that fails leaves nothing running."""
    story: list[str] = []
    services = [
        Service(name="a", background=(Recorder("a1", story),)),
        Service(name="b", background=(Recorder("b1", story, fault="start"),)),
    ]

    with pytest.raises(RuntimeError):
        async with running(create_app(services)):
            raise AssertionError("it started")

    assert story[-1] == "stop a1"


async def test_one_that_cannot_stop_does_not_keep_the_others() -> None:
    """The order of leaving survives a fault in it."""
    story: list[str] = []
    background = (Recorder("a1", story), Recorder("a2", story, fault="stop"))

    async with running(create_app([Service(name="a", background=background)])):
        pass

    assert story[-2:] == ["stop a2", "stop a1"]


async def test_the_backgrounds_of_a_service_stop_together() -> None:
    """Kafka 3.4: the sum of what each may take would not fit the grace period; here each waits for the other."""
    met = asyncio.Barrier(2)

    class Waiting(Recorder):
        async def stop(self) -> None:
            await met.wait()
            await super().stop()

    story: list[str] = []

    async with asyncio.timeout(10):
        async with running(create_app([Service(name="a", background=(Waiting("a1", story), Waiting("a2", story)))])):
            pass

    assert sorted(story[2:]) == ["stop a1", "stop a2"]


async def test_readiness_names_the_service_and_the_reason() -> None:
    """Alive is not ready: a service that cannot work gets no traffic and says why."""
    background = Recorder("a1", [])
    app = create_app([Service(name="timers", background=(background,))])

    async with running(app) as client:
        background.reason = "the store cannot be reached"
        answer = await client.get("/healthz/ready")
        assert (answer.status_code, answer.json()["reasons"]) == (503, {"timers": "the store cannot be reached"})
        assert (await client.get("/healthz/live")).status_code == 200

        background.reason = None
        assert (await client.get("/healthz/ready")).json() == {"ready": True, "reasons": {}}

        await app.state.life.stop()
        assert (await client.get("/healthz/ready")).status_code == 503


@pytest.mark.parametrize("code", ERRORS)
async def test_each_error_is_its_problem(code: str) -> None:
    """Design 5: one table; 63-bit numbers as strings; Retry-After where coming back may help."""
    router = APIRouter()

    @router.get("/fail")
    async def fail() -> None:
        raise ERRORS[code]("told", execution_id="ord-17")

    async with running(create_app([Service(name="a", routers=(router,))])) as client:
        answer = await client.get("/fail")

    problem = answer.json()
    assert answer.status_code == problem["status"] == ERRORS[code].status
    assert (problem["code"], problem["detail"], problem["execution_id"]) == (code, "told", "ord-17")
    assert ("Retry-After" in answer.headers) is ERRORS[code].retryable is problem["retryable"]


async def test_what_is_not_there_is_a_problem_too() -> None:
    """No surface answers in another form."""
    async with running(create_app([])) as client:
        assert (await client.get("/nowhere")).json()["code"] == "not-found"
        answer = await client.post("/healthz/live")
        assert (answer.status_code, answer.json()["code"], answer.headers["Allow"]) == (405, "invalid", "GET")


async def test_services_share_one_port_and_the_longest_body_bound() -> None:
    """`loom dev`: all services in one application."""
    small, large = Service(name="a", body_bytes=10), Service(name="b", body_bytes=1000)

    async with running(create_app([small, large])) as client:
        assert (await client.post("/nowhere", content=b"x" * 1000)).status_code == 404
        assert (await client.post("/nowhere", content=b"x" * 1001)).status_code == 413
