from collections.abc import AsyncIterator

import httpx
import pytest

from loom.client.timers import HttpTimerStore
from loom.clock import ManualClock
from loom.errors import StoreUnavailable
from loom.ids import Instant
from loom.stores.timer_store import ReadTimers, Retire, Schedule, TimerStore
from loom_servicekit.app import Service, create_app
from loom_servicekit.endpoints import schemas_of
from loom_timers.routes import PATHS, router
from timers.rows import ID, NAMESPACE, key_of, read

_KEY = {
    "namespace": '"shop"',
    "execution_id": '"a"',
    "incarnation": '"1"',
    "park_seq": "3",
    "wait_id": '"w"',
    "kind": '"wake"',
}


def _body(more: str = '"delay_ms": 5', **members: str) -> bytes:
    """A row to schedule, with some members of its key in another form."""
    key = ",".join(f'"{name}":{value}' for name, value in {**_KEY, **members}.items())
    return f'{{"key": {{{key}}}, {more}}}'.encode()


JSON = {"Content-Type": "application/json"}


@pytest.fixture
def transport(timers: TimerStore) -> httpx.ASGITransport:
    """The routes of the service, in process."""
    service = Service(name="timers", routers=(router(timers),), schemas=schemas_of(PATHS))
    return httpx.ASGITransport(create_app([service]))


@pytest.fixture
async def remote(transport: httpx.ASGITransport) -> AsyncIterator[HttpTimerStore]:
    """The port over REST."""
    async with HttpTimerStore("http://timers", transport=transport, attempts=1) as store:
        yield store


async def test_rows_over_rest_are_the_rows_of_the_store(
    timers: TimerStore, remote: HttpTimerStore, clock: ManualClock
) -> None:
    """models-of-style C1: REST is the port; a wait's id may hold any text, slashes and dots too."""
    key = key_of(2**62, 7, "main/нап/../0?#%2F")

    assert (await remote.schedule(Schedule(key=key, wake_at=Instant(5)))).advanced
    assert not (await remote.schedule(Schedule(key=key, wake_at=Instant(9)))).advanced

    call = ReadTimers(namespace=NAMESPACE, execution_id=ID)
    assert (await remote.read(call)).items == await read(timers)
    assert (await remote.retire(Retire(key=key))).retired
    assert await read(timers) == ()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"key": 1}',
        b'{"key": {"namespace": "shop"}}',
        _body('"delay_ms": "5"'),
        _body('"delay_ms": -1'),
        _body('"delay_ms": 1.5'),
        _body('"delay_ms": 5, "delay_ms": 6'),
        _body('"later": 5'),
        _body('"attempt": null'),
        _body(wait_id='"\\ud800"'),
        _body(wait_id='"\\u0000"'),
        _body(execution_id='"a/b"'),
        _body(incarnation="1"),
        _body(incarnation='"-1"'),
    ],
)
async def test_bad_input_is_a_problem_and_nothing_is_stored(
    timers: TimerStore, transport: httpx.ASGITransport, body: bytes
) -> None:
    """Design 5, strict at the door: 400 with the code `invalid`, never 500."""
    async with httpx.AsyncClient(transport=transport, base_url="http://timers") as client:
        answer = await client.put("/v1/timers", content=body, headers=JSON)

    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid"
    assert await read(timers) == ()


async def test_the_bodies_above_differ_from_a_good_one_by_their_fault_alone(
    timers: TimerStore, transport: httpx.ASGITransport
) -> None:
    """Negative control for the rule above."""
    async with httpx.AsyncClient(transport=transport, base_url="http://timers") as client:
        assert (await client.put("/v1/timers", content=_body(), headers=JSON)).status_code == 200
    assert len(await read(timers)) == 1


async def test_a_service_that_is_not_there_is_unavailable() -> None:
    """I44: what the supervisor must hear, so that it does not acknowledge."""
    async with HttpTimerStore("http://127.0.0.1:1", attempts=1) as store:
        with pytest.raises(StoreUnavailable):
            await store.schedule(Schedule(key=key_of(), delay_ms=0))
