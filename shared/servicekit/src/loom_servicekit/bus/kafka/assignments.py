"""A partition as one assignment has it: what is in its lanes, what may be committed, whether it is still ours."""

from __future__ import annotations

import asyncio

from aiokafka.structs import TopicPartition

from loom_servicekit.bus.kafka.offsets import Offsets


class Assignment:
    """From its assignment to its loss. A partition that is lost and regained is another one, with offsets of its own:
    else a commit of the first could move those of the second backwards.
    """

    def __init__(self, partition: TopicPartition) -> None:
        self.partition = partition
        self.ending = asyncio.Event()
        self.lost = False
        self.in_flight = 0
        self._offsets = Offsets()
        self._committed: int | None = None
        self._drained = asyncio.Event()
        self._drained.set()

    def take(self, offset: int) -> bool:
        """A record goes into its lane. False: it is before those taken, so the topic is another one by now: what was
        taken of the old one says nothing about it, and only a new assignment begins where the group is.
        """
        if not self._offsets.is_ahead(offset):
            self.lose()
            return False
        self._offsets.take(offset)
        self.in_flight += 1
        self._drained.clear()
        return True

    def leave(self, offset: int, done: bool) -> None:
        """It has left it."""
        self.in_flight -= 1
        if done:
            self._offsets.finish(offset)
        if self.in_flight == 0:
            self._drained.set()

    def end(self) -> None:
        """It is about to be given away: what is in flight is finished, and nothing is tried again."""
        self.ending.set()

    def lose(self) -> None:
        """It is another's: nothing more is committed, and what has not begun is dropped."""
        self.lost = True
        self.ending.set()

    @property
    def due(self) -> int | None:
        """The offset to commit; None if there is none, or it is committed."""
        offset = self._offsets.next
        return None if self.lost or offset == self._committed else offset

    @property
    def read_to(self) -> int | None:
        """Up to where its records are done with, as far as is known; None before the first was taken."""
        return self._offsets.first if self._committed is None else self._committed

    def committed(self, offset: int) -> None:
        self._committed = offset

    async def drained(self) -> None:
        """Nothing is in flight any more."""
        await self._drained.wait()
