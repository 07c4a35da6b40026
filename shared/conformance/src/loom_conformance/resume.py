"""One answer per park, what may be answered and by whom, acquire-if-parked, unknown tails, lists of what is due."""

from __future__ import annotations

import json

from loom.client.conditional import resume_under_fence
from loom.errors import (
    Deleted,
    Gone,
    IllegalTransition,
    Invalid,
    NotFound,
    NotParked,
    NotYet,
    ResumeContended,
    Stale,
)
from loom.ids import Instant, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.parks import Answer
from loom_conformance.case import Suite
from loom_conformance.checks import attempt, equal, holds, refused
from loom_conformance.scene import LEASE_MS, SHORT_LEASE_MS, UNHURRIED_MS, Scene, event
from loom_conformance.waits import child, group, message, operator, timer

SUITE = Suite("resume")
FAR_MS = 3_600_000


# --- park -------------------------------------------------------------------------------------------------------------


@SUITE.case
async def a_park_appends_suspended(scene: Scene) -> None:
    """Row park: SUSPENDED with its waits, park_seq and wake_at on the head, owner cleared, token and lease kept."""
    execution = await scene.owned()
    lease = (await execution.head()).lease_until

    parked = await execution.park(timer(5_000), message("mail"), message("post", "k", id="keyed"))

    head = await execution.head()
    suspended = (await execution.log())[-1]
    body = json.loads(suspended.payload)
    equal((suspended.seq, suspended.kind), (parked.park_seq, "EXECUTION_SUSPENDED"))
    equal((head.status, head.park_seq, head.owner), ("parked", parked.park_seq, None))
    equal((head.token, head.lease_until), (execution.held.token, lease))
    equal(head.wake_at, suspended.recorded_at + 5_000)
    equal([wait["id"] for wait in body["waits"]], ["timer", "mail", "keyed"])
    equal(body["heard"], None)
    equal(parked.answered_seq, None)


@SUITE.case
async def a_relative_timer_is_counted_by_the_store(scene: Scene) -> None:
    """I36: `delay_ms` becomes `wake_at` on the store's own clock, in the event and on the head."""
    execution = await scene.parked(timer(7_000))

    park = await execution.read_park()

    recorded_at = (await execution.log())[-1].recorded_at
    equal(park.wake_at, recorded_at + 7_000)
    equal(json.loads((await execution.log())[-1].payload)["waits"][0]["timer"]["wake_at"], recorded_at + 7_000)


@SUITE.case
async def wake_at_is_the_earliest_timer(scene: Scene) -> None:
    """Design 2: of several timers the head holds the earliest; without one it holds none."""
    execution = await scene.parked(timer(9_000, id="late"), timer(3_000, id="early"))
    other = await scene.parked(message("mail"))

    equal((await execution.head()).wake_at, (await execution.log())[-1].recorded_at + 3_000)
    equal((await other.head()).wake_at, None)


@SUITE.case
async def a_park_needs_a_wait(scene: Scene) -> None:
    """I18: what nothing can answer is refused: no wait, two of one id, a timer with both or neither of its times."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        await refused(Invalid, execution.park(waits=()))
        await refused(Invalid, execution.park(timer(0), timer(1)))
        await refused(Invalid, execution.park(timer(None)))


@SUITE.case
async def an_operator_wait_stands_alone(scene: Scene) -> None:
    """Invariants 2.3: blocked is blocked."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        await refused(Invalid, execution.park(operator(), timer(0)))


@SUITE.case
async def a_park_on_a_child_that_does_not_exist_is_refused(scene: Scene) -> None:
    """I40: members are edges of this parent; nobody could ever satisfy another."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        await refused((IllegalTransition, Invalid), execution.park(child("nobody")))
        await refused((IllegalTransition, Invalid), execution.park(group("nobody", "else")))


@SUITE.case
async def the_open_park_can_be_read(scene: Scene) -> None:
    """Design 5: `GET park`: what a resumer must know, the edges of the children named included."""
    execution = await scene.owned()
    kid = await execution.start_child("kid")
    other = await execution.start_child("other")
    await other.end()
    await execution.park(child("kid"), timer(FAR_MS))

    park = await execution.read_park()

    equal((park.execution, park.chain, park.park_seq), (execution.ref, execution.chain.chain, execution.park_seq))
    equal((park.status, park.unknown_tail, park.token), ("parked", False, execution.held.token))
    equal([wait.id for wait in park.waits], ["kid", "timer"])
    equal([(edge.child_key, edge.child) for edge in park.edges], [("kid", kid.ref)])


@SUITE.case
async def what_is_not_parked_has_no_open_park(scene: Scene) -> None:
    """Design 5: the same call on what runs or has ended shows no park."""
    for execution in (await scene.owned(), await scene.runnable(), await scene.ended()):
        park = await execution.read_park()
        equal((park.park_seq, park.waits, park.unknown_tail), (None, (), False))


# --- one answer -------------------------------------------------------------------------------------------------------


@SUITE.case
async def a_resume_is_one_transaction(scene: Scene) -> None:
    """Row resume: token + 1, grant, owner and lease cleared, RESUMED appended, runnable and unowned."""
    execution = await scene.parked()

    resumed = await execution.resume()

    head, event_ = await execution.head(), (await execution.log())[-1]
    equal(
        (event_.seq, event_.kind, event_.answers_park), (resumed.resumed_seq, "EXECUTION_RESUMED", execution.park_seq)
    )
    equal((resumed.token, head.token, head.token.counter), (head.token, head.token, execution.held.token.counter + 1))
    equal((head.status, head.shown, head.owner, head.lease_until), ("running", "runnable", None, None))
    equal((head.park_seq, head.waits, head.wake_at), (None, (), None))
    equal(json.loads(event_.payload), {"wait": "timer", "keys": None, "by": "resume"})
    await refused(Stale, execution.append("A"))


@SUITE.case
async def a_second_answer_is_not_parked(scene: Scene) -> None:
    """I9, I12: final, and it says which state it met; nothing moves."""
    execution = await scene.parked()
    await execution.resume()

    async with scene.untouched(execution):
        refusal = await refused(NotParked, execution.resume())
        await refused(NotParked, execution.resume(None))
    holds(not refusal.retryable and refusal.facts, "a final refusal that says what is there")


@SUITE.case
async def an_answer_to_another_park_is_not_parked(scene: Scene) -> None:
    """I31: positive: the park named is there and newest. A loop that parks alike is not confused."""
    execution = await scene.parked()
    old = execution.park_seq
    await execution.resume()
    await execution.claim()
    await execution.park()

    async with scene.untouched(execution):
        for wrong in (old, Sequence(1), Sequence(execution.park_seq + 1), Sequence(0)):
            await refused(NotParked, execution.resume(park_seq=wrong))
    await execution.resume()


@SUITE.case
async def what_was_never_parked_is_not_parked(scene: Scene) -> None:
    """I31: pending, running, ended: not parked, whatever the sequence named."""
    for execution in (await scene.start(), await scene.owned(), await scene.ended()):
        async with scene.untouched(execution):
            await refused(NotParked, execution.resume(park_seq=Sequence(1)))
            await refused(NotParked, execution.resume(None, park_seq=Sequence(2)))


@SUITE.case
async def a_tombstone_and_nothing_are_not_resumed(scene: Scene) -> None:
    """H6: an absence of answers is not a park: `deleted`, `not-found`, and another incarnation is `gone`."""
    execution = await scene.parked()
    park_seq = execution.park_seq
    await execution.terminate()
    await execution.delete()

    await refused(Deleted, execution.resume(park_seq=park_seq))
    await refused(NotFound, scene.unknown().resume(park_seq=park_seq))
    successor = await execution.recreate()
    async with scene.untouched(successor):
        await refused(Gone, execution.resume(park_seq=park_seq))


@SUITE.case
async def a_person_may_resume_whatever_lives_here(scene: Scene) -> None:
    """Law 4: `*` for the incarnation, still compared with the park."""
    execution = await scene.parked()

    await refused(NotParked, execution.resume(incarnation="*", park_seq=Sequence(1)))
    await execution.resume(incarnation="*")


@SUITE.case
async def a_resume_ignores_the_parkers_lease(scene: Scene) -> None:
    """Invariants 2.2: a parked execution has no body; its lease only bounds the parker's late writes."""
    execution = await scene.parked(ttl_ms=LEASE_MS)

    await execution.resume()

    await execution.claim()


@SUITE.case
async def the_parker_may_write_late_ignorable_events(scene: Scene) -> None:
    """Row park: until its lease ends, ignorable kinds, and nothing that answers."""
    execution = await scene.parked()

    await execution.append("STEP_COMPLETED", "Emitted")
    async with scene.untouched(execution):
        for kind in ("EXECUTION_COMPLETED", "EXECUTION_FAILED", "EXECUTION_CANCELLED"):
            await refused(IllegalTransition, execution.append(kind))
        await refused(IllegalTransition, execution.park())
    await execution.resume()

    await refused(Stale, execution.append("STEP_COMPLETED"))


@SUITE.case
async def the_parkers_late_writes_end_with_its_lease(scene: Scene) -> None:
    """Row park: afterwards `stale`; the park stays open."""
    execution = await scene.parked(ttl_ms=SHORT_LEASE_MS)
    await scene.pass_time(SHORT_LEASE_MS)

    async with scene.untouched(execution):
        await refused(Stale, execution.append("STEP_COMPLETED"))
    await execution.resume()


@SUITE.case
async def the_parker_cannot_answer_its_own_park(scene: Scene) -> None:
    """Invariants 2.2: while parked, the owner column tells parker and acquirer apart."""
    execution = await scene.parked()

    async with scene.untouched(execution):
        await refused((IllegalTransition, Stale), execution.resume(credential=execution.held))


# --- what may be answered ---------------------------------------------------------------------------------------------


@SUITE.case
async def a_timer_is_not_answered_early(scene: Scene) -> None:
    """I17, I36: `not-yet` before its time on the store's clock, retryable; then it is answered."""
    execution = await scene.parked(timer(UNHURRIED_MS))

    async with scene.untouched(execution):
        refusal = await refused(NotYet, execution.resume())
    await scene.pass_time(UNHURRIED_MS)
    await execution.resume()

    holds(refusal.retryable, "not-yet is retryable")


@SUITE.case
async def a_deadline_already_past_is_due_at_once(scene: Scene) -> None:
    """I18: the next park gets its own rows for what was not answered, deadlines long past included."""
    now = await scene.now()
    execution = await scene.parked(timer(wake_at=Instant(now - FAR_MS)))

    equal((await execution.head()).wake_at, now - FAR_MS)
    await execution.resume()


@SUITE.case
async def each_timer_has_its_own_time(scene: Scene) -> None:
    """I17: the wait named must be due, not some other wait of the park."""
    execution = await scene.parked(timer(0, id="due"), timer(FAR_MS, id="later"))

    await refused(NotYet, execution.resume("later"))
    await execution.resume("due")


@SUITE.case
async def a_message_wait_is_not_resumed_by_hand(scene: Scene) -> None:
    """I17: only a send or the park itself answers it."""
    execution = await scene.parked(message("mail"))

    async with scene.untouched(execution):
        await refused(IllegalTransition, execution.resume("mail"))


@SUITE.case
async def a_wait_that_the_park_does_not_have_is_not_answered(scene: Scene) -> None:
    """I18: every answer names a wait of that park, or is `null`."""
    execution = await scene.parked()

    async with scene.untouched(execution):
        await refused(IllegalTransition, execution.resume("something else"))


@SUITE.case
async def keys_are_for_children(scene: Scene) -> None:
    """I17: a timer's answer carries no keys."""
    execution = await scene.parked()

    async with scene.untouched(execution):
        await refused((IllegalTransition, Invalid), execution.resume("timer", "kid"))


@SUITE.case
async def null_reopens_any_park(scene: Scene) -> None:
    """I17, H55: an operator's answer counts as one: timer, message, child, operator."""
    parent = await scene.owned()
    await parent.start_child("kid")
    await parent.park(child("kid"))
    parks = [
        await scene.parked(timer(FAR_MS)),
        await scene.parked(message("mail")),
        parent,
        await scene.parked(operator()),
    ]

    for execution in parks:
        await execution.resume(None)
        equal(json.loads((await execution.log())[-1].payload), {"wait": None, "keys": None, "by": "operator"})
        await refused(NotParked, execution.resume(None))
        await execution.claim()


@SUITE.case
async def null_satisfies_no_wait(scene: Scene) -> None:
    """H55, I18: the body parks again, on rows of its own, and the same child and message are still there."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await parent.park(child("kid"))
    await kid.end()
    await parent.resume(None)

    equal("CHILD_OUTCOME" in await parent.kinds(), False)
    await parent.claim()
    await parent.park(child("kid"))
    await parent.resume("kid", "kid")

    equal((await parent.kinds()).count("CHILD_OUTCOME"), 1)


@SUITE.case
async def one_answer_closes_the_whole_park(scene: Scene) -> None:
    """I18: what was not satisfied is waited for again by the next park, or dropped by the body."""
    execution = await scene.parked(timer(0, id="a"), timer(0, id="b"))

    await execution.resume("a")

    await refused(NotParked, execution.resume("b"))


# --- what is ignorable gets in nobody's way ---------------------------------------------------------------------------


@SUITE.case
async def an_audit_append_between_read_and_resume_does_not_matter(scene: Scene) -> None:
    """I14: the park is named by its own sequence, not by the head of the log."""
    execution = await scene.parked()
    seen = await execution.read_park()
    await execution.note("EXECUTION_DENIED")

    resumed = await execution.resume(park_seq=seen.park_seq)

    equal(resumed.resumed_seq, execution.park_seq + 2)


@SUITE.case
async def an_audit_append_between_acquire_and_answer_does_not_matter(scene: Scene) -> None:
    """I14: neither does it for an acquirer."""
    execution = await scene.parked()
    credential = await execution.acquire()
    await execution.note("ANNOTATED")

    await execution.resume(credential=credential)


@SUITE.case
async def a_sibling_that_goes_on_emitting_blocks_no_resume(scene: Scene) -> None:
    """I14: late ignorable events of the parker's grant land before the answer, or are stale after it."""
    execution = await scene.parked()
    for _ in range(5):
        await execution.append("Emitted")

    await execution.resume()

    log = await execution.log()
    equal([each.seq for each in log], list(range(1, len(log) + 1)))


# --- acquire-if-parked ------------------------------------------------------------------------------------------------


@SUITE.case
async def an_acquire_takes_the_token_of_an_open_park(scene: Scene) -> None:
    """Row acquire-if-parked: token + 1, owner set, lease, still parked; the parker is fenced out."""
    execution = await scene.parked()

    credential = await execution.acquire(owner="engine")

    head = await execution.head()
    equal((head.status, head.park_seq, head.owner), ("parked", execution.park_seq, "engine"))
    equal((head.token, credential.token.counter), (credential.token, execution.held.token.counter + 1))
    holds(head.lease_until is not None, "the acquirer has a lease")
    await refused(Stale, execution.append("STEP_COMPLETED"))


@SUITE.case
async def an_acquire_compares_the_token(scene: Scene) -> None:
    """Row acquire-if-parked: otherwise `stale` with the current token, and nothing changes."""
    execution = await scene.parked()
    current = (await execution.head()).token

    async with scene.untouched(execution):
        for token in (Token(0), Token(current - 1), Token(current + 1)):
            refusal = await refused(Stale, execution.acquire(token=token))
            equal(getattr(refusal, "current_token", None), current)


@SUITE.case
async def an_acquire_compares_the_park(scene: Scene) -> None:
    """H6: the token alone is not enough: running, answered and otherwise parked executions are not acquired."""
    answered, running, other = await scene.runnable(), await scene.owned(), await scene.parked()

    async with scene.untouched(answered, running, other):
        await refused(Stale, answered.acquire())
        await refused(Stale, running.acquire(park_seq=Sequence(1)))
        await refused(Stale, other.acquire(park_seq=Sequence(other.park_seq - 1)))
        await refused(Stale, other.acquire(park_seq=Sequence(other.park_seq + 1)))


@SUITE.case
async def an_acquire_finds_no_tombstone_and_no_other_incarnation(scene: Scene) -> None:
    """H6: on a tombstone there is no current token to report: `deleted`; another incarnation: `gone`."""
    execution = await scene.parked()
    token = execution.held.token
    await execution.terminate()
    await execution.delete()

    await refused(Deleted, execution.acquire(token=token))
    await refused(NotFound, scene.unknown().acquire(token=token, park_seq=Sequence(2)))
    successor = await execution.recreate()
    async with scene.untouched(successor):
        await refused(Gone, execution.acquire(token=token))


@SUITE.case
async def an_acquirer_may_answer_and_nothing_else(scene: Scene) -> None:
    """Row acquire-if-parked: its RESUMED acts as a resume without a second bump; any other append is refused."""
    execution = await scene.parked()
    credential = await execution.acquire()
    async with scene.untouched(execution):
        for kind in ("STEP_COMPLETED", "Emitted", "EXECUTION_COMPLETED", "EXECUTION_FAILED"):
            await refused(IllegalTransition, execution.append(kind, credential=credential))
        await refused(IllegalTransition, execution.park(credential=credential))

    resumed = await execution.resume(credential=credential)

    head = await execution.head()
    equal((resumed.token, head.token), (credential.token, credential.token))
    equal((head.status, head.owner, head.lease_until), ("running", None, None))
    await refused(Stale, execution.append("A", credential=credential))


@SUITE.case
async def an_acquirers_answer_is_checked_like_any(scene: Scene) -> None:
    """I17: it names a wait that may be answered; too early, by hand or unknown is refused."""
    execution = await scene.parked(timer(FAR_MS), message("mail"))
    credential = await execution.acquire()

    async with scene.untouched(execution):
        await refused(NotYet, execution.resume("timer", credential=credential))
        await refused(IllegalTransition, execution.resume("mail", credential=credential))
        await refused(IllegalTransition, execution.resume("else", credential=credential))


@SUITE.case
async def a_dead_acquirer_bars_nobody(scene: Scene) -> None:
    """Row acquire-if-parked: a resume, another acquire and a send all pass over its lease."""
    for answer in ("resume", "acquire", "send"):
        execution = await scene.parked(timer(0), message("mail"))
        dead = await execution.acquire()
        match answer:
            case "resume":
                await execution.resume()
            case "acquire":
                await execution.resume(credential=await execution.acquire())
            case "send":
                await execution.send("mail")
        await refused(Stale, execution.resume(credential=dead))
        equal((await execution.kinds()).count("EXECUTION_RESUMED"), 1, f"answers after {answer}")


@SUITE.case
async def an_acquirer_whose_lease_ended_answers_nothing(scene: Scene) -> None:
    """I25: its RESUMED is `stale`, the park is open."""
    execution = await scene.parked()
    credential = await execution.acquire(ttl_ms=SHORT_LEASE_MS)
    await scene.pass_time(SHORT_LEASE_MS)

    async with scene.untouched(execution):
        await refused(Stale, execution.resume(credential=credential))
    await execution.resume()


# --- unknown tails ----------------------------------------------------------------------------------------------------


@SUITE.case
async def an_unknown_stamped_kind_makes_every_answer_contended(scene: Scene) -> None:
    """I15, H19: the status stays parked, the park is unknown; claim, resume, acquire and cancel come back later."""
    hook = scene.hook
    execution = await scene.parked(timer(0), message("mail"))

    await hook.append_stamped(execution.ref, "EXECUTION_FROM_THE_FUTURE")

    head = await execution.head()
    equal((head.status, head.park_seq, head.unknown_tail), ("parked", None, True))
    equal((await execution.read_park()).unknown_tail, True)
    async with scene.untouched(execution):
        for call in (
            execution.resume(),
            execution.resume(None),
            execution.claim(),
            execution.acquire(),
            execution.cancel(),
        ):
            refusal = await refused(ResumeContended, call)
            holds(refusal.retryable, "contended is never final")


@SUITE.case
async def an_unknown_tail_can_be_terminated(scene: Scene) -> None:
    """I29, H19: terminate and fail work."""
    hook = scene.hook
    terminated, failed = await scene.parked(), await scene.parked()
    for execution in (terminated, failed):
        await hook.append_stamped(execution.ref, "EXECUTION_FROM_THE_FUTURE")

    await terminated.terminate()
    await failed.fail()

    equal(((await terminated.head()).status, (await failed.head()).status), ("cancelled", "failed"))


@SUITE.case
async def mail_for_an_unknown_tail_waits(scene: Scene) -> None:
    """I15, I16: a message is kept, and answers nothing that this server cannot judge."""
    hook = scene.hook
    execution = await scene.parked(message("mail"))
    await hook.append_stamped(execution.ref, "EXECUTION_FROM_THE_FUTURE")

    sent = await execution.send("mail")

    equal((sent.resumed, len(await execution.inbox())), (False, 1))


@SUITE.case
async def an_unstamped_unknown_kind_is_ignorable(scene: Scene) -> None:
    """I15, H18: an application's event of any name blocks no resume."""
    execution = await scene.parked()
    await execution.append("EXECUTION_FROM_THE_FUTURE")

    await execution.resume()


# --- resume_under_fence -----------------------------------------------------------------------------------------------


@SUITE.case
async def resume_under_fence_answers_an_open_park(scene: Scene) -> None:
    """Design 2: acquire, then RESUMED under its grant: one bump, one answer, runnable."""
    execution = await scene.parked()

    await resume_under_fence(scene.store, execution.ref, execution.park_seq, Answer(wait="timer"))

    head = await execution.head()
    equal((head.status, head.shown, head.token.counter), ("running", "runnable", execution.held.token.counter + 1))
    await execution.claim()


@SUITE.case
async def resume_under_fence_copies_outcomes(scene: Scene) -> None:
    """I17: it names wait and keys, the store copies."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await parent.park(child("kid"))
    await kid.end(value=42)

    await resume_under_fence(scene.store, parent.ref, parent.park_seq, Answer(wait="kid", keys=("kid",)))

    equal((await parent.kinds())[-2:], ["CHILD_OUTCOME", "EXECUTION_RESUMED"])


@SUITE.case
async def resume_under_fence_judges_before_it_acquires(scene: Scene) -> None:
    """I13: what can refuse without appending is judged first: the token has not moved."""
    parent = await scene.owned()
    await parent.start_child("kid")
    await parent.park(child("kid"), message("mail"))

    async with scene.untouched(parent):
        for answer in (
            Answer(wait="nothing"),
            Answer(wait="mail"),
            Answer(wait="kid", keys=("kid",)),
            Answer(wait="kid"),
        ):
            await refused(IllegalTransition, resume_under_fence(scene.store, parent.ref, parent.park_seq, answer))


@SUITE.case
async def resume_under_fence_tells_final_from_contended(scene: Scene) -> None:
    """I12: answered, another park, ended: NotParked; deleted, another incarnation: gone; unknown tail: contended."""
    answered, other, ended = await scene.runnable(), await scene.parked(), await scene.ended()
    answer = Answer(wait="timer")

    await refused(NotParked, resume_under_fence(scene.store, answered.ref, answered.park_seq, answer))
    await refused(NotParked, resume_under_fence(scene.store, other.ref, Sequence(other.park_seq - 1), answer))
    await refused(NotParked, resume_under_fence(scene.store, ended.ref, Sequence(2), answer))
    await other.terminate()
    await other.delete()
    await refused(Deleted, resume_under_fence(scene.store, other.ref, other.park_seq, answer))
    await other.recreate()
    await refused(Gone, resume_under_fence(scene.store, other.ref, other.park_seq, answer))


@SUITE.case
async def resume_under_fence_waits_for_a_newer_server(scene: Scene) -> None:
    """H19: an unknown tail is contended, and nothing is acquired."""
    hook = scene.hook
    execution = await scene.parked()
    await hook.append_stamped(execution.ref, "EXECUTION_FROM_THE_FUTURE")

    async with scene.untouched(execution):
        await refused(
            ResumeContended, resume_under_fence(scene.store, execution.ref, execution.park_seq, Answer(wait="timer"))
        )


@SUITE.case
async def resume_under_fence_gives_back_what_it_could_not_use(scene: Scene) -> None:
    """I13: a timer that is not due is known to the store alone: `not-yet`, log untouched, nobody left as owner."""
    execution = await scene.parked(timer(FAR_MS))
    log = await execution.log()

    await refused(NotYet, resume_under_fence(scene.store, execution.ref, execution.park_seq, Answer(wait="timer")))

    equal(await execution.log(), log)
    equal((await execution.head()).owner, None)


@SUITE.case
async def resume_under_fence_can_reopen_with_null(scene: Scene) -> None:
    """H55: no answer is an answer."""
    execution = await scene.parked(message("mail"))

    await resume_under_fence(scene.store, execution.ref, execution.park_seq, None)

    equal(json.loads((await execution.log())[-1].payload)["wait"], None)


# --- what is due ------------------------------------------------------------------------------------------------------


@SUITE.case
async def overdue_parks_are_listed(scene: Scene) -> None:
    """I32: from `wake_at` on the heads, with what the wake must name; not before their time, not once answered."""
    execution = await scene.parked(timer(SHORT_LEASE_MS, id="early"), timer(FAR_MS, id="late"))
    equal(await execution.due("overdue"), [])

    await scene.pass_time(SHORT_LEASE_MS + 10)

    (due,) = await execution.due("overdue")
    equal((due.chain, due.park_seq, due.wait), (execution.chain.chain, execution.park_seq, "early"))
    equal(await execution.due("overdue", grace_ms=FAR_MS), [])
    await execution.resume(due.wait, park_seq=due.park_seq)
    equal(await execution.due("overdue"), [])


@SUITE.case
async def satisfied_parks_are_listed(scene: Scene) -> None:
    """I38: from heads and edges, with the keys that the resume must name."""
    parent = await scene.owned()
    kids = [await parent.start_child(key) for key in ("a", "b")]
    await parent.park(group("a", "b"))
    await kids[0].end()
    equal(await parent.due("satisfied"), [])

    await kids[1].end()

    (due,) = await parent.due("satisfied")
    equal((due.park_seq, due.wait, sorted(due.keys)), (parent.park_seq, "group", ["a", "b"]))
    await parent.resume(due.wait, *due.keys)
    equal(await parent.due("satisfied"), [])


@SUITE.case
async def a_child_that_ended_before_the_park_satisfies_it(scene: Scene) -> None:
    """H41: both facts are triggers; whichever came second, the park is listed."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await kid.end()

    await parent.park(child("kid"))

    equal([due.wait for due in await parent.due("satisfied")], ["kid"])


@SUITE.case
async def overdue_cancels_are_listed_and_terminated(scene: Scene) -> None:
    """I57: the request's deadline passed, renewed lease or not: listed, and ended by exactly that request."""
    execution = await scene.owned()
    request = await execution.cancel(deadline_ms=SHORT_LEASE_MS)
    await refused(NotYet, execution.terminate(cancel_seq=request.cancel_seq))
    equal(await execution.due("cancels"), [])
    await scene.pass_time(SHORT_LEASE_MS + 1)
    await execution.renew()

    (due,) = await execution.due("cancels")
    equal(due.cancel_seq, request.cancel_seq)
    await execution.terminate(cancel_seq=due.cancel_seq)

    equal(json.loads((await execution.log())[-1].payload)["by"], "deadline")
    equal(await execution.due("cancels"), [])


@SUITE.case
async def overdue_deadlines_are_listed_and_become_requests(scene: Scene) -> None:
    """I57: a passed `deadline_at` becomes a cancel request; not before it has passed."""
    execution = await scene.owned(timeout_ms=SHORT_LEASE_MS)
    await refused(NotYet, execution.cancel(by="deadline"))
    equal(await execution.due("deadlines"), [])
    await scene.pass_time(SHORT_LEASE_MS + 1)

    (due,) = await execution.due("deadlines")
    await execution.cancel(by="deadline", chain=due.chain)

    equal((await execution.kinds())[-1], "EXECUTION_CANCEL_REQUESTED")
    equal(await execution.due("deadlines"), [])


@SUITE.case
async def why_leads_from_a_parent_to_its_child(scene: Scene) -> None:
    """Design 5: the causal chain names what each link waits for; the child's own says what it lacks."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await parent.park(child("kid"), timer(FAR_MS))

    about_parent = await scene.store.read_why(c.ReadWhy(**parent.at))
    about_child = await scene.store.read_why(c.ReadWhy(**kid.at))

    equal((about_parent.head.park_seq, about_child.head.status), (parent.park_seq, "pending"))
    holds(kid.ref in [reason.execution for reason in about_parent.reasons], "the parent's reasons lead to the child")
    holds(about_child.reasons, "the child's reasons say what it lacks")


# --- cancel, terminate, fail ------------------------------------------------------------------------------------------


@SUITE.case
async def a_pending_execution_is_cancelled_at_once(scene: Scene) -> None:
    """I57: the first link has nothing to undo."""
    execution = await scene.start()

    answer = await execution.cancel(reason="no need")

    last = (await execution.log())[-1]
    equal((answer.status, answer.cancel_seq, last.kind), ("cancelled", None, "EXECUTION_CANCELLED"))
    equal(json.loads(last.payload)["by"], "request")


@SUITE.case
async def a_cancel_answers_an_open_park_with_null(scene: Scene) -> None:
    """I57: request and answer in one transaction; token + 1, runnable, the body meets it."""
    execution = await scene.parked(message("mail"))

    answer = await execution.cancel()

    log = await execution.log()
    equal([each.kind for each in log[-2:]], ["EXECUTION_CANCEL_REQUESTED", "EXECUTION_RESUMED"])
    equal(json.loads(log[-1].payload), {"wait": None, "keys": None, "by": "cancel"})
    equal((log[-1].answers_park, answer.cancel_seq), (execution.park_seq, log[-2].seq))
    equal((await execution.head()).shown, "runnable")
    await refused(Stale, execution.append("A"))


@SUITE.case
async def a_running_owner_is_told_of_a_cancel(scene: Scene) -> None:
    """I57: in the answers to its next append and renewal; its grant is untouched."""
    execution = await scene.owned()
    equal((await execution.append("A")).waiting.cancel_seq, None)

    request = await execution.cancel()

    equal((await execution.append("A")).waiting.cancel_seq, request.cancel_seq)
    equal((await execution.renew()).waiting.cancel_seq, request.cancel_seq)
    await execution.append(event("EXECUTION_CANCELLED"))
    equal((await execution.head()).status, "cancelled")


@SUITE.case
async def a_claimer_is_told_of_a_cancel(scene: Scene) -> None:
    """I57: a request that came while nobody ran it is on the head that the claim answers with."""
    execution = await scene.runnable()
    request = await execution.cancel()

    claimed = await execution.claim()

    equal((request.status, claimed.head.cancel_seq), ("running", request.cancel_seq))
    equal(request.cancel_seq, (await execution.head()).last_seq)


@SUITE.case
async def a_park_that_has_not_heard_the_request_answers_itself(scene: Scene) -> None:
    """I57, H49: with `null`, in the same transaction: the request met the park in flight."""
    execution = await scene.owned()
    await execution.cancel()

    parked = await execution.park(timer(FAR_MS))

    log = await execution.log()
    equal((parked.answered_seq, log[-1].kind), (log[-1].seq, "EXECUTION_RESUMED"))
    equal(json.loads(log[-1].payload), {"wait": None, "keys": None, "by": "park"})
    equal((await execution.head()).shown, "runnable")


@SUITE.case
async def a_park_that_has_heard_the_request_stays(scene: Scene) -> None:
    """I57: the body cleans up and may wait for something while it does."""
    execution = await scene.owned()
    request = await execution.cancel()

    parked = await execution.park(timer(FAR_MS), heard=request.cancel_seq)

    equal((parked.answered_seq, (await execution.head()).status), (None, "parked"))
    equal(json.loads((await execution.log())[-1].payload)["heard"], request.cancel_seq)
    async with scene.untouched(execution):
        await execution.cancel()


@SUITE.case
async def a_cancel_of_what_has_ended_is_refused(scene: Scene) -> None:
    """I57: ended, deleted, another chain: each its own answer."""
    ended, deleted, living = await scene.ended(), await scene.deleted(), await scene.owned()

    async with scene.untouched(ended, living):
        await refused(IllegalTransition, ended.cancel())
        await refused(Deleted, deleted.cancel())
        await refused(NotFound, scene.unknown().cancel())
        await refused(Gone, living.cancel(chain=scene.unknown().chain.chain))
    await living.cancel(chain="*")


@SUITE.case
async def an_owner_cancels_itself_only_on_request(scene: Scene) -> None:
    """Invariants 2.3: EXECUTION_CANCELLED by the owner comes after a request."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        await refused(IllegalTransition, execution.append(event("EXECUTION_CANCELLED")))


@SUITE.case
async def terminate_and_fail_end_whatever_lives(scene: Scene) -> None:
    """I29: pending, owned, parked, runnable, acquired: token + 1, grant and park cleared, the owner is stale."""
    acquired = await scene.parked()
    await acquired.acquire()
    for execution in (await scene.start(), await scene.owned(), await scene.parked(), await scene.runnable(), acquired):
        before = await execution.head()

        ended = await (execution.terminate() if execution is not acquired else execution.fail())

        head = await execution.head()
        equal((ended.token, head.token.counter), (head.token, before.token.counter + 1))
        equal((head.owner, head.lease_until, head.park_seq, head.waits, head.wake_at), (None, None, None, (), None))
        if execution.credential:
            await refused(Stale, execution.append("A"))


@SUITE.case
async def terminate_and_fail_name_what_they_saw(scene: Scene) -> None:
    """Law 4: another incarnation is gone, an end is not ended again, a tombstone is deleted; a person may write `*`."""
    living, ended, deleted = await scene.owned(), await scene.ended(), await scene.deleted()

    async with scene.untouched(living, ended):
        for act in ("terminate", "fail"):
            await refused(Gone, getattr(living, act)(incarnation=scene.unknown().ref.incarnation))
            await refused(IllegalTransition, getattr(ended, act)())
            await refused(Deleted, getattr(deleted, act)())
            await refused(NotFound, getattr(scene.unknown(), act)())
    await living.terminate(incarnation="*")


@SUITE.case
async def a_cancelled_event_says_by_what(scene: Scene) -> None:
    """Design 2: request, deadline, terminate."""
    requested, terminated = await scene.owned(), await scene.owned()
    await requested.cancel()
    await requested.append(event("EXECUTION_CANCELLED", {"undone": 3}))
    await terminated.terminate(reason="enough")

    equal(
        [json.loads((await each.log())[-1].payload) for each in (requested, terminated)],
        [
            {"by": "request", "reason": None, "detail": {"undone": 3}},
            {"by": "terminate", "reason": "enough", "detail": None},
        ],
    )


# --- the audit call ---------------------------------------------------------------------------------------------------


@SUITE.case
async def the_audit_call_needs_no_credential(scene: Scene) -> None:
    """I28, H17: a denial is recorded on what is fenced, parked or ended; token, grant and lease stay."""
    for execution in (await scene.start(), await scene.owned(), await scene.parked(), await scene.ended()):
        before = await execution.head()

        noted = await execution.note("EXECUTION_DENIED", {"who": "somebody"})

        head = await execution.head()
        equal((noted.seq, head.last_seq), (before.last_seq + 1, noted.seq))
        equal((head.token, head.owner, head.lease_until), (before.token, before.owner, before.lease_until))
        equal((head.status, head.park_seq), (before.status, before.park_seq))


@SUITE.case
async def the_audit_call_compares_what_was_observed(scene: Scene) -> None:
    """Row append-if-unchanged: token, and `last_seq` if given; never presented, never bumped."""
    execution = await scene.owned()
    head = await execution.head()

    async with scene.untouched(execution):
        for wrong in (
            {"token": Token(head.token - 1)},
            {"token": Token(head.token + 1)},
            {"token": head.token, "last_seq": Sequence(head.last_seq + 1)},
            {"last_seq": Sequence(0)},
        ):
            answer = await attempt(execution.note(**wrong))
            equal(getattr(answer, "code", answer), "unchanged-mismatch")
    await execution.note(token=head.token, last_seq=head.last_seq)


@SUITE.case
async def the_audit_call_takes_audit_kinds_only(scene: Scene) -> None:
    """I28, H17: with any kind every reader could write, and the fence is gone."""
    execution, ended = await scene.owned(), await scene.ended()
    token = (await execution.head()).token

    async with scene.untouched(execution, ended):
        for kind in ("EXECUTION_COMPLETED", "EXECUTION_RESUMED", "STEP_COMPLETED", "Emitted", "EXECUTION_STARTED"):
            await refused((IllegalTransition, Invalid), execution.note(kind, token=token))
            await refused((IllegalTransition, Invalid), ended.note(kind))


@SUITE.case
async def the_audit_call_names_the_incarnation(scene: Scene) -> None:
    """Law 4: another one is gone; nothing and tombstones take no notes."""
    execution, deleted = await scene.owned(), await scene.deleted()

    async with scene.untouched(execution, deleted):
        await refused(Gone, execution.note(incarnation=scene.unknown().ref.incarnation))
        await refused(Deleted, deleted.note())
        await refused(NotFound, scene.unknown().note())
    await execution.note(incarnation="*")
