"""Ways to be wrong, put into the bus of a member process before it starts. Each turns a named test red."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from aiokafka import AIOKafkaConsumer

from loom_servicekit.bus.kafka.member import Member, Received


def drops_queued() -> None:
    """On a revocation what has not begun is dropped, instead of being finished."""
    give_up = Member._give_up

    async def dropping(self: Member, assignments: list) -> None:
        for lane in self._lanes._lanes:
            for deliveries in lane._queue.values():
                for delivery in deliveries:
                    delivery.assignment.in_flight -= 1
            lane._queue.clear()
        for assignment in assignments:
            if assignment.in_flight == 0:
                assignment._drained.set()
        await give_up(self, assignments)

    Member._give_up = dropping


def commits_positions() -> None:
    """Commits without saying what: everything that was fetched."""

    async def committing(self: Member, assignments: list) -> None:
        await self._consumer.commit()

    Member._commit = committing


def works_on_what_it_lost() -> None:
    """Put out of its group, it goes through its queue all the same."""
    Received.lost = property(lambda self: False)


def does_not_poll_without_partitions() -> None:
    """Polls only while it has something to read."""
    getmany = AIOKafkaConsumer.getmany

    async def polling(self: AIOKafkaConsumer, *, timeout_ms: int, max_records: int) -> dict:
        if not self.assignment():
            await asyncio.sleep(timeout_ms / 1000)
            return {}
        return await getmany(self, timeout_ms=timeout_ms, max_records=max_records)

    AIOKafkaConsumer.getmany = polling


def stops_polling() -> None:
    """A fault, no mutant: after the first hint the poll loop never comes round again."""
    getmany, had = AIOKafkaConsumer.getmany, []

    async def polling(self: AIOKafkaConsumer, *, timeout_ms: int, max_records: int) -> dict:
        if had:
            await asyncio.Event().wait()
        found = await getmany(self, timeout_ms=timeout_ms, max_records=max_records)
        had.extend(found)
        return found

    AIOKafkaConsumer.getmany = polling


def cancels_one_poll() -> None:
    """A time-out around the first poll, instead of the poll's own."""
    getmany, cancelled = AIOKafkaConsumer.getmany, []

    async def polling(self: AIOKafkaConsumer, *, timeout_ms: int, max_records: int) -> dict:
        if not cancelled:
            cancelled.append(True)
            with suppress(TimeoutError):
                await asyncio.wait_for(getmany(self, timeout_ms=60_000, max_records=max_records), 0.01)
        return await getmany(self, timeout_ms=timeout_ms, max_records=max_records)

    AIOKafkaConsumer.getmany = polling
