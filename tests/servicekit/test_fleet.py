from __future__ import annotations

from fixtures.wrapped import Wrapped, failing
from loom.clock import ManualClock
from loom.errors import StoreUnavailable
from loom.kernel.calls import ReadStore
from loom.stores.memory import MemoryEventStore
from loom_servicekit.fleet import RETRY_MS, Heartbeats


def member(store: object, *features: str, leans_on_store: bool = True) -> Heartbeats:
    """A node that knows these features."""
    return Heartbeats(store, "timers", "host-1", leans_on_store=leans_on_store, features=features)  # type: ignore[arg-type]


async def test_a_service_is_in_the_fleet_from_its_first_heartbeat_on() -> None:
    """Operations 6.3: instance, role, version, what it knows."""
    store = MemoryEventStore(ManualClock())

    await member(store, "redrives").step()

    (node,) = (await store.read_store(ReadStore())).fleet
    assert (node.instance, node.role, node.features) == ("timers.host-1", "timers", ("redrives",))


async def test_a_service_that_does_not_know_what_is_on_is_unready() -> None:
    """Hazards 4.2: an old node gets no work while its fleet writes what it would destroy."""
    old, new = (member(MemoryEventStore(ManualClock()), *knows) for knows in ((), ("redrives",)))

    for each in (old, new):
        await each.step()

    assert "redrives" in (old.why_unready() or "")
    assert new.why_unready() is None


async def test_a_service_that_leans_on_the_store_is_unready_until_it_is_reached() -> None:
    """Kafka 3.4: a consumer is ready while its store is reachable; the event store itself asks nobody."""
    store = MemoryEventStore(ManualClock())
    away = Wrapped(store, heartbeat=failing(StoreUnavailable("nobody there"), 2, store.heartbeat))
    consumer, event_store = member(away, "redrives"), member(away, "redrives", leans_on_store=False)
    assert consumer.why_unready() is not None

    due_ms = await consumer.step()
    assert "nobody there" in (consumer.why_unready() or "")
    assert due_ms == RETRY_MS
    await event_store.step()
    assert event_store.why_unready() is None

    await consumer.step()
    assert consumer.why_unready() is None
