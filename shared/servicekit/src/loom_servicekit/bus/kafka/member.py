"""One consumer of aiokafka, from its start until it is given up: the only thing here that knows its habits."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener
from aiokafka.errors import (
    CommitFailedError,
    ConsumerStoppedError,
    CorruptRecordException,
    IllegalStateError,
    KafkaError,
    UnsupportedCodecError,
)
from aiokafka.structs import ConsumerRecord, TopicPartition

from loom.kernel.hints import Envelope
from loom_servicekit.bus.kafka.assignments import Assignment
from loom_servicekit.bus.kafka.dead_letters import DeadLetters
from loom_servicekit.bus.kafka.leftovers import end, metadata_task_of
from loom_servicekit.bus.kafka.records import envelope_of
from loom_servicekit.bus.kafka.security import connection_of
from loom_servicekit.bus.kafka.watchdog import SESSIONS, Signs
from loom_servicekit.bus.lanes import ContractViolation, Lanes
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.counts import Count
from loom_servicekit.topics import addressee

log = logging.getLogger(__name__)

POLL_MS = 200
BATCH = 100
COMMIT_EVERY_S = 0.3
COMMIT_S = 5.0
STOP_S = 5.0
RETRY_S = 0.5
FETCH_WAIT_MS = 500
FETCH_REQUEST_MS = 40_000
METADATA_MS = 30_000
"""After so long a topic that came back is seen; of the library's 300 s nobody would know but the sweeps."""
UNREADABLE = (ValueError, UnsupportedCodecError, CorruptRecordException)
"""What the library raises of a record: no UTF-8 (a UnicodeDecodeError), a codec it lacks, a wrong checksum."""
PASSED_OVER_MAX = 10_000
"""Records in the lanes, those included that will never be handed on since newer ones take their place."""

REBALANCES = Count("loom.bus.rebalances", "How often partitions were assigned")
SWALLOWED = Count("loom.bus.rebalances.failed", "Failures while partitions were given up, which the library swallows")


@dataclass(frozen=True, slots=True, eq=False)
class Received:
    """A record in its lane."""

    record: ConsumerRecord
    content: Envelope | ContractViolation
    assignment: Assignment
    group: str
    dead_letters: DeadLetters

    @property
    def key(self) -> str:
        return (self.record.key or b"").decode("utf-8", "replace")

    @property
    def about(self) -> Hashable:
        if isinstance(self.content, Envelope):
            return addressee(self.content.hint)
        return self.assignment.partition, self.record.offset

    @property
    def ending(self) -> asyncio.Event:
        return self.assignment.ending

    @property
    def lost(self) -> bool:
        return self.assignment.lost

    @property
    def place(self) -> Mapping[str, str | int]:
        partition = str(self.record.partition)
        return {"system": "kafka", "destination.partition.id": partition, "kafka.offset": self.record.offset}

    def leave(self, done: bool) -> None:
        self.assignment.leave(self.record.offset, done)

    async def bury(self, error: Exception, attempts: int) -> None:
        await self.dead_letters.keep(self.record, group=self.group, error=error, attempts=attempts)


class Member(ConsumerRebalanceListener):  # type: ignore[misc]
    """Polls for ever, also with nothing assigned and while it drains: one that does not leaves its group and is not let
    in again (kafka bug 4). No poll is ever cancelled (bug 5). Its offsets are committed by partition, explicitly.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        service: str,
        *,
        topics: Collection[str],
        group: str,
        lanes: Lanes,
        dead_letters: DeadLetters,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._topics = topics
        self._group = group
        self._lanes = lanes
        self._dead_letters = dead_letters
        self._monotonic = monotonic
        self._consumer = consumer_of(settings, service, group)
        self._assigned: dict[TopicPartition, Assignment] = {}
        self._committing = asyncio.Lock()  # never held around a poll: the listener commits as well (kafka bug 7)
        self._tasks: list[asyncio.Task[None]] = []
        self._full = False
        self._leaving = self._closing = False
        self._polled_at = monotonic()
        self._rebalancing_since: float | None = None
        self._without_since: float | None = None
        self.trouble: str | None = None

    async def start(self) -> None:
        """Join the group. Raises KafkaError, OSError, TimeoutError; it is of no use then but to be closed."""
        self._consumer.subscribe(topics=list(self._topics), listener=self)
        longest_ms = self._settings.rebalance_ms + SESSIONS * self._settings.session_ms
        await asyncio.wait_for(self._consumer.start(), longest_ms / 1000)
        self._polled_at = self._monotonic()
        self._tasks = [
            asyncio.create_task(self._poll(), name=f"{self._group} poll"),
            asyncio.create_task(self._commit_regularly(), name=f"{self._group} commit"),
        ]

    async def close(self, *, drain: bool) -> None:
        """Take no more, finish what is in flight if `drain`, then leave the group."""
        self._leaving = True
        if drain:
            await self._give_up(self._assigned.values())
        for assignment in self._assigned.values():
            assignment.lose()
        self._closing = True
        await close_consumer(self._consumer)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def signs(self) -> Signs:
        now = self._monotonic()
        lost = any(assignment.lost for assignment in self._assigned.values())
        self._without_since = None if self._assigned and not lost else self._without_since or now
        return Signs(
            now=now,
            polled_at=self._polled_at,
            coordination_ended=self._consumer._coordinator._coordination_task.done(),
            rebalancing_since=self._rebalancing_since,
            without_since=self._without_since,
            left_out=lost,
        )

    def lag(self) -> int:
        """Records written but not committed, of the partitions assigned."""
        behind = 0
        for partition, assignment in self._assigned.items():
            end = self._consumer.highwater(partition)
            behind += max(0, end - assignment.read_to) if end is not None and assignment.read_to is not None else 0
        return behind

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """The library's call before partitions change hands; heartbeats go on, polls wait."""
        self._rebalancing_since = self._monotonic()
        leaving = list(self._assigned.values())
        try:
            await self._give_up(leaving)
        except Exception:
            SWALLOWED.add(group=self._group)
            log.exception("%s: partitions were not given up in order", self._group)
        finally:
            for assignment in leaving:
                assignment.lose()
            self._assigned.clear()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """The library's call after it. None of them is paused."""
        REBALANCES.add(group=self._group)
        self._assigned = {partition: Assignment(partition) for partition in assigned}
        self._full = False
        self._rebalancing_since = None
        self._polled_at = self._monotonic()

    async def _poll(self) -> None:
        while not self._closing:
            room = max(1, self._settings.in_flight_max - self._lanes.waiting)
            try:
                self._throttle()
                batches = await self._consumer.getmany(timeout_ms=POLL_MS, max_records=min(BATCH, room))
            except ConsumerStoppedError:
                return
            except Exception as error:  # what coordination met; it stands still until this was collected (kafka 3.3)
                self._note(error)
                if isinstance(
                    error, UNREADABLE
                ):  # an answer; who took it for silence would end the process for a record
                    self._polled_at = self._monotonic()
                await asyncio.sleep(RETRY_S)
                continue
            self._polled_at, self.trouble = self._monotonic(), None
            for partition, records in batches.items():
                self._take(self._assigned.get(partition), records)

    def _take(self, assignment: Assignment | None, records: Iterable[ConsumerRecord]) -> None:
        """What is fetched of a partition that is being given up is left to its next owner."""
        for record in records:
            if assignment is None or assignment.ending.is_set() or self._leaving:
                return
            if not assignment.take(record.offset):
                log.warning("%s: %s goes backwards, to %d", self._group, assignment.partition, record.offset)
                return
            content = _content(record)
            self._lanes.put(Received(record, content, assignment, self._group, self._dead_letters))

    def _throttle(self) -> None:
        """Pause what there is no room for, or whose work cannot be done now."""
        most = self._settings.in_flight_max
        self._full = self._is_stuffed() or self._lanes.waiting >= (most / 2 if self._full else most)
        held = self._consumer.assignment() & self._assigned.keys()
        out_of_reach = {
            delivery.assignment.partition for delivery in self._lanes.out_of_reach() if isinstance(delivery, Received)
        }
        wanted = held if self._full else held & out_of_reach
        paused = self._consumer.paused()
        self._consumer.pause(*(wanted - paused))
        self._consumer.resume(*((paused & held) - wanted))

    def _is_stuffed(self) -> bool:
        return sum(assignment.in_flight for assignment in self._assigned.values()) >= PASSED_OVER_MAX

    async def _commit_regularly(self) -> None:
        while True:
            await asyncio.sleep(COMMIT_EVERY_S)
            try:
                await self._commit(self._assigned.values())
            except Exception as error:  # whatever it is: without commits all of it would be done again
                self._note(error)

    async def _commit(self, assignments: Iterable[Assignment]) -> None:
        """Of each the records before which nothing is unfinished. What the group does not take is another's now: all
        of it, where the group does not know this member any more.
        """
        async with self._committing:
            held = list(self._assigned.values())
            due = {assignment: offset for assignment in assignments if (offset := assignment.due) is not None}
            if not due:
                return
            try:
                await self._consumer.commit({assignment.partition: offset for assignment, offset in due.items()})
            except CommitFailedError:
                self._lose({*due, *held})
            except IllegalStateError:
                self._lose(due)
            else:
                for assignment, offset in due.items():
                    assignment.committed(offset)

    def _lose(self, assignments: Collection[Assignment]) -> None:
        log.info("%s: %d partitions are another's now", self._group, len(assignments))
        for assignment in assignments:
            assignment.lose()

    async def _give_up(self, assignments: Iterable[Assignment]) -> None:
        """Finish what is in flight, within the drain's time, and commit it."""
        leaving = list(assignments)
        for assignment in leaving:
            assignment.end()
        drained = [asyncio.create_task(assignment.drained()) for assignment in leaving]
        if drained:
            _, late = await asyncio.wait(drained, timeout=self._settings.drain_ms / 1000)
            for task in late:
                task.cancel()
            if late:
                log.warning("%s: %d partitions were not drained in time", self._group, len(late))
        try:
            async with asyncio.timeout(COMMIT_S):
                await self._commit(leaving)
        except (KafkaError, TimeoutError) as error:
            self._note(error)

    def _note(self, error: Exception) -> None:
        if self.trouble is None:
            log.warning("%s: %r", self._group, error)
        self.trouble = repr(error)


def consumer_of(settings: KafkaSettings, service: str, group: str | None) -> AIOKafkaConsumer:
    """A consumer that has not started: in a group it goes on where that was, without one it begins at the end."""
    in_group = {
        "group_id": group,
        "session_timeout_ms": settings.session_ms,
        "heartbeat_interval_ms": min(3_000, settings.session_ms // 3),
        "max_poll_interval_ms": settings.poll_max_ms,
        "rebalance_timeout_ms": settings.rebalance_ms,
    }
    return AIOKafkaConsumer(
        **connection_of(settings, service),
        **(in_group if group else {}),
        enable_auto_commit=False,
        auto_offset_reset="earliest" if group else "latest",
        fetch_max_wait_ms=FETCH_WAIT_MS,
        request_timeout_ms=FETCH_REQUEST_MS,
        metadata_max_age_ms=METADATA_MS,
        isolation_level="read_uncommitted",
    )


async def close_consumer(consumer: AIOKafkaConsumer) -> None:
    """`stop()`, which leaves the group, has STOP_S; then what is left of it is cancelled, lest it joins again."""
    metadata = metadata_task_of(consumer._client)
    stopping = asyncio.create_task(consumer.stop())
    await asyncio.wait({stopping}, timeout=STOP_S)
    if not stopping.done():
        coordinator, fetcher = consumer._coordinator, consumer._fetcher
        left = [getattr(coordinator, name, None) for name in ("_coordination_task", "_heartbeat_task")]
        for task in [*left, getattr(fetcher, "_fetch_task", None), stopping]:
            if task is not None:
                task.cancel()
        await asyncio.wait({asyncio.create_task(consumer._client.close())}, timeout=STOP_S)
    await asyncio.wait({stopping}, timeout=STOP_S)
    await end(metadata)
    if stopping.done() and not stopping.cancelled() and (error := stopping.exception()):
        log.info("a consumer did not stop cleanly: %r", error)


def _content(record: ConsumerRecord) -> Envelope | ContractViolation:
    try:
        return envelope_of(record.value, record.headers, timestamp=record.timestamp)
    except ContractViolation as violation:
        return violation
