"""Park: SUSPENDED, and in the same transaction the look at what is there already."""

from __future__ import annotations

import json
from dataclasses import replace

from loom.errors import IllegalTransition, Invalid
from loom.ids import Instant, Sequence
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, View
from loom.kernel.decisions.draft import Draft
from loom.kernel.decisions.repeats import first_event, named_head
from loom.kernel.decisions.resuming import answer_with_message, reopen
from loom.kernel.digests import digest_of
from loom.kernel.events import Event
from loom.kernel.guards import check_own, judge_writer
from loom.kernel.heads import Head, Mail, Status
from loom.kernel.hints import ExecutionParked
from loom.kernel.kinds import EventKind
from loom.kernel.legality import check_legal
from loom.kernel.parks import (
    ChildWait,
    GroupWait,
    MessageWait,
    Operator,
    OperatorWait,
    Timer,
    TimerWait,
    Wait,
    children_of,
    earliest_wake,
    why_unsatisfiable,
)
from loom.kernel.raw_json import encode


def park(view: View, call: c.Park, moment: Moment) -> Change:
    """The owner's park; an unheard cancel request or a message already there answers it at once (I16, I57)."""
    check_own(call.credential, call.namespace, call.execution_id)
    earlier = named_head(view, call)
    repeat = first_event(view, earlier, call)
    if repeat is not None and earlier is not None:
        return Change((), _repeated(view, earlier, repeat))
    head = view.head_named(call.namespace, call.execution_id)
    writer = judge_writer(head, call.credential, call.incarnation, moment)
    assert head is not None
    check_legal(EventKind.EXECUTION_SUSPENDED, writer, head)
    _check_waits(call.waits)
    draft = Draft(view, moment, head).keyed(call.batch_id, digest_of(call))
    _take_up_children(draft, call.waits)
    park_seq = suspend(draft, call.waits, heard=call.heard)
    answered = _answer_itself(draft, call.heard)
    if answered is None:
        hint_parked(draft)
    return draft.change(c.Parked(park_seq=park_seq, token=draft.head.token, answered_seq=answered))


def _repeated(view: View, head: Head, event: Event) -> c.Parked:
    answer = view.answer_of_park(head.head, event.seq)
    if answer is not None and is_own_answer(answer):
        return c.Parked(park_seq=event.seq, token=answer.fence, answered_seq=answer.seq)
    return c.Parked(park_seq=event.seq, token=event.fence)


def is_own_answer(answer: Event) -> bool:
    """Was the park answered by itself, for mail or for a cancel request that it had not heard?"""
    return bool(json.loads(answer.payload)["by"] == "park")


def _check_waits(waits: tuple[Wait, ...]) -> None:
    if not waits:
        raise Invalid("a park needs at least one wait, else nothing could ever answer it")
    ids = [wait.id for wait in waits]
    if len(set(ids)) < len(ids):
        raise Invalid(f"the waits of a park need distinct ids: {ids}")
    if len(waits) > 1 and any(isinstance(wait, OperatorWait) for wait in waits):
        raise Invalid("an operator wait stands alone")
    for wait in waits:
        reason = why_unsatisfiable(wait)
        if reason:
            raise Invalid(f"the wait {wait.id} can never be satisfied: {reason}")


def _take_up_children(draft: Draft, waits: tuple[Wait, ...]) -> None:
    """Each child named has an edge of this parent; a released one is taken up again."""
    for key in dict.fromkeys(key for wait in waits for key in children_of(wait)):
        edge = draft.edge(key)
        if edge is None:
            raise IllegalTransition(
                f"{draft.head.execution_id} has no child under the key {key}: start it first",
                execution_id=draft.head.execution_id,
            )
        if edge.released:
            draft.write_edge(replace(edge, released=False))


def suspend(draft: Draft, waits: tuple[Wait, ...], *, heard: Sequence | None) -> Sequence:
    """SUSPENDED and the parked head. Owner cleared; grant and lease stay for the parker's late ignorable events."""
    stamped = tuple(_stamped(wait, draft.moment.now) for wait in waits)
    seq = draft.add(EventKind.EXECUTION_SUSPENDED, encode({"waits": stamped, "heard": heard}))
    draft.move(
        status=Status.PARKED,
        park_seq=seq,
        waits=stamped,
        wake_at=earliest_wake(stamped),
        unknown_tail=False,
        owner=None,
        **fruitful(),
    )
    return seq


def fruitful() -> dict[str, object]:
    """Something came back: the claims before were not fruitless (I27)."""
    return {"fruitless_claims": 0, "not_before": None}


def _stamped(wait: Wait, now: Instant) -> Wait:
    """A relative timer, counted from the park on the store's clock."""
    if isinstance(wait, TimerWait) and wait.timer.delay_ms is not None:
        return TimerWait(id=wait.id, timer=Timer(wake_at=Instant(now + wait.timer.delay_ms)))
    return wait


def _answer_itself(draft: Draft, heard: Sequence | None) -> Sequence | None:
    if has_unheard_cancel(draft.head, heard):
        return reopen(draft, by="park")
    mail = _oldest_mail(draft)
    return None if mail is None else answer_with_message(draft, mail[0], mail[1], by="park")


def has_unheard_cancel(head: Head, heard: Sequence | None) -> bool:
    """Is there a cancel request that the body parked without knowing of?"""
    return head.cancel_seq is not None and head.cancel_seq != heard


def _oldest_mail(draft: Draft) -> tuple[Mail, MessageWait] | None:
    found = [
        (message, wait)
        for wait in draft.head.waits
        if isinstance(wait, MessageWait)
        and (message := draft.view.oldest_message(draft.head.head, wait.message.name, wait.message.key)) is not None
    ]
    return min(found, key=lambda pair: pair[0].inbox_seq, default=None)


def hint_parked(draft: Draft) -> None:
    """The park is a trigger too: timers write rows from it, the supervisor looks at the children again (H41)."""
    assert draft.head.park_seq is not None
    draft.hint(
        ExecutionParked(
            namespace=draft.head.namespace,
            execution=draft.head.execution_id,
            incarnation=draft.head.incarnation,
            park_seq=draft.head.park_seq,
            wait_kinds=tuple(sorted({_KIND_OF[type(wait)] for wait in draft.head.waits})),
        )
    )


_KIND_OF: dict[type, str] = {
    TimerWait: "timer",
    ChildWait: "child",
    GroupWait: "group",
    MessageWait: "message",
    OperatorWait: "operator",
}


def block(draft: Draft, operator: Operator) -> None:
    """Park on an operator, by the store: nobody owns it, no late write passes."""
    suspend(draft, (OperatorWait(id="blocked", operator=operator),), heard=draft.head.cancel_seq)
    draft.move(grant_hash=None, lease_until=None)
    hint_parked(draft)
