"""The timer store: keys with incarnations, attempts that never fall, no starvation."""

from __future__ import annotations

from dataclasses import replace

from loom.ids import Instant, Sequence
from loom.stores.timer_store import (
    REDRIVE,
    WAKE,
    ClaimDue,
    Defer,
    ReadTimers,
    Retire,
    RetirePassed,
    Schedule,
    Timer,
    TimerKey,
)
from loom_conformance.case import Suite
from loom_conformance.checks import equal, holds
from loom_conformance.scene import Execution, Scene, mint

SUITE = Suite("timers")
MANY = 1_000
TTL_MS = 1_000
FAR_MS = 3_600_000
PARKED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
CONTENDED = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"


def _key(execution: Execution, park_seq: int = 2, wait: str = "timer", kind: str = WAKE) -> TimerKey:
    return TimerKey.of(execution.ref, Sequence(park_seq), wait, kind)


async def _rows(scene: Scene, execution: Execution) -> tuple[Timer, ...]:
    return (await scene.timers.read(ReadTimers(**execution.at))).items


async def _due(scene: Scene, execution: Execution, kinds: tuple[str, ...] = (WAKE, REDRIVE)) -> list[Timer]:
    """The rows of this execution among those that are due; claims them."""
    timers = await scene.timers.claim_due(ClaimDue(kinds=kinds, claim=mint("claim"), limit=MANY, ttl_ms=TTL_MS))
    return [row for row in timers.items if row.key.execution_id == execution.ref.execution_id]


@SUITE.case
async def a_row_is_kept_by_its_full_key(scene: Scene) -> None:
    """H1, H4, I33: rows that differ in any member are different rows, be their time the same or not."""
    timers, now = scene.timers, await scene.now()
    first, other = await scene.start(), scene.unknown()
    keys = [
        _key(first),
        _key(first, park_seq=3),
        _key(first, wait="another"),
        _key(first, kind=REDRIVE),
        TimerKey.of(replace(first.ref, incarnation=other.ref.incarnation), Sequence(2), "timer", WAKE),
        _key(other),
    ]

    for key in keys:
        await timers.schedule(Schedule(key=key, wake_at=now))

    mine = {row.key for row in await _rows(scene, first)}
    equal(mine, set(keys[:-1]))
    equal({row.key for row in await _rows(scene, other)}, {keys[-1]})


@SUITE.case
async def scheduling_again_changes_nothing(scene: Scene) -> None:
    """I34: the consumer of a park is idempotent: the same attempt leaves the row as it is."""
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    await timers.schedule(Schedule(key=_key(execution), wake_at=now))

    again = await timers.schedule(Schedule(key=_key(execution), wake_at=Instant(now + FAR_MS)))

    (row,) = await _rows(scene, execution)
    equal((again.advanced, row.wake_at, row.attempt), (False, now, 0))


@SUITE.case
async def a_row_keeps_the_trace_that_it_was_given(scene: Scene) -> None:
    """Kafka 5.2, 5.3: whoever fires it goes on in the trace of the park, or links to it if it was made long ago; an
    advance brings a trace of its own, and the row is as old as before.
    """
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    await timers.schedule(Schedule(key=_key(execution), wake_at=now, traceparent=PARKED))
    await timers.schedule(Schedule(key=_key(execution, kind=REDRIVE), wake_at=now))

    (claimed, untraced) = sorted(await _due(scene, execution), key=lambda row: row.key.kind, reverse=True)
    await timers.defer(Defer(key=claimed.key, claim=claimed.claim or "", delay_ms=0))
    kept = {row.key.kind: row.traceparent for row in await _rows(scene, execution)}
    await timers.schedule(Schedule(key=_key(execution), attempt=1, delay_ms=0, traceparent=CONTENDED))

    equal((claimed.traceparent, untraced.traceparent), (PARKED, None))
    equal(kept, {WAKE: PARKED, REDRIVE: None})
    advanced = {row.key.kind: row for row in await _rows(scene, execution)}
    equal((advanced[WAKE].traceparent, advanced[WAKE].made_at), (CONTENDED, claimed.made_at))
    holds(now <= claimed.made_at <= await scene.now(), "a row is as old as its first writing")


@SUITE.case
async def attempts_never_fall(scene: Scene) -> None:
    """H12, I34: the greater of both; a late first row does not reset a re-drive."""
    timers = scene.timers
    execution = await scene.start()
    key = _key(execution, kind=REDRIVE)
    await timers.schedule(Schedule(key=key, attempt=5, delay_ms=FAR_MS))

    for attempt in (0, 4, 5):
        equal((await timers.schedule(Schedule(key=key, attempt=attempt, delay_ms=0))).advanced, False)
    equal((await timers.schedule(Schedule(key=key, attempt=6, delay_ms=0))).advanced, True)

    (row,) = await _rows(scene, execution)
    equal(row.attempt, 6)


@SUITE.case
async def nothing_is_due_early(scene: Scene) -> None:
    """I36: on the store's own clock, for an instant and for a delay."""
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    await timers.schedule(Schedule(key=_key(execution, wait="a"), wake_at=Instant(now + FAR_MS)))
    await timers.schedule(Schedule(key=_key(execution, wait="b"), delay_ms=300))
    equal(await _due(scene, execution), [])

    await scene.pass_time(301)

    equal([row.key.wait_id for row in await _due(scene, execution)], ["b"])


@SUITE.case
async def a_claimed_row_is_left_alone(scene: Scene) -> None:
    """I37: by other nodes, until the claim ends; then somebody else tries."""
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    await timers.schedule(Schedule(key=_key(execution), wake_at=now))

    equal(len(await _due(scene, execution)), 1)
    equal(await _due(scene, execution), [])
    await scene.pass_time(TTL_MS + 1)

    equal(len(await _due(scene, execution)), 1)


@SUITE.case
async def a_row_is_retired_by_its_full_key(scene: Scene) -> None:
    """H1, I33: retiring the row of one park leaves those of its neighbours with the same time."""
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    keys = [_key(execution), _key(execution, park_seq=4), _key(execution, wait="x"), _key(execution, kind=REDRIVE)]
    for key in keys:
        await timers.schedule(Schedule(key=key, wake_at=now))

    equal((await timers.retire(Retire(key=keys[0]))).retired, True)
    equal((await timers.retire(Retire(key=keys[0]))).retired, False)

    equal({row.key for row in await _rows(scene, execution)}, set(keys[1:]))


@SUITE.case
async def a_re_used_deadline_is_not_lost(scene: Scene) -> None:
    """H1: a loop parks again with the same instant while its old row is judged; retiring that leaves the new one."""
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    await timers.schedule(Schedule(key=_key(execution, park_seq=2), wake_at=now))
    (held,) = await _due(scene, execution)
    await timers.schedule(Schedule(key=_key(execution, park_seq=4), wake_at=now))

    await timers.retire(Retire(key=held.key, claim=held.claim))

    equal([row.key.park_seq for row in await _due(scene, execution)], [4])


@SUITE.case
async def a_row_is_retired_only_under_its_claim(scene: Scene) -> None:
    """I34: a node that was overtaken does not remove what another one advanced."""
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    key = _key(execution, kind=REDRIVE)
    await timers.schedule(Schedule(key=key, wake_at=now))
    (held,) = await _due(scene, execution)
    await timers.schedule(Schedule(key=key, attempt=1, delay_ms=0))

    equal((await timers.retire(Retire(key=key, claim=held.claim))).retired, False)

    equal([row.attempt for row in await _rows(scene, execution)], [1])


@SUITE.case
async def a_deferred_row_is_free_and_due_later(scene: Scene) -> None:
    """I36: `not-yet` leaves the row; the attempt stays; only its claim defers it."""
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    await timers.schedule(Schedule(key=_key(execution), attempt=3, wake_at=now))
    (held,) = await _due(scene, execution)
    await timers.defer(Defer(key=held.key, claim="somebody else's", delay_ms=FAR_MS))
    await timers.defer(Defer(key=held.key, claim=held.claim or "", delay_ms=300))

    equal(await _due(scene, execution), [])
    await scene.pass_time(301)

    equal([row.attempt for row in await _due(scene, execution)], [3])


@SUITE.case
async def a_later_park_retires_the_rows_of_smaller_ones(scene: Scene) -> None:
    """I33: of the same incarnation, wakes and re-drives; the park's own rows and greater ones stay."""
    timers, now = scene.timers, await scene.now()
    execution, other = await scene.start(), await scene.start()
    for park_seq in (2, 4, 6):
        for kind in (WAKE, REDRIVE):
            await timers.schedule(Schedule(key=_key(execution, park_seq, kind=kind), wake_at=now))
    await timers.schedule(Schedule(key=_key(other), wake_at=now))

    removed = await timers.retire_passed(RetirePassed(execution=execution.ref, park_seq=Sequence(4)))

    equal(removed, 2)
    equal(sorted(row.key.park_seq for row in await _rows(scene, execution)), [4, 4, 6, 6])
    equal(len(await _rows(scene, other)), 1)


@SUITE.case
async def a_row_of_a_kind_nobody_knows_starves_nobody(scene: Scene) -> None:
    """I35: filtered before the limit, left alone, still there."""
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    for number in range(5):
        key = _key(execution, wait=f"w{number}", kind="newer")
        await timers.schedule(Schedule(key=key, wake_at=Instant(now - 10_000_000)))
    await timers.schedule(Schedule(key=_key(execution), wake_at=Instant(now - 9_000_000)))

    claimed = await timers.claim_due(ClaimDue(kinds=(WAKE,), claim=mint(), limit=1, ttl_ms=TTL_MS))

    equal([row.key for row in claimed.items], [_key(execution)])
    holds(sum(row.key.kind == "newer" for row in await _rows(scene, execution)) == 5, "the unknown rows stay")


@SUITE.case
async def the_earliest_comes_first(scene: Scene) -> None:
    """I37: with a limit, what has waited longest."""
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    for number in (3, 1, 2):
        key = _key(execution, wait=f"w{number}", kind="probe")
        await timers.schedule(Schedule(key=key, wake_at=Instant(now - 1_000 + number)))

    claimed = await timers.claim_due(ClaimDue(kinds=("probe",), claim=mint(), limit=2, ttl_ms=TTL_MS))

    equal([row.key.wait_id for row in claimed.items], ["w1", "w2"])
    for row in await _rows(scene, execution):
        await timers.retire(Retire(key=row.key))


@SUITE.case
async def rows_survive_their_reading(scene: Scene) -> None:
    """Design 4: `why` reads them by id: all incarnations, in order of their time, unclaimed."""
    timers, now = scene.timers, await scene.now()
    execution = await scene.start()
    await timers.schedule(Schedule(key=_key(execution, wait="late"), wake_at=Instant(now + 2_000)))
    await timers.schedule(Schedule(key=_key(execution, wait="early"), wake_at=Instant(now + 1_000)))

    rows = await _rows(scene, execution)

    equal([(row.key.wait_id, row.claim) for row in rows], [("early", None), ("late", None)])
    equal(await _rows(scene, execution), rows)
