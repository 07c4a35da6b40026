"""A body of the store that decides by the kernel: all it adds is where rows live and how a change is made atomic."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from loom.errors import LoomError
from loom.ids import Credential
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, View, WriteEvents
from loom.kernel.decide import decide
from loom.kernel.decisions.draft import Draft
from loom.kernel.decisions.resuming import is_held
from loom.kernel.digests import grant_hash
from loom.kernel.heads import LIVE, Duty, Head, Status
from loom.kernel.parks import TimerWait, answer_from_children, children_of
from loom.kernel.raw_json import NULL

ROWS_KEPT = 1000  # grants and refusals of a living execution
POLL_SEEN_MS = 60_000  # a worker that polled this recently counts as polling


class DecidingStore:
    """Every writing call of the port, over one `_write`."""

    @abstractmethod
    async def _write(self, call: c.WriteCall) -> Any:
        """Decide `call` under the store's lock, apply the change in one transaction, answer or raise."""

    async def start(self, call: c.Start) -> c.Started:
        answer: c.Started = await self._write(call)
        return answer

    async def start_child(self, call: c.StartChild) -> c.ChildStarted:
        answer: c.ChildStarted = await self._write(call)
        return answer

    async def attach(self, call: c.Attach) -> c.ChildStarted:
        answer: c.ChildStarted = await self._write(call)
        return answer

    async def continue_as_new(self, call: c.ContinueAsNew) -> c.Continued:
        answer: c.Continued = await self._write(call)
        return answer

    async def append(self, call: c.Append) -> c.Appended:
        answer: c.Appended = await self._write(call)
        return answer

    async def append_batch(self, call: c.AppendBatch) -> c.BatchAppended:
        answer: c.BatchAppended = await self._write(call)
        return answer

    async def append_if_unchanged(self, call: c.AppendIfUnchanged) -> c.Noted:
        answer: c.Noted = await self._write(call)
        return answer

    async def claim(self, call: c.Claim) -> c.Claimed:
        answer: c.Claimed = await self._write(call)
        return answer

    async def renew(self, call: c.Renew) -> c.Renewed:
        answer: c.Renewed = await self._write(call)
        return answer

    async def release(self, call: c.Release) -> c.Released:
        answer: c.Released = await self._write(call)
        return answer

    async def evict(self, call: c.Evict) -> c.Released:
        answer: c.Released = await self._write(call)
        return answer

    async def park(self, call: c.Park) -> c.Parked:
        answer: c.Parked = await self._write(call)
        return answer

    async def resume(self, call: c.Resume) -> c.Resumed:
        answer: c.Resumed = await self._write(call)
        return answer

    async def acquire_if_parked(self, call: c.AcquireIfParked) -> c.Claimed:
        answer: c.Claimed = await self._write(call)
        return answer

    async def send(self, call: c.Send) -> c.Sent:
        answer: c.Sent = await self._write(call)
        return answer

    async def cancel(self, call: c.Cancel) -> c.CancelRequested:
        answer: c.CancelRequested = await self._write(call)
        return answer

    async def terminate(self, call: c.Terminate) -> c.Ended:
        answer: c.Ended = await self._write(call)
        return answer

    async def fail(self, call: c.Fail) -> c.Ended:
        answer: c.Ended = await self._write(call)
        return answer

    async def delete(self, call: c.Delete) -> c.Erased:
        answer: c.Erased = await self._write(call)
        return answer

    async def set_pin(self, call: c.SetPin) -> c.Pins:
        answer: c.Pins = await self._write(call)
        return answer

    async def remove_pin(self, call: c.RemovePin) -> c.Pins:
        answer: c.Pins = await self._write(call)
        return answer

    async def mark_archived(self, call: c.MarkArchived) -> c.Archived:
        answer: c.Archived = await self._write(call)
        return answer

    async def take_duty(self, call: c.TakeDuty) -> Duty:
        answer: Duty = await self._write(call)
        return answer

    async def give_up_duty(self, call: c.GiveUpDuty) -> Duty:
        answer: Duty = await self._write(call)
        return answer

    async def heartbeat(self, call: c.Heartbeat) -> c.Features:
        answer: c.Features = await self._write(call)
        return answer

    async def switch_feature(self, call: c.SwitchFeature) -> c.Features:
        answer: c.Features = await self._write(call)
        return answer


def claims_of(view: View, call: c.ClaimRunnable, candidates: tuple[Head, ...], moment: Moment) -> tuple[Change, ...]:
    """One claim per candidate, each as if alone; one that refuses is passed over, one that it blocks is written."""
    changes: list[Change] = []
    claimed = 0
    for head in candidates:
        if claimed == call.max:
            break
        decision = decide(view, claim_from(call, head), moment)
        if isinstance(decision, Change):
            changes.append(decision)
            claimed += not isinstance(decision.answer, LoomError)
    return tuple(changes)


def claim_from(call: c.ClaimRunnable, head: Head) -> c.Claim:
    """The claim of one candidate, on the token just read."""
    return c.Claim(
        namespace=head.namespace,
        execution_id=head.execution_id,
        incarnation=head.incarnation,
        token=head.token,
        nonce=call.nonce,
        owner=call.owner,
        ttl_ms=call.ttl_ms,
    )


def claims_from(changes: tuple[Change, ...]) -> c.Claims:
    """The answer: what was claimed, without what was blocked."""
    return c.Claims(items=tuple(change.answer for change in changes if not isinstance(change.answer, LoomError)))


def is_still_held(call: c.ClaimRunnable, head: Head, moment: Moment) -> bool:
    """Was this head given to the same poll before, and does its owner still run it?"""
    asked = (head.namespace, head.queue) == (call.namespace, call.queue)
    granted = head.grant_hash == grant_hash(call.nonce) and is_held(head, moment)
    return asked and granted and head.status is Status.RUNNING


def still_held(call: c.ClaimRunnable, head: Head) -> c.Claimed:
    """What a repeat of the same poll answers for a head that its nonce still holds."""
    assert head.lease_until is not None
    credential = Credential(
        namespace=head.namespace,
        execution_id=head.execution_id,
        incarnation=head.incarnation,
        token=head.token,
        nonce=call.nonce,
    )
    return c.Claimed(credential=credential, lease_until=head.lease_until, ttl_ms=call.ttl_ms, head=head)


def is_runnable(head: Head, call: c.ClaimRunnable, moment: Moment) -> bool:
    """Would `claims` hand this head out? Single-writer mode never; a lease free, run out or of an older epoch."""
    return (
        head.namespace == call.namespace
        and head.queue == call.queue
        and not head.single_writer
        and not head.unknown_tail
        and f"{head.workflow}@{head.code_version}" in call.workflows
        and head.status in (Status.PENDING, Status.RUNNING)
        and not is_held(head, moment)
        and (head.not_before is None or head.not_before <= moment.now)
    )


def open_park(view: View, head: Head) -> c.OpenPark:
    """What a resumer must know of the head, with the edges that its waits name."""
    keys = dict.fromkeys(key for wait in head.waits for key in children_of(wait))
    edges = tuple(edge for key in keys if (edge := view.edge(head.ref, key)) is not None)
    return c.OpenPark(
        execution=head.ref,
        chain=head.chain,
        status=head.status,
        token=head.token,
        last_seq=head.last_seq,
        park_seq=head.park_seq,
        unknown_tail=head.unknown_tail,
        waits=head.waits,
        wake_at=head.wake_at,
        edges=edges,
    )


def due_of(view: View, call: c.ListDue, head: Head, moment: Moment) -> tuple[c.Due, ...]:
    """What a sweep finds on this head, or nothing; rows of the head and its edges only."""
    match call.about:
        case "overdue":
            return _overdue(head, moment.now - call.grace_ms)
        case "satisfied":
            return _satisfied(view, head)
        case "cancels":
            due = head.cancel_seq is not None and _past(head.cancel_deadline, moment)
            return (c.Due(execution=head.ref, chain=head.chain, cancel_seq=head.cancel_seq),) if due else ()
        case "deadlines":
            due = head.cancel_seq is None and _past(head.deadline_at, moment)
            return (c.Due(execution=head.ref, chain=head.chain),) if due else ()
        case "closes":
            return _closes(view, head)


def _closes(view: View, head: Head) -> tuple[c.Due, ...]:
    """The hardest policy of an edge whose parent has ended; a cancel that was already requested is carried out."""
    closes = {edge.close for edge in view.edges_of_child(head.ref) if _has_ended(view.head_of(edge.parent.incarnation))}
    if "terminate" in closes:
        return (c.Due(execution=head.ref, chain=head.chain, close="terminate"),)
    due = "cancel" in closes and head.cancel_seq is None
    return (c.Due(execution=head.ref, chain=head.chain, close="cancel"),) if due else ()


def _has_ended(parent: Head | None) -> bool:
    return parent is None or parent.status not in LIVE


def _past(instant: int | None, moment: Moment) -> bool:
    return instant is not None and instant <= moment.now


def _overdue(head: Head, before: int) -> tuple[c.Due, ...]:
    for wait in head.waits if head.park_seq is not None else ():
        if isinstance(wait, TimerWait) and wait.timer.wake_at is not None and wait.timer.wake_at <= before:
            return (c.Due(execution=head.ref, chain=head.chain, park_seq=head.park_seq, wait=wait.id),)
    return ()


def _satisfied(view: View, head: Head) -> tuple[c.Due, ...]:
    for wait in head.waits if head.park_seq is not None else ():
        edges = {key: edge for key in children_of(wait) if (edge := view.edge(head.ref, key)) is not None}
        answer = answer_from_children(wait, edges)
        if answer is not None:
            return (
                c.Due(execution=head.ref, chain=head.chain, park_seq=head.park_seq, wait=answer.wait, keys=answer.keys),
            )
    return ()


def stamped(view: View, head: Head, kind: str, moment: Moment) -> Change:
    """What a newer server's answering event leaves: the status stays, the park is unknown (I15)."""
    draft = Draft(view, moment, head)
    draft.add(kind, NULL)
    draft.move(park_seq=None, unknown_tail=True)
    write_head, write_events = draft.writes
    assert isinstance(write_events, WriteEvents)
    events = tuple(replace(event, kernel=True) for event in write_events.events)
    return Change((write_head, WriteEvents(head.head, events)), None)
