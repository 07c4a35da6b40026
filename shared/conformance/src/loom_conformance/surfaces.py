"""One case per surface and way to be stale: a stale credential changes nothing, on any surface (I21)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from loom.errors import (
    ForeignCredential,
    IllegalTransition,
    LoomError,
    LostHistory,
    NotParked,
    Stale,
)
from loom.ids import Credential, Token
from loom.kernel import calls as c
from loom.kernel.raw_json import NULL
from loom.stores.surfaces import SURFACES
from loom_conformance.case import Suite
from loom_conformance.checks import equal, holds, refused
from loom_conformance.scene import LEASE_MS, SHORT_LEASE_MS, WORKFLOW, Execution, Scene, event, mint, mint_nonce
from loom_conformance.waits import timer

SUITE = Suite("surfaces")
Write = Callable[[Execution, Credential], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Stage:
    """How a grant comes about: an owner's by a claim, an acquirer's on a park."""

    grant: Callable[[Scene, int], Awaitable[Execution]]
    grant_again: Callable[[Execution], Awaitable[Any]]


async def _owned(scene: Scene, ttl_ms: int) -> Execution:
    return await scene.owned(ttl_ms)


async def _claim_again(execution: Execution) -> None:
    await execution.claim()


async def _acquired(scene: Scene, ttl_ms: int) -> Execution:
    execution = await scene.parked()
    execution.credential = await execution.acquire(ttl_ms=ttl_ms)
    return execution


async def _acquire_again(execution: Execution) -> None:
    execution.credential = await execution.acquire()


OWNER = Stage(_owned, _claim_again)
ACQUIRER = Stage(_acquired, _acquire_again)


@dataclass(frozen=True, slots=True)
class Staleness:
    """A way for a credential to be nobody's. `make` gives the execution addressed and the credential presented."""

    name: str
    make: Callable[[Scene, Stage], Awaitable[tuple[Execution, Credential]]]
    refusals: tuple[type[LoomError], ...] = (Stale,)


async def _released(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    execution = await stage.grant(scene, LEASE_MS)
    await execution.release()
    return execution, execution.held


async def _expired(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    execution = await stage.grant(scene, SHORT_LEASE_MS)
    await scene.pass_time(SHORT_LEASE_MS)
    return execution, execution.held


async def _taken_over(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    execution, was = await _expired(scene, stage)
    await stage.grant_again(execution)
    return execution, was


async def _resumed(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    """Parked, by itself or before, and answered by somebody else."""
    execution = await stage.grant(scene, LEASE_MS)
    if stage is OWNER:
        await execution.park()
    await execution.resume()
    return execution, execution.held


async def _forged_nonce(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    execution = await stage.grant(scene, LEASE_MS)
    return execution, replace(execution.held, nonce=mint_nonce())


async def _greater_token(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    execution = await stage.grant(scene, LEASE_MS)
    return execution, replace(execution.held, token=Token(execution.held.token + 1))


async def _older_epoch(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    hook = scene.hook
    execution = await stage.grant(scene, LEASE_MS)
    await hook.raise_epoch()
    return execution, execution.held


async def _other_incarnation(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    execution = await stage.grant(scene, LEASE_MS)
    return execution, replace(execution.held, incarnation=scene.unknown().ref.incarnation)


async def _recreated(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    """On a successor that is owned, or parked at the same sequence."""
    execution = await stage.grant(scene, LEASE_MS)
    was = execution.held
    await execution.terminate()
    await execution.delete()
    successor = await execution.recreate()
    await successor.claim()
    if stage is ACQUIRER:
        await successor.park()
    return successor, was


async def _continued(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    """On the next link, which is owned, or parked at the same sequence."""
    execution = await stage.grant(scene, LEASE_MS)
    was = execution.held
    if stage is ACQUIRER:
        await execution.resume()
        await execution.claim()
    following = await execution.continue_as_new()
    await following.claim()
    if stage is ACQUIRER:
        await following.park()
    return following, was


async def _evicted(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    execution = await scene.owned()
    was = execution.held
    await execution.evict()
    return execution, was


async def _ended(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    execution = await stage.grant(scene, LEASE_MS)
    await execution.fail()
    return execution, execution.held


async def _foreign(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    mine, other = await stage.grant(scene, LEASE_MS), await stage.grant(scene, LEASE_MS)
    return mine, other.held


async def _parked(scene: Scene, stage: Stage) -> tuple[Execution, Credential]:
    """The parker's own grant, which an acquirer has not ended."""
    execution = await scene.parked()
    return execution, execution.held


WAYS = (
    Staleness("released", _released),
    Staleness("expired", _expired),
    Staleness("taken-over", _taken_over),
    Staleness("resumed", _resumed),
    Staleness("forged-nonce", _forged_nonce),
    Staleness("greater-token", _greater_token, (LostHistory,)),
    Staleness("older-epoch", _older_epoch),
    Staleness("other-incarnation", _other_incarnation),
    Staleness("re-created", _recreated),
    Staleness("continued", _continued),
    Staleness("evicted", _evicted),
    Staleness("ended", _ended),
    Staleness("foreign", _foreign, (ForeignCredential,)),
    Staleness("parked", _parked, (IllegalTransition, Stale, NotParked)),
)


async def _append(execution: Execution, credential: Credential) -> None:
    await execution.append(event("EXECUTION_FAILED"), credential=credential)


async def _append_step(execution: Execution, credential: Credential) -> None:
    await execution.append(event("STEP_COMPLETED"), credential=credential)


async def _append_batch(execution: Execution, credential: Credential) -> None:
    item = c.AppendItem(
        execution_id=execution.ref.execution_id, credential=credential, events=(event("EXECUTION_FAILED"),)
    )
    call = c.AppendBatch(namespace=execution.ref.namespace, batch_id=mint(), items=(item,))
    await execution.store.append_batch(call)


async def _park(execution: Execution, credential: Credential) -> None:
    await execution.park(timer(0), credential=credential)


async def _start_child(execution: Execution, credential: Credential) -> None:
    call = c.StartChild(**execution.at, credential=credential, batch_id=mint(), child_key="kid", workflow=WORKFLOW)
    await execution.store.start_child(call)


async def _attach(execution: Execution, credential: Credential) -> None:
    """Another one, which must not be a child of it either."""
    child = await execution.scene.owned()
    async with execution.scene.untouched(child):
        await execution.attach("kid", child, credential=credential, incarnation=None)


async def _continue(execution: Execution, credential: Credential) -> None:
    await execution.continue_as_new(credential=credential, incarnation=None)


async def _send(execution: Execution, credential: Credential) -> None:
    """As the execution, to another one, which must not get it either."""
    receiver = await execution.scene.owned()
    async with execution.scene.untouched(receiver):
        await _send_to(receiver, credential)


async def _send_to(receiver: Execution, credential: Credential) -> None:
    call = c.Send(
        **receiver.at, chain=receiver.chain.chain, message_id=mint(), name="mail", payload=NULL, sender=credential
    )
    try:
        await receiver.store.send(call)
    except LoomError as refusal:
        equal(await receiver.inbox(), [], "the receiver's inbox")
        raise refusal


async def _renew(execution: Execution, credential: Credential) -> None:
    await execution.renew(credential=credential)


async def _release(execution: Execution, credential: Credential) -> None:
    await execution.release(credential=credential)


async def _answer(execution: Execution, credential: Credential) -> None:
    """RESUMED under a grant, on a park that is there if the execution is parked."""
    head = await execution.head()
    await execution.resume(
        incarnation=credential.incarnation,
        park_seq=head.park_seq or execution.park_seq or 2,
        wait=None,
        credential=credential,
    )


async def _delete(execution: Execution, credential: Credential) -> None:
    await execution.delete(incarnation=credential.incarnation, credential=credential)


WRITES: dict[str, tuple[Write, ...]] = {
    "events": (_append, _append_step),
    "events-batch": (_append_batch,),
    "park": (_park,),
    "children": (_start_child,),
    "attach": (_attach,),
    "continue": (_continue,),
    "messages": (_send,),
    "renew": (_renew,),
    "release": (_release,),
    "answer": (_answer,),
    "delete": (_delete,),
}
LEGAL_WHILE_PARKED = (_append_step, _release)
"""What the grant that parked may still do, until its lease ends."""


def _stage_of(surface: str) -> Stage:
    return ACQUIRER if surface == "answer" else OWNER


def _case(surface: str, write: Write, way: Staleness) -> Callable[[Scene], Awaitable[None]]:
    async def run(scene: Scene) -> None:
        execution, credential = await way.make(scene, _stage_of(surface))
        async with scene.untouched(execution):
            await refused(way.refusals, write(execution, credential))

    return run


def _live_case(surface: str, write: Write) -> Callable[[Scene], Awaitable[None]]:
    async def run(scene: Scene) -> None:
        execution = await _stage_of(surface).grant(scene, LEASE_MS)
        if surface == "delete":
            await refused(IllegalTransition, write(execution, execution.held))
        elif surface == "messages":
            await _send_live(execution)
        else:
            await write(execution, execution.held)

    return run


async def _send_live(execution: Execution) -> None:
    receiver = await execution.scene.owned()
    await _send_to(receiver, execution.held)
    equal(len(await receiver.inbox()), 1, "messages that arrived")


def _applies(surface: str, write: Write, way: Staleness) -> bool:
    """A message's sender is another execution by nature; some of a parker's writes are legal."""
    if surface == "messages" and way.name == "foreign":
        return False
    return way.name != "parked" or write not in LEGAL_WHILE_PARKED


for _surface, _writes in WRITES.items():
    for _write in _writes:
        _what = _surface if len(_writes) == 1 else f"{_surface}-{_write.__name__.strip('_').replace('_', '-')}"
        SUITE.add(
            f"{_what}-live", f"I21: a live credential passes on {_surface} (the control).", _live_case(_surface, _write)
        )
        for _way in filter(lambda way: _applies(_surface, _write, way), WAYS):
            SUITE.add(
                f"{_what}-{_way.name}",
                f"I21: a credential that is {_way.name} changes nothing on {_surface}.",
                _case(_surface, _write, _way),
            )


@SUITE.case
async def every_surface_has_its_cases(scene: Scene) -> None:
    """Law 3: the table of surfaces and this suite name the same surfaces, so a new one cannot go without a case."""
    equal({surface.name for surface in SURFACES}, set(WRITES))


@SUITE.case
async def every_surface_counts_what_it_refused(scene: Scene) -> None:
    """Law 3: a late write leaves a row with surface, code and both tokens, best effort, at most one row each."""
    for surface in WRITES:
        execution, was = await _taken_over(scene, _stage_of(surface))
        await refused(Stale, WRITES[surface][0](execution, was))

        ownership = await scene.store.read_ownership(c.ReadOwnership(**execution.at))

        rows = [(row.surface, row.token, row.current_token) for row in ownership.refusals]
        equal(rows, [(surface, was.token, execution.held.token)])


@SUITE.case
async def a_check_and_its_change_are_one(scene: Scene) -> None:
    """I23: of an owner's write and a take-over exactly one goes first, whatever their order; never both as first."""
    for late_first in (True, False):
        execution = await scene.owned(SHORT_LEASE_MS)
        was = execution.held
        await scene.pass_time(SHORT_LEASE_MS)
        if late_first:
            await refused(Stale, execution.append("A", credential=was))
            await execution.claim(LEASE_MS)
        else:
            await execution.claim(LEASE_MS)
            await refused(Stale, execution.append("A", credential=was))
        holds("A" not in await execution.kinds(), "nothing of the old grant is in the log")
