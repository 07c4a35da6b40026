"""Leases are kept while the worker's loop is not: on a thread of their own, at a third, from before the request."""

import asyncio
import threading
from random import Random
from typing import Any

import pytest

import loom
from loom.errors import Busy, Stale
from loom.ids import Credential, ExecutionId, Incarnation, Instant, Namespace, Nonce, Token
from loom.kernel import calls as c
from loom.stores.memory import MemoryEventStore
from loom.worker.lease import Lease, Renewals
from loom.worker.runner import Worker
from sdk.virtual import run_virtually

OWN = Credential(
    namespace=Namespace("default"),
    execution_id=ExecutionId("w"),
    incarnation=Incarnation(1),
    token=Token(1),
    nonce=Nonce("n" * 22),
)


class Listener:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def hear_waiting(self, waiting: c.Waiting) -> None:
        self.told.append(waiting)

    def hear_lost(self, error: Exception) -> None:
        self.told.append(error)


class Store:
    """Answers renewals, or raises what it is given, and notes when."""

    def __init__(self, *answers: Exception | None) -> None:
        self.answers = list(answers)
        self.asked: list[float] = []

    async def renew(self, call: c.Renew) -> c.Renewed:
        self.asked.append(asyncio.get_running_loop().time())
        error = self.answers.pop(0) if self.answers else None
        if error is not None:
            raise error
        return c.Renewed(lease_until=Instant(0), ttl_ms=call.ttl_ms, waiting=c.Waiting())


def keep(store: Store, seconds: float) -> tuple[Lease, Listener, float]:
    """Hold a lease of 3 s that is good for 1 s at first."""

    async def scene():
        begun = asyncio.get_running_loop().time()
        listener = Listener()
        lease = Lease(OWN, 3_000, begun + 1, listener)
        renewals = Renewals(store, Random(1))  # type: ignore[arg-type]
        await renewals.start()
        renewals.hold(lease)
        await asyncio.sleep(seconds)
        await renewals.stop()
        await asyncio.sleep(0)
        return lease, listener, begun

    return run_virtually(scene)


def test_a_lease_is_renewed_at_once_and_then_at_each_third():
    """Design 6: the first lease is short; its belief counts from before the request."""
    store = Store()
    lease, listener, begun = keep(store, 2.5)

    assert [round(at - begun, 3) for at in store.asked] == [0, 1, 2]
    assert lease.good_until == store.asked[-1] + 3
    assert listener.told == [c.Waiting()] * 3


def test_a_contended_renewal_is_tried_again_while_the_lease_is_good():
    """Design 5: contended is come back later; after the lease it is over."""
    _, listener, _ = keep(Store(Busy(), Busy()), 0.9)
    assert listener.told == [c.Waiting()]

    store = Store(*[Busy()] * 100)
    _, listener, begun = keep(store, 5)
    assert [type(told) for told in listener.told] == [Busy]
    assert store.asked[-1] >= begun + 1 > store.asked[-2]


def test_a_refused_renewal_is_a_loss_told_once():
    """Fenced-run-state 15: a renew failure detaches at once."""
    store = Store(Stale())
    _, listener, _ = keep(store, 5)

    assert [type(told) for told in listener.told] == [Stale]
    assert len(store.asked) == 1


class Twins(MemoryEventStore):
    """Opened twice, as over HTTP; both see the same rows."""

    def __init__(self) -> None:
        super().__init__()
        self.renewed_on: list[int] = []
        self.renewals = threading.Semaphore(0)

    def twin(self) -> "Twins":
        return self

    async def renew(self, call: c.Renew) -> c.Renewed:
        answer = await super().renew(call)
        self.renewed_on.append(threading.get_ident())
        self.renewals.release()
        return answer


@pytest.mark.parametrize("renewals", [3])
async def test_a_step_that_blocks_the_loop_does_not_cost_the_lease(renewals: int):
    """Design 6: renewals on a thread of their own, with its own loop and client."""
    store = Twins()

    @loom.workflow
    async def blocking(ctx: loom.Context) -> bool:
        return await ctx.step("block", block)

    async def block() -> bool:
        """It holds the worker's loop until the lease was renewed."""
        return all(store.renewals.acquire(timeout=20) for _ in range(renewals))

    worker = Worker(store, [blocking], ttl_ms=300, idle_ms=1)
    running = asyncio.create_task(worker.run())
    execution = await loom.Client(store).start(blocking)

    assert await execution.result(timeout=30) is True
    worker.stop()
    await running
    assert threading.get_ident() not in store.renewed_on
