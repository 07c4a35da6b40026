"""Send: into the inbox, or straight into the park that waits for it (I16)."""

from __future__ import annotations

from loom.errors import IllegalTransition, InboxFull, KeyReused
from loom.ids import ANY
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, View
from loom.kernel.decisions.draft import Draft
from loom.kernel.decisions.resuming import answer_with_message
from loom.kernel.decisions.sizes import check_carried
from loom.kernel.decisions.starting import open_head, record_start
from loom.kernel.guards import is_of_chain, judge, of_chain
from loom.kernel.heads import Head, Mail, Status
from loom.kernel.legality import Writer
from loom.kernel.parks import message_wait


def send(view: View, call: c.Send, moment: Moment) -> Change:
    """A repeat gets the first answer, also after the receiver ended; a park on it is answered at once."""
    named = view.head_named(call.namespace, call.execution_id)
    first = view.message(named.head, call.message_id) if named and is_of_chain(named, call.chain) else None
    if first is not None:
        return Change((), _repeated(first, call))
    if call.sender:
        _check_sender(view, call, moment)
    if named is None and call.start is not None and call.chain == ANY:
        return _start_and_deliver(view, call, call.start, moment)
    head = of_chain(named, call.chain, of=call.execution_id)
    if head.ended:
        raise IllegalTransition(
            f"{head.execution_id} has {head.status}", execution_id=head.execution_id, state=head.shown
        )
    check_carried(call.payload, "a message", moment.limits)
    return _deliver(view, call, moment, head)


def _start_and_deliver(view: View, call: c.Send, how: c.StartIfAbsent, moment: Moment) -> Change:
    """Start if absent and deliver, in one transaction; the message is the repeat's own key."""
    check_carried(call.payload, "a message", moment.limits)
    check_carried(how.input, "an input", moment.limits)
    draft = open_head(view, moment, how, None, address=(call.namespace, call.execution_id), queue=how.queue)
    record_start(draft, how.input)
    draft.write_message(_mail(call, moment, inbox_seq=1))
    return draft.change(c.Sent(inbox_seq=1, resumed=False))


def _check_sender(view: View, call: c.Send, moment: Moment) -> None:
    """A stalled sender that lost its grant sends nothing (H15)."""
    assert call.sender is not None
    sender = view.head_named(call.sender.namespace, call.sender.execution_id)
    writer = judge(sender, call.sender, moment)
    if writer is not Writer.OWNER:
        raise IllegalTransition(f"{call.sender.execution_id} is parked: only a running body sends")


def _repeated(first: Mail, call: c.Send) -> c.Sent:
    if (first.name, first.key, first.payload) != (call.name, call.key, call.payload):
        raise KeyReused(f"the message id {call.message_id} was used for another message")
    return c.Sent(inbox_seq=first.inbox_seq, resumed=first.resumed)


def _deliver(view: View, call: c.Send, moment: Moment, head: Head) -> Change:
    message = _mail(call, moment, inbox_seq=view.last_inbox_seq(head.head) + 1)
    draft = Draft(view, moment, head)
    wait = message_wait(head.waits, call.name, call.key) if head.status is Status.PARKED else None
    if wait is not None and not head.unknown_tail:
        answer_with_message(draft, message, wait, by="send")
    else:
        _check_room(view, head, moment)
        draft.write_message(message)
    return draft.change(c.Sent(inbox_seq=message.inbox_seq, resumed=wait is not None and not head.unknown_tail))


def _mail(call: c.Send, moment: Moment, *, inbox_seq: int) -> Mail:
    return Mail(
        message_id=call.message_id,
        inbox_seq=inbox_seq,
        name=call.name,
        key=call.key,
        payload=call.payload,
        sender=f"{call.sender.execution_id}@{call.sender.incarnation}" if call.sender else None,
        sent_at=moment.now,
    )


def _check_room(view: View, head: Head, moment: Moment) -> None:
    if view.waiting_messages(head.head) >= moment.limits.inbox_waiting:
        raise InboxFull(
            f"{head.execution_id} has {moment.limits.inbox_waiting} messages waiting: send again later",
            execution_id=head.execution_id,
        )
