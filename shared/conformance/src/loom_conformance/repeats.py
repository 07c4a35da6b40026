"""A call made again: the first answer, one effect; another call under its key is told so. Lost answers."""

from __future__ import annotations

from dataclasses import replace

from loom.errors import (
    AlreadyExists,
    Deleted,
    ForeignCredential,
    KeyReused,
    LeaseHeld,
    LoomError,
    NotClaimable,
    NotParked,
    Stale,
)
from loom.ids import Sequence
from loom.kernel import calls as c
from loom.kernel.raw_json import RawJson
from loom_conformance.case import Suite
from loom_conformance.checks import all_at_once, attempt, equal, holds, refused
from loom_conformance.scene import LEASE_MS, SHORT_LEASE_MS, Scene, event, mint, mint_nonce
from loom_conformance.waits import message, operator, timer

SUITE = Suite("repeats")


@SUITE.case
async def an_append_repeated_has_one_effect(scene: Scene) -> None:
    """I3: same key, same digest: the first answer, however much was appended since."""
    execution = await scene.owned()
    call = execution.append_call("A", "B")
    first = await scene.store.append(call)
    await execution.append("C")

    again = await scene.store.append(call)

    equal((again.first_seq, again.last_seq), (first.first_seq, first.last_seq))
    equal((await execution.kinds())[1:], ["A", "B", "C"])


@SUITE.case
async def eight_repeats_at_once_have_one_effect(scene: Scene) -> None:
    """I3: the index decides, not a look beforehand."""
    execution = await scene.owned()
    call = execution.append_call("A")

    answers = await all_at_once(scene.store.append(call) for _ in range(8))

    equal({getattr(answer, "first_seq", answer) for answer in answers}, {2})
    equal((await execution.head()).last_seq, 2)


@SUITE.case
async def another_append_under_the_key_is_refused(scene: Scene) -> None:
    """I3: another digest under the same key is `key-reused`."""
    execution = await scene.owned()
    key = mint()
    await execution.append("A", batch_id=key)

    async with scene.untouched(execution):
        await refused(KeyReused, execution.append("B", batch_id=key))
        await refused(KeyReused, execution.append("A", "A", batch_id=key))
        await refused(KeyReused, execution.append(event("A", 1), batch_id=key))


@SUITE.case
async def a_key_is_known_within_its_execution_only(scene: Scene) -> None:
    """I3: keys of two executions have nothing to do with each other."""
    first, second = await scene.owned(), await scene.owned()
    key = mint()

    await first.append("A", batch_id=key)
    await second.append("B", batch_id=key)

    equal((await second.kinds())[1:], ["B"])


@SUITE.case
async def a_late_repeat_is_answered_after_a_take_over(scene: Scene) -> None:
    """I3: the look-up follows the refusal, so who lost the answer and then the lease learns that it landed."""
    execution = await scene.owned(SHORT_LEASE_MS)
    call = execution.append_call("A")
    first = await scene.store.append(call)
    await scene.pass_time(SHORT_LEASE_MS + 1)
    await execution.claim_when_due()

    async with scene.untouched(execution):
        equal((await scene.store.append(call)).first_seq, first.first_seq)


@SUITE.case
async def a_late_repeat_is_answered_after_the_end(scene: Scene) -> None:
    """I3: the terminal append itself is the most likely to be repeated."""
    execution = await scene.owned()
    call = execution.append_call(event("EXECUTION_COMPLETED", 42))
    first = await scene.store.append(call)

    async with scene.untouched(execution):
        equal((await scene.store.append(call)).last_seq, first.last_seq)


@SUITE.case
async def a_repeat_under_a_foreign_credential_is_refused(scene: Scene) -> None:
    """I22: a credential of another execution is looked at before the key."""
    execution, other = await scene.owned(), await scene.owned()
    call = execution.append_call("A")
    await scene.store.append(call)

    await refused(ForeignCredential, scene.store.append(replace(call, credential=other.held)))


@SUITE.case
async def a_key_of_an_earlier_incarnation_is_not_found_in_the_next(scene: Scene) -> None:
    """I3, I48: a key dies with the log; the re-created id takes it as a new call."""
    execution = await scene.owned()
    key = mint()
    await execution.append("A", batch_id=key)
    await execution.end()
    await execution.delete()
    successor = await execution.recreate()
    await successor.claim()

    await successor.append("B", batch_id=key)

    equal(await successor.kinds(), ["EXECUTION_STARTED", "B"])


@SUITE.case
async def a_batch_repeated_has_one_effect(scene: Scene) -> None:
    """I3: over all its executions; another batch under the key is refused."""
    a, b = await scene.owned(), await scene.owned()
    items = tuple(
        c.AppendItem(execution_id=each.ref.execution_id, credential=each.held, events=(event("A"),)) for each in (a, b)
    )
    call = c.AppendBatch(namespace=scene.namespace, batch_id=mint(), items=items)
    first = await scene.store.append_batch(call)

    async with scene.untouched(a, b):
        again = await scene.store.append_batch(call)
        await refused(
            KeyReused,
            scene.store.append_batch(replace(call, items=(replace(items[0], events=(event("B"),)), items[1]))),
        )

    equal([item.first_seq for item in again.items], [item.first_seq for item in first.items])


@SUITE.case
async def a_start_repeated_is_the_same_execution(scene: Scene) -> None:
    """I3, I5: the first answer, also after the execution moved on."""
    call = scene.start_call()
    first = await scene.store.start(call)
    execution = scene.of(first)
    await execution.claim()

    again = await scene.store.start(call)

    equal((again.execution, again.chain, again.created), (first.execution, first.chain, True))
    equal(await execution.kinds(), ["EXECUTION_STARTED"])


@SUITE.case
async def eight_starts_at_once_make_one_execution(scene: Scene) -> None:
    """I5: one head, one STARTED; the repeats get it, other callers are told."""
    call = scene.start_call()
    rivals = [replace(call, batch_id=mint()) for _ in range(4)]

    answers = await all_at_once(scene.store.start(each) for each in [call, call, call, call, *rivals])

    started = {answer.execution for answer in answers if isinstance(answer, c.Started)}
    equal(len(started), 1, "incarnations")
    holds(all(isinstance(a, c.Started | AlreadyExists) for a in answers), "the others hear already-exists")
    equal(await scene.of(next(a for a in answers if isinstance(a, c.Started))).kinds(), ["EXECUTION_STARTED"])


@SUITE.case
async def a_second_start_is_told_that_the_id_is_taken(scene: Scene) -> None:
    """I5: another key is another start; `return` answers with what lives there, and says that it made nothing."""
    execution = await scene.start()
    address = {"execution_id": execution.ref.execution_id}

    async with scene.untouched(execution):
        await refused(AlreadyExists, scene.start(**address))
        found = await scene.store.start(scene.start_call(**address, if_exists="return"))

    equal((found.execution, found.created), (execution.ref, False))


@SUITE.case
async def another_start_under_the_key_is_refused(scene: Scene) -> None:
    """I3: the key was used for another input."""
    call = scene.start_call()
    execution = scene.of(await scene.store.start(call))

    async with scene.untouched(execution):
        await refused(KeyReused, scene.store.start(replace(call, input=RawJson("1"))))


@SUITE.case
async def a_late_start_does_not_bring_back_what_was_deleted(scene: Scene) -> None:
    """H48: a retry of a root's start that was buffered for days meets `deleted`."""
    call = scene.start_call()
    execution = scene.of(await scene.store.start(call))
    await execution.end()
    await execution.delete()

    async with scene.untouched(execution):
        await refused(Deleted, scene.store.start(call))


@SUITE.case
async def a_park_repeated_is_one_park(scene: Scene) -> None:
    """I3: same key, same park, also after it was answered."""
    execution = await scene.owned()
    call = execution.park_call(timer(0))
    first = await scene.store.park(call)
    execution.park_seq = first.park_seq
    await execution.resume()

    again = await scene.store.park(call)

    equal((again.park_seq, again.token), (first.park_seq, first.token))
    equal((await execution.kinds()).count("EXECUTION_SUSPENDED"), 1)


@SUITE.case
async def a_park_that_answered_itself_repeats_its_answer(scene: Scene) -> None:
    """I3, I16: the worker that lost the answer learns that its park is over."""
    execution = await scene.owned()
    await execution.send("mail")
    call = execution.park_call(message("mail"))
    first = await scene.store.park(call)

    again = await scene.store.park(call)

    equal((again.park_seq, again.answered_seq), (first.park_seq, first.answered_seq))
    holds(first.answered_seq is not None, "the park answered itself")


@SUITE.case
async def another_park_under_the_key_is_refused(scene: Scene) -> None:
    """I3: other waits under the key of a park."""
    execution = await scene.owned()
    call = execution.park_call(timer(0))
    await scene.store.park(call)

    async with scene.untouched(execution):
        await refused(KeyReused, scene.store.park(replace(call, waits=(timer(1),))))


@SUITE.case
async def a_resume_repeated_gets_the_first_answer(scene: Scene) -> None:
    """I3, I9: with its key it is a repeat; without one it is a second answer and refused."""
    execution = await scene.parked()
    call = execution.resume_call(batch_id=mint())
    first = await scene.store.resume(call)

    async with scene.untouched(execution):
        equal(await scene.store.resume(call), first)
        await refused(NotParked, scene.store.resume(replace(call, batch_id=mint())))
        await refused(NotParked, scene.store.resume(replace(call, batch_id=None)))


@SUITE.case
async def a_resume_repeated_much_later_gets_the_first_answer(scene: Scene) -> None:
    """I3: the answer is read from what it wrote, when the execution has long parked again and ended."""
    execution = await scene.parked()
    call = execution.resume_call(batch_id=mint())
    first = await scene.store.resume(call)
    await execution.claim_when_due()
    await execution.park(operator())
    await execution.terminate()

    async with scene.untouched(execution):
        equal((await scene.store.resume(call)).resumed_seq, first.resumed_seq)


@SUITE.case
async def another_resume_under_the_key_is_refused(scene: Scene) -> None:
    """I3: another wait under the key of a resume."""
    execution = await scene.parked()
    call = execution.resume_call(batch_id=mint())
    await scene.store.resume(call)

    async with scene.untouched(execution):
        await refused(KeyReused, scene.store.resume(replace(call, wait=None)))


@SUITE.case
async def an_audit_call_repeated_has_one_effect(scene: Scene) -> None:
    """I3: also when it named a `last_seq` that its own event has moved."""
    execution = await scene.owned()
    head = await execution.head()
    facts = {"token": head.token, "last_seq": head.last_seq, "batch_id": mint()}
    first = await execution.note("ANNOTATED", 1, **facts)

    async with scene.untouched(execution):
        equal(await execution.note("ANNOTATED", 1, **facts), first)
        await refused(KeyReused, execution.note("ANNOTATED", 2, **facts))


@SUITE.case
async def a_cancel_repeated_has_one_effect(scene: Scene) -> None:
    """I3, I57: by its key, and any other request while one is open changes nothing either."""
    execution = await scene.owned()
    key = mint()
    first = await execution.cancel(batch_id=key)

    async with scene.untouched(execution):
        equal((await execution.cancel(batch_id=key)).cancel_seq, first.cancel_seq)
        equal((await execution.cancel(batch_id=mint(), reason="once more")).cancel_seq, first.cancel_seq)


@SUITE.case
async def a_terminate_repeated_has_one_effect(scene: Scene) -> None:
    """I3: the first answer; another one under another key finds a terminal execution."""
    execution = await scene.owned()
    key = mint()
    first = await execution.terminate(batch_id=key)

    async with scene.untouched(execution):
        equal((await execution.terminate(batch_id=key)).seq, first.seq)
        holds(isinstance(await attempt(execution.terminate(batch_id=mint())), LoomError), "a second end is refused")


@SUITE.case
async def a_fail_repeated_has_one_effect(scene: Scene) -> None:
    """I3: the first answer."""
    execution = await scene.owned()
    key = mint()
    first = await execution.fail(batch_id=key, failure=RawJson('{"type":"X"}'))

    async with scene.untouched(execution):
        equal((await execution.fail(batch_id=key, failure=RawJson('{"type":"X"}'))).seq, first.seq)


@SUITE.case
async def a_claim_repeated_gets_the_same_grant(scene: Scene) -> None:
    """I24, H34: the same nonce finds itself: one bump, the same credential."""
    execution = await scene.start()
    call = execution.claim_call(token=(await execution.head()).token)
    first = await scene.store.claim(call)

    async with scene.untouched(execution):
        again = await scene.store.claim(call)

    equal((again.credential, again.lease_until), (first.credential, first.lease_until))


@SUITE.case
async def a_claim_repeated_after_a_take_over_is_refused(scene: Scene) -> None:
    """I24: the repeat finds another grant, and the token it saw is old."""
    execution = await scene.start()
    call = execution.claim_call(SHORT_LEASE_MS, token=(await execution.head()).token)
    await scene.store.claim(call)
    await scene.pass_time(SHORT_LEASE_MS + 1)
    await execution.claim_when_due()

    async with scene.untouched(execution):
        await refused((Stale, LeaseHeld, NotClaimable), scene.store.claim(call))


@SUITE.case
async def a_poll_repeated_gets_what_it_still_holds(scene: Scene) -> None:
    """I24: `claims` with the same nonce answers the same executions and hands out no more."""
    for _ in range(2):
        await scene.start()
    call = c.ClaimRunnable(
        namespace=scene.namespace,
        queue=scene.queue,
        workflows=("conformance@0",),
        max=1,
        nonce=mint_nonce(),
        owner="w",
        ttl_ms=LEASE_MS,
    )
    first = await scene.store.claim_runnable(call)

    again = await scene.store.claim_runnable(call)

    equal(len(first.items), 1)
    equal([item.credential for item in again.items], [item.credential for item in first.items])


@SUITE.case
async def an_acquire_repeated_gets_the_same_grant(scene: Scene) -> None:
    """H10: a lost answer of acquire-if-parked burns no token and does not look like a rival."""
    execution = await scene.parked()
    call = execution.acquire_call(token=(await execution.head()).token)
    first = await scene.store.acquire_if_parked(call)

    async with scene.untouched(execution):
        equal((await scene.store.acquire_if_parked(call)).credential, first.credential)


@SUITE.case
async def a_message_repeated_is_one_message(scene: Scene) -> None:
    """I16: by its id: before it is read, after it was consumed, after the receiver ended."""
    execution = await scene.owned()
    facts = {"message_id": mint("message")}
    first = await execution.send("mail", 1, **facts)

    equal(await execution.send("mail", 1, **facts), first)
    equal(await execution.inbox(), [facts["message_id"]])
    await execution.park(message("mail"))
    equal(await execution.send("mail", 1, **facts), first)
    equal(await execution.inbox(), [], "the inbox, from which it was consumed")
    await execution.end()
    equal(await execution.send("mail", 1, **facts), first)

    equal((await execution.kinds()).count("MESSAGE_CONSUMED"), 1)


@SUITE.case
async def another_message_under_the_id_is_refused(scene: Scene) -> None:
    """I3, I16: other content under a message id."""
    execution = await scene.owned()
    facts = {"message_id": mint("message")}
    await execution.send("mail", 1, **facts)

    async with scene.untouched(execution):
        await refused(KeyReused, execution.send("mail", 2, **facts))
        await refused(KeyReused, execution.send("post", 1, **facts))


@SUITE.case
async def a_child_started_again_is_the_same_child(scene: Scene) -> None:
    """I39: by the call's key and by the child's key, also after the child ended."""
    parent = await scene.owned()
    call = parent.child_call("kid")
    first = await scene.store.start_child(call)

    equal(await scene.store.start_child(call), first)
    child = await parent.scene_of(first.child)
    await child.end()
    again = await scene.store.start_child(replace(call, batch_id=mint()))

    equal((again.child, again.created), (first.child, False))
    equal((await parent.kinds()).count("CHILD_STARTED"), 1)


@SUITE.case
async def a_deletion_repeated_changes_nothing(scene: Scene) -> None:
    """I46: idempotent by nature: the tombstone stays as it was."""
    execution = await scene.deleted()

    async with scene.untouched(execution):
        answer = await attempt(execution.delete())

    holds(isinstance(answer, c.Erased | Deleted), "it is told that the execution is deleted")


@SUITE.case
async def a_release_repeated_changes_nothing(scene: Scene) -> None:
    """I25: the second one presents a dead grant, and must not free a successor."""
    execution = await scene.owned()
    was = execution.held
    await execution.release()
    await execution.claim_when_due()

    async with scene.untouched(execution):
        await refused(Stale, execution.release(credential=was))


@SUITE.case
async def a_call_of_another_kind_under_the_key_is_refused(scene: Scene) -> None:
    """I3: the digest says which call it was, too."""
    execution = await scene.owned()
    key = mint()
    await execution.append("A", batch_id=key)

    async with scene.untouched(execution):
        await refused(KeyReused, execution.park(batch_id=key))
        await refused(KeyReused, execution.cancel(batch_id=key))


@SUITE.case
async def a_repeat_does_not_judge_its_sequences_again(scene: Scene) -> None:
    """I3: an append that named the tail it met is a repeat although the tail has moved."""
    execution = await scene.owned()
    call = execution.append_call(event("A", position=4), expected_seq=Sequence(1))
    first = await scene.store.append(call)
    await execution.append(event("B", position=9))

    equal((await scene.store.append(call)).first_seq, first.first_seq)
