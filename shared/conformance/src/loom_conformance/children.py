"""Idempotent starts, outcomes copied by the store, groups, releases, pins."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from loom.errors import AlreadyExists, Deleted, ExecutionPinned, IllegalTransition, Invalid, LimitReached, NotParked
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.parks import Group
from loom_conformance.case import Suite
from loom_conformance.checks import equal, holds, refused
from loom_conformance.scene import SHORT_LEASE_MS, Execution, Scene, mint
from loom_conformance.subject import NotReachable
from loom_conformance.waits import child, group, timer

SUITE = Suite("children")
MANY = 300
FILLABLE = 1_000


async def _family(scene: Scene, *keys: str) -> tuple[Execution, dict[str, Execution]]:
    parent = await scene.owned()
    return parent, {key: await parent.start_child(key) for key in keys}


def _outcomes(log: Any) -> list[tuple[str, str, Any]]:
    bodies = [json.loads(event.payload) for event in log if event.kind == "CHILD_OUTCOME"]
    return [(body["key"], body["status"], body["outcome"]) for body in bodies]


# --- starting ---------------------------------------------------------------------------------------------------------


@SUITE.case
async def a_child_is_started_with_its_edge(scene: Scene) -> None:
    """I39: CHILD_STARTED, edge and the child's STARTED in one transaction; the child remembers its parent."""
    parent = await scene.owned()

    answer = await scene.store.start_child(parent.child_call("kid", workflow="other", queue="elsewhere"))

    kid = await parent.scene_of(answer.child)
    started = (await parent.log())[-1]
    body = json.loads(started.payload)
    equal((answer.seq, answer.created, started.kind), (started.seq, True, "CHILD_STARTED"))
    equal((body["key"], body["workflow"], body["attached"]), ("kid", "other", False))
    equal(body["child"], {**kid.at, "incarnation": str(int(kid.ref.incarnation))})
    edge = (await parent.edges())["kid"]
    equal((edge.parent, edge.child, edge.status, edge.consumed_at_seq), (parent.ref, kid.ref, "open", None))
    head = await kid.head()
    equal((head.status, head.parent_incarnation, head.parent_key), ("pending", parent.ref.incarnation, "kid"))
    equal((head.root, head.workflow, head.queue), (parent.ref.incarnation, "other", "elsewhere"))
    equal(json.loads((await kid.log())[0].payload)["parent"]["execution_id"], parent.ref.execution_id)


@SUITE.case
async def a_childs_id_comes_from_parent_incarnation_and_key(scene: Scene) -> None:
    """I39: `<parent>~c<26 characters>`; other keys are other children, and so are a re-created parent's."""
    parent, kids = await _family(scene, "a", "b")
    first = {kid.ref.execution_id for kid in kids.values()}
    for kid in kids.values():
        await kid.end()
    await parent.end()
    await parent.delete()
    successor = await parent.recreate()
    await successor.claim()

    again = await successor.start_child("a")

    ids = first | {again.ref.execution_id}
    equal(len(ids), 3)
    holds(all(id.startswith(f"{parent.ref.execution_id}~c") for id in ids), "the ids say whose they are")


@SUITE.case
async def a_key_asked_for_again_answers_with_its_child(scene: Scene) -> None:
    """I39: the edge is looked for first; another workflow under the key is `already-exists`; nothing is made."""
    parent, kids = await _family(scene, "kid")

    async with scene.untouched(parent, kids["kid"]):
        again = await scene.store.start_child(parent.child_call("kid"))
        await refused(AlreadyExists, scene.store.start_child(parent.child_call("kid", workflow="other")))

    equal((again.child, again.created), (kids["kid"].ref, False))


@SUITE.case
async def a_child_is_not_run_twice_after_its_deletion(scene: Scene) -> None:
    """I39, H48: while its parent lives a deleted child is not started again, by a replay or a root's start."""
    parent, kids = await _family(scene, "kid")
    kid = kids["kid"]
    await kid.end()
    await parent.append(NewEvent(kind="CHILD_OUTCOME", child_key="kid"))
    await kid.delete()

    again = await scene.store.start_child(parent.child_call("kid"))
    for recreate in (False, True):
        await refused((AlreadyExists, Deleted, Invalid), _root_start(kid, recreate))

    equal((again.created, again.child), (False, kid.ref))
    equal((await kid.log()), ())


async def _root_start(kid: Execution, recreate: bool) -> c.Started:
    return await kid.store.start(kid.scene.start_call(execution_id=kid.ref.execution_id, recreate=recreate))


@SUITE.case
async def a_parked_or_ended_parent_starts_no_child(scene: Scene) -> None:
    """I59, I30: judged under the parent's lock; what it would have started does not exist."""
    parked, single = await scene.parked(), await scene.single()
    await single.end()

    async with scene.untouched(parked, single):
        await refused(IllegalTransition, parked.start_child("kid"))
        await refused(IllegalTransition, single.start_child("kid"))
    equal(await single.edges(), {})


@SUITE.case
async def children_are_listed_in_the_order_of_their_making(scene: Scene) -> None:
    """Design 5: over the edges, page by page."""
    parent, _ = await _family(scene, "c", "a", "b")

    first = await scene.store.read_children(c.ReadChildren(**parent.at, limit=2))
    rest = await scene.store.read_children(c.ReadChildren(**parent.at, after="a"))

    equal([edge.child_key for edge in (*first.items, *rest.items)], ["c", "a", "b"])


@SUITE.case
async def a_parent_has_so_many_open_children(scene: Scene) -> None:
    """Design 9: then `limit-reached`; one that ends makes room."""
    limits = await scene.limits()
    if limits.children_open > FILLABLE:
        raise NotReachable("the limit of open children is too large to be reached")
    parent = await scene.owned()
    first = await parent.start_child("0")
    for number in range(1, limits.children_open):
        await scene.store.start_child(parent.child_call(str(number)))

    async with scene.untouched(parent):
        await refused(LimitReached, scene.store.start_child(parent.child_call("one more")))
    await first.end()
    await scene.store.start_child(parent.child_call("one more"))


# --- outcomes ---------------------------------------------------------------------------------------------------------


@SUITE.case
async def an_end_reaches_the_edge_in_its_own_transaction(scene: Scene) -> None:
    """I41: completed, failed, cancelled, terminated; the parent's head and log are not touched."""
    parent, kids = await _family(scene, "completed", "failed", "cancelled", "terminated", "failed-by-operator")
    before = await parent.head(), await parent.log()

    await kids["completed"].end(value={"n": 1})
    await kids["failed"].end("EXECUTION_FAILED", {"type": "Boom"})
    await kids["cancelled"].cancel()
    await kids["terminated"].terminate()
    await kids["failed-by-operator"].fail()

    edges = await parent.edges()
    equal(
        {key: edge.status for key, edge in edges.items()},
        {
            "completed": "completed",
            "failed": "failed",
            "cancelled": "cancelled",
            "terminated": "cancelled",
            "failed-by-operator": "failed",
        },
    )
    equal((edges["completed"].outcome, edges["failed"].outcome), ('{"n":1}', '{"type":"Boom"}'))
    equal((await parent.head(), await parent.log()), before)


@SUITE.case
async def a_resume_copies_the_outcome(scene: Scene) -> None:
    """I17: one CHILD_OUTCOME per key, copied from the edge byte for byte, then RESUMED; consumed on the edge."""
    parent, kids = await _family(scene, "kid")
    await parent.park(child("kid", id="w"))
    await kids["kid"].end(value="🙂")

    resumed = await parent.resume("w", "kid")

    outcome, answer = (await parent.log())[-2:]
    body = json.loads(outcome.payload)
    equal((outcome.kind, answer.kind, answer.seq), ("CHILD_OUTCOME", "EXECUTION_RESUMED", resumed.resumed_seq))
    equal(body["child"], {**kids["kid"].at, "incarnation": str(int(kids["kid"].ref.incarnation))})
    equal((body["key"], body["status"], body["outcome"], body["wait"]), ("kid", "completed", "🙂", "w"))
    equal(json.loads(answer.payload), {"wait": "w", "keys": ["kid"], "by": "resume"})
    equal((await parent.edges())["kid"].consumed_at_seq, outcome.seq)


@SUITE.case
async def a_child_that_has_not_ended_answers_nothing(scene: Scene) -> None:
    """I17: nobody can answer what has not happened, with the key, without it, or under a grant."""
    parent, _ = await _family(scene, "kid")
    await parent.park(child("kid"))
    acquirer = await parent.acquire()

    async with scene.untouched(parent):
        await refused(IllegalTransition, parent.resume("kid", "kid"))
        await refused(IllegalTransition, parent.resume("kid"))
        await refused(IllegalTransition, parent.resume("kid", "kid", credential=acquirer))


@SUITE.case
async def an_answer_names_children_of_its_wait(scene: Scene) -> None:
    """I17: ended, but another wait's; a stranger; the same twice: refused."""
    parent, kids = await _family(scene, "a", "b")
    for kid in kids.values():
        await kid.end()
    await parent.park(child("a"), timer(3_600_000))

    async with scene.untouched(parent):
        for keys in (("b",), ("a", "b"), ("nobody",), ("a", "a"), ()):
            await refused((IllegalTransition, Invalid), parent.resume("a", *keys))
    await parent.resume("a", "a")


@SUITE.case
async def an_outcome_is_consumed_once(scene: Scene) -> None:
    """I17: consumed by the owner, it is not consumed again, by an append or by a park's answer."""
    parent, kids = await _family(scene, "kid")
    await kids["kid"].end()
    consumption = NewEvent(kind="CHILD_OUTCOME", child_key="kid")
    await parent.append(consumption)

    async with scene.untouched(parent):
        await refused(IllegalTransition, parent.append(consumption))
    equal(len(_outcomes(await parent.log())), 1)


@SUITE.case
async def an_outcome_is_consumed_once_in_a_call(scene: Scene) -> None:
    """I17: a call that names it twice is refused as a whole."""
    parent, kids = await _family(scene, "kid")
    await kids["kid"].end()

    async with scene.untouched(parent):
        await refused(IllegalTransition, parent.append(*[NewEvent(kind="CHILD_OUTCOME", child_key="kid")] * 2))


@SUITE.case
async def an_open_childs_outcome_cannot_be_consumed(scene: Scene) -> None:
    """I17: an owner cannot either."""
    parent, _ = await _family(scene, "kid")

    async with scene.untouched(parent):
        for key in ("kid", "nobody"):
            await refused(IllegalTransition, parent.append(NewEvent(kind="CHILD_OUTCOME", child_key=key)))


@SUITE.case
async def a_busy_owner_is_told_of_ended_children(scene: Scene) -> None:
    """H14: the answers to append and renew say so until the outcome is consumed."""
    parent, kids = await _family(scene, "kid")
    equal((await parent.append("A")).waiting.outcomes, False)
    await kids["kid"].end()
    equal((await parent.append("A")).waiting.outcomes, True)
    equal((await parent.renew()).waiting.outcomes, True)

    answer = await parent.append(NewEvent(kind="CHILD_OUTCOME", child_key="kid"))

    equal(answer.waiting.outcomes, False)


@SUITE.case
async def a_terminal_event_in_a_batch_reaches_its_edge(scene: Scene) -> None:
    """I41: whichever call ends the child."""
    parent, kids = await _family(scene, "kid")
    kid = kids["kid"]
    await kid.claim()
    item = c.AppendItem(
        execution_id=kid.ref.execution_id, credential=kid.held, events=(NewEvent(kind="EXECUTION_COMPLETED"),)
    )

    await scene.store.append_batch(c.AppendBatch(namespace=scene.namespace, batch_id=mint(), items=(item,)))

    equal((await parent.edges())["kid"].status, "completed")


@SUITE.case
async def a_child_may_end_and_be_consumed_in_one_batch(scene: Scene) -> None:
    """I2, I17: the parent's item sees the end that the child's item before it wrote; the other order is refused."""
    for child_first in (True, False):
        parent, kids = await _family(scene, "kid")
        kid = kids["kid"]
        await kid.claim()
        end, consume = NewEvent(kind="EXECUTION_COMPLETED"), NewEvent(kind="CHILD_OUTCOME", child_key="kid")
        items = tuple(
            c.AppendItem(execution_id=each.ref.execution_id, credential=each.held, events=(event,))
            for each, event in ((kid, end), (parent, consume))
        )
        call = c.AppendBatch(namespace=scene.namespace, batch_id=mint(), items=items if child_first else items[::-1])
        if child_first:
            await scene.store.append_batch(call)
            edge = (await parent.edges())["kid"]
            equal((edge.status, edge.consumed_at_seq), ("completed", (await parent.head()).last_seq))
            await kid.delete()
        else:
            async with scene.untouched(parent, kid):
                await refused(IllegalTransition, scene.store.append_batch(call))


@SUITE.case
async def three_hundred_outcomes_pass_in_one_answer(scene: Scene) -> None:
    """I17, H50: what the store copies does not count against the door's limits."""
    if (await scene.limits()).children_open < MANY:
        raise NotReachable("fewer open children are allowed than this case needs")
    parent = await scene.single()
    keys = [f"k{number}" for number in range(MANY)]
    kids = []
    for key in keys:
        call = parent.child_call(key, queue=None)
        kids.append(await parent.scene_of((await scene.store.start_child(call)).child))
    await parent.park(group(*keys))
    for kid in kids:
        await kid.end(value="x" * 10_000)

    await parent.resume("group", *keys)

    equal([key for key, _, _ in _outcomes(await parent.log())], keys)


# --- groups -----------------------------------------------------------------------------------------------------------

COMPLETED, FAILED = "EXECUTION_COMPLETED", "EXECUTION_FAILED"


def _group_case(name: str, title: str, rule: Group, steps: list[tuple[str, str, bool]]) -> None:
    """Children end one after the other; after each the group is met or not; met, the answer lands."""

    async def run(scene: Scene) -> None:
        parent, kids = await _family(scene, *rule.members)
        wait = group(*rule.members, policy=rule.policy, on_error=rule.on_error, keep=rule.keep)
        await parent.park(wait)
        ended = []
        for key, kind, met in steps:
            if kind == "EXECUTION_CANCELLED":
                await kids[key].terminate()
            else:
                await kids[key].end(kind)
            ended.append(key)
            if met:
                await parent.resume("group", *ended)
                equal([found for found, _, _ in _outcomes(await parent.log())], ended)
            else:
                async with scene.untouched(parent):
                    await refused(IllegalTransition, parent.resume("group", *ended))

    SUITE.add(name, title, run)


def _rule(*members: str, **facts: Any) -> Group:
    return Group(members=members, **facts)


_group_case(
    "group-all-waits-for-every-member",
    "I40: `all`: every member ended.",
    _rule("a", "b", "c"),
    [("b", COMPLETED, False), ("a", COMPLETED, False), ("c", COMPLETED, True)],
)
_group_case(
    "group-all-raise-is-met-by-the-first-failure",
    "I40: `all` with `raise`: the first that failed is enough.",
    _rule("a", "b", "c"),
    [("a", COMPLETED, False), ("b", FAILED, True)],
)
_group_case(
    "group-all-raise-is-met-by-a-cancelled-member",
    "I40: cancelled is ended, not completed.",
    _rule("a", "b"),
    [("a", "EXECUTION_CANCELLED", True)],
)
_group_case(
    "group-all-collect-waits-through-failures",
    "I40: `all` with `collect`: failures do not meet it early.",
    _rule("a", "b", on_error="collect"),
    [("a", FAILED, False), ("b", "EXECUTION_CANCELLED", True)],
)
_group_case(
    "group-any-is-met-by-one-that-completed",
    "I40: `any`: one completed.",
    _rule("a", "b", "c", policy="any"),
    [("c", COMPLETED, True)],
)
_group_case(
    "group-any-is-not-met-by-a-failure",
    "I40: failed members are ended, not completed: not enough for `any`, until too few are left.",
    _rule("a", "b", policy="any"),
    [("a", FAILED, False), ("b", FAILED, True)],
)
_group_case(
    "group-any-goes-on-after-a-failure",
    "I40: `any` is met by a later one that completed.",
    _rule("a", "b", "c", policy="any"),
    [("a", FAILED, False), ("b", "EXECUTION_CANCELLED", False), ("c", COMPLETED, True)],
)
_group_case(
    "group-n-is-met-by-so-many-that-completed",
    "I40: `n`: so many completed.",
    _rule("a", "b", "c", policy=2),
    [("a", COMPLETED, False), ("b", FAILED, False), ("c", COMPLETED, True)],
)
_group_case(
    "group-n-is-met-when-too-few-are-left",
    "I40: `n`: too few are left to reach it.",
    _rule("a", "b", "c", policy=2),
    [("a", FAILED, False), ("b", FAILED, True)],
)


@SUITE.case
async def a_group_that_cannot_be_met_is_refused(scene: Scene) -> None:
    """I40: by the park: no members, a member twice, more than there are, none at all."""
    parent, _ = await _family(scene, "a", "b")

    async with scene.untouched(parent):
        for wait in (group(), group("a", "a"), group("a", "b", policy=3), group("a", "b", policy=0)):
            await refused((Invalid, IllegalTransition), parent.park(wait))


@SUITE.case
async def the_losers_of_any_are_released(scene: Scene) -> None:
    """I40: answering a group releases the other members' edges: they neither pin nor wake."""
    parent, kids = await _family(scene, "winner", "loser", "late")
    await parent.park(group("winner", "loser", "late", policy="any"))
    await kids["winner"].end()

    await parent.resume("group", "winner")

    edges = await parent.edges()
    equal({key: edge.released for key, edge in edges.items()}, {"winner": False, "loser": True, "late": True})
    await kids["loser"].end()
    await parent.claim()
    equal((await parent.append("A")).waiting.outcomes, False)
    await kids["loser"].delete()


@SUITE.case
async def a_group_may_keep_its_losers(scene: Scene) -> None:
    """I40: `keep`: the others stay as they are, pinned, and are waited for by a later park."""
    parent, kids = await _family(scene, "winner", "loser")
    await parent.park(group("winner", "loser", policy="any", keep=True))
    await kids["winner"].end()
    await parent.resume("group", "winner")

    equal((await parent.edges())["loser"].released, False)
    await kids["loser"].end()
    await refused(ExecutionPinned, kids["loser"].delete())
    await parent.claim()
    await parent.park(child("loser"))
    await parent.resume("loser", "loser")


@SUITE.case
async def a_released_loser_is_taken_up_again(scene: Scene) -> None:
    """I40: a park that names its key pins and wakes again."""
    parent, kids = await _family(scene, "winner", "loser")
    await parent.park(group("winner", "loser", policy="any"))
    await kids["winner"].end()
    await parent.resume("group", "winner")
    await kids["loser"].end()
    await parent.claim()

    await parent.park(child("loser"))

    equal((await parent.edges())["loser"].released, False)
    await refused(ExecutionPinned, kids["loser"].delete())
    await parent.resume("loser", "loser")


@SUITE.case
async def a_released_loser_that_was_deleted_is_removed(scene: Scene) -> None:
    """I40: child gone: `removed`: ended, not completed, so the park on it is met."""
    parent, kids = await _family(scene, "winner", "loser")
    await parent.park(group("winner", "loser", policy="any"))
    await kids["winner"].end()
    await parent.resume("group", "winner")
    await kids["loser"].end()
    await kids["loser"].delete()
    await parent.claim()

    await parent.park(child("loser"))
    await parent.resume("loser", "loser")

    equal(_outcomes(await parent.log())[-1], ("loser", "removed", None))


@SUITE.case
async def an_owner_releases_by_an_append(scene: Scene) -> None:
    """Design 2: whose outcome it will not take any more."""
    parent, kids = await _family(scene, "kid")
    await parent.append("A", release=("kid",))
    await kids["kid"].end()

    await kids["kid"].delete()

    equal((await parent.append("A")).waiting.outcomes, False)


@SUITE.case
async def a_member_consumed_before_counts_as_ended(scene: Scene) -> None:
    """I40: membership is by edge: what the parent has consumed already is not named again."""
    parent, kids = await _family(scene, "a", "b")
    await kids["a"].end()
    await parent.append(NewEvent(kind="CHILD_OUTCOME", child_key="a"))
    await parent.park(group("a", "b"))
    await kids["b"].end()

    await parent.resume("group", "b")

    equal([key for key, _, _ in _outcomes(await parent.log())], ["a", "b"])


# --- pins -------------------------------------------------------------------------------------------------------------


@SUITE.case
async def a_child_is_pinned_from_its_start(scene: Scene) -> None:
    """H7: before its parent waits for it, so that it is there when the parent does."""
    parent, kids = await _family(scene, "kid")
    await kids["kid"].end()

    async with scene.untouched(kids["kid"], parent):
        await refused(ExecutionPinned, kids["kid"].delete())


@SUITE.case
async def a_child_is_pinned_while_its_parent_is_parked(scene: Scene) -> None:
    """I45: on it, and on something else."""
    for wait in (child("kid"), timer(3_600_000)):
        parent, kids = await _family(scene, "kid")
        await parent.park(wait)
        await kids["kid"].end()
        async with scene.untouched(kids["kid"], parent):
            await refused(ExecutionPinned, kids["kid"].delete())


@SUITE.case
async def a_child_is_free_once_its_outcome_is_in_the_parents_log(scene: Scene) -> None:
    """I45: answered or consumed: then it can go, and the parent still has what it said."""
    parent, kids = await _family(scene, "answered", "consumed")
    await kids["consumed"].end(value=1)
    await parent.append(NewEvent(kind="CHILD_OUTCOME", child_key="consumed"))
    await parent.park(child("answered"))
    await kids["answered"].end(value=2)
    await parent.resume("answered", "answered")

    for kid in kids.values():
        await kid.delete()

    equal([outcome for _, _, outcome in _outcomes(await parent.log())], [1, 2])


@SUITE.case
async def a_child_stays_pinned_through_a_reopening(scene: Scene) -> None:
    """I45: a `null` answer is not its outcome."""
    parent, kids = await _family(scene, "kid")
    await parent.park(child("kid"))
    await kids["kid"].end()
    await parent.resume(None)

    await refused(ExecutionPinned, kids["kid"].delete())


@SUITE.case
async def a_child_stays_pinned_through_a_restart(scene: Scene) -> None:
    """I45: the pin is derived from rows, not remembered by a process."""
    parent, kids = await _family(scene, "kid")
    await kids["kid"].end()

    await scene.reopen()

    await refused(ExecutionPinned, kids["kid"].delete())
    await parent.park(child("kid"))
    await parent.resume("kid", "kid")
    await kids["kid"].delete()


@SUITE.case
async def every_member_of_a_group_is_pinned(scene: Scene) -> None:
    """I45: those that ended early wait for the others."""
    parent, kids = await _family(scene, "a", "b")
    await parent.park(group("a", "b"))
    await kids["a"].end()

    await refused(ExecutionPinned, kids["a"].delete())
    await kids["b"].end()
    await parent.resume("group", "a", "b")

    await kids["a"].delete()
    await kids["b"].delete()


@SUITE.case
async def the_answer_about_one_key_frees_no_other(scene: Scene) -> None:
    """I45: each edge on its own."""
    parent, kids = await _family(scene, "a", "b")
    for kid in kids.values():
        await kid.end()
    await parent.park(child("a"))
    await parent.resume("a", "a")

    await kids["a"].delete()
    await refused(ExecutionPinned, kids["b"].delete())


def _ends() -> dict[str, Callable[[Execution], Any]]:
    return {
        "completed": lambda parent: parent.end(),
        "failed": lambda parent: parent.fail(),
        "terminated": lambda parent: parent.terminate(),
    }


@SUITE.case
async def the_end_of_the_parent_frees_its_children(scene: Scene) -> None:
    """I45: nobody will read the outcome any more, however the parent ended."""
    for end in _ends().values():
        parent, kids = await _family(scene, "kid")
        await kids["kid"].end()
        await refused(ExecutionPinned, kids["kid"].delete())
        await end(parent)
        await kids["kid"].delete()


@SUITE.case
async def a_parent_stays_until_its_children_have_ended(scene: Scene) -> None:
    """I45: a close policy still to be carried out keeps it; an abandoned child does not."""
    parent, kids = await _family(scene, "kid")
    await parent.end()

    await refused(ExecutionPinned, parent.delete())
    await kids["kid"].terminate()
    await parent.delete()
    free = await scene.owned()
    await free.start_child("kid", close="abandon")
    await free.end()
    await free.delete()


@SUITE.case
async def the_end_of_an_orphan_changes_nothing(scene: Scene) -> None:
    """H49: a terminal parent makes its children's ends a no-op by log."""
    parent, kids = await _family(scene, "kid")
    await parent.end()
    log = await parent.log()

    await kids["kid"].end()

    equal(await parent.log(), log)
    await refused(NotParked, parent.resume("kid", "kid", park_seq=2))


@SUITE.case
async def a_child_of_a_taken_over_parent_is_the_same(scene: Scene) -> None:
    """I39: a replay under a new grant asks for the key again and gets the same child."""
    parent = await scene.owned(SHORT_LEASE_MS)
    first = await parent.start_child("kid")
    await scene.pass_time(SHORT_LEASE_MS)
    await parent.claim_when_due()

    again = await scene.store.start_child(parent.child_call("kid"))

    equal((again.child, again.created), (first.ref, False))
