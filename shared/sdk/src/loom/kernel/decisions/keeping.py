"""What keeps executions and rounds in order: operators' pins, the archive's mark, duties."""

from __future__ import annotations

from dataclasses import replace

from loom.errors import IllegalTransition, Invalid, LeaseHeld, UnchangedMismatch
from loom.ids import Instant
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, RemovePinRow, View, WriteDuty, WriteHead, WritePin
from loom.kernel.guards import living
from loom.kernel.heads import Duty, Pin


def set_pin(view: View, call: c.SetPin, moment: Moment) -> Change:
    """One pin per owner's name; set again, it changes."""
    head = living(view.head_named(call.namespace, call.execution_id), call.incarnation, of=call.execution_id)
    expiry = None if call.ttl_ms is None else Instant(moment.now + call.ttl_ms)
    pin = Pin(owner=call.owner, reason=call.reason, expiry=expiry)
    others = tuple(other for other in view.pins(head.head) if other.owner != call.owner)
    return Change((WritePin(head.head, pin),), c.Pins(items=_ordered((*others, pin))))


def remove_pin(view: View, call: c.RemovePin, moment: Moment) -> Change:
    """What is not there is removed already."""
    head = living(view.head_named(call.namespace, call.execution_id), call.incarnation, of=call.execution_id)
    left = tuple(pin for pin in view.pins(head.head) if pin.owner != call.owner)
    return Change((RemovePinRow(head.head, call.owner),), c.Pins(items=_ordered(left)))


def _ordered(pins: tuple[Pin, ...]) -> tuple[Pin, ...]:
    return tuple(sorted(pins, key=lambda pin: pin.owner))


def mark_archived(view: View, call: c.MarkArchived, moment: Moment) -> Change:
    """The archive holds the log up to `seq`; the mark never goes back."""
    head = living(view.head_named(call.namespace, call.execution_id), call.incarnation, of=call.execution_id)
    if not head.ended:
        raise IllegalTransition(f"{head.execution_id} is {head.shown}: only what has ended is archived")
    if call.seq > head.last_seq:
        raise Invalid(f"the log of {head.execution_id} ends at {head.last_seq}")
    marked = replace(head, archived_seq=max(call.seq, head.archived_seq or call.seq))
    return Change((WriteHead(marked),), c.Archived(archived_seq=marked.archived_seq or call.seq))


def take_duty(view: View, call: c.TakeDuty, moment: Moment) -> Change:
    """Compare-and-set on the term: free, run out, or the caller's own (I54). Raises LeaseHeld, UnchangedMismatch."""
    duty = view.duty(call.name) or Duty(name=call.name)
    if is_taken(duty, call.owner, moment):
        raise LeaseHeld(f"{duty.owner} holds the duty {call.name}", owner=duty.owner, term=duty.term)
    if duty.term != call.term:
        raise UnchangedMismatch(f"term {call.term} seen, {duty.term} is current", term=duty.term)
    last_run = moment.now if call.ran else duty.last_run
    taken = Duty(
        name=call.name,
        owner=call.owner,
        term=duty.term + 1,
        until=Instant(moment.now + call.ttl_ms),
        last_run=last_run,
    )
    return Change((WriteDuty(taken),), taken)


def is_taken(duty: Duty, by_other_than: str, moment: Moment) -> bool:
    """Does somebody else hold a live term?"""
    live = duty.until is not None and duty.until > moment.now
    return live and duty.owner is not None and duty.owner != by_other_than


def give_up_duty(view: View, call: c.GiveUpDuty, moment: Moment) -> Change:
    """The holder's own term only; the next may take it at once. Raises UnchangedMismatch."""
    duty = view.duty(call.name) or Duty(name=call.name)
    if duty.owner != call.owner or duty.term != call.term:
        raise UnchangedMismatch(f"{call.owner} does not hold the duty {call.name} at term {call.term}", term=duty.term)
    free = replace(duty, owner=None, until=None, term=duty.term + 1)
    return Change((WriteDuty(free),), free)
