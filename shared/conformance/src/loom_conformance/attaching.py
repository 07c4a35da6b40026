"""Attach: adopting a chain that lives or has ended, so that its outcome is never lost (I41)."""

from __future__ import annotations

import json
from dataclasses import replace

from loom.errors import (
    AlreadyExists,
    Deleted,
    ExecutionPinned,
    Gone,
    IllegalTransition,
    Invalid,
    KeyReused,
    NotFound,
)
from loom.kernel.events import NewEvent
from loom_conformance.case import Suite
from loom_conformance.checks import equal, holds, refused
from loom_conformance.scene import WORKFLOW, Scene, mint
from loom_conformance.waits import child, group

SUITE = Suite("attaching")


@SUITE.case
async def an_attached_chain_is_a_child(scene: Scene) -> None:
    """I41: CHILD_STARTED `attached` and the edge; what is attached does not notice, and has no other parent."""
    parent, adopted = await scene.owned(), await scene.owned()

    async with scene.untouched(adopted):
        answer = await parent.attach("kid", adopted)

    started = (await parent.log())[-1]
    body = json.loads(started.payload)
    equal((answer.child, answer.seq, answer.created), (adopted.ref, started.seq, True))
    equal((started.kind, body["key"], body["workflow"], body["attached"]), ("CHILD_STARTED", "kid", WORKFLOW, True))
    edge = (await parent.edges())["kid"]
    equal((edge.child, edge.status, edge.close, edge.scope), (adopted.ref, "open", "abandon", "chain"))
    equal((await adopted.head()).parent_incarnation, None)


@SUITE.case
async def an_end_meets_an_attach_in_either_order(scene: Scene) -> None:
    """I41: completed, failed, cancelled: before the attach the outcome is on the edge at once, behind it by the end."""
    ends = {"EXECUTION_COMPLETED": "completed", "EXECUTION_FAILED": "failed", "EXECUTION_CANCELLED": "cancelled"}
    for kind, status in ends.items():
        for ended_first in (True, False):
            parent, adopted = await scene.owned(), await scene.owned()
            if ended_first:
                await adopted.end(kind, {"n": 1})
            await parent.attach("kid", adopted)
            if not ended_first:
                await adopted.end(kind, {"n": 1})

            edge, last = (await parent.edges())["kid"], (await adopted.log())[-1]
            equal((edge.status, edge.outcome), (status, last.payload), f"{kind}, {ended_first}")
            equal((await parent.renew()).waiting.outcomes, True)
            await parent.park(child("kid"))
            await parent.resume("kid", "kid")


@SUITE.case
async def the_outcome_is_the_end_whatever_was_noted_behind_it(scene: Scene) -> None:
    """I41: audit kinds follow an end and are no outcome."""
    parent, adopted = await scene.owned(), await scene.owned()
    await adopted.end(value="the end")
    for kind in ("ANNOTATED", "OUTCOME_RECORDED"):
        await adopted.note(kind, "not the end")

    await parent.attach("kid", adopted)

    equal((await parent.edges())["kid"].outcome, '"the end"')


@SUITE.case
async def a_deletion_meets_an_attach_in_either_order(scene: Scene) -> None:
    """I45, I46: attached first, the outcome is kept until it is consumed; deleted first, there is nothing to adopt."""
    parent, deleted, kept = await scene.owned(), await scene.deleted(), await scene.ended()

    async with scene.untouched(parent, deleted):
        await refused(Deleted, parent.attach("kid", deleted))
    await parent.attach("kid", kept)
    async with scene.untouched(kept):
        await refused(ExecutionPinned, kept.delete())
    await parent.append(NewEvent(kind="CHILD_OUTCOME", child_key="kid"))
    await kept.delete()


@SUITE.case
async def a_chain_is_attached_by_its_number(scene: Scene) -> None:
    """Law 4: another chain under the id is `gone`, nothing there is `not-found`; `*` takes whatever lives there."""
    parent, adopted = await scene.owned(), await scene.deleted()
    successor = await adopted.recreate()

    async with scene.untouched(parent, successor):
        await refused(Gone, parent.attach("kid", adopted))
        await refused(NotFound, parent.attach("kid", scene.unknown()))

    equal((await parent.attach("kid", adopted, chain="*")).child, successor.ref)


@SUITE.case
async def the_newest_link_is_attached(scene: Scene) -> None:
    """I58: in one read, however many links ended; an ended link itself is no target: CONTINUED is no outcome."""
    parent, first = await scene.owned(), await scene.owned()
    last = await first.continue_as_new()

    async with scene.untouched(parent):
        await refused(IllegalTransition, parent.attach("kid", first.ended_link))
    equal((await parent.attach("kid", first)).child, last.ref)
    await last.end(value=1)
    equal((await parent.edges())["kid"].outcome, "1")


@SUITE.case
async def a_chain_does_not_wait_for_itself(scene: Scene) -> None:
    """Invariants 2.4: nobody outside could ever satisfy it; nor for its own ended link."""
    first = await scene.owned()
    newest = await first.continue_as_new()
    await newest.claim()

    async with scene.untouched(newest):
        await refused(Invalid, newest.attach("me", newest))
        await refused(Invalid, newest.attach("me", newest, chain="*"))
        await refused(Invalid, newest.attach("me", first.ended_link))


@SUITE.case
async def a_key_has_one_child(scene: Scene) -> None:
    """I39: asked for again the same child, started or attached; another target or chain is `already-exists`."""
    parent, adopted, stranger = await scene.owned(), await scene.owned(), await scene.owned()
    started = await parent.start_child("started")
    await parent.attach("kid", adopted)

    async with scene.untouched(parent, adopted, stranger, started):
        again, same = await parent.attach("kid", adopted), await parent.attach("started", started)
        await refused(AlreadyExists, parent.attach("kid", stranger))
        await refused(AlreadyExists, parent.attach("kid", adopted, chain=stranger.chain.chain))
        await refused(AlreadyExists, scene.store.start_child(parent.child_call("kid", workflow="other")))

    equal((again.child, again.seq, again.created), (adopted.ref, None, False))
    equal((same.child, same.created), (started.ref, False))


@SUITE.case
async def an_attach_repeated_has_one_effect(scene: Scene) -> None:
    """I3: by its key, also when the child has ended and gone since; another one under the key is refused."""
    parent, adopted, stranger = await scene.owned(), await scene.owned(), await scene.owned()
    call = parent.attach_call("kid", adopted)
    first = await scene.store.attach(call)
    await adopted.end()
    await parent.append(NewEvent(kind="CHILD_OUTCOME", child_key="kid"))
    await adopted.delete()

    async with scene.untouched(parent):
        equal(await scene.store.attach(call), first)
        await refused(KeyReused, scene.store.attach(replace(call, child_id=stranger.ref.execution_id)))


@SUITE.case
async def a_parked_or_ended_parent_attaches_nothing(scene: Scene) -> None:
    """I30: judged under the parent's lock."""
    parked, ended, adopted = await scene.parked(), await scene.single(), await scene.owned()
    await ended.end()

    async with scene.untouched(parked, ended, adopted):
        for parent in (parked, ended):
            await refused(IllegalTransition, parent.attach("kid", adopted))


@SUITE.case
async def all_who_attached_get_the_outcome(scene: Scene) -> None:
    """I41: an end reaches every edge that names it, under several keys of one parent too."""
    starter, other = await scene.owned(), await scene.owned()
    kid = await starter.start_child("kid")
    await starter.attach("again", kid)
    await other.attach("adopted", kid)

    await kid.end(value=7)

    for parent, keys in ((starter, ("kid", "again")), (other, ("adopted",))):
        edges = await parent.edges()
        equal([(edges[key].status, edges[key].outcome) for key in keys], [("completed", "7")] * len(keys))
    await starter.park(group("kid", "again"))
    await starter.resume("group", "kid", "again")


@SUITE.case
async def a_single_writer_attaches_without_a_credential(scene: Scene) -> None:
    """Design 2: it runs by its first write; `*` in place of its incarnation is a person's."""
    parent, adopted = await scene.single(), await scene.owned()

    await parent.attach("kid", adopted, incarnation="*", batch_id=mint())

    holds((await parent.head()).status == "running", "it runs")
