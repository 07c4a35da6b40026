"""The message bus: hints, at least once, in any order, perhaps never. The sweeps are the guarantee (I38, I42)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Protocol

from loom.kernel.hints import Envelope, Hint

Handler = Callable[[Hint], Awaitable[None]]
"""What is done about a hint. Returning acknowledges it; so do NotParked, ExecutionGone and NotFound: nothing is left.

A `Contended` acknowledges nothing: the lane waits, with full jitter up to 30 s, and hands the hint over again, for
ever. If it says that the store is out of reach or busy as a whole, the subscription is unready meanwhile, and its
partition paused. All else is a bug: five tries, then a dead letter (I44).
"""

Missed = Callable[[], None]
"""Called when hints may have passed unheard: after a start, an error, a gap."""


def nothing_missed() -> None:
    """For those whom a hint missed costs nothing."""


class Outcome(StrEnum):
    """What became of an envelope: it may be forgotten; it never will be taken; nobody knows, so publish it again; it
    was not sent, since its topic is not there, so keep it.
    """

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    WITHHELD = "withheld"


class Subscription(Protocol):
    """A handler at work."""

    async def stop(self) -> None:
        """Take no more; what was accepted is finished, or given up where its handler cannot finish now."""

    def why_unready(self) -> str | None: ...


class MessageBus(Protocol):
    async def publish(self, envelopes: Sequence[Envelope], *, within_s: float) -> tuple[Outcome, ...]:
        """What became of each, in their order, after `within_s` at most; it says nothing about handlers."""

    def subscribe(
        self,
        topics: tuple[type[Hint], ...],
        handler: Handler,
        *,
        group: str | None,
        coalesce: bool = False,
        missed: Missed = nothing_missed,
    ) -> Subscription:
        """Hand over hints of these topics, one key never to two handlers at once.

        Members of one `group` share the hints; without a group a subscriber sees everything from now on, save what it
        `missed`. `coalesce`: of the hints queued for one execution, of whatever topic, only the last is handed over.
        """
