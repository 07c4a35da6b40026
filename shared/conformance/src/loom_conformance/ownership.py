"""Claim, renew, release, take-over, expired leases, fruitless claims, single-writer mode and its end, duties."""

from __future__ import annotations

import json
from dataclasses import replace

from loom.errors import (
    CredentialRequired,
    Deleted,
    ForeignCredential,
    Gone,
    IllegalTransition,
    Invalid,
    LeaseHeld,
    LoomError,
    LostHistory,
    NotClaimable,
    NotFound,
    NotYet,
    Stale,
    UnchangedMismatch,
)
from loom.ids import Credential, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.raw_json import encode
from loom_conformance.case import Suite
from loom_conformance.checks import all_at_once, attempt, equal, holds, refused
from loom_conformance.scene import LEASE_MS, SHORT_LEASE_MS, UNHURRIED_MS, Execution, Scene, event, mint, mint_nonce
from loom_conformance.waits import operator, timer

SUITE = Suite("ownership")
SLEEPS = 30


# --- start ------------------------------------------------------------------------------------------------------------


@SUITE.case
async def a_fresh_head_has_token_zero(scene: Scene) -> None:
    """Row start: token 0, pending, a new incarnation, nobody's."""
    first, second = await scene.start(), await scene.start()

    head = await first.head()

    equal((head.token, head.status, head.owner, head.lease_until, head.fruitless_claims), (0, "pending", None, None, 0))
    holds(first.ref.incarnation != second.ref.incarnation, "incarnations differ")


@SUITE.case
async def a_delayed_start_is_claimed_when_its_time_has_come(scene: Scene) -> None:
    """Row claim: `not_before` must be past; until then `not-yet`, which is retryable."""
    execution = await scene.start(delay_ms=UNHURRIED_MS)

    async with scene.untouched(execution):
        refusal = await refused(NotYet, execution.claim())
    await scene.pass_time(UNHURRIED_MS + 1)
    await execution.claim()

    holds(refusal.retryable, "not-yet is retryable")


# --- claim ------------------------------------------------------------------------------------------------------------


@SUITE.case
async def a_claim_takes_the_next_token(scene: Scene) -> None:
    """Row claim: token + 1 in the store's epoch, a grant, an owner, a lease; pending becomes running."""
    execution = await scene.start()
    epoch = (await scene.store.read_store(c.ReadStore())).epoch

    claimed = await execution.claim(owner="w1")

    head = await execution.head()
    equal((head.status, head.owner, head.token), ("running", "w1", claimed.credential.token))
    equal((head.token.epoch, head.token.counter), (epoch, 1))
    equal((head.lease_until, claimed.ttl_ms), (claimed.lease_until, LEASE_MS))
    equal(claimed.head.token, head.token)
    equal(await execution.kinds(), ["EXECUTION_STARTED"], "the log, to which a claim appends nothing")


@SUITE.case
async def an_answered_execution_can_be_claimed(scene: Scene) -> None:
    """Row claim: running and unowned, as a resume leaves it."""
    execution = await scene.runnable()
    before = (await execution.head()).token

    await execution.claim()

    equal(execution.held.token.counter, before.counter + 1)


@SUITE.case
async def a_live_lease_is_never_taken(scene: Scene) -> None:
    """I24: not by another owner; the refusal is retryable."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        refusal = await refused(LeaseHeld, execution.claim())

    holds(refusal.retryable, "lease-held is retryable")
    await execution.append("A")


@SUITE.case
async def a_claim_is_not_reentrant(scene: Scene) -> None:
    """I24, law 5: not even its own owner takes a live lease; only the same nonce is a repeat."""
    execution = await scene.start()
    await execution.claim(owner="w1")

    async with scene.untouched(execution):
        await refused(LeaseHeld, execution.claim(owner="w1"))

    await execution.append("A")


@SUITE.case
async def an_expired_lease_can_be_taken_over(scene: Scene) -> None:
    """Row claim: at equality a lease is dead; the next claim takes token + 1."""
    execution = await scene.owned(SHORT_LEASE_MS)
    was = execution.held

    await scene.pass_time(SHORT_LEASE_MS)
    await execution.claim()

    equal(execution.held.token.counter, was.token.counter + 1)
    await refused(Stale, execution.append("A", credential=was))
    await execution.append("A")


@SUITE.case
async def a_claim_names_the_token_it_saw(scene: Scene) -> None:
    """I24: a compare-and-set on the token, else a rescuer hits an owner who came after the look."""
    execution = await scene.owned()
    seen = (await execution.head()).token
    await execution.release()
    await execution.claim()
    await execution.release()

    async with scene.untouched(execution):
        for token in (seen, Token(0), seen.next(seen.epoch).next(seen.epoch)):
            await refused((Stale, NotClaimable), execution.claim(token=token))


@SUITE.case
async def a_claim_names_the_incarnation_it_saw(scene: Scene) -> None:
    """Law 4: another incarnation is gone; a person may write `*`."""
    execution = await scene.start()

    async with scene.untouched(execution):
        await refused(Gone, execution.claim(incarnation=scene.unknown().ref.incarnation))
    await execution.claim(incarnation="*")


@SUITE.case
async def eight_claimers_make_one_owner(scene: Scene) -> None:
    """I20: one token, one grant."""
    execution = await scene.start()
    token = (await execution.head()).token

    answers = await all_at_once(scene.store.claim(execution.claim_call(token=token)) for _ in range(8))

    granted = [answer for answer in answers if isinstance(answer, c.Claimed)]
    equal(len(granted), 1, "grants")
    equal((await execution.head()).token, granted[0].credential.token)


@SUITE.case
async def of_two_rescuers_one_takes_over(scene: Scene) -> None:
    """I24: both saw the same expired lease; the second one's token is old."""
    execution = await scene.owned(SHORT_LEASE_MS)
    token = execution.held.token
    await scene.pass_time(SHORT_LEASE_MS + 1)

    first = await attempt(scene.store.claim(execution.claim_call(token=token)))
    second = await attempt(scene.store.claim(execution.claim_call(token=token)))

    holds(isinstance(first, c.Claimed), "the first rescuer owns it")
    holds(isinstance(second, LeaseHeld | Stale | NotClaimable), "the second is refused")


@SUITE.case
async def what_is_parked_cannot_be_claimed(scene: Scene) -> None:
    """Row claim: resume first."""
    execution = await scene.parked()

    async with scene.untouched(execution):
        await refused(NotClaimable, execution.claim())


@SUITE.case
async def what_has_ended_cannot_be_claimed(scene: Scene) -> None:
    """Row claim: a terminal execution never runs again (I57)."""
    for kind in ("EXECUTION_COMPLETED", "EXECUTION_FAILED", "EXECUTION_CANCELLED"):
        execution = await scene.ended(kind)
        async with scene.untouched(execution):
            await refused(NotClaimable, execution.claim())


@SUITE.case
async def a_tombstone_or_nothing_cannot_be_claimed(scene: Scene) -> None:
    """Row claim: `deleted` and `not-found`, and nothing is made."""
    execution, unknown = await scene.deleted(), scene.unknown()

    await refused(Deleted, scene.store.claim(execution.claim_call(token=Token(0))))
    await refused(NotFound, scene.store.claim(unknown.claim_call(token=Token(0))))
    await refused(NotFound, unknown.head())


@SUITE.case
async def a_lease_has_bounds(scene: Scene) -> None:
    """Design 9: 250 ms to 24 h, refused before anything is written."""
    execution, limits = await scene.start(), await scene.limits()

    async with scene.untouched(execution):
        for ttl_ms in (0, -1, limits.lease_min_ms - 1, limits.lease_max_ms + 1):
            await refused(Invalid, execution.claim(ttl_ms))
    await execution.claim(limits.lease_max_ms)
    async with scene.untouched(execution):
        await refused(Invalid, execution.renew(limits.lease_min_ms - 1))
        await refused(Invalid, execution.renew(limits.lease_max_ms + 1))


@SUITE.case
async def a_new_epoch_kills_every_grant(scene: Scene) -> None:
    """I19, law 2: after a restore an older grant is dead, nothing is cleared, nobody waits."""
    hook = scene.hook
    execution = await scene.owned()
    was = execution.held

    epoch = await hook.raise_epoch()

    async with scene.untouched(execution):
        await refused(Stale, execution.append("A"))
        await refused(Stale, execution.renew())
        await refused(Stale, execution.release())
        await refused(Stale, execution.park())
    await execution.claim_when_due()
    equal((execution.held.token.epoch, execution.held.token.counter), (epoch, was.token.counter + 1))


# --- renew and release ------------------------------------------------------------------------------------------------


@SUITE.case
async def a_renewal_stretches_the_lease(scene: Scene) -> None:
    """Row renew: now + time-to-live; token and owner stay."""
    execution = await scene.owned(1_000)
    before = await execution.head()

    renewed = await execution.renew(LEASE_MS)

    head = await execution.head()
    equal((renewed.ttl_ms, head.lease_until), (LEASE_MS, renewed.lease_until))
    equal((head.token, head.owner), (before.token, before.owner))
    holds(renewed.lease_until > (before.lease_until or 0), "the lease ends later")


@SUITE.case
async def an_expired_lease_cannot_be_renewed(scene: Scene) -> None:
    """I25: dead before anybody took over; its holder must claim again."""
    execution = await scene.owned(SHORT_LEASE_MS)
    await scene.pass_time(SHORT_LEASE_MS)

    async with scene.untouched(execution):
        await refused(Stale, execution.renew())


@SUITE.case
async def an_expired_lease_cannot_be_released(scene: Scene) -> None:
    """I25: its count is not given back, and nothing is freed that a successor may hold."""
    execution = await scene.owned(SHORT_LEASE_MS)
    await scene.pass_time(SHORT_LEASE_MS)

    async with scene.untouched(execution):
        await refused(Stale, execution.release())


@SUITE.case
async def an_expired_lease_writes_nothing(scene: Scene) -> None:
    """I25, law 5: with one writer and nobody else around, its late append and park are refused all the same."""
    execution = await scene.owned(SHORT_LEASE_MS)
    await scene.pass_time(SHORT_LEASE_MS)

    async with scene.untouched(execution):
        await refused(Stale, execution.append("A"))
        await refused(Stale, execution.park())


@SUITE.case
async def a_stale_renewal_does_not_stretch_the_successors_lease(scene: Scene) -> None:
    """I25: the guard is on the locked head."""
    execution = await scene.owned(SHORT_LEASE_MS)
    was = execution.held
    await scene.pass_time(SHORT_LEASE_MS)
    await execution.claim()

    async with scene.untouched(execution):
        await refused(Stale, execution.renew(credential=was))


@SUITE.case
async def a_release_frees_and_keeps_the_token(scene: Scene) -> None:
    """Row release: owner, grant and lease cleared; the next claim takes token + 1."""
    execution = await scene.owned()
    was = execution.held

    released = await execution.release()

    head = await execution.head()
    equal((released.token, head.token), (was.token, was.token))
    equal((head.owner, head.lease_until, head.status, head.shown), (None, None, "running", "runnable"))
    await refused(Stale, execution.append("A"))
    await execution.claim()
    equal(execution.held.token.counter, was.token.counter + 1)


@SUITE.case
async def a_release_takes_its_claim_back(scene: Scene) -> None:
    """I27: what a worker gives back was not fruitless, so twenty deploys block nothing and delay nothing."""
    execution = await scene.start()

    for _ in range(20):
        await execution.claim()
        await execution.release()

    equal((await execution.head()).fruitless_claims, 0)


@SUITE.case
async def a_release_may_say_when_to_come_back(scene: Scene) -> None:
    """I27: what cannot be started sets `not_before` and starves nobody."""
    execution = await scene.owned()

    await execution.release(delay_ms=SHORT_LEASE_MS)

    await refused(NotYet, execution.claim())
    await scene.pass_time(SHORT_LEASE_MS + 1)
    await execution.claim()


@SUITE.case
async def a_parker_cannot_stretch_its_lease(scene: Scene) -> None:
    """Row renew: `running`, or an acquirer's grant; release it can, and the park stays."""
    execution = await scene.parked()

    async with scene.untouched(execution):
        await refused((IllegalTransition, Stale), execution.renew())
    await execution.release()

    equal((await execution.head()).park_seq, execution.park_seq)
    await execution.resume()


@SUITE.case
async def an_acquirer_can_renew_and_release(scene: Scene) -> None:
    """Row renew: its grant is live while parked; released, the park is open as before."""
    execution = await scene.parked()
    credential = await execution.acquire()

    await execution.renew(credential=credential)
    await execution.release(credential=credential)

    head = await execution.head()
    equal((head.status, head.park_seq, head.owner), ("parked", execution.park_seq, None))
    await execution.resume()


# --- the guard --------------------------------------------------------------------------------------------------------


@SUITE.case
async def a_credential_of_another_execution_guards_nothing(scene: Scene) -> None:
    """I22: refused as foreign although it is live, on either execution nothing changes."""
    mine, other = await scene.owned(), await scene.owned()

    async with scene.untouched(mine, other):
        await refused(ForeignCredential, mine.append("A", credential=other.held))
        await refused(ForeignCredential, mine.park(credential=other.held))
        await refused(ForeignCredential, mine.renew(credential=other.held))
        await refused(ForeignCredential, mine.release(credential=other.held))


@SUITE.case
async def a_foreign_credential_is_looked_at_before_anything_else(scene: Scene) -> None:
    """I22: before the target is found, before its numbers, before its kinds."""
    owned, ended, unknown = await scene.owned(), await scene.ended(), scene.unknown()

    await refused(ForeignCredential, unknown.append("A", credential=owned.held))
    await refused(
        ForeignCredential, ended.append("EXECUTION_STARTED", credential=owned.held, expected_seq=Sequence(99))
    )


@SUITE.case
async def the_nonce_is_compared(scene: Scene) -> None:
    """I20: the right token with a forged nonce is stale."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        await refused(Stale, execution.append("A", credential=replace(execution.held, nonce=mint_nonce())))


@SUITE.case
async def a_greater_token_is_lost_history(scene: Scene) -> None:
    """Law 2: the guard is equality; a token greater than the stored one is proof of lost history."""
    execution = await scene.owned()
    greater = replace(execution.held, token=Token(execution.held.token + 1))

    async with scene.untouched(execution):
        await refused(LostHistory, execution.append("A", credential=greater))
        await refused(LostHistory, execution.renew(credential=greater))


@SUITE.case
async def a_smaller_token_is_stale_and_names_the_current_one(scene: Scene) -> None:
    """Design 2: `stale` says which token is current."""
    execution = await scene.owned()
    was = execution.held
    await execution.release()
    await execution.claim()

    refusal = await refused(Stale, execution.append("A", credential=was))

    equal(getattr(refusal, "current_token", None), execution.held.token)


@SUITE.case
async def a_stale_write_says_stale_whatever_its_numbers(scene: Scene) -> None:
    """I22: the fence is judged before sequences and positions."""
    execution = await scene.owned()
    await execution.append(event("A", position=5))
    was = execution.held
    await execution.release()
    await execution.claim()

    async with scene.untouched(execution):
        await refused(Stale, execution.append(event("A", position=1), credential=was))
        await refused(Stale, execution.append("A", credential=was, expected_seq=Sequence(99)))


@SUITE.case
async def a_stale_write_that_read_the_tail_is_stale_too(scene: Scene) -> None:
    """I21: with perfect sequences only the fence stands between it and the log."""
    execution = await scene.owned()
    was = execution.held
    await execution.release()
    await execution.claim()
    await execution.append(event("A", position=5))
    tail = (await execution.head()).last_seq

    async with scene.untouched(execution):
        await refused(Stale, execution.append(event("A", position=6), credential=was, expected_seq=tail))


@SUITE.case
async def without_a_credential_nothing_is_written_to_what_has_a_queue(scene: Scene) -> None:
    """I28: started with a queue, it refuses from birth, owned, parked and runnable."""
    for execution in (await scene.start(), await scene.owned(), await scene.parked(), await scene.runnable()):
        execution.credential = None
        async with scene.untouched(execution):
            await refused(CredentialRequired, execution.append("A"))
            await refused(CredentialRequired, execution.append("A", incarnation="*"))
            await refused(CredentialRequired, execution.park())
            await refused(CredentialRequired, execution.start_child("kid"))


@SUITE.case
async def a_write_without_credential_and_incarnation_is_invalid(scene: Scene) -> None:
    """Law 4: it names neither owner nor what it saw."""
    execution = await scene.single()

    async with scene.untouched(execution):
        await refused(Invalid, execution.append("A", incarnation=None))


@SUITE.case
async def a_write_that_saw_another_incarnation_is_gone(scene: Scene) -> None:
    """H36: without a credential the incarnation named must be the one that lives."""
    execution = await scene.single()

    async with scene.untouched(execution):
        await refused(Gone, execution.append("A", incarnation=scene.unknown().ref.incarnation))


@SUITE.case
async def the_nonce_is_shown_nowhere(scene: Scene) -> None:
    """Design 2: in no answer but the claim's, no event, no timeline, no reason."""
    execution = await scene.owned()
    await execution.append("A")
    await refused(Stale, execution.append("A", credential=replace(execution.held, nonce=mint_nonce())))
    nonce = execution.held.nonce

    reads = [
        await execution.head(),
        await execution.log(),
        await execution.read_park(),
        await scene.store.read_ownership(c.ReadOwnership(**execution.at)),
        await scene.store.read_why(c.ReadWhy(**execution.at)),
        await execution.renew(),
    ]

    for answer in reads:
        holds(nonce not in encode(answer), f"no nonce in {type(answer).__name__}")
    holds(nonce not in repr(execution.held), "no nonce in the credential's repr")


@SUITE.case
async def ownership_tells_who_wrote_and_who_was_refused(scene: Scene) -> None:
    """Design 2: grants by rule and owner, events by token, late writes with both tokens."""
    execution = await scene.owned(SHORT_LEASE_MS, workflow="conformance")
    await execution.append("A", "B")
    was = execution.held
    await scene.pass_time(SHORT_LEASE_MS)
    await execution.claim(owner="w2")
    await refused(Stale, execution.append("C", credential=was))

    ownership = await scene.store.read_ownership(c.ReadOwnership(**execution.at))

    equal((ownership.token, ownership.owner), (execution.held.token, "w2"))
    equal([(row.token, row.rule) for row in ownership.grants], [(was.token, "claim"), (execution.held.token, "claim")])
    wrote = {row.token: (row.first_seq, row.last_seq, row.count) for row in ownership.writes}
    equal(wrote[was.token], (2, 3, 2))
    (late,) = ownership.refusals
    equal(
        (late.token, late.current_token, late.surface, late.code), (was.token, execution.held.token, "events", "stale")
    )
    equal(late.count, 1)


# --- fruitless claims -------------------------------------------------------------------------------------------------


@SUITE.case
async def fruitless_claims_are_counted_and_delayed(scene: Scene) -> None:
    """I27: the first take-over is free, from the second in a row the next one waits."""
    execution = await scene.owned(SHORT_LEASE_MS)
    equal((await execution.head()).not_before, None)
    await scene.pass_time(SHORT_LEASE_MS)

    await execution.claim(SHORT_LEASE_MS)

    head = await execution.head()
    equal(head.fruitless_claims, 2)
    holds(head.not_before is not None, "the third claim has to wait")


@SUITE.case
async def the_ninth_fruitless_claim_blocks(scene: Scene) -> None:
    """I27: after eight in a row the store parks it on one operator wait; nobody owns it, nobody claims it."""
    execution = await scene.blocked()

    head = await execution.head()
    equal((head.status, head.shown, head.owner, head.lease_until), ("parked", "blocked", None, None))
    equal(await execution.kinds(), ["EXECUTION_STARTED", "EXECUTION_SUSPENDED"])
    holds("operator" in (await execution.log())[-1].payload, "the park names an operator")
    async with scene.untouched(execution):
        await refused(NotClaimable, execution.claim())
        await refused(Stale, execution.append("A"))


@SUITE.case
async def the_ninth_fruitless_poll_blocks(scene: Scene) -> None:
    """I27: `claims` counts like a claim: the ninth hands nothing out; what is healthy behind it is not kept waiting."""
    sick = await scene.start()
    for _ in range((await scene.limits()).fruitless_claims):
        await _poll_until_found(scene, SHORT_LEASE_MS)
        await scene.pass_time(SHORT_LEASE_MS)
    healthy = await scene.start()

    found = set()
    for _ in range(40):
        found |= set(await _polled(scene, max=1))
        await scene.pass_time(1_000)
        if (await sick.head()).shown == "blocked":
            break

    equal((await sick.head()).shown, "blocked")
    equal(found, {healthy.ref.execution_id})


async def _poll_until_found(scene: Scene, ttl_ms: int) -> None:
    for _ in range(60):
        if await _polled(scene, ttl_ms=ttl_ms):
            return
        await scene.pass_time(1_000)
    holds(False, "what is runnable is handed out again once its back-off is over")


@SUITE.case
async def an_operator_answers_what_is_blocked(scene: Scene) -> None:
    """I27, I29: with `null` or by the wait's name; then it is claimed at once and counted from 0."""
    execution = await scene.blocked()
    head = await execution.head()
    execution.park_seq = head.park_seq or Sequence(0)

    await execution.resume(None)

    await execution.claim()
    equal((await execution.head()).fruitless_claims, 1)


@SUITE.case
async def a_blocked_execution_can_be_cancelled(scene: Scene) -> None:
    """I27, I57: the request answers the block with `null`, so that the body can clean up."""
    execution = await scene.blocked()

    await execution.cancel()

    equal((await execution.kinds())[-2:], ["EXECUTION_CANCEL_REQUESTED", "EXECUTION_RESUMED"])
    await execution.claim()


@SUITE.case
async def a_blocked_execution_can_be_failed_and_terminated(scene: Scene) -> None:
    """I29: a person can always end it."""
    failed, terminated = await scene.blocked(), await scene.blocked()

    await failed.fail()
    await terminated.terminate()

    equal(((await failed.head()).status, (await terminated.head()).status), ("failed", "cancelled"))


@SUITE.case
async def thirty_sleeps_in_a_row_never_block(scene: Scene) -> None:
    """I27, H20: the owner's park resets the count, so no wake waits for a back-off."""
    execution = await scene.start()

    for number in range(SLEEPS):
        claimed = await attempt(execution.claim())
        if isinstance(claimed, LoomError):
            holds(False, f"wake {number} is claimed at once, but got {claimed.code}")
        await execution.park(timer(0))
        await execution.resume()

    head = await execution.head()
    equal((head.status, head.fruitless_claims, head.not_before), ("running", 0, None))


@SUITE.case
async def a_park_is_a_fruit(scene: Scene) -> None:
    """I27: the park itself sets the count to 0 and clears `not_before`, before anybody answers it."""
    execution = await scene.owned(SHORT_LEASE_MS)
    await scene.pass_time(SHORT_LEASE_MS)
    await execution.claim()
    equal((await execution.head()).fruitless_claims, 2)

    await execution.park()

    head = await execution.head()
    equal((head.fruitless_claims, head.not_before), (0, None))


@SUITE.case
async def a_step_that_completes_is_a_fruit(scene: Scene) -> None:
    """I27: it sets the count to 0 and clears `not_before`; so do the ends of effects and failed steps."""
    for kind in ("STEP_COMPLETED", "STEP_FAILED", "EFFECT_DONE", "EFFECT_FAILED"):
        execution = await scene.owned(SHORT_LEASE_MS)
        await scene.pass_time(SHORT_LEASE_MS)
        await execution.claim(LEASE_MS)

        await execution.append(kind)

        head = await execution.head()
        equal((head.fruitless_claims, head.not_before), (0, None), f"after {kind}")


@SUITE.case
async def a_step_that_starts_is_no_fruit(scene: Scene) -> None:
    """I27: STEP_STARTED comes before the step that kills the worker."""
    for kind in ("STEP_STARTED", "STEP_RETRIED", "EFFECT_INTENT", "SomethingOfTheApplication"):
        execution = await scene.owned()

        await execution.append(kind)

        equal((await execution.head()).fruitless_claims, 1, f"after {kind}")


@SUITE.case
async def a_claim_and_a_step_ended_over_and_over_never_block(scene: Scene) -> None:
    """I27: a body that makes one step per life is slow, not broken."""
    execution = await scene.start()

    for _ in range(12):
        await execution.claim(SHORT_LEASE_MS)
        await execution.append("STEP_COMPLETED")
        await scene.pass_time(SHORT_LEASE_MS)


# --- claims -----------------------------------------------------------------------------------------------------------


def _poll(scene: Scene, **members: object) -> c.ClaimRunnable:
    given = {
        "namespace": scene.namespace,
        "queue": scene.queue,
        "workflows": ("conformance@0",),
        "max": 10,
        "nonce": mint_nonce(),
        "owner": "w",
        "ttl_ms": LEASE_MS,
    }
    return c.ClaimRunnable(**(given | members))  # type: ignore[arg-type]


async def _polled(scene: Scene, **members: object) -> list[str]:
    claims = await scene.store.claim_runnable(_poll(scene, **members))
    return [item.credential.execution_id for item in claims.items]


@SUITE.case
async def a_poll_claims_the_oldest_first(scene: Scene) -> None:
    """Design 5: at most `max`, in the order in which they became runnable, each with its credential."""
    executions = []
    for _ in range(3):
        executions.append(await scene.start())
        await scene.pass_time(2)
    ids = [execution.ref.execution_id for execution in executions]

    equal(await _polled(scene, max=2), ids[:2])
    equal(await _polled(scene), ids[2:])
    equal(await _polled(scene), [])


@SUITE.case
async def a_poll_hands_out_only_the_workflows_named(scene: Scene) -> None:
    """Design 6: exactly the names and versions named."""
    await scene.start(workflow="other")
    await scene.start(code_version="1")
    mine = await scene.start()

    equal(await _polled(scene), [mine.ref.execution_id])
    equal(len(await _polled(scene, workflows=("other@0", "conformance@1"))), 2)


@SUITE.case
async def a_poll_looks_at_its_queue_only(scene: Scene) -> None:
    """Design 5: another queue's work is another fleet's; what has no queue is nobody's."""
    await scene.start(queue=mint("queue"))
    await scene.single()

    equal(await _polled(scene), [])


@SUITE.case
async def a_poll_finds_what_was_never_owned_and_what_expired(scene: Scene) -> None:
    """I27: pending, runnable and expired work is handed out; parked, held, delayed and ended work is not."""
    pending, runnable, expired = await scene.start(), await scene.runnable(), await scene.owned(SHORT_LEASE_MS)
    await scene.pass_time(SHORT_LEASE_MS)
    await scene.parked()
    await scene.owned()
    await scene.start(delay_ms=LEASE_MS)
    await scene.ended()

    found = await _polled(scene)

    equal(sorted(found), sorted(each.ref.execution_id for each in (pending, runnable, expired)))


@SUITE.case
async def concurrent_polls_share_the_work(scene: Scene) -> None:
    """I20: nothing is handed out twice."""
    ids = {(await scene.start()).ref.execution_id for _ in range(12)}

    answers = await all_at_once(scene.store.claim_runnable(_poll(scene, max=3)) for _ in range(6))

    found = [item.credential.execution_id for answer in answers for item in getattr(answer, "items", ())]
    equal((len(found), set(found)), (12, ids))


@SUITE.case
async def a_polled_credential_is_an_owners(scene: Scene) -> None:
    """Row claim: it writes, renews and releases; the count and the grant are a claim's."""
    execution = await scene.start()
    (item,) = (await scene.store.claim_runnable(_poll(scene))).items
    execution.credential = item.credential

    await execution.renew()
    await execution.append("A")
    equal((await execution.head()).fruitless_claims, 1)
    await execution.release()


# --- single-writer mode -----------------------------------------------------------------------------------------------


@SUITE.case
async def a_single_writer_needs_no_credential(scene: Scene) -> None:
    """Design 2: started without a queue: appends, parks, is resumed, ends; its token stays."""
    execution = await scene.single()

    await execution.append("A")
    await execution.park()
    await execution.append("B")
    await execution.resume()
    await execution.append(event("EXECUTION_COMPLETED", 1))

    head = await execution.head()
    equal((head.status, head.token), ("completed", 0))
    equal({each.fence for each in await execution.log()}, {Token(0)})


@SUITE.case
async def a_credential_in_single_writer_mode_is_refused(scene: Scene) -> None:
    """Design 2: nobody was granted anything, so no credential is right."""
    execution = await scene.single()
    made_up = Credential(**execution.seen, token=Token(0), nonce=mint_nonce())

    async with scene.untouched(execution):
        await refused(Stale, execution.append("A", credential=made_up))


@SUITE.case
async def a_claim_ends_single_writer_mode(scene: Scene) -> None:
    """Design 2: from then on its writes need the credential, also after a release."""
    execution = await scene.single()
    await execution.append("A")

    await execution.claim()

    await execution.append("B")
    await execution.release()
    execution.credential = None
    async with scene.untouched(execution):
        await refused(CredentialRequired, execution.append("C"))


@SUITE.case
async def an_acquire_ends_single_writer_mode(scene: Scene) -> None:
    """Design 2: the first explicit acquire does too."""
    execution = await scene.single()
    await execution.park()

    await execution.acquire()

    async with scene.untouched(execution):
        await refused(CredentialRequired, execution.append("A"))


# --- duties -----------------------------------------------------------------------------------------------------------


async def _take(scene: Scene, name: str, owner: str, term: int, **members: object) -> object:
    call = c.TakeDuty(name=name, owner=owner, term=term, **({"ttl_ms": LEASE_MS} | members))  # type: ignore[arg-type]
    return await scene.store.take_duty(call)


@SUITE.case
async def a_duty_has_one_holder(scene: Scene) -> None:
    """I54: a live one is not taken by another; the term grows with each taking and prolonging."""
    name = mint("duty")
    equal((await scene.store.read_duty(c.ReadDuty(name=name))).term, 0)

    await _take(scene, name, "a", 0)
    await refused(LeaseHeld, _take(scene, name, "b", 1))
    await _take(scene, name, "a", 1, ran=True)

    duty = await scene.store.read_duty(c.ReadDuty(name=name))
    equal((duty.owner, duty.term), ("a", 2))
    holds(duty.last_run is not None, "the run is recorded")


@SUITE.case
async def a_duty_is_taken_by_its_term(scene: Scene) -> None:
    """I54: a compare-and-set, so of eight replicas one gets it and an old holder notices."""
    name = mint("duty")

    answers = await all_at_once(_take(scene, name, f"w{number}", 0) for number in range(8))

    equal(sum(not isinstance(answer, LoomError) for answer in answers), 1)
    holder = (await scene.store.read_duty(c.ReadDuty(name=name))).owner or ""
    await refused(UnchangedMismatch, _take(scene, name, holder, 0))


@SUITE.case
async def a_duty_that_ran_out_is_taken_over(scene: Scene) -> None:
    """I54: and its former holder is refused by the term."""
    name = mint("duty")
    await _take(scene, name, "a", 0, ttl_ms=SHORT_LEASE_MS)
    await scene.pass_time(SHORT_LEASE_MS)

    await _take(scene, name, "b", 1)

    await refused((LeaseHeld, UnchangedMismatch), _take(scene, name, "a", 1))


@SUITE.case
async def a_duty_given_up_is_free(scene: Scene) -> None:
    """Design 4: on SIGTERM; only its holder gives it up."""
    name = mint("duty")
    await _take(scene, name, "a", 0)

    await refused(UnchangedMismatch, scene.store.give_up_duty(c.GiveUpDuty(name=name, owner="b", term=1)))
    free = await scene.store.give_up_duty(c.GiveUpDuty(name=name, owner="a", term=1))
    await _take(scene, name, "b", free.term)


# --- tokens -----------------------------------------------------------------------------------------------------------


async def _token(execution: Execution) -> Token:
    return (await execution.head()).token


@SUITE.case
async def the_token_of_an_id_never_falls(scene: Scene) -> None:
    """I19: through claim, release, take-over, park, resume, end, deletion and re-creation."""
    execution = await scene.start()
    tokens = [await _token(execution)]

    async def after(step: object) -> None:
        tokens.append(await _token(execution))

    await after(await execution.claim(SHORT_LEASE_MS))
    await scene.pass_time(SHORT_LEASE_MS)
    await after(await execution.claim())
    await after(await execution.park())
    await after(await execution.resume())
    await after(await execution.claim())
    await after(await execution.release())
    await after(await execution.terminate())
    await execution.delete()
    execution = await execution.recreate()
    await after(None)
    await after(await execution.claim())

    equal(tokens, sorted(tokens))
    equal(tokens[-1] > tokens[-2] >= tokens[-3], True, "the token goes on behind the tombstone")


@SUITE.case
async def an_operators_park_can_be_ended_by_its_owner_only_through_an_operator(scene: Scene) -> None:
    """Design 2: a body that blocks itself on an operator wait keeps nothing: its grant answers nothing."""
    execution = await scene.owned()
    await execution.park(operator("NonDeterminism", expected="a", actual="b", at="3"))

    async with scene.untouched(execution):
        await refused((IllegalTransition, Stale), execution.append(event("EXECUTION_COMPLETED")))
        await refused((IllegalTransition, Stale), execution.resume("operator", credential=execution.held))
    equal((await execution.head()).shown, "blocked")
    await execution.resume("operator")


# --- evict ------------------------------------------------------------------------------------------------------------


@SUITE.case
async def an_evicted_owner_is_stale_and_its_execution_runnable(scene: Scene) -> None:
    """Design 2: token + 1, grant, owner, lease cleared, under a live lease too; claimable at once."""
    execution = await scene.owned()
    was = execution.held

    released = await execution.evict(reason="a pod that hangs")

    head = await execution.head()
    equal((released.token.counter, head.token), (was.token.counter + 1, released.token))
    equal((head.shown, head.owner, head.lease_until), ("runnable", None, None))
    async with scene.untouched(execution):
        await refused(Stale, execution.append("A", credential=was))
        await refused(Stale, execution.renew(credential=was))
    await execution.claim()
    await execution.append("B")


@SUITE.case
async def an_eviction_is_in_the_log(scene: Scene) -> None:
    """Design 2: audited: who was evicted, why, and the rule among the grants."""
    execution = await scene.owned()
    owner = (await execution.head()).owner

    await execution.evict(reason="a pod that hangs")

    last = (await execution.log())[-1]
    equal((last.kind, json.loads(last.payload)), ("ANNOTATED", {"evicted": owner, "reason": "a pod that hangs"}))
    ownership = await scene.store.read_ownership(c.ReadOwnership(**execution.at))
    equal([row.rule for row in ownership.grants][-1], "evict")


@SUITE.case
async def an_eviction_hits_only_the_owner_that_was_seen(scene: Scene) -> None:
    """Law 4: a compare-and-set: whoever took over since the look stays; so does what a repeat meets."""
    execution = await scene.owned()
    seen = (await execution.head()).token
    await execution.release()
    await execution.claim_when_due()

    async with scene.untouched(execution):
        await refused(Stale, execution.evict(token=seen))
    now = (await execution.head()).token
    await execution.evict(token=now)
    async with scene.untouched(execution):
        await refused(Stale, execution.evict(token=now))


@SUITE.case
async def what_nobody_runs_is_not_evicted(scene: Scene) -> None:
    """Design 2: pending, runnable, parked, acquired, ended, in single-writer mode: nothing moves; gone and deleted."""
    acquired = await scene.parked()
    await acquired.acquire()
    single = await scene.single()
    await single.append("A")
    stages = [await scene.start(), await scene.runnable(), await scene.parked(), acquired, await scene.ended(), single]

    async with scene.untouched(*stages):
        for execution in stages:
            await refused(IllegalTransition, execution.evict())
    await refused(Deleted, (await scene.deleted()).evict())
    await refused(NotFound, scene.unknown().evict(token=Token(0)))
