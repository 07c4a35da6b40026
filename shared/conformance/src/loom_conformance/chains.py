"""Continue-as-new: one transaction, the id names the newest link, and nothing is left behind (I58)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from loom.errors import (
    AlreadyExists,
    ExecutionPinned,
    Gone,
    IllegalTransition,
    Invalid,
    KeyReused,
    LimitReached,
    LoomError,
    NotYet,
    Stale,
    TooLarge,
)
from loom.ids import ExecutionRef, Sequence
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.raw_json import RawJson
from loom_conformance.case import Suite
from loom_conformance.checks import Broken, all_at_once, attempt, equal, holds, refused
from loom_conformance.scene import SHORT_LEASE_MS, WORKFLOW, Execution, Scene, event, mint, mint_nonce
from loom_conformance.subject import NotReachable
from loom_conformance.waits import child, group, message, timer

SUITE = Suite("chains")
LONG = FILLABLE = 1_000
FAR_MS = 3_600_000


def _form(ref: ExecutionRef) -> dict[str, str]:
    return {
        "namespace": ref.namespace,
        "execution_id": ref.execution_id,
        "incarnation": str(int(ref.incarnation)),
    }


async def _started(execution: Execution) -> dict[str, Any]:
    body: dict[str, Any] = json.loads((await execution.log())[0].payload)
    return body


# --- two links --------------------------------------------------------------------------------------------------------


@SUITE.case
async def one_link_ends_and_the_next_begins(scene: Scene) -> None:
    """I58: CONTINUED if and only if STARTED of the next; the id names the newest, the ended one its own incarnation."""
    first = await scene.owned()
    await first.append("A")
    was = await first.head()

    following = await first.continue_as_new(input=RawJson('{"n":1}'))

    ended, head = await first.ended_link.head(), await following.head()
    equal((ended.status, ended.ending, ended.incarnation), ("continued", "continued", first.ref.incarnation))
    equal((ended.owner, ended.lease_until, ended.chain, ended.link), (None, None, was.chain, 1))
    last = (await first.ended_link.log())[-1]
    equal((last.kind, json.loads(last.payload)), ("EXECUTION_CONTINUED", {"next": _form(following.ref)}))
    equal((head.status, head.chain, head.link, head.token), ("pending", was.chain, 2, was.token))
    holds(head.incarnation != was.incarnation, "the next link has an incarnation of its own")
    equal(following.ref.execution_id, first.ref.execution_id)
    equal(await following.kinds(), ["EXECUTION_STARTED"])
    body = await _started(following)
    equal((body["input"], body["workflow"], body["cancel"]), ({"n": 1}, WORKFLOW, False))
    equal((await _started(first.ended_link))["input"], None)


@SUITE.case
async def what_a_continuation_does_not_name_stays(scene: Scene) -> None:
    """Design 6: workflow, version, queue, parent, root; what it names is the next link's."""
    parent = await scene.owned()
    kid = await parent.start_child("kid", code_version="7")
    await kid.claim()
    was = await kid.head()
    second = await kid.continue_as_new()
    head = await second.head()
    for name in ("workflow", "code_version", "queue", "parent_incarnation", "parent_key", "root", "single_writer"):
        equal(getattr(head, name), getattr(was, name), name)
    await second.claim()

    third = await second.continue_as_new(workflow="another", code_version="8")

    head = await third.head()
    equal((head.workflow, head.code_version, head.link), ("another", "8", 3))
    body = await _started(third)
    equal((body["workflow"], body["code_version"], body["queue"]), ("another", "8", scene.queue))


@SUITE.case
async def the_next_link_is_claimed_like_any_other(scene: Scene) -> None:
    """I19, I24: its token goes on, so the claim's is greater than any of the ended link's."""
    first = await scene.owned()
    was = first.held
    await first.continue_as_new()

    claims = await scene.store.claim_runnable(
        c.ClaimRunnable(
            namespace=scene.namespace,
            queue=scene.queue,
            workflows=(f"{WORKFLOW}@0",),
            max=5,
            nonce=mint_nonce(),
            owner="w",
        )
    )

    (claimed,) = claims.items
    equal(claimed.credential.token.counter, was.token.counter + 1)
    holds(claimed.credential.incarnation != was.incarnation, "the next link is another incarnation")


@SUITE.case
async def single_writer_mode_goes_along(scene: Scene) -> None:
    """Design 2: the next link inherits the lack of a queue, and whether the mode has ended."""
    single = await scene.single()
    following = await single.continue_as_new()
    await following.append("A")
    await following.claim()

    last = await following.continue_as_new()

    head = await last.head()
    equal((head.queue, head.single_writer), (None, False))
    await last.claim()
    await last.append("B")


@SUITE.case
async def only_a_running_owner_continues(scene: Scene) -> None:
    """I7: not a parker, not what has ended; nothing is renamed, nothing started."""
    parked, ended = await scene.parked(), await scene.single()
    await ended.end()

    async with scene.untouched(parked, ended):
        await refused(IllegalTransition, parked.continue_as_new())
        await refused(IllegalTransition, ended.continue_as_new())


@SUITE.case
async def an_ended_link_stays_as_it_is(scene: Scene) -> None:
    """I6, I58: it takes audit kinds and no others; nobody claims, cancels, sends to or ends it."""
    first = await scene.owned()
    await first.continue_as_new()
    ended = first.ended_link
    await ended.note()

    async with scene.untouched(ended):
        for call in (ended.send(), ended.cancel(), ended.terminate(), ended.fail()):
            await refused(IllegalTransition, call)


@SUITE.case
async def an_input_over_the_limit_continues_nothing(scene: Scene) -> None:
    """Design 9: it is an event's payload to be."""
    execution, limits = await scene.owned(), await scene.limits()

    async with scene.untouched(execution):
        await refused(TooLarge, execution.continue_as_new(input=RawJson.of("x" * limits.event_bytes)))


@SUITE.case
async def a_long_chain_is_reached_in_one_read(scene: Scene) -> None:
    """I58: however long: the id names the newest link, its number is the first one's incarnation."""
    first = newest = await scene.single()
    for _ in range(LONG):
        newest = await newest.continue_as_new()

    head = await first.head()

    equal((head.ref, head.link, head.chain), (newest.ref, LONG + 1, first.chain.chain))
    await first.send(message_id="m")
    equal(await newest.inbox(), ["m"])


@SUITE.case
async def ended_links_keep_apart_after_a_re_creation(scene: Scene) -> None:
    """I58: named by their own incarnation, not by a counter: continued, ended, deleted, re-created, continued again."""
    first = await scene.owned()
    second = await first.continue_as_new()
    await second.end()
    await second.delete()
    again = await second.recreate()
    await again.claim()

    last = await again.continue_as_new()

    equal((await first.ended_link.head()).incarnation, first.ref.incarnation)
    equal((await again.ended_link.head()).incarnation, again.ref.incarnation)
    equal(((await last.head()).link, (await last.head()).chain), (2, again.chain.chain))


@SUITE.case
async def a_later_link_is_deleted_and_re_created_like_any_other(scene: Scene) -> None:
    """I19, I48: the new incarnation is a chain of its own; its token goes on."""
    first = await scene.owned()
    second = await first.continue_as_new()
    await second.end()
    await second.delete()

    again = await second.recreate()

    head = await again.head()
    equal((head.link, int(head.chain)), (1, int(again.ref.incarnation)))
    holds(head.token > first.held.token, "the token goes on")


# --- repeats ----------------------------------------------------------------------------------------------------------


@SUITE.case
async def a_continuation_repeated_has_one_effect(scene: Scene) -> None:
    """I3: looked up by the incarnation that it names, wherever that link is: the next moved on, ended, is gone."""
    execution = await scene.owned()
    call = execution.continue_call(input=RawJson("1"))
    first = await scene.store.continue_as_new(call)
    following = execution.next_link(first)

    async with scene.untouched(following):
        equal(await scene.store.continue_as_new(call), first)
        await refused(KeyReused, scene.store.continue_as_new(replace(call, input=RawJson("2"))))
    await following.end()
    equal(await scene.store.continue_as_new(call), first)
    await following.delete()
    successor = await following.recreate()
    async with scene.untouched(successor):
        equal(await scene.store.continue_as_new(call), first)


@SUITE.case
async def a_continuation_repeated_by_the_single_writer_has_one_effect(scene: Scene) -> None:
    """I3: by the incarnation seen; `*` would continue the next link too, and is refused."""
    execution = await scene.single()
    call = execution.continue_call()
    first = await scene.store.continue_as_new(call)

    async with scene.untouched(execution.next_link(first)):
        equal(await scene.store.continue_as_new(call), first)
        await refused(Invalid, scene.store.continue_as_new(replace(call, incarnation="*")))


@SUITE.case
async def the_old_incarnations_repeats_get_their_answers(scene: Scene) -> None:
    """I3: append, park, resume, child, made before the continuation and asked for again behind it."""
    parent = await scene.owned()
    append, started = parent.append_call("A"), parent.child_call("kid")
    park = parent.park_call(timer(0))
    appended, kid = await scene.store.append(append), await scene.store.start_child(started)
    parked = await scene.store.park(park)
    parent.park_seq = parked.park_seq
    resume = parent.resume_call(batch_id=mint())
    resumed = await scene.store.resume(resume)
    await parent.claim()
    following = await parent.continue_as_new()

    async with scene.untouched(following, parent.ended_link):
        equal((await scene.store.append(append)).first_seq, appended.first_seq)
        equal(await scene.store.start_child(started), kid)
        equal((await scene.store.park(park)).park_seq, parked.park_seq)
        equal(await scene.store.resume(resume), resumed)


@SUITE.case
async def a_start_repeated_behind_a_continuation_gets_its_answer(scene: Scene) -> None:
    """I3, I5: its key is found in the chain's first link; another start meets the newest."""
    call = scene.start_call()
    first = await scene.store.start(call)
    execution = scene.of(first)
    await execution.claim()
    following = await execution.continue_as_new()

    async with scene.untouched(following, execution.ended_link):
        again = await scene.store.start(call)
        await refused(AlreadyExists, scene.store.start(replace(call, batch_id=mint())))
        found = await scene.store.start(replace(call, batch_id=mint(), if_exists="return"))

    equal((again.execution, again.chain, again.created), (first.execution, first.chain, True))
    equal((found.execution, found.chain, found.created), (following.ref, first.chain, False))


# --- what goes along --------------------------------------------------------------------------------------------------


@SUITE.case
async def deadlines_go_along(scene: Scene) -> None:
    """I58: a chain does not outlive its deadline by continuing."""
    first = await scene.owned(timeout_ms=SHORT_LEASE_MS)
    was = await first.head()

    following = await first.continue_as_new()

    equal((await following.head()).deadline_at, was.deadline_at)
    await scene.pass_time(SHORT_LEASE_MS + 10)
    equal(len(await following.due("deadlines")), 1)


@SUITE.case
async def a_cancel_request_goes_along(scene: Scene) -> None:
    """I57: the next link's STARTED says so; its deadline is the one it was; the body meets it at its first await."""
    first = await scene.owned()
    await first.cancel(reason="enough", deadline_ms=FAR_MS)
    was = await first.head()

    following = await first.continue_as_new()

    head = await following.head()
    equal((head.status, head.cancel_seq), ("pending", 1))
    equal((head.cancel_requested_at, head.cancel_deadline), (was.cancel_requested_at, was.cancel_deadline))
    equal((await _started(following))["cancel"], {"by": "request", "reason": "enough"})
    await following.claim()
    equal((await following.renew()).waiting.cancel_seq, 1)
    parked = await following.park(timer(FAR_MS))
    holds(parked.answered_seq is not None, "a park that has not heard it is answered at once")


@SUITE.case
async def a_carried_request_ends_as_one_made_there(scene: Scene) -> None:
    """I57: heard by the body, or ended by its deadline, in the third link as in the first."""
    for by_deadline in (False, True):
        newest = await scene.owned()
        await newest.cancel(reason="enough", deadline_ms=SHORT_LEASE_MS)
        for _ in range(2):
            newest = await newest.continue_as_new()
            await newest.claim()
        if by_deadline:
            await refused(NotYet, newest.terminate(cancel_seq=1))
            await scene.pass_time(SHORT_LEASE_MS + 10)
            equal(len(await newest.due("cancels")), 1)
            await newest.terminate(cancel_seq=1)
        else:
            await newest.append(event("EXECUTION_CANCELLED"))
        body = json.loads((await newest.log())[-1].payload)
        equal((body["by"], (await newest.head()).status), ("deadline" if by_deadline else "request", "cancelled"))
        holds(by_deadline or body["reason"] == "enough", "the reason is the request's")


@SUITE.case
async def a_pending_later_link_is_asked_not_ended(scene: Scene) -> None:
    """I57: earlier links may have something to undo: a request on a pending later link waits for its body."""
    first = await scene.owned()
    following = await first.continue_as_new()

    answer = await following.cancel()

    equal((answer.status, (await following.head()).status), ("pending", "pending"))
    await following.claim()
    equal((await following.renew()).waiting.cancel_seq, answer.cancel_seq)


@SUITE.case
async def mail_goes_along(scene: Scene) -> None:
    """I16, I58: what was not read waits in the next link, in its order, and answers its park; new mail comes behind."""
    first = await scene.owned()
    for number in range(3):
        await first.send("mail", number, message_id=f"m{number}")
    await first.append(NewEvent(kind="MESSAGE_CONSUMED", message_id="m0"))

    following = await first.continue_as_new()

    equal((await following.inbox(), await first.ended_link.inbox()), (["m1", "m2"], []))
    await first.send("mail", 3, message_id="m3")
    equal(await following.inbox(), ["m1", "m2", "m3"])
    await following.claim()
    await following.park(message("mail"))
    equal(json.loads((await following.log())[-2].payload)["message_id"], "m1")


@SUITE.case
async def a_send_meets_a_continuation_in_either_order(scene: Scene) -> None:
    """I58: addressed to the chain, it arrives in the newest link: never `not-found`, never twice."""
    for first_sent in (True, False):
        execution = await scene.owned()
        if first_sent:
            await execution.send(message_id="m")
        following = await execution.continue_as_new()
        if not first_sent:
            await execution.send(message_id="m")

        await execution.send(message_id="m")

        equal(await following.inbox(), ["m"])
        equal(await execution.ended_link.inbox(), [])


@SUITE.case
async def a_message_consumed_is_known_for_a_day(scene: Scene) -> None:
    """I16: its id goes along for 24 hours, over any number of links, so that a repeated send is recognised."""
    first = await scene.owned()
    sent = await first.send("mail", 1, message_id="m")
    await first.append(NewEvent(kind="MESSAGE_CONSUMED", message_id="m"))
    second = await first.continue_as_new()
    equal(await first.send("mail", 1, message_id="m"), sent)
    await refused(KeyReused, first.send("mail", 2, message_id="m"))
    await second.claim()

    third = await second.continue_as_new()

    equal(await first.send("mail", 1, message_id="m"), sent)
    equal(await third.inbox(), [])
    await scene.pass_days(1)
    await scene.pass_time(1)
    await third.claim()
    fourth = await third.continue_as_new()
    await first.send("mail", 1, message_id="m")
    equal(await fourth.inbox(), ["m"])


@SUITE.case
async def unread_mail_has_no_age(scene: Scene) -> None:
    """I58: only ids of what was consumed are forgotten."""
    first = await scene.owned()
    await first.send(message_id="m")
    await scene.pass_days(3)
    await first.claim_when_due()

    following = await first.continue_as_new()

    equal(await following.inbox(), ["m"])


# --- children ---------------------------------------------------------------------------------------------------------


@SUITE.case
async def the_edges_that_the_chain_still_wants_go_along(scene: Scene) -> None:
    """I58: scope `chain`, open or ended, released or not; consumed ones and those of scope `run` stay."""
    first = await scene.owned()
    kids = {key: await first.start_child(key) for key in ("open", "ended", "released", "consumed")}
    kids["run"] = await first.start_child("run", scope="run")
    for key in ("ended", "consumed"):
        await kids[key].end(value=key)
    await first.append(NewEvent(kind="CHILD_OUTCOME", child_key="consumed"), release=("released",))

    following = await first.continue_as_new()

    moved, stayed = await following.edges(), await first.ended_link.edges()
    equal(list(moved), ["open", "ended", "released"])
    equal(list(stayed), ["consumed", "run"])
    for edge in moved.values():
        equal((edge.parent, edge.child), (following.ref, kids[edge.child_key].ref))
    for edge in stayed.values():
        equal(edge.parent, first.ended_link.ref)
    equal((moved["ended"].outcome, moved["released"].released), ('"ended"', True))


@SUITE.case
async def a_childs_end_meets_a_continuation_in_either_order(scene: Scene) -> None:
    """I41: the outcome reaches the edge, wherever it is, and the next link's park is answered by it."""
    for child_first in (True, False):
        parent = await scene.owned()
        kid = await parent.start_child("kid")
        await kid.claim()
        if child_first:
            await kid.append(event("EXECUTION_COMPLETED", 7))
        following = await parent.continue_as_new()
        if not child_first:
            await kid.append(event("EXECUTION_COMPLETED", 7))

        await following.claim()
        equal((await following.renew()).waiting.outcomes, True)
        await following.park(child("kid"))
        await following.resume("kid", "kid")

        bodies = [json.loads(each.payload) for each in await following.log() if each.kind == "CHILD_OUTCOME"]
        equal([(body["key"], body["outcome"]) for body in bodies], [("kid", 7)])


@SUITE.case
async def a_moved_child_is_pinned_by_the_next_link(scene: Scene) -> None:
    """I45: until its outcome is consumed there; by the ended link it is not."""
    parent = await scene.owned()
    kid, of_run = await parent.start_child("kid"), await parent.start_child("run", scope="run")
    for each in (kid, of_run):
        await each.end()
    following = await parent.continue_as_new()

    await refused(ExecutionPinned, kid.delete())
    await of_run.delete()
    await following.claim()
    await following.append(NewEvent(kind="CHILD_OUTCOME", child_key="kid"))
    await kid.delete()


@SUITE.case
async def a_key_that_a_moved_edge_has_is_that_child(scene: Scene) -> None:
    """I39: looked for before the derived id: the same child; another workflow or target is `already-exists`."""
    parent, stranger = await scene.owned(), await scene.owned()
    kid = await parent.start_child("kid")
    following = await parent.continue_as_new()
    await following.claim()

    async with scene.untouched(following, kid):
        again = await scene.store.start_child(following.child_call("kid"))
        attached = await following.attach("kid", kid)
        await refused(AlreadyExists, scene.store.start_child(following.child_call("kid", workflow="other")))
        await refused(AlreadyExists, following.attach("kid", stranger))

    equal((again.child, again.created), (kid.ref, False))
    equal((attached.child, attached.created), (kid.ref, False))


@SUITE.case
async def a_key_whose_outcome_was_consumed_is_free_in_the_next_link(scene: Scene) -> None:
    """I39: a child of that link's own, under an id from its own incarnation."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await kid.end()
    await parent.append(NewEvent(kind="CHILD_OUTCOME", child_key="kid"))
    following = await parent.continue_as_new()
    await following.claim()

    other = await following.start_child("kid")

    holds(other.ref.execution_id != kid.ref.execution_id, "another child")


@SUITE.case
async def a_continuation_releases_what_it_does_not_want(scene: Scene) -> None:
    """H50: the losers of a body's last group pin nothing for the rest of the chain; a stranger's key is refused."""
    parent = await scene.owned()
    kids = [await parent.start_child(key) for key in ("lost", "wanted")]
    async with scene.untouched(parent, *kids):
        await refused(IllegalTransition, parent.continue_as_new(release=("nobody",)))

    following = await parent.continue_as_new(release=("lost",))

    equal([edge.released for edge in (await following.edges()).values()], [True, False])
    await kids[0].end()
    await kids[0].delete()


@SUITE.case
async def a_released_edge_is_taken_up_by_the_next_link(scene: Scene) -> None:
    """I40: a park that names its key takes it up again, in whichever link."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await parent.append("A", release=("kid",))
    following = await parent.continue_as_new()
    await following.claim()

    await following.park(child("kid"))
    await kid.end()

    await following.resume("kid", "kid")


@SUITE.case
async def a_chain_is_done_at_its_last_link(scene: Scene) -> None:
    """I40, I41: CONTINUED ends no child: its edges follow, and the last link's end is the outcome."""
    parent, other = await scene.owned(), await scene.owned()
    kid = await parent.start_child("kid")
    await other.attach("adopted", kid)
    for owner, wait in ((parent, child("kid")), (other, group("adopted"))):
        await owner.park(wait)
    await kid.claim()

    last = await kid.continue_as_new()

    for owner, key in ((parent, "kid"), (other, "adopted")):
        edge = (await owner.edges())[key]
        equal((edge.status, edge.child, edge.outcome), ("open", last.ref, None))
        equal(await owner.due("satisfied"), [])
    await last.end(value="done")
    await parent.resume("kid", "kid")
    await other.resume("group", "adopted")
    equal((await parent.edges())["kid"].outcome, '"done"')


@SUITE.case
async def a_childs_key_is_its_workflow_of_the_start(scene: Scene) -> None:
    """I39: a child that went on as another workflow is still the child that was started under the key."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await kid.claim()
    last = await kid.continue_as_new(workflow="another")

    again = await scene.store.start_child(parent.child_call("kid"))

    equal((again.child, again.created), (last.ref, False))
    await refused(AlreadyExists, scene.store.start_child(parent.child_call("kid", workflow="never")))


# --- ended links and the rest of the world ----------------------------------------------------------------------------


@SUITE.case
async def an_ended_link_pins_nothing_and_is_deleted(scene: Scene) -> None:
    """Design 2: by the policy of any other; the newest link and its children do not notice."""
    first = await scene.owned()
    kid = await first.start_child("kid")
    following = await first.continue_as_new()

    async with scene.untouched(following, kid):
        await first.ended_link.delete()

    equal((await first.ended_link.head()).status, "deleted")
    equal(list(await following.edges()), ["kid"])


@SUITE.case
async def an_ended_link_is_kept_while_a_close_policy_is_open(scene: Scene) -> None:
    """I45, I59: a child of its run is still to be ended."""
    first = await scene.owned()
    kid = await first.start_child("kid", scope="run")
    await first.continue_as_new()

    await refused(ExecutionPinned, first.ended_link.delete())
    await kid.terminate(by="parent")
    await first.ended_link.delete()


@SUITE.case
async def a_resume_of_the_old_incarnation_changes_nothing(scene: Scene) -> None:
    """H47, I31: a supervisor that read the park before the body continued; before or behind another's answer."""
    execution = await scene.parked()
    late = execution.resume_call()
    await execution.resume()
    await execution.claim()
    following = await execution.continue_as_new()

    async with scene.untouched(following, execution.ended_link):
        await refused(Gone, scene.store.resume(late))
    await following.claim()
    await following.park()
    equal((await following.head()).park_seq, 2)
    async with scene.untouched(following):
        await refused(Gone, scene.store.resume(replace(late, park_seq=Sequence(2))))


@SUITE.case
async def a_late_continuation_of_a_park_is_stale(scene: Scene) -> None:
    """I9: the other order: the supervisor resumes first, and the old grant continues nothing."""
    execution = await scene.parked()
    await execution.resume()

    async with scene.untouched(execution):
        await refused(Stale, execution.continue_as_new())


@SUITE.case
async def whoever_remembers_the_old_incarnation_is_told(scene: Scene) -> None:
    """Law 4: park, claim, terminate, evict, pin of an incarnation that the id no longer names: gone."""
    execution = await scene.owned()
    token = (await execution.head()).token
    following = await execution.continue_as_new()

    async with scene.untouched(following):
        for call in (
            execution.read_park(),
            execution.claim(token=token),
            execution.evict(token=token),
            execution.terminate(),
            execution.fail(),
            execution.delete(),
            execution.note(),
        ):
            await refused(Gone, call)


@SUITE.case
async def a_cancel_meets_a_continuation_in_either_order(scene: Scene) -> None:
    """I57, I58: addressed to the chain: the newest link has it; a repeat changes nothing."""
    for asked_first in (True, False):
        execution = await scene.owned()
        call = c.Cancel(**execution.at, chain=execution.chain.chain, batch_id=mint())
        if asked_first:
            await scene.store.cancel(call)
        following = await execution.continue_as_new()
        answer = await scene.store.cancel(call)

        async with scene.untouched(following):
            equal(await scene.store.cancel(call), answer)
        head = await following.head()
        equal((head.status, head.cancel_seq), ("pending", answer.cancel_seq))


@SUITE.case
async def a_living_chain_is_there_at_every_moment(scene: Scene) -> None:
    """I58: one transaction: whoever comes at the same time as a continuation finds a living chain, and its id taken."""
    for _ in range(4):
        execution, parent = await scene.owned(), await scene.owned()
        again = scene.start_call(execution_id=execution.ref.execution_id)
        answers = await all_at_once(
            [
                execution.head(),
                execution.continue_as_new(),
                execution.send(message_id="m"),
                scene.store.start(again),
                execution.cancel(),
                parent.attach("kid", execution),
                execution.head(),
            ]
        )

        faults = [type(answer) for answer in answers if isinstance(answer, LoomError)]
        equal(faults, [AlreadyExists], "refusals")
        newest = await execution.head()
        equal((newest.link, newest.cancel_seq is not None, await execution.inbox()), (2, True, ["m"]))
        equal((await parent.edges())["kid"].child, newest.ref)


@SUITE.case
async def a_full_log_is_continued(scene: Scene) -> None:
    """Design 9: what is too long goes on as new, which is what its refusal advises."""
    execution, limits = await scene.owned(), await scene.limits()
    room = limits.log_events - limits.log_reserved
    if room > FILLABLE:
        raise NotReachable("the log's limit is too large to be reached by appending")
    while (left := room - (await execution.head()).last_seq) > 0:
        await execution.append(*["A"] * min(left, limits.append_events))
    await refused(LimitReached, execution.append("A"))

    following = await execution.continue_as_new()
    await following.claim()

    await following.append("A")


@SUITE.case
async def a_start_meets_a_continuation_and_makes_nothing(scene: Scene) -> None:
    """I58: the id of a living chain is taken at every moment, before and behind the continuation."""
    execution = await scene.owned()
    address = {"execution_id": execution.ref.execution_id}
    await refused(AlreadyExists, scene.start(**address))
    following = await execution.continue_as_new()

    async with scene.untouched(following, execution.ended_link):
        await refused(AlreadyExists, scene.start(**address))
        await refused(AlreadyExists, scene.start(**address, recreate=True))
        answer = await attempt(scene.start(execution_id=execution.ended_link.ref.execution_id))
        if not isinstance(answer, Invalid):
            raise Broken(f"a derived id was started: {answer!r}")
