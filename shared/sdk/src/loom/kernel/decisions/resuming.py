"""Answers to parks. Each is one transaction, a compare-and-set on the park itself (I9, I31)."""

from __future__ import annotations

from dataclasses import replace

from loom.errors import IllegalTransition, NotParked, NotYet, ResumeContended, Stale
from loom.ids import Credential, Instant, Sequence
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, View
from loom.kernel.decisions.draft import Draft
from loom.kernel.decisions.repeats import first_event, named_head
from loom.kernel.digests import digest_of, grant_hash
from loom.kernel.guards import check_own, judge, living
from loom.kernel.heads import Head, Mail, Status
from loom.kernel.kinds import EventKind
from loom.kernel.legality import Writer, check_legal
from loom.kernel.parks import (
    Edge,
    GroupWait,
    MessageWait,
    OperatorWait,
    TimerWait,
    Wait,
    children_of,
    is_group_met,
)
from loom.kernel.raw_json import encode


def resume(view: View, call: c.Resume, moment: Moment) -> Change:
    """The incarnation and the park seen, else nothing changes. The store copies what the keys name (I17)."""
    check_own(call.credential, call.namespace, call.execution_id)
    earlier = named_head(view, call)
    if earlier is not None and first_event(view, earlier, call) is not None:
        return Change((), _resumed(view, earlier, call.park_seq))
    named = view.head_named(call.namespace, call.execution_id)
    writer = judge(named, call.credential, moment) if call.credential else Writer.STORE
    head = living(named, call.incarnation, of=call.execution_id)
    if call.credential:
        check_legal(EventKind.EXECUTION_RESUMED, writer, head)
    check_parked(head, call.park_seq)
    draft = Draft(view, moment, head).keyed(call.batch_id, digest_of(call))
    seq = _answer(draft, call)
    return draft.change(c.Resumed(resumed_seq=seq, token=draft.head.token))


def _resumed(view: View, head: Head, park_seq: Sequence) -> c.Resumed:
    event = view.answer_of_park(head.head, park_seq)
    assert event is not None, "a call that answered a park left its answer"
    return c.Resumed(resumed_seq=event.seq, token=event.fence)


def check_parked(head: Head, park_seq: Sequence) -> None:
    """Raises ResumeContended on an unknown tail, else NotParked, which says what is there instead (I12)."""
    if head.unknown_tail:
        raise ResumeContended(
            f"{head.execution_id} was answered by an event of a kind this server does not know",
            execution_id=head.execution_id,
            attempts=1,
        )
    if not is_parked_at(head, park_seq):
        where = f"parked at {head.park_seq}" if head.park_seq is not None else head.shown
        raise NotParked(
            f"{head.execution_id} is not parked at {park_seq}: it is {where}",
            execution_id=head.execution_id,
            state=head.shown,
            park_seq=head.park_seq,
        )


def is_parked_at(head: Head, park_seq: Sequence) -> bool:
    """Positive: the park is there and newest."""
    return head.status is Status.PARKED and head.park_seq == park_seq


def _answer(draft: Draft, call: c.Resume) -> Sequence:
    bump = call.credential is None
    if call.wait is None:
        return reopen(draft, by="operator" if bump else "resume", bump=bump)
    wait = _named(draft.head, call.wait)
    check_answerable(wait, draft.moment.now)
    edges = _checked_edges(draft, wait, call.keys)
    if bump:
        take_token(draft)
    for edge in edges:
        consume_outcome(draft, edge, wait.id)
    if isinstance(wait, GroupWait) and not wait.group.keep:
        _release_others(draft, wait, call.keys)
    by = "operator" if isinstance(wait, OperatorWait) else "resume"
    return _record_answer(draft, wait=wait.id, keys=call.keys, by=by)


def _named(head: Head, wait_id: str) -> Wait:
    for wait in head.waits:
        if wait.id == wait_id:
            return wait
    raise IllegalTransition(
        f"the park at {head.park_seq} has no wait {wait_id}: {[wait.id for wait in head.waits]}",
        execution_id=head.execution_id,
    )


def check_answerable(wait: Wait, now: Instant) -> None:
    """A timer once it has passed; never a message, which only a send or the park itself answers."""
    match wait:
        case TimerWait(timer=timer) if timer.wake_at is not None and timer.wake_at > now:
            raise NotYet(f"the timer {wait.id} is due in {timer.wake_at - now} ms", retry_in_ms=timer.wake_at - now)
        case MessageWait():
            raise IllegalTransition(f"the wait {wait.id} is for a message: send one")


def _checked_edges(draft: Draft, wait: Wait, keys: tuple[str, ...]) -> tuple[Edge, ...]:
    """The edges of the keys named: members of the wait, ended, unconsumed, and enough for its rule."""
    members = children_of(wait)
    found = {key: edge for key in members if (edge := draft.edge(key)) is not None}
    for key in keys:
        if key not in found or not found[key].ended or found[key].consumed_at_seq is not None:
            raise IllegalTransition(f"the child {key} is no ended, unconsumed member of the wait {wait.id}")
    ended = {*keys, *(key for key, edge in found.items() if edge.consumed_at_seq is not None)}
    met = is_group_met(wait.group, found, ended) if isinstance(wait, GroupWait) else ended == set(members)
    if not met or len(set(keys)) < len(keys):
        raise IllegalTransition(f"the rule of the wait {wait.id} is not met by the children {sorted(ended)}")
    return tuple(found[key] for key in keys)


def _release_others(draft: Draft, wait: GroupWait, keys: tuple[str, ...]) -> None:
    for key in wait.group.members:
        edge = draft.edge(key)
        if key not in keys and edge is not None and edge.consumed_at_seq is None and not edge.released:
            draft.write_edge(replace(edge, released=True))


def consume_outcome(draft: Draft, edge: Edge, wait: str | None, position: int | None = None) -> None:
    """Copy the outcome of an ended child into the log; from then on it pins nothing."""
    payload = {"key": edge.child_key, "child": edge.child, "status": edge.status, "outcome": edge.outcome, "wait": wait}
    seq = draft.add(EventKind.CHILD_OUTCOME, encode(payload), position=position)
    draft.write_edge(replace(edge, consumed_at_seq=seq))


def consume_message(
    draft: Draft, message: Mail, wait: str | None, *, resumed: bool = False, position: int | None = None
) -> None:
    """Copy a message into the log and mark its row; its id is kept (I16)."""
    payload = {
        "message_id": message.message_id,
        "name": message.name,
        "key": message.key,
        "payload": message.payload,
        "wait": wait,
    }
    seq = draft.add(EventKind.MESSAGE_CONSUMED, encode(payload), position=position)
    draft.write_message(replace(message, consumed_at_seq=seq, consumed_at=draft.moment.now, resumed=resumed))


def take_token(draft: Draft) -> None:
    """The resume's own token, so that no grant of the park's time is valid; single-writer mode keeps its token."""
    if draft.head.single_writer:
        return
    draft.bump()


def reopen(draft: Draft, *, by: str, bump: bool = True) -> Sequence:
    """Answer with `null`: the body goes on without any of its waits satisfied."""
    if bump:
        take_token(draft)
    return _record_answer(draft, wait=None, keys=None, by=by)


def answer_with_message(draft: Draft, message: Mail, wait: MessageWait, *, by: str) -> Sequence:
    """[MESSAGE_CONSUMED, EXECUTION_RESUMED], together or not at all (I16)."""
    take_token(draft)
    consume_message(draft, message, wait.id, resumed=by == "send")
    return _record_answer(draft, wait=wait.id, keys=None, by=by)


def _record_answer(draft: Draft, *, wait: str | None, keys: tuple[str, ...] | None, by: str) -> Sequence:
    payload = encode({"wait": wait, "keys": keys or None, "by": by})
    seq = draft.add(EventKind.EXECUTION_RESUMED, payload, answers_park=draft.head.park_seq)
    draft.move(
        status=Status.RUNNING,
        park_seq=None,
        waits=(),
        wake_at=None,
        owner=None,
        grant_hash=None,
        lease_until=None,
        fruitless_claims=0,
        not_before=None,
    )
    draft.hint_runnable(by)
    return seq


def acquire_if_parked(view: View, call: c.AcquireIfParked, moment: Moment) -> Change:
    """Token + 1 and an owner on an open park; anything else is `stale` with the current token, and changes nothing."""
    head = living(view.head_named(call.namespace, call.execution_id), call.incarnation, of=call.execution_id)
    if head.unknown_tail:
        raise ResumeContended(f"{head.execution_id} was answered by a newer server's event", attempts=1)
    if is_parked_at(head, call.park_seq) and is_repeat(head, call, moment):
        return Change((), claimed(head, call))
    if not is_parked_at(head, call.park_seq) or head.token != call.token:
        raise Stale(
            f"token {call.token.shown} at park {call.park_seq} seen, {head.token.shown} at {head.park_seq} is current",
            current_token=str(int(head.token)),
            execution_id=head.execution_id,
        )
    draft = Draft(view, moment, head)
    grant(draft, call)
    draft.record_grant("acquire-if-parked")
    return draft.change(claimed(draft.head, call))


Acquisition = c.Claim | c.AcquireIfParked


def is_repeat(head: Head, call: Acquisition, moment: Moment) -> bool:
    """Does what this very acquisition granted still hold? A grant that ran out or parked is not given twice."""
    same = head.grant_hash == grant_hash(call.nonce) and head.token.counter == call.token.counter + 1
    return same and head.owner is not None and is_held(head, moment)


def is_held(head: Head, moment: Moment) -> bool:
    """By a live lease of this epoch."""
    return head.holds_lease(moment.now) and head.token >= moment.epoch << 32


def grant(draft: Draft, call: Acquisition) -> None:
    """Token + 1 and the caller's grant; the first explicit one ends single-writer mode."""
    draft.move(
        token=draft.head.token.next(draft.moment.epoch),
        grant_hash=grant_hash(call.nonce),
        owner=call.owner,
        lease_until=Instant(draft.moment.now + call.ttl_ms),
        single_writer=False,
    )


def claimed(head: Head, call: Acquisition) -> c.Claimed:
    """The one answer that holds the nonce, which is the caller's own."""
    assert head.lease_until is not None
    credential = Credential(
        namespace=head.namespace,
        execution_id=head.execution_id,
        incarnation=head.incarnation,
        token=head.token,
        nonce=call.nonce,
    )
    return c.Claimed(credential=credential, lease_until=head.lease_until, ttl_ms=call.ttl_ms, head=head)
