"""What a member makes of a group that goes on without it. A double stands for aiokafka's consumer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka.errors import CommitFailedError, IllegalStateError, KafkaConnectionError, UnsupportedCodecError
from aiokafka.structs import TopicPartition

from loom.kernel.hints import Hint
from loom_servicekit.bus.kafka import member as members
from loom_servicekit.bus.kafka.assignments import Assignment
from loom_servicekit.bus.kafka.groups import count_free
from loom_servicekit.bus.kafka.member import Member
from loom_servicekit.bus.lanes import Lanes
from loom_servicekit.bus.settings import KafkaSettings

ONE, TWO = TopicPartition("t", 0), TopicPartition("t", 1)


class Committing:
    """A consumer of aiokafka whose commits fail as told."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.failed = asyncio.Event()
        self.committed: dict[TopicPartition, int] = {}
        self._coordinator = SimpleNamespace(_coordination_task=SimpleNamespace(done=lambda: False))

    async def commit(self, offsets: dict[TopicPartition, int]) -> None:
        if self.error is not None:
            self.failed.set()
            raise self.error
        self.committed |= offsets

    def assignment(self) -> set[TopicPartition]:
        return {ONE, TWO}

    def paused(self) -> set[TopicPartition]:
        return set()

    def pause(self, *partitions: TopicPartition) -> None:
        assert not partitions

    def resume(self, *partitions: TopicPartition) -> None:
        assert not partitions

    async def getmany(self, **_: int) -> dict[TopicPartition, list[Any]]:
        assert self.error is not None
        self.failed.set()
        raise self.error


async def ignore(hint: Hint) -> None:
    """Nothing is handed over here."""


@pytest.fixture
def consumer(monkeypatch: pytest.MonkeyPatch) -> Committing:
    """The one that the next member has."""
    consumer = Committing()
    monkeypatch.setattr(members, "consumer_of", lambda *_: consumer)
    return consumer


@pytest.fixture
async def member(consumer: Committing) -> AsyncIterator[Member]:
    """Of a group of two partitions, both of them its own."""
    lanes = Lanes(ignore, name="g", coalesce=False, rng=Random(1))
    dead_letters: Any = None
    member = Member(KafkaSettings(), "s", topics={"t"}, group="g", lanes=lanes, dead_letters=dead_letters)
    await member.on_partitions_assigned([ONE, TWO])
    yield member
    await lanes.stop(1_000)


def finish_one(assignment: Assignment) -> None:
    """One record is done with, another is not."""
    assignment.take(1)
    assignment.take(2)
    assignment.leave(1, done=True)


async def test_a_member_that_its_group_does_not_know_any_more_has_lost_all_it_had(
    member: Member, consumer: Committing
) -> None:
    """Kafka 3.3 point 5: also where there was nothing to commit; what is queued there is another's work now."""
    finish_one(member._assigned[ONE])
    member._assigned[TWO].take(7)
    consumer.error = CommitFailedError()

    await member._commit(member._assigned.values())

    assert [assignment.lost for assignment in member._assigned.values()] == [True, True]


async def test_a_partition_that_is_not_its_own_says_nothing_of_the_others(member: Member, consumer: Committing) -> None:
    """Negative control for the rule above."""
    finish_one(member._assigned[ONE])
    consumer.error = IllegalStateError()

    await member._commit(member._assigned.values())

    assert [assignment.lost for assignment in member._assigned.values()] == [True, False]


async def test_one_partition_that_cannot_be_gone_on_with_is_enough_to_come_back_for(member: Member) -> None:
    """Kafka 3.3 point 9: a log that was cut goes backwards in one partition, and only a new assignment reads it."""
    assert (member.signs().left_out, member.signs().without_since) == (False, None)
    member._assigned[ONE].take(100)

    assert not member._assigned[ONE].take(0)

    assert member.signs().left_out
    assert member.signs().without_since is not None


@pytest.mark.parametrize("error", [KafkaConnectionError(), RuntimeError("a bug of theirs")])
async def test_a_commit_that_failed_is_made_again(
    member: Member, consumer: Committing, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Kafka 3.3 point 5: whatever it failed of; who does not commit any more does all of it a second time."""
    monkeypatch.setattr(members, "COMMIT_EVERY_S", 0)
    finish_one(member._assigned[ONE])
    consumer.error = error

    committing = asyncio.create_task(member._commit_regularly())
    async with asyncio.timeout(5):
        await consumer.failed.wait()
        consumer.error = None
        while not consumer.committed:  # noqa: ASYNC110 - it goes on by itself
            await asyncio.sleep(0)
    committing.cancel()

    assert consumer.committed == {ONE: 2}


@pytest.mark.parametrize(
    ("error", "answered"),
    [
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), True),
        (UnsupportedCodecError("zstd"), True),
        (KafkaConnectionError(), False),
    ],
    ids=["a header's name", "a codec", "no broker"],
)
async def test_a_record_that_the_library_cannot_read_is_no_silence(
    member: Member, consumer: Committing, error: Exception, answered: bool
) -> None:
    """Kafka 3.3 point 9: consumers were built anew for it, and after four times their process ended, over and over."""
    consumer.error, member._polled_at = error, -1.0

    polling = asyncio.create_task(member._poll())
    async with asyncio.timeout(5):
        await consumer.failed.wait()
    await asyncio.sleep(0)
    polling.cancel()

    assert (member.signs().polled_at > 0) is answered


class Group:
    """A coordinator that says of a group without assignments what it is told to."""

    def __init__(self, state: str, code: int = 0) -> None:
        self._group = (code, "g", state, "consumer", "roundrobin", [("m", "c", "h", b"", b"")])

    async def describe_topics(self, names: list[str]) -> list[dict[str, Any]]:
        return [{"topic": name, "error_code": 0, "partitions": [{}] * 24} for name in names]

    async def describe_consumer_groups(self, groups: list[str]) -> list[Any]:
        return [SimpleNamespace(groups=[self._group])]


@pytest.mark.parametrize(
    ("group", "free"),
    [
        (Group("Stable"), 24),
        (Group("Dead"), 24),
        (Group("PreparingRebalance"), 0),
        (Group("CompletingRebalance"), 0),
        (Group("Dead", code=14), 0),
    ],
    ids=["stable", "nobody", "joining", "waiting for its leader", "not known yet"],
)
async def test_what_a_group_is_about_to_share_is_not_free(group: Any, free: int) -> None:
    """Kafka 3.3 point 9: known to be free. A surplus member asked during a rebalance is as healthy as before."""
    assert await count_free(group, "g", {"t"}) == free
