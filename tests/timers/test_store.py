import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loom.clock import ManualClock
from loom.ids import Instant, Sequence
from loom.stores.timer_store import (
    REDRIVE,
    WAKE,
    ClaimDue,
    Defer,
    MemoryTimerStore,
    Retire,
    Retired,
    RetirePassed,
    Schedule,
    Scheduled,
    TimerKey,
    Timers,
    TimerStore,
    is_due,
)
from loom_timers.store import open_timers
from timers.rows import claim, key_of, read


async def test_a_row_is_due_at_its_instant_and_not_before(timers: TimerStore, clock: ManualClock) -> None:
    """I36: on the clock of the timer store; absolute or counted from now."""
    await timers.schedule(Schedule(key=key_of(park_seq=1), wake_at=Instant(clock.now() + 10)))
    await timers.schedule(Schedule(key=key_of(park_seq=2), delay_ms=20))
    clock.advance(9)
    assert await claim(timers) == []

    clock.advance(1)
    assert [row.key.park_seq for row in await claim(timers)] == [1]

    clock.advance(10)
    assert [row.key.park_seq for row in await claim(timers)] == [2]


async def test_a_row_scheduled_again_stays_as_it_is(timers: TimerStore, clock: ManualClock) -> None:
    """Kafka 4.1: a repeated hint inserts attempt 0 or does nothing."""
    assert (await timers.schedule(Schedule(key=key_of(), delay_ms=5))).advanced
    clock.advance(3)

    assert not (await timers.schedule(Schedule(key=key_of(), delay_ms=5))).advanced

    (row,) = await read(timers)
    assert row.wake_at == clock.now() + 2


async def attempts_never_fall(timers: TimerStore) -> bool:
    """I34: attempt = greatest(old, new), and a smaller one does not move the row either."""
    await timers.schedule(Schedule(key=key_of(), attempt=5, delay_ms=5))
    (before,) = await read(timers)
    advanced = (await timers.schedule(Schedule(key=key_of(), attempt=0, delay_ms=0))).advanced
    return not advanced and await read(timers) == (before,)


async def test_attempts_never_fall(timers: TimerStore) -> None:
    """I34: the chain advances by update, attempt = greatest(old, new)."""
    assert await attempts_never_fall(timers)
    assert (await timers.schedule(Schedule(key=key_of(), attempt=6, delay_ms=0))).advanced
    assert [row.attempt for row in await read(timers)] == [6]


async def test_a_claimed_row_is_nobody_elses_until_the_claim_ends(timers: TimerStore, clock: ManualClock) -> None:
    """I54: several nodes may look at once; a dead one's rows come back."""
    await timers.schedule(Schedule(key=key_of(), delay_ms=0))
    assert len(await claim(timers, by="one")) == 1
    assert await claim(timers, by="two") == []

    clock.advance(10_000)

    assert [row.claim for row in await claim(timers, by="two")] == ["two"]


async def test_only_the_claim_that_judged_a_row_retires_it(timers: TimerStore, clock: ManualClock) -> None:
    """I33, kafka 4.1: a slow node does not retire what another has taken over."""
    await timers.schedule(Schedule(key=key_of(), delay_ms=0))
    await claim(timers, by="one")
    clock.advance(10_000)
    await claim(timers, by="two")

    assert not (await timers.retire(Retire(key=key_of(), claim="one"))).retired
    await timers.defer(Defer(key=key_of(), claim="one", delay_ms=0))
    assert await claim(timers, by="three") == []

    assert (await timers.retire(Retire(key=key_of(), claim="two"))).retired
    assert await read(timers) == ()


async def test_a_deferred_row_keeps_its_attempt_and_is_free(timers: TimerStore, clock: ManualClock) -> None:
    """I36: `not-yet` keeps the row."""
    await timers.schedule(Schedule(key=key_of(), attempt=3, delay_ms=0))
    await claim(timers, by="one")

    await timers.defer(Defer(key=key_of(), claim="one", delay_ms=50))

    assert await claim(timers, by="two") == []
    clock.advance(50)
    assert [row.attempt for row in await claim(timers, by="two")] == [3]


async def test_an_advanced_row_is_free_again(timers: TimerStore, clock: ManualClock) -> None:
    """I34: the next attempt is written before anything is retired, over the claim of the one before."""
    await timers.schedule(Schedule(key=key_of(), delay_ms=0))
    await claim(timers, by="one")

    await timers.schedule(Schedule(key=key_of(), attempt=1, delay_ms=5))

    assert await claim(timers) == []
    clock.advance(5)
    assert len(await claim(timers)) == 1
    assert not (await timers.retire(Retire(key=key_of(), claim="one"))).retired


async def retiring_one_leaves_the_others(timers: TimerStore) -> bool:
    """I33: rows that differ from it in any one member of the key."""
    key = key_of()
    others = [
        replace(key, execution_id=key_of(id="b").execution_id),
        replace(key, incarnation=key_of(2).incarnation),
        replace(key, park_seq=Sequence(4)),
        replace(key, wait_id="v"),
        replace(key, kind=REDRIVE),
    ]
    for one in (key, *others):
        await timers.schedule(Schedule(key=one, wake_at=Instant(1_000)))
    await timers.retire(Retire(key=key))
    left = {row.key for id in "ab" for row in await read(timers, id)}
    return left == set(others)


async def test_retiring_a_row_retires_exactly_that_one(timers: TimerStore) -> None:
    """I33: (incarnation, park, wait, kind), whatever else is due at the same instant."""
    assert await retiring_one_leaves_the_others(timers)


async def test_what_passed_goes_and_what_may_be_open_stays(timers: TimerStore) -> None:
    """I33: smaller parks of this incarnation, and incarnations that live no more."""
    for key in (
        key_of(1, 9),
        key_of(2, 3),
        key_of(2, 4),
        key_of(2, 4, kind=REDRIVE),
        key_of(2, 5),
        key_of(1, 3, id="b"),
    ):
        await timers.schedule(Schedule(key=key, delay_ms=0))

    gone = await timers.retire_passed(RetirePassed(execution=key_of(2).execution, park_seq=Sequence(4)))

    assert gone == 2
    assert {(row.key.incarnation, row.key.park_seq, row.key.kind) for row in await read(timers)} == {
        (2, 4, WAKE),
        (2, 4, REDRIVE),
        (2, 5, WAKE),
    }
    assert len(await read(timers, "b")) == 1


async def strangers_starve_nobody(timers: TimerStore) -> bool:
    """I35: more rows that this node cannot judge than it takes at once, all due earlier."""
    for number in range(5):
        await timers.schedule(Schedule(key=key_of(park_seq=number, kind="tomorrow"), wake_at=Instant(1)))
    await timers.schedule(Schedule(key=key_of(), wake_at=Instant(2)))
    taken = await claim(timers, kinds=(WAKE,), limit=3)
    return [row.key for row in taken] == [key_of()] and len(await read(timers)) == 6


async def test_rows_that_a_node_cannot_judge_stay_and_starve_nobody(timers: TimerStore) -> None:
    """I35: filtered before the limit, left alone."""
    assert await strangers_starve_nobody(timers)


async def test_the_earliest_rows_come_first(timers: TimerStore) -> None:
    """I35: a limit takes the oldest."""
    for wake_at in (3, 1, 2):
        await timers.schedule(Schedule(key=key_of(park_seq=wake_at), wake_at=Instant(wake_at)))

    assert [row.wake_at for row in await claim(timers, limit=2)] == [1, 2]


class Coalescing(MemoryTimerStore):
    """Mutant: attempt = COALESCE(new, old)."""

    async def schedule(self, call: Schedule) -> Scheduled:
        self._rows.pop(call.key, None)
        return await super().schedule(call)


class FilteringLate(MemoryTimerStore):
    """Mutant: the limit first, then the kinds."""

    async def claim_due(self, call: ClaimDue) -> Timers:
        due = [row for row in self._sorted() if is_due(row, self._clock.now())][: call.limit]
        return Timers(items=tuple(row for row in due if row.key.kind in call.kinds))


class RetiringByTime(MemoryTimerStore):
    """Mutant: a row is known by (execution, wake_at)."""

    async def retire(self, call: Retire) -> Retired:
        row = self._rows[call.key]
        same = [key for key, other in self._rows.items() if key.execution == row.key.execution]
        for key in [key for key in same if self._rows[key].wake_at == row.wake_at]:
            del self._rows[key]
        return Retired(retired=True)


class WithoutIncarnation(MemoryTimerStore):
    """Mutant: the key does not hold the incarnation."""

    async def retire(self, call: Retire) -> Retired:
        for key in [key for key in self._rows if replace(key, incarnation=call.key.incarnation) == call.key]:
            del self._rows[key]
        return Retired(retired=True)


@pytest.mark.parametrize(
    ("mutant", "rule"),
    [
        (Coalescing, attempts_never_fall),
        (FilteringLate, strangers_starve_nobody),
        (RetiringByTime, retiring_one_leaves_the_others),
        (WithoutIncarnation, retiring_one_leaves_the_others),
    ],
)
async def test_a_broken_store_is_noticed(
    mutant: Callable[..., TimerStore], rule: Callable[[TimerStore], Any], clock: ManualClock
) -> None:
    """Negative controls for I33, I34, I35."""
    assert not await rule(mutant(clock))


@pytest.mark.parametrize("seed", range(20))
async def test_both_bodies_answer_alike(tmp_path: Path, seed: int) -> None:
    """Design 3: random scripts, memory the oracle."""
    clock, rng = ManualClock(), Random(seed)
    sqlite, memory = open_timers(tmp_path / "timers.db", clock=clock), MemoryTimerStore(clock)
    for _ in range(60):
        clock.advance(rng.choice((0, 1, 50, 10_000)))
        name, call = _random_call(rng, clock)
        assert await getattr(sqlite, name)(call) == await getattr(memory, name)(call), (name, call)
        assert set(await read(sqlite)) == set(await read(memory))
    sqlite.close()


def _random_call(rng: Random, clock: ManualClock) -> tuple[str, Any]:
    """Of every call, on few keys. No two rows are due at once, so that an order is an order."""
    key = key_of(rng.choice((1, 2)), rng.choice((3, 4)), kind=rng.choice((WAKE, REDRIVE, "tomorrow")))
    calls: list[tuple[str, Any]] = [
        ("schedule", Schedule(key=key, attempt=rng.randrange(4), wake_at=_instant(key, clock, rng))),
        ("claim_due", ClaimDue(kinds=(WAKE, REDRIVE), claim=f"c{rng.randrange(3)}", limit=10, ttl_ms=100)),
        ("defer", Defer(key=key, claim=f"c{rng.randrange(3)}", delay_ms=rng.randrange(100))),
        ("retire", Retire(key=key, claim=rng.choice((None, "c0", "c1")))),
        ("retire_passed", RetirePassed(execution=key.execution, park_seq=key.park_seq)),
    ]
    return rng.choices(calls, weights=(6, 4, 2, 1, 1))[0]


def _instant(key: TimerKey, clock: ManualClock, rng: Random) -> Instant:
    return Instant(clock.now() + rng.randrange(-20, 20) * 100 + int(key.incarnation) * 10 + key.park_seq)


async def test_many_nodes_on_one_file_take_each_row_once(tmp_path: Path, clock: ManualClock) -> None:
    """I54: four nodes claim at the same time; every row has one of them."""
    nodes = [open_timers(tmp_path / "timers.db", clock=clock) for _ in range(4)]
    for number in range(100):
        await nodes[0].schedule(Schedule(key=key_of(park_seq=number), delay_ms=0))

    taken = await asyncio.gather(*(claim(node, limit=30, by=str(number)) for number, node in enumerate(nodes)))

    keys = [row.key for rows in taken for row in rows]
    assert len(keys) == len(set(keys)) == 100
    for node in nodes:
        node.close()
