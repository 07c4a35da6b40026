from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from loom.client.event_store import HttpEventStore
from loom.ids import ExecutionId, Namespace
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.raw_json import RawJson
from loom.stores.memory import MemoryEventStore
from loom_event_store.app import build_service
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import create_app
from loom_servicekit.bus.in_process import InProcessBus

SHOP = Namespace("shop")


@pytest.fixture
async def http() -> AsyncIterator[HttpEventStore]:
    service = build_service(EventStoreSettings(), store=MemoryEventStore(), bus=InProcessBus())
    app = create_app([service])
    async with (
        app.router.lifespan_context(app),
        HttpEventStore("http://loom", transport=httpx.ASGITransport(app)) as store,
    ):
        yield store


async def test_a_payload_comes_back_byte_for_byte(http: HttpEventStore) -> None:
    """I4, A4: key order, huge numbers, escaped NUL, lone surrogates and duplicate keys are carried, not read."""
    payload = RawJson('{"b" : 1,"a":[1e400, "\\u0000\\ud800"], "b":' + "9" * 400 + "}")
    order = ExecutionId("ord-1")
    started = await http.start(c.Start(namespace=SHOP, execution_id=order, batch_id="s", workflow="w"))

    await http.append(
        c.Append(
            namespace=SHOP,
            execution_id=order,
            incarnation=started.execution.incarnation,
            batch_id="a",
            events=(NewEvent(kind="NOTED", payload=payload),),
        )
    )

    log = await http.read_events(c.ReadEvents(namespace=SHOP, execution_id=order))
    assert [event.payload for event in log.events][-1] == payload
