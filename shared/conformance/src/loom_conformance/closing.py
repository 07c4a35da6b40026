"""Close policies: what becomes of children when their parent has ended (I59)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from loom.errors import Deleted, ExecutionPinned, IllegalTransition, LoomError
from loom.kernel import calls as c
from loom_conformance.case import Suite
from loom_conformance.checks import all_at_once, attempt, equal, holds, refused
from loom_conformance.scene import Execution, Scene, event

SUITE = Suite("closing")

ENDS: dict[str, Callable[[Execution], Awaitable[Any]]] = {
    "completed": lambda parent: parent.append(event("EXECUTION_COMPLETED")),
    "failed": lambda parent: parent.append(event("EXECUTION_FAILED")),
    "failed-by-operator": lambda parent: parent.fail(),
    "terminated": lambda parent: parent.terminate(),
}


async def _closes(kid: Execution) -> list[str | None]:
    return [due.close for due in await kid.due("closes")]


@SUITE.case
async def the_end_of_a_parent_makes_its_children_due(scene: Scene) -> None:
    """I59: whichever end, by the policy of each edge; a child abandoned is nobody's business."""
    for name, end in ENDS.items():
        parent = await scene.owned()
        kids = {policy: await parent.start_child(policy, close=policy) for policy in ("cancel", "terminate", "abandon")}
        for kid in kids.values():
            equal(await _closes(kid), [], f"{name}: while the parent lives")

        await end(parent)

        found = {policy: await _closes(kid) for policy, kid in kids.items()}
        equal(found, {"cancel": ["cancel"], "terminate": ["terminate"], "abandon": []}, name)


@SUITE.case
async def a_child_is_cancelled_by_default(scene: Scene) -> None:
    """Design 6: `start_child(close="cancel", scope="chain")`; an attached chain is abandoned."""
    parent, adopted = await scene.owned(), await scene.owned()
    kid = await parent.start_child("kid")
    await parent.attach("adopted", adopted)

    await parent.end()

    equal((await _closes(kid), await _closes(adopted)), (["cancel"], []))


@SUITE.case
async def a_child_asked_or_ended_is_due_no_more(scene: Scene) -> None:
    """I59: a request once made has its own deadline; what has ended needs nothing."""
    parent = await scene.owned()
    asked, ended, cancelled = [await parent.start_child(key) for key in ("asked", "ended", "cancelled")]
    await asked.claim()
    await parent.end()

    await asked.cancel(by="parent")
    await ended.end()
    await cancelled.cancel(by="parent")

    equal([await _closes(kid) for kid in (asked, ended, cancelled)], [[], [], []])
    equal((await cancelled.head()).status, "cancelled")
    equal((await asked.head()).status, "running")


@SUITE.case
async def what_ends_for_its_parent_says_so(scene: Scene) -> None:
    """Design 2: `EXECUTION_CANCELLED` says by what: parent."""
    parent = await scene.owned()
    pending, running, terminated = [await parent.start_child(key) for key in ("pending", "running", "terminated")]
    await running.claim()
    await parent.end()

    await pending.cancel(by="parent", reason="its parent has completed")
    await running.cancel(by="parent", reason="its parent has completed")
    await running.append(event("EXECUTION_CANCELLED"))
    await terminated.terminate(by="parent")

    for kid in (pending, running, terminated):
        equal(json.loads((await kid.log())[-1].payload)["by"], "parent")


@SUITE.case
async def the_hardest_policy_of_an_ended_parent_counts(scene: Scene) -> None:
    """I59: a chain that two have: by the one that ended; if both, terminated."""
    soft, hard = await scene.owned(), await scene.owned()
    kid = await soft.start_child("kid", close="cancel")
    await hard.attach("kid", kid, close="terminate")

    await soft.end()
    equal(await _closes(kid), ["cancel"])
    await hard.end()
    equal(await _closes(kid), ["terminate"])


@SUITE.case
async def a_cancel_in_vain_is_followed_by_terminate(scene: Scene) -> None:
    """I59: an open request does not hide an edge that says terminate."""
    parent = await scene.owned()
    kid = await parent.start_child("kid", close="terminate")
    await kid.claim()
    await kid.cancel()

    await parent.end()

    equal(await _closes(kid), ["terminate"])


@SUITE.case
async def a_childs_run_or_chain_ends(scene: Scene) -> None:
    """I58, I59: scope `run` closes with the link, scope `chain` with the last one."""
    first = await scene.owned()
    of_run, of_chain = await first.start_child("run", scope="run"), await first.start_child("chain", scope="chain")

    following = await first.continue_as_new()
    equal((await _closes(of_run), await _closes(of_chain)), (["cancel"], []))

    await following.end()
    equal((await _closes(of_run), await _closes(of_chain)), (["cancel"], ["cancel"]))


@SUITE.case
async def a_child_that_continued_is_still_to_be_closed(scene: Scene) -> None:
    """I59: the edge follows to its newest link, which is asked, not ended, if pending."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await kid.claim()
    last = await kid.continue_as_new()

    await parent.end()

    equal((await _closes(last), await _closes(kid.ended_link)), (["cancel"], []))
    await last.cancel(by="parent")
    equal((await last.head()).status, "pending")


@SUITE.case
async def a_released_child_is_closed_too(scene: Scene) -> None:
    """I40, I59: released is: its outcome is not wanted. How long it may live says the policy."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await parent.append(event("A"), release=("kid",))

    await parent.end()

    equal(await _closes(kid), ["cancel"])


@SUITE.case
async def a_parent_is_kept_until_its_policies_are_carried_out(scene: Scene) -> None:
    """I45: deleted before, it would leave children that nobody ends."""
    parent = await scene.owned()
    kid, left = await parent.start_child("kid"), await parent.start_child("left", close="abandon")
    await parent.end()

    async with scene.untouched(parent, kid, left):
        await refused(ExecutionPinned, parent.delete())
    await kid.terminate(by="parent")
    await parent.delete()
    equal(await _closes(left), [])


@SUITE.case
async def a_start_of_a_child_meets_its_parents_end_in_either_order(scene: Scene) -> None:
    """I59: started first, it is found; ended first, nothing is started: no child escapes."""
    for started_first in (True, False):
        for name, end in ENDS.items():
            parent = await scene.single() if name in ("completed", "failed") else await scene.owned()
            call = parent.child_call("kid")
            answer: c.ChildStarted | LoomError | None = None
            if started_first:
                answer = await attempt(scene.store.start_child(call))
            await end(parent)
            if not started_first:
                answer = await attempt(scene.store.start_child(call))

            if isinstance(answer, c.ChildStarted):
                equal(await _closes(await parent.scene_of(answer.child)), ["cancel"], name)
            else:
                equal(await parent.edges(), {}, name)
            equal(isinstance(answer, c.ChildStarted), started_first, name)


@SUITE.case
async def a_child_started_while_its_parent_ends_does_not_escape(scene: Scene) -> None:
    """I59: at the same time, whichever is first: it does not exist, or it is due."""
    for turn in range(8):
        parent = await scene.owned()
        calls: list[Awaitable[Any]] = [parent.start_child("kid"), parent.append(event("EXECUTION_COMPLETED"))]
        answers = await all_at_once(calls[::-1] if turn % 2 else calls)

        kids = [answer for answer in answers if isinstance(answer, Execution)]
        equal(list(await parent.edges()), ["kid"] * len(kids))
        for kid in kids:
            equal(await _closes(kid), ["cancel"])


@SUITE.case
async def a_late_close_finds_what_it_saw_or_nothing(scene: Scene) -> None:
    """Law 4: the sweep names incarnation and chain: what ended, was deleted or continued meanwhile is not hit."""
    parent = await scene.owned()
    kid = await parent.start_child("kid", close="terminate")
    await kid.claim()
    await parent.end()
    (due,) = await kid.due("closes")
    last = await kid.continue_as_new()

    async with scene.untouched(last):
        refusal = await attempt(kid.terminate(incarnation=due.execution.incarnation, by="parent"))
        holds(isinstance(refusal, LoomError), "the incarnation that was seen is over")
    await last.end()
    await refused(IllegalTransition, last.terminate(by="parent"))
    await last.delete()
    await refused(Deleted, last.cancel(chain=due.chain, by="parent"))
