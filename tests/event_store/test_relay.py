from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from fixtures.buses import FaultyBus
from fixtures.wrapped import Wrapped, failing
from loom.clock import ManualClock
from loom.errors import StoreUnavailable
from loom.ids import ExecutionId, Namespace
from loom.kernel.calls import ReadDuty, Start
from loom.kernel.hints import Envelope
from loom.stores.memory import MemoryEventStore
from loom_event_store.relay import (
    ATTEMPTS_MAX,
    BATCH,
    DUTY_TTL_MS,
    FULL_SCAN_S,
    OLDEST,
    PUBLISH_S,
    STAND_BY_MS,
    Relay,
)
from loom_servicekit.bus.port import Outcome
from loom_servicekit.bus.settings import KafkaSettings


class LateCommits:
    """An outbox in which a row appears after one of a greater id: ids are taken before commits (H43, p19)."""

    def __init__(self, hints: dict[int, Envelope]) -> None:
        self._hidden = hints
        self.rows: dict[int, Envelope] = {}

    def commit(self, id: int) -> None:
        self.rows[id] = self._hidden[id]

    async def read_outbox(self, after: int, limit: int) -> tuple[tuple[int, Envelope], ...]:
        return tuple((id, self.rows[id]) for id in sorted(self.rows) if id > after)[:limit]

    async def delete_outbox(self, ids: tuple[int, ...]) -> None:
        for id in ids:
            del self.rows[id]


class Cursor(Relay):
    """Mutant: a high-water cursor over ids, and no full scan."""

    def _after(self) -> int:
        return self._looked_from


@pytest.fixture
def clock() -> ManualClock:
    """The store's, and the relay's."""
    return ManualClock()


@pytest.fixture
def store(clock: ManualClock) -> Wrapped:
    """Whose calls can be made to fail."""
    return Wrapped(MemoryEventStore(clock))


@pytest.fixture
def bus() -> FaultyBus:
    """It keeps what was published."""
    return FaultyBus()


def relay(store: Any, bus: Any, clock: ManualClock, owner: str = "one", outbox: Any = None, cls: Any = Relay) -> Relay:
    """Of one replica."""
    return cls(store, outbox or store, bus, owner, monotonic=lambda: clock.now() / 1000)


async def start(store: Any, *ids: str) -> None:
    """Each leaves one hint: it is runnable."""
    for id in ids:
        call = Start(namespace=Namespace("shop"), execution_id=ExecutionId(id), batch_id="s", workflow="w", queue="q")
        await store.start(call)


async def test_rows_are_published_in_order_and_deleted(store: Wrapped, bus: FaultyBus, clock: ManualClock) -> None:
    """I43, kafka 2.4."""
    await start(store, "a", "b", "c")

    assert await relay(store, bus, clock).step() is None

    assert [hint.execution for hint in bus.published] == ["a", "b", "c"]
    assert await store.read_outbox(0, 10) == ()


async def test_a_full_batch_is_followed_by_another_at_once(store: Wrapped, bus: FaultyBus, clock: ManualClock) -> None:
    """Kafka 2.4 point 4: repeat without sleeping while rows are found."""
    await start(store, *map(str, range(BATCH + 1)))
    one = relay(store, bus, clock)

    assert await one.step() == 0
    assert await one.step() is None
    assert len(bus.published) == BATCH + 1


async def test_a_row_stays_until_the_bus_has_acknowledged_it(
    store: Wrapped, bus: FaultyBus, clock: ManualClock
) -> None:
    """I43: what could not be published is published again, by whoever holds the duty then."""
    await start(store, "a")
    down = Wrapped(bus, publish=failing(ConnectionError("broker"), 1, bus.publish))
    one = relay(store, down, clock)

    with pytest.raises(ConnectionError):
        await one.step()
    assert len(await store.read_outbox(0, 10)) == 1
    await one.step()

    assert len(bus.published) == 1
    assert await store.read_outbox(0, 10) == ()


async def test_a_relay_that_dies_between_acknowledgement_and_delete_publishes_twice(
    store: Wrapped, bus: FaultyBus, clock: ManualClock
) -> None:
    """I42, I43: at least once; a repeated hint is harmless, a lost one would not be."""
    await start(store, "a")
    store.replaced["delete_outbox"] = failing(ConnectionError("killed"), 1, store.delete_outbox)
    with pytest.raises(ConnectionError):
        await relay(store, bus, clock).step()
    clock.advance(DUTY_TTL_MS)

    await relay(store, bus, clock, "two").step()

    assert [hint.execution for hint in bus.published] == ["a", "a"]


async def publishes_a_late_commit(store: Wrapped, bus: FaultyBus, clock: ManualClock, cls: type[Relay]) -> bool:
    """Id 2 commits and is published before id 1 commits."""
    await start(store, "a", "b")
    hints = dict(await store.read_outbox(0, 10))
    outbox = LateCommits(hints)
    one = relay(store, bus, clock, outbox=outbox, cls=cls)
    outbox.commit(2)
    await one.step()
    outbox.commit(1)
    for _ in range(3):
        clock.advance(int(FULL_SCAN_S * 1000))
        await one.step()
    return hints[1].hint in bus.published and not outbox.rows


async def test_a_row_that_commits_after_one_of_a_greater_id_is_published(
    store: Wrapped, bus: FaultyBus, clock: ManualClock
) -> None:
    """I43, H43: the greatest id is only a hint where to look first."""
    assert await publishes_a_late_commit(store, bus, clock, Relay)


async def test_a_cursor_over_ids_loses_it(store: Wrapped, bus: FaultyBus, clock: ManualClock) -> None:
    """Negative control for the rule above."""
    assert not await publishes_a_late_commit(store, bus, clock, Cursor)


async def test_one_relay_runs_at_a_time(store: Wrapped, bus: FaultyBus, clock: ManualClock) -> None:
    """Kafka 2.4 point 3: by its duty."""
    one, two = relay(store, bus, clock, "one"), relay(store, bus, clock, "two")
    await one.step()
    await start(store, "a")

    assert await two.step() == STAND_BY_MS
    assert bus.published == []
    for _ in range(10):
        clock.advance(DUTY_TTL_MS // 2)
        assert await two.step() == STAND_BY_MS
        await one.step()
    assert len(bus.published) == 1


async def test_a_replica_that_cannot_reach_the_bus_loses_the_duty(
    store: Wrapped, bus: FaultyBus, clock: ManualClock
) -> None:
    """Kafka 2.5: prolonged only by work done, so that the backlog does not sit behind a healthy-looking pod."""
    await start(store, "a")
    cut_off = relay(store, Wrapped(bus, publish=failing(ConnectionError("no route"), 1_000, bus.publish)), clock, "one")
    healthy = relay(store, bus, clock, "two")

    for _ in range(DUTY_TTL_MS // STAND_BY_MS + 1):
        with suppress(ConnectionError):
            await cut_off.step()
        await healthy.step()
        clock.advance(STAND_BY_MS)

    assert len(bus.published) == 1
    assert (await store.read_duty(ReadDuty(name="relay"))).owner == "two"


async def test_a_replica_that_was_cut_off_comes_back_if_nobody_else_did(
    store: Wrapped, bus: FaultyBus, clock: ManualClock
) -> None:
    """Kafka 2.5: alone, it tries again after it has left others the time to be first."""
    await start(store, "a")
    one = relay(store, Wrapped(bus, publish=failing(ConnectionError("no route"), 1, bus.publish)), clock)
    with pytest.raises(ConnectionError):
        await one.step()
    clock.advance(DUTY_TTL_MS)
    assert await one.step() == STAND_BY_MS
    clock.advance(2 * STAND_BY_MS)

    await one.step()

    assert len(bus.published) == 1


async def test_an_idle_relay_writes_its_duty_three_times_in_its_term_and_not_at_every_look(
    store: Wrapped, bus: FaultyBus, clock: ManualClock
) -> None:
    """It looks twenty times a second; the store has better things to commit."""
    one = relay(store, bus, clock)
    for _ in range(DUTY_TTL_MS // 50):
        await one.step()
        clock.advance(50)

    assert (await store.read_duty(ReadDuty(name="relay"))).term <= 4


async def test_a_relay_that_stops_leaves_its_duty_to_the_next(
    store: Wrapped, bus: FaultyBus, clock: ManualClock
) -> None:
    """Design 4: given up on SIGTERM."""
    one = relay(store, bus, clock, "one")
    await one.step()
    await one.stop()
    await start(store, "a")

    await relay(store, bus, clock, "two").step()

    assert len(bus.published) == 1
    assert one.why_unready() is None


class Judging:
    """A bus that says of each hint what `outcomes` says of its execution, and otherwise takes it."""

    def __init__(self, **outcomes: Outcome) -> None:
        self.outcomes = outcomes
        self.offered: list[str] = []

    async def publish(self, envelopes: Sequence[Envelope], *, within_s: float) -> tuple[Outcome, ...]:
        executions = [envelope.hint.key.partition("/")[2] for envelope in envelopes]
        self.offered += executions
        return tuple(self.outcomes.get(execution, Outcome.ACKNOWLEDGED) for execution in executions)


async def left(store: Any) -> list[str]:
    """The executions whose hints are still to be read."""
    return [told.hint.execution for _, told in await store.read_outbox(0, 10_000)]


async def step_through(one: Relay, clock: ManualClock) -> None:
    """A full scan, to its end."""
    clock.advance(int(FULL_SCAN_S * 1000))
    while await one.step() == 0:
        pass


async def test_what_the_bus_refuses_for_good_is_offered_a_few_times_and_blocks_nobody(
    store: Wrapped, clock: ManualClock
) -> None:
    """Kafka 2.4 point 7: dead after n attempts, and the rest goes on at once."""
    judging = Judging(bad=Outcome.REFUSED)
    await start(store, "bad", "good")
    one = relay(store, judging, clock)

    await one.step()
    assert await left(store) == ["bad"]
    for _ in range(2 * ATTEMPTS_MAX):
        await step_through(one, clock)

    assert judging.offered.count("bad") == ATTEMPTS_MAX
    assert await left(store) == []


async def test_a_hint_whose_topic_is_not_there_stays_however_often_it_is_withheld(
    store: Wrapped, clock: ManualClock
) -> None:
    """Kafka 2.4 point 7: a missing topic is no fault of its rows; they go when it is there."""
    judging = Judging(early=Outcome.WITHHELD)
    await start(store, "early", "good")
    one = relay(store, judging, clock)
    for _ in range(2 * ATTEMPTS_MAX):
        await step_through(one, clock)
    assert await left(store) == ["early"]

    judging.outcomes.clear()
    await step_through(one, clock)

    assert await left(store) == []


async def test_a_batch_that_stays_hides_nothing_behind_it(store: Wrapped, clock: ManualClock) -> None:
    """I43: a scan goes on behind rows that stay; one that began anew each time would see those alone."""
    many = [f"early-{number}" for number in range(BATCH)]
    await start(store, *many, "late")
    hints = dict(await store.read_outbox(0, 10_000))
    outbox = LateCommits(hints)
    for id in hints:
        outbox.rows[id] = hints[id]
    late = outbox.rows.pop(max(hints))
    judging = Judging(**dict.fromkeys(many, Outcome.WITHHELD))
    one = relay(store, judging, clock, outbox=outbox)
    await step_through(one, clock)

    outbox.rows[max(hints)] = late
    one._looked_from = max(hints) + 1  # as if a greater id had been published before this one was committed
    await step_through(one, clock)

    assert judging.offered[-1] == "late"


async def test_a_batch_that_is_not_acknowledged_hides_nothing_behind_it(store: Wrapped, clock: ManualClock) -> None:
    """Kafka 2.5: one partition without a leader, for however long: what goes elsewhere goes, and it when it can."""
    stuck = [f"stuck-{number}" for number in range(BATCH)]
    await start(store, *stuck, "good")
    judging = Judging(**dict.fromkeys(stuck, Outcome.UNKNOWN))
    one = relay(store, judging, clock)

    with pytest.raises(StoreUnavailable):
        await one.step()
    await one.step()
    assert await left(store) == stuck

    judging.outcomes.clear()
    await step_through(one, clock)
    assert await left(store) == []


async def test_a_relay_that_waited_in_vain_gives_the_duty_up_and_is_back_if_nobody_takes_it(
    store: Wrapped, bus: FaultyBus, clock: ManualClock
) -> None:
    """Kafka 3.1: at its deadline. Kafka 2.5: the backlog does not sit behind one that cannot reach the bus."""

    class Hanging(Judging):
        async def publish(self, envelopes: Sequence[Envelope], *, within_s: float) -> tuple[Outcome, ...]:
            clock.advance(int(within_s * 1000))
            return await super().publish(envelopes, within_s=within_s)

    await start(store, "a")
    one = relay(store, Hanging(a=Outcome.UNKNOWN), clock, "one")

    with pytest.raises(StoreUnavailable):
        await one.step()
    free = await store.read_duty(ReadDuty(name="relay"))
    assert await one.step() == STAND_BY_MS
    assert free.owner is None
    assert await left(store) == ["a"]
    await relay(store, bus, clock, "two").step()

    assert len(bus.published) == 1


class AnyLook(Relay):
    """Mutant: whatever it looked at prolongs the duty."""

    def _is_work(self, after: int, rows: Any, taken: int) -> bool:
        return True


async def keeps_the_duty(store: Wrapped, clock: ManualClock, cls: type[Relay]) -> bool:
    """Does one whose only hint is withheld keep it for two terms, while another would have it?"""
    await start(store, "a")
    one = relay(store, Judging(a=Outcome.WITHHELD), clock, "one", cls=cls)
    two = relay(store, Judging(a=Outcome.WITHHELD), clock, "two")
    await one.step()
    owners = set()
    for _ in range(2 * DUTY_TTL_MS // 1_000):
        clock.advance(1_000)
        await one.step()
        await two.step()
        owners.add((await store.read_duty(ReadDuty(name="relay"))).owner)
    return "two" not in owners


async def test_a_replica_whose_hints_are_all_withheld_loses_the_duty(store: Wrapped, clock: ManualClock) -> None:
    """Kafka 2.4 point 3: what it knows of the topics may be old, and another may know better."""
    assert not await keeps_the_duty(store, clock, Relay)


async def test_one_that_any_look_keeps_in_duty_has_it_for_ever(store: Wrapped, clock: ManualClock) -> None:
    """Negative control for the rule above."""
    assert await keeps_the_duty(store, clock, AnyLook)


async def test_a_failure_before_the_deadline_keeps_the_duty(store: Wrapped, clock: ManualClock) -> None:
    """Negative control for the rule above: a producer that was replaced is no reason to change hands."""
    await start(store, "a")
    one = relay(store, Judging(a=Outcome.UNKNOWN), clock, "one")

    with pytest.raises(StoreUnavailable):
        await one.step()

    assert (await store.read_duty(ReadDuty(name="relay"))).owner == "one"


async def test_how_long_the_oldest_hint_waits_is_told(store: Wrapped, clock: ManualClock) -> None:
    """Kafka 3.4: what an alert looks at while the brokers are away; no readiness of the API does."""
    judging = Judging(a=Outcome.UNKNOWN)
    await start(store, "a")
    one = Relay(store, store, judging, "one", monotonic=lambda: clock.now() / 1000, clock=clock)  # type: ignore[arg-type]
    clock.advance(20_000)

    with suppress(StoreUnavailable):
        await one.step()
    assert (OLDEST.now, one.why_unready()) == (20_000, None)

    judging.outcomes.clear()
    await step_through(one, clock)
    await step_through(one, clock)
    assert OLDEST.now == 0


async def test_a_replica_without_the_duty_tells_how_long_the_oldest_hint_waits_now(
    store: Wrapped, bus: FaultyBus, clock: ManualClock
) -> None:
    """Kafka 3.4: what it saw while it could not reach the brokers would keep an alert going for ever."""
    await start(store, "a")
    cut_off = Relay(
        store,
        store,
        Judging(a=Outcome.UNKNOWN),  # type: ignore[arg-type]
        "one",
        monotonic=lambda: clock.now() / 1000,
        clock=clock,
    )
    clock.advance(20_000)
    with suppress(StoreUnavailable):
        await cut_off.step()
    told = OLDEST.now
    clock.advance(DUTY_TTL_MS)
    await relay(store, bus, clock, "two").step()
    OLDEST.set(told)  # each process has one of its own

    assert await cut_off.step() == STAND_BY_MS

    assert told == 20_000
    assert OLDEST.now == 0


def test_the_relay_waits_less_than_the_producer_does() -> None:
    """Kafka bug 20: a batch that expires in the producer leaves a hole that its partition never forgives."""
    assert KafkaSettings().request_ms > PUBLISH_S * 1000
