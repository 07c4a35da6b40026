"""Ownership: claim, renew, release. A lease decides who may try, never what is safe."""

from __future__ import annotations

from loom.errors import IllegalTransition, LeaseHeld, NotClaimable, NotYet, ResumeContended, Stale
from loom.ids import Instant, Token
from loom.kernel import calls as c
from loom.kernel.backoff import ceiling_ms
from loom.kernel.change import Change, Moment, View
from loom.kernel.decisions.draft import Draft
from loom.kernel.decisions.parking import block
from loom.kernel.decisions.resuming import claimed, grant, is_held, is_repeat
from loom.kernel.guards import check_own, judge, living
from loom.kernel.heads import Head, Status
from loom.kernel.kinds import EventKind
from loom.kernel.legality import Writer
from loom.kernel.parks import Operator
from loom.kernel.raw_json import encode


def claim(view: View, call: c.Claim, moment: Moment) -> Change:
    """A free lease, its time come, and the token observed (I24). The ninth fruitless claim in a row blocks instead."""
    head = living(view.head_named(call.namespace, call.execution_id), call.incarnation, of=call.execution_id)
    if head.status is Status.RUNNING and is_repeat(head, call, moment):
        return Change((), claimed(head, call))
    check_claimable(head, call, moment)
    draft = Draft(view, moment, head)
    if is_fruitless(head, moment):
        block(draft, Operator(reason=f"{head.fruitless_claims} claims in a row came to nothing"))
        refusal = NotClaimable(
            f"{head.execution_id} is blocked: {head.fruitless_claims} claims in a row came to nothing",
            execution_id=head.execution_id,
            state="blocked",
        )
        return draft.change(refusal)
    grant(draft, call)
    count = head.fruitless_claims + 1
    not_before = None if count < 2 else Instant(moment.now + ceiling_ms(count - 2))
    draft.move(status=Status.RUNNING, fruitless_claims=count, not_before=not_before)
    draft.record_grant("claim")
    return draft.change(claimed(draft.head, call))


def check_claimable(head: Head, call: c.Claim, moment: Moment) -> None:
    """Raises ResumeContended, NotClaimable, LeaseHeld, Stale or NotYet, in this order. Not reentrant."""
    if head.unknown_tail:
        raise ResumeContended(f"{head.execution_id} was answered by a newer server's event", attempts=1)
    if head.status not in (Status.PENDING, Status.RUNNING):
        raise NotClaimable(f"{head.execution_id} is {head.shown}", execution_id=head.execution_id, state=head.shown)
    if is_held(head, moment):
        raise LeaseHeld(
            f"{head.owner} holds {head.execution_id} for another {(head.lease_until or 0) - moment.now} ms",
            execution_id=head.execution_id,
            owner=head.owner,
        )
    _check_seen(head, call.token)
    if head.not_before is not None and head.not_before > moment.now:
        raise NotYet(
            f"{head.execution_id} is not claimable for another {head.not_before - moment.now} ms",
            execution_id=head.execution_id,
            retry_in_ms=head.not_before - moment.now,
        )


def _check_seen(head: Head, token: Token) -> None:
    if head.token != token:
        raise Stale(
            f"token {token.shown} seen, {head.token.shown} is current",
            current_token=str(int(head.token)),
            execution_id=head.execution_id,
        )


def is_fruitless(head: Head, moment: Moment) -> bool:
    """Did so many claims in a row come to nothing that the body must be held to kill its workers?"""
    return head.fruitless_claims >= moment.limits.fruitless_claims


def renew(view: View, call: c.Renew, moment: Moment) -> Change:
    """New lease for an owner or an acquirer; a parker cannot stretch its own."""
    check_own(call.credential, call.namespace, call.execution_id)
    head = view.head_named(call.namespace, call.execution_id)
    writer = judge(head, call.credential, moment)
    assert head is not None
    if writer is Writer.PARKER:
        raise IllegalTransition(
            f"{head.execution_id} is parked: its lease ends by itself", execution_id=head.execution_id
        )
    draft = Draft(view, moment, head)
    lease_until = Instant(moment.now + call.ttl_ms)
    draft.move(lease_until=lease_until)
    return draft.change(c.Renewed(lease_until=lease_until, ttl_ms=call.ttl_ms, waiting=what_waits(view, draft.head)))


def release(view: View, call: c.Release, moment: Moment) -> Change:
    """Owner, grant and lease cleared, token kept; takes its own claim's count back (I27)."""
    check_own(call.credential, call.namespace, call.execution_id)
    head = view.head_named(call.namespace, call.execution_id)
    writer = judge(head, call.credential, moment)
    assert head is not None
    draft = Draft(view, moment, head)
    draft.move(owner=None, grant_hash=None, lease_until=None)
    if writer is Writer.OWNER:
        not_before = None if call.delay_ms is None else Instant(moment.now + call.delay_ms)
        draft.move(fruitless_claims=max(0, head.fruitless_claims - 1), not_before=not_before)
        draft.hint_runnable("released")
    return draft.change(c.Released(token=head.token))


def evict(view: View, call: c.Evict, moment: Moment) -> Change:
    """An operator takes a running execution from its owner: token + 1, runnable. Raises Stale, IllegalTransition."""
    head = living(view.head_named(call.namespace, call.execution_id), call.incarnation, of=call.execution_id)
    _check_seen(head, call.token)
    if head.status is not Status.RUNNING or head.owner is None:
        raise IllegalTransition(f"{head.execution_id} is {head.shown}: nobody runs it", execution_id=head.execution_id)
    draft = Draft(view, moment, head)
    draft.bump()
    draft.add(EventKind.ANNOTATED, encode({"evicted": head.owner, "reason": call.reason}))
    draft.record_grant("evict")
    draft.hint_runnable("evicted")
    return draft.change(c.Released(token=draft.head.token))


def what_waits(view: View, head: Head) -> c.Waiting:
    """What a busy owner is told with each answer (H14)."""
    return c.Waiting(
        messages=view.waiting_messages(head.head) > 0,
        outcomes=view.has_outcomes(head.ref),
        cancel_seq=head.cancel_seq,
    )
