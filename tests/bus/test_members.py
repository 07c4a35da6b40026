"""Members of a group as processes: they come, go in order, are killed, freeze and stand still."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter

import pytest

from bus.ground import PARKED, envelopes, given, ground, read_committed, read_group, running_bus
from bus.member import GROUP, Given
from bus.members import Crew, Told
from bus.waiting import until
from fixtures.kafka import Kafka
from loom_servicekit.bus.lanes import LANES
from loom_servicekit.bus.port import Outcome
from loom_servicekit.bus.settings import KafkaSettings

SESSION_MS = 3_000
POLL_MAX_MS = 2_000
LONG_SESSION_MS = 10_000  # so that nothing but a missing poll can cost a member its partition


async def publish(settings: KafkaSettings, names: list[str]) -> None:
    """A hint for each name, acknowledged."""
    async with running_bus(settings) as bus:
        assert set(await bus.publish(envelopes(names), within_s=30)) == {Outcome.ACKNOWLEDGED}


def names(count: int, first: int = 0) -> list[str]:
    """Of executions."""
    return [f"e-{number}" for number in range(first, first + count)]


async def hand_over(crew: Crew, settings: KafkaSettings, *mutants: str) -> Counter[str]:
    """60 hints are with one member, all its lanes are busy, and a second one joins; then the first may work on."""
    first = await crew.start(Given(settings=given(settings), gated=True, mutants=mutants))
    await publish(settings, names(60))
    await crew.until(lambda: len(first.began) == LANES)
    await crew.start(Given(settings=given(settings), mutants=mutants))
    await crew.until(lambda: first.gives_up)
    first.let_go(1_000)
    await crew.until(lambda: set(crew.handled) == set(names(60)))
    await until(lambda: has_committed(settings, 60))
    return crew.handled


async def has_committed(settings: KafkaSettings, count: int) -> bool:
    """The group has so many hints behind it."""
    return await read_committed(settings, GROUP, PARKED) == count


async def test_a_rebalance_in_mid_work_repeats_nothing(kafka: Kafka, crew: Crew) -> None:
    """Kafka 3.3 point 6: what a member has begun and queued it finishes and commits before it gives partitions away."""
    async with ground(kafka) as settings:
        handled = await hand_over(crew, settings)

    assert handled == Counter(names(60))


async def test_a_member_that_drops_what_is_queued_repeats_what_it_did(kafka: Kafka, crew: Crew) -> None:
    """Negative control for the rule above: work ends out of order, so what is dropped leaves holes below it."""
    async with ground(kafka) as settings:
        handled = await hand_over(crew, settings, "drops_queued")

    assert max(handled.values()) > 1


async def test_a_member_that_is_told_to_stop_loses_and_repeats_nothing(kafka: Kafka, crew: Crew) -> None:
    """Kafka 3.3 point 6, 3.4: it finishes, commits, leaves the group, exits 0; the other has its partitions at once."""
    async with ground(kafka) as settings:
        first = await crew.start(Given(settings=given(settings), work_ms=20))
        await crew.start(Given(settings=given(settings), work_ms=20))
        await publish(settings, names(200))
        await crew.until(lambda: len(first.handled) >= 20)

        first.signal(signal.SIGTERM)
        assert await first.ended() == 0
        await publish(settings, names(100, first=200))

        await crew.until(lambda: set(crew.handled) == set(names(300)))
        await until(lambda: has_committed(settings, 300))
    assert crew.handled == Counter(names(300))


async def test_what_a_killed_member_had_committed_is_not_repeated_and_the_rest_is_not_lost(
    kafka: Kafka, crew: Crew
) -> None:
    """I42, kafka 3.3 point 5: SIGKILL costs repeats of what was not committed yet, nothing else."""
    async with ground(kafka, session_ms=SESSION_MS) as settings:
        first = await crew.start(Given(settings=given(settings), gated=True))
        await publish(settings, names(100))
        first.let_go(100)
        await crew.until(lambda: len(first.handled) == 100)
        await until(lambda: has_committed(settings, 100))
        await publish(settings, names(100, first=100))
        first.let_go(50)
        await crew.until(lambda: len(first.handled) == 150)

        first.signal(signal.SIGKILL)
        await first.ended()
        await crew.start(Given(settings=given(settings)))

        await crew.until(lambda: set(crew.handled) == set(names(200)))
        await until(lambda: has_committed(settings, 200))
    assert not [name for name in names(100) if crew.handled[name] > 1]


async def take_over_from_killed(crew: Crew, settings: KafkaSettings, *mutants: str) -> set[str]:
    """A member is killed when it has begun all it can, and its committer has run; what the next one gets."""
    first = await crew.start(Given(settings=given(settings), gated=True, mutants=mutants))
    await publish(settings, names(60))
    await crew.until(lambda: len(first.began) == LANES)
    first.let_go()
    await until(lambda: has_committed_any(settings))
    first.signal(signal.SIGKILL)
    await first.ended()
    await publish(settings, ["last"])
    second = await crew.start(Given(settings=given(settings)))
    await crew.until(lambda: "last" in second.handled)
    await until(lambda: has_committed(settings, 61))
    return set(crew.handled)


async def has_committed_any(settings: KafkaSettings) -> bool:
    """Its committer has run."""
    return await read_committed(settings, GROUP, PARKED) > 0


async def test_only_what_is_finished_and_all_before_it_is_committed(kafka: Kafka, crew: Crew) -> None:
    """Kafka 3.3 points 4 and 5: the contiguous prefix, by explicit offsets."""
    async with ground(kafka, partitions=1, session_ms=SESSION_MS) as settings:
        assert await take_over_from_killed(crew, settings) == {*names(60), "last"}


async def test_a_member_that_commits_its_positions_loses_what_it_had_queued(kafka: Kafka, crew: Crew) -> None:
    """Negative control for the rule above."""
    async with ground(kafka, partitions=1, session_ms=SESSION_MS) as settings:
        assert await take_over_from_killed(crew, settings, "commits_positions") < {*names(60), "last"}


async def outlive_a_session(crew: Crew, settings: KafkaSettings, *mutants: str) -> Told:
    """A member is frozen with a full queue until another has done all of it; woken, it goes on until it is told."""
    first = await crew.start(Given(settings=given(settings), gated=True, mutants=mutants))
    await publish(settings, names(60))
    await crew.until(lambda: len(first.began) == LANES)
    first.signal(signal.SIGSTOP)
    second = await crew.start(Given(settings=given(settings)))
    await crew.until(lambda: set(second.handled) == set(names(60)))
    await until(lambda: has_committed(settings, 60))

    first.signal(signal.SIGCONT)
    first.let_go(LANES)
    await crew.until(lambda: first.lost)
    first.let_go(1_000)
    await until(lambda: has_members(settings, 2))
    return first


async def test_a_member_frozen_past_its_session_commits_nothing_and_drops_what_it_has_not_begun(
    kafka: Kafka, crew: Crew
) -> None:
    """Kafka 3.3 point 5: its late commit is refused, its queue is another's now; it rejoins and takes its share."""
    async with ground(kafka, session_ms=SESSION_MS) as settings:
        first = await outlive_a_session(crew, settings)
        again = set(first.handled)
        await publish(settings, names(100, first=60))
        await crew.until(lambda: set(crew.handled) == set(names(160)))
        await until(lambda: has_committed(settings, 160))

    assert len(again) <= 2 * LANES, "what it had begun before it was told, and no more"
    assert set(first.handled) - again, "it took its share"
    assert {crew.handled[name] for name in names(100, first=60)} == {1}


async def test_a_woken_member_that_goes_through_its_queue_does_all_of_it_again(kafka: Kafka, crew: Crew) -> None:
    """Negative control for the rule above."""
    async with ground(kafka, session_ms=SESSION_MS) as settings:
        first = await outlive_a_session(crew, settings, "works_on_what_it_lost")

        await crew.until(lambda: set(first.handled) == set(names(60)))


async def has_members(settings: KafkaSettings, count: int) -> bool:
    """So many, each with its share."""
    return await read_group(settings, GROUP) == ("Stable", count)


async def test_a_member_whose_loop_stands_still_past_its_session_is_replaced_and_comes_back(
    kafka: Kafka, crew: Crew
) -> None:
    """Kafka 7.5: blocked is like frozen; what is repeated is what it held, and nothing is lost."""
    async with ground(kafka, session_ms=SESSION_MS) as settings:
        blocked = Given(settings=given(settings), block_on="e-0", block_ms=3 * SESSION_MS)
        first = await crew.start(blocked)
        second = await crew.start(Given(settings=given(settings)))
        await until(lambda: has_members(settings, 2))
        await publish(settings, names(60))

        await crew.until(lambda: set(crew.handled) == set(names(60)))
        await until(lambda: has_members(settings, 2))
        await publish(settings, names(100, first=60))
        await crew.until(lambda: set(crew.handled) == set(names(160)))

        assert {crew.handled[name] for name in names(100, first=60)} == {1}
        assert {*first.handled, *second.handled} == set(names(160))


async def test_a_surplus_member_takes_over_from_a_killed_one(kafka: Kafka, crew: Crew) -> None:
    """Kafka bug 4: a member without partitions polls on, else it has left the group by the time it is needed."""
    async with ground(kafka, partitions=1, session_ms=SESSION_MS, poll_max_ms=POLL_MAX_MS) as settings:
        owner, idle = await one_too_many(crew, settings)
        await work_for(crew, settings, 2 * POLL_MAX_MS)

        owner.signal(signal.SIGKILL)
        await owner.ended()
        await publish(settings, ["last"])

        await crew.until(lambda: "last" in idle.handled)


async def test_a_surplus_member_that_does_not_poll_is_out_of_the_group_when_it_is_needed(
    kafka: Kafka, crew: Crew
) -> None:
    """Negative control for the rule above."""
    async with ground(kafka, partitions=1, session_ms=SESSION_MS, poll_max_ms=POLL_MAX_MS) as settings:
        await one_too_many(crew, settings, "does_not_poll_without_partitions")

        await until(lambda: has_members(settings, 1))


async def one_too_many(crew: Crew, settings: KafkaSettings, *mutants: str) -> tuple[Told, Told]:
    """The owner of the only partition, and the member that has none."""
    members = [await crew.start(Given(settings=given(settings), mutants=mutants)) for _ in range(2)]
    await until(lambda: has_members(settings, 2))
    await publish(settings, ["first"])
    await crew.until(lambda: bool(crew.handled))
    owner, idle = sorted(members, key=lambda member: -len(member.handled))
    return owner, idle


async def work_for(crew: Crew, settings: KafkaSettings, ms: int) -> None:
    """Hint after hint is handled by whoever is there."""
    clock = asyncio.get_running_loop()
    begun_at, number = clock.time(), 0
    while clock.time() - begun_at < ms / 1000:
        number += 1
        await publish(settings, [f"busy-{number}"])
        await crew.until(lambda number=number: f"busy-{number}" in crew.handled)


async def test_a_member_whose_polling_ends_is_replaced_by_another(kafka: Kafka, crew: Crew) -> None:
    """Kafka bug 5: one that polls no more gives its partition up, long before the watchdog builds it anew."""
    async with ground(kafka, partitions=1, session_ms=LONG_SESSION_MS, poll_max_ms=POLL_MAX_MS) as settings:
        owner, idle = await one_too_many(crew, settings, "stops_polling")
        await publish(settings, ["last"])

        await crew.until(lambda: "last" in idle.handled)
        assert owner.process.returncode is None


async def test_one_cancelled_poll_is_enough_to_keep_a_partition_for_ever(kafka: Kafka, crew: Crew) -> None:
    """Negative control for the rule above: the library counts a cancelled poll as one that still waits."""
    async with ground(kafka, partitions=1, session_ms=LONG_SESSION_MS, poll_max_ms=POLL_MAX_MS) as settings:
        await one_too_many(crew, settings, "cancels_one_poll", "stops_polling")
        await publish(settings, ["last"])

        with pytest.raises(TimeoutError):
            await until(lambda: has_committed(settings, 2), within_s=3 * POLL_MAX_MS / 1000)
        assert "last" not in crew.handled


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_a_restart_of_the_broker_under_load_loses_nothing(
    own_kafka: Kafka, crew: Crew, how: signal.Signals
) -> None:
    """Kafka 7.1: members go on without being restarted, and publishers drain what was not acknowledged."""
    async with ground(own_kafka) as settings:
        members = [await crew.start(Given(settings=given(settings), work_ms=5)) for _ in range(2)]
        publishing = asyncio.create_task(publish_all(settings, names(1_000)))
        await crew.until(lambda: len(crew.handled) >= 100)

        await asyncio.to_thread(own_kafka.stop, how)
        await asyncio.to_thread(own_kafka.start)

        await publishing
        await crew.until(lambda: set(crew.handled) == set(names(1_000)))
        await until(lambda: is_behind(settings))
        assert all(member.process.returncode is None for member in members)


async def publish_all(settings: KafkaSettings, names: list[str]) -> None:
    """As the relay does: what was not acknowledged is published again."""
    async with running_bus(settings) as bus:
        while names:
            batch, names = names[:20], names[20:]
            outcomes = await bus.publish(envelopes(batch), within_s=3)
            names = [name for name, one in zip(batch, outcomes, strict=True) if one is not Outcome.ACKNOWLEDGED] + names


async def is_behind(settings: KafkaSettings) -> bool:
    """The group has everything behind it, repeats too."""
    return await read_committed(settings, GROUP, PARKED) >= 1_000
