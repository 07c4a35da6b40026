"""A group's subscription: a member of it, watched over, and replaced when it is beyond help."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from random import Random
from typing import NoReturn

from aiokafka.errors import KafkaError

from loom.errors import StoreUnavailable
from loom.kernel.backoff import full_jitter_ms
from loom_servicekit.bus.kafka.dead_letters import DeadLetters
from loom_servicekit.bus.kafka.groups import count_free
from loom_servicekit.bus.kafka.member import Member
from loom_servicekit.bus.kafka.topics import TopicsCheck, admin_of
from loom_servicekit.bus.kafka.watchdog import (
    POLL_STALE_S,
    REBUILDS_MAX,
    Rebuilds,
    is_long_without,
    why_rebuild,
)
from loom_servicekit.bus.lanes import Lanes
from loom_servicekit.bus.port import Handler
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.counts import Count, Level
from loom_servicekit.pauses import pause

log = logging.getLogger(__name__)

WATCH_EVERY_S = 1.0
START_CAP_MS = 5_000
LANES_STOP_MS = 1_000

LAG = Level("loom.bus.lag", "1", "Records written but not committed, of the partitions that this process has")
REBUILT = Count("loom.bus.consumers.rebuilt", "Consumers taken for dead and built anew")

EXPECTED = (KafkaError, OSError, TimeoutError)


def end_process(reason: str) -> NoReturn:
    """What no rebuild mends a restart may: Kubernetes sees to that."""
    log.critical("%s", reason)
    raise SystemExit(1)


class GroupSubscription:
    """Starts as often as need be, in the background; drains and leaves the group at stop."""

    def __init__(
        self,
        settings: KafkaSettings,
        service: str,
        *,
        topics: Collection[str],
        handler: Handler,
        group: str,
        coalesce: bool,
        check: TopicsCheck,
        dead_letters: DeadLetters,
        rng: Random | None = None,
        exhausted: Callable[[str], object] = end_process,
    ) -> None:
        self._settings = settings
        self._service = service
        self._names = frozenset(topics)
        self._topics = frozenset(settings.topic_prefix + topic for topic in topics)
        self._group = settings.topic_prefix + group
        self._check = check
        self._dead_letters = dead_letters
        self._rng = rng or Random()
        self._exhausted = exhausted
        self._lanes = Lanes(handler, name=group, coalesce=coalesce, rng=self._rng)
        self._stopping = asyncio.Event()
        self._member: Member | None = None
        self._rebuilds = Rebuilds()
        self._trouble = "not in its group yet"
        self._task = asyncio.create_task(self._run(), name=f"{group} consumer")

    async def stop(self) -> None:
        self._stopping.set()
        await self._task
        await self._lanes.stop(LANES_STOP_MS)

    def why_unready(self) -> str | None:
        if self._member is None:
            return f"{self._group}: {self._trouble}"
        signs = self._member.signs()
        if signs.rebalancing_since is None and signs.now - signs.polled_at > POLL_STALE_S:
            return f"{self._group}: no poll was answered for {signs.now - signs.polled_at:.0f} s"
        return self._lanes.why_unready()

    async def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            member: Member | None = None
            try:
                member = self._new_member()
                await self._join(member)
                failures = 0
                await self._live(member)
            except Exception as error:  # whatever it is: a consumer that is not there hears nothing, and must come back
                failures += 1
                self._note(failures, error)
                if member is not None:
                    await member.close(drain=False)
                await pause(self._stopping, full_jitter_ms(failures, self._rng, cap_ms=START_CAP_MS))

    async def _join(self, member: Member) -> None:
        """Raises what `Member.start` does; StoreUnavailable for a topic that is not there, TimeoutError at stop."""
        joining = asyncio.create_task(self._start(member))
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({joining, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not joining.done():
                raise TimeoutError("stopping")
            await joining
        finally:
            for task in (joining, stopping):
                task.cancel()
            await asyncio.gather(joining, stopping, return_exceptions=True)

    async def _start(self, member: Member) -> None:
        missing = self._names - await self._check.found()
        if missing:  # a consumer of a missing topic says nothing for 40 s (kafka 3.2)
            raise StoreUnavailable(f"missing topics: {', '.join(sorted(missing))}")
        await member.start()

    async def _live(self, member: Member) -> None:
        self._member = member
        try:
            reason = await self._watch(member)
        finally:
            self._member = None
        await member.close(drain=reason is None)
        if reason is not None:
            log.error("%s: the consumer is built anew: %s", self._group, reason)
            REBUILT.add(group=self._group)
            self._trouble = f"rebuilt: {reason}"
            if self._rebuilds.is_one_too_many(time.monotonic()):
                self._exhausted(f"{self._group}: {REBUILDS_MAX} rebuilds did not help: {reason}")

    async def _watch(self, member: Member) -> str | None:
        """Until the end, and then None; or the reason to take it for dead."""
        session_s, rebalance_s = self._settings.session_ms / 1000, self._settings.rebalance_ms / 1000
        asked_at = float("-inf")
        while not self._stopping.is_set():
            await pause(self._stopping, round(WATCH_EVERY_S * 1000))
            signs = member.signs()
            LAG.set(member.lag(), group=self._group)
            if not signs.left_out and is_long_without(signs, session_s=session_s) and signs.now - asked_at > session_s:
                asked_at = signs.now
                signs = replace(signs, left_out=await self._are_some_free())
            if reason := why_rebuild(signs, session_s=session_s, rebalance_s=rebalance_s):
                return reason
        return None

    async def _are_some_free(self) -> bool:
        """Asked of the coordinator; what it does not answer is not known to be free."""
        try:
            async with admin_of(self._settings, self._service) as admin:
                return await count_free(admin, self._group, self._topics) > 0
        except StoreUnavailable:
            return False

    def _new_member(self) -> Member:
        return Member(
            self._settings,
            self._service,
            topics=self._topics,
            group=self._group,
            lanes=self._lanes,
            dead_letters=self._dead_letters,
        )

    def _note(self, failures: int, error: Exception) -> None:
        self._trouble = f"not in its group: {error!r}"
        if failures == 1:
            known = isinstance(error, (*EXPECTED, StoreUnavailable))
            log.warning("%s: %s", self._group, self._trouble, exc_info=None if known else error)
