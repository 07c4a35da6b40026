"""The moment of a transaction: the database's clock and epoch, and where new numbers come from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from random import Random
from typing import Any

from loom.ids import Incarnation, Instant
from loom.kernel.change import Moment
from loom.kernel.limits import Limits
from loom.tracing import current
from loom_event_store.postgres.statements import Statements, whole


class Unnumbered(Exception):
    """The decision makes a head and needs a surrogate."""


class Incarnations:
    """Random numbers of 63 bits; one that was not used after all is the next one's, so that a seeded run repeats."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._unused: deque[Incarnation] = deque()

    def take(self) -> Incarnation:
        """A number that nobody has."""
        return self._unused.popleft() if self._unused else Incarnation(self._rng.getrandbits(63))

    def give_back(self, unused: Iterable[Incarnation]) -> None:
        """What was taken last and written nowhere."""
        self._unused.extendleft(reversed(list(unused)))


class Moments:
    """One moment, the same each time that the transaction's decision is made again. `read` it under the locks."""

    def __init__(self, limits: Limits, incarnations: Incarnations) -> None:
        self.traceparent = current()
        self.now = Instant(0)
        self.epoch = 0
        self.new_heads: list[int] = []
        self._limits = limits
        self._incarnations = incarnations
        self._taken: list[Incarnation] = []

    async def read(self, statements: Statements) -> None:
        """What time it is, since a wait takes time, and which generation of the store this is."""
        row: Any = await statements.first("read_clock", whole)
        self.now, self.epoch = Instant(row["now"]), row["epoch"]

    async def read_new_head(self, statements: Statements) -> None:
        """A surrogate for a head that the decision wants to make."""
        self.new_heads.append(await statements.number("next_head"))

    def again(self) -> Moment:
        """The moment, for another try of the decision."""
        numbers, heads = iter(range(1 << 30)), iter(self.new_heads)

        def new_incarnation() -> Incarnation:
            number = next(numbers)
            if number == len(self._taken):
                self._taken.append(self._incarnations.take())
            return self._taken[number]

        def new_head() -> int:
            head = next(heads, None)
            if head is None:
                raise Unnumbered
            return head

        return Moment(
            now=self.now,
            epoch=self.epoch,
            limits=self._limits,
            new_incarnation=new_incarnation,
            new_head=new_head,
            traceparent=self.traceparent,
        )

    def give_back(self) -> None:
        """The transaction came to nothing."""
        self._incarnations.give_back(self._taken)
