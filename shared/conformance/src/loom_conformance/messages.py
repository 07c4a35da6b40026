"""Mail before and after the park; consumed once, in the same transaction as the answer; inboxes that are full."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from loom.errors import Deleted, Gone, IllegalTransition, InboxFull, Invalid, KeyReused, NotFound, Stale, TooLarge
from loom.kernel import calls as c
from loom.kernel.events import Event, NewEvent
from loom.kernel.raw_json import RawJson
from loom_conformance.case import Suite
from loom_conformance.checks import all_at_once, equal, holds, refused
from loom_conformance.scene import WORKFLOW, Execution, Scene, mint
from loom_conformance.subject import NotReachable
from loom_conformance.waits import message, timer

SUITE = Suite("messages")
FILLABLE = 1_000
FAR_MS = 3_600_000


def _consumed(log: Iterable[Event]) -> list[dict[str, object]]:
    return [json.loads(event.payload) for event in log if event.kind == "MESSAGE_CONSUMED"]


@SUITE.case
async def mail_waits_in_order(scene: Scene) -> None:
    """I16: inbox_seq rises by one per message, the oldest is read first."""
    execution = await scene.owned()

    seqs = [(await execution.send("mail", number, message_id=f"m{number}")).inbox_seq for number in range(3)]

    equal(seqs, [1, 2, 3])
    equal(await execution.inbox(), ["m0", "m1", "m2"])
    equal(await execution.kinds(), ["EXECUTION_STARTED"], "the log, which mail does not touch")


@SUITE.case
async def an_inbox_is_read_by_name_and_key(scene: Scene) -> None:
    """Design 5: only those, only that key."""
    execution = await scene.owned()
    for name, key in (("a", None), ("b", "x"), ("b", "y")):
        await execution.send(name, key=key, message_id=f"{name}{key}")

    equal(await execution.inbox("b"), ["bx", "by"])
    equal(await execution.inbox("b", "y"), ["by"])
    inbox = await scene.store.read_inbox(c.ReadInbox(**execution.at, limit=2))
    equal([(mail.name, mail.key) for mail in inbox.items], [("a", None), ("b", "x")])


@SUITE.case
async def an_inbox_is_read_in_pages(scene: Scene) -> None:
    """Design 5: what comes behind the `inbox_seq` of the last one read, by name and key too."""
    execution = await scene.owned()
    for name, key in (("a", None), ("b", "x"), ("a", None), ("b", "y")):
        await execution.send(name, key=key)

    first = c.ReadInbox(**execution.at, after=1)
    for call, seqs in (
        (replace(first, limit=2), [2, 3]),
        (replace(first, name="a"), [3]),
        (replace(first, name="b", key="y"), [4]),
        (replace(first, after=4), []),
    ):
        inbox = await scene.store.read_inbox(call)
        equal([mail.inbox_seq for mail in inbox.items], seqs, str(call))


@SUITE.case
async def a_message_answers_the_park_that_waits_for_it(scene: Scene) -> None:
    """I16: `[MESSAGE_CONSUMED, EXECUTION_RESUMED]` together; token + 1, runnable; the row keeps its id."""
    execution = await scene.parked(message("mail", id="w"))

    sent = await execution.send("mail", {"n": 1}, message_id="m1")

    consumed, resumed = (await execution.log())[-2:]
    equal((consumed.kind, resumed.kind), ("MESSAGE_CONSUMED", "EXECUTION_RESUMED"))
    equal(
        json.loads(consumed.payload),
        {"message_id": "m1", "name": "mail", "key": None, "payload": {"n": 1}, "wait": "w"},
    )
    equal(json.loads(resumed.payload), {"wait": "w", "keys": None, "by": "send"})
    equal(resumed.answers_park, execution.park_seq)
    equal((sent.resumed, await execution.inbox()), (True, []))
    head = await execution.head()
    equal((head.shown, head.token.counter), ("runnable", execution.held.token.counter + 1))


@SUITE.case
async def a_park_finds_the_mail_that_came_first(scene: Scene) -> None:
    """I16: it answers itself with the oldest that fits, in the park's transaction."""
    execution = await scene.owned()
    for number in range(3):
        await execution.send("mail", number, message_id=f"m{number}")

    parked = await execution.park(message("mail"))

    log = await execution.log()
    equal([e.kind for e in log[-3:]], ["EXECUTION_SUSPENDED", "MESSAGE_CONSUMED", "EXECUTION_RESUMED"])
    equal(_consumed(log)[0]["message_id"], "m0")
    equal((parked.park_seq, parked.answered_seq), (log[-3].seq, log[-1].seq))
    equal(await execution.inbox(), ["m1", "m2"])
    await refused(Stale, execution.append("A"))


@SUITE.case
async def a_key_must_fit(scene: Scene) -> None:
    """Design 2: a wait is for (name, key or any): another key waits, any key takes all."""
    keyed, loose = await scene.parked(message("mail", "k1")), await scene.parked(message("mail"))

    equal((await keyed.send("mail", key="k2")).resumed, False)
    equal((await keyed.send("mail")).resumed, False)
    equal((await keyed.send("mail", key="k1")).resumed, True)
    equal((await loose.send("mail", key="k2")).resumed, True)


@SUITE.case
async def another_name_waits(scene: Scene) -> None:
    """Design 2: what the park does not wait for stays in the inbox, and the park stays open."""
    execution = await scene.parked(message("mail"), timer(FAR_MS))
    log = await execution.log()

    sent = await execution.send("post")

    equal((sent.resumed, await execution.log()), (False, log))
    equal((await execution.head()).park_seq, execution.park_seq)


@SUITE.case
async def a_park_takes_the_oldest_over_all_its_waits(scene: Scene) -> None:
    """I16: of two waits that have mail, the one whose message came first is answered."""
    execution = await scene.owned()
    await execution.send("second-wait", message_id="older")
    await execution.send("first-wait", message_id="newer")

    await execution.park(message("first-wait"), message("second-wait"))

    equal(_consumed(await execution.log())[0]["message_id"], "older")


@SUITE.case
async def each_message_is_consumed_once(scene: Scene) -> None:
    """I16: a loop that waits again gets the next one, never the same."""
    execution = await scene.start()
    for number in range(4):
        await execution.send("mail", number, message_id=f"m{number}")

    for _ in range(4):
        await execution.claim()
        await execution.park(message("mail"))

    equal([mail["message_id"] for mail in _consumed(await execution.log())], ["m0", "m1", "m2", "m3"])
    equal(await execution.inbox(), [])


@SUITE.case
async def of_two_messages_for_one_park_one_answers(scene: Scene) -> None:
    """I9: the other one waits for the next park."""
    execution = await scene.parked(message("mail"))

    answers = await all_at_once(execution.send("mail", number) for number in range(8))

    equal(sorted(getattr(answer, "resumed", None) for answer in answers), [False] * 7 + [True])
    equal((await execution.kinds()).count("EXECUTION_RESUMED"), 1)
    equal(len(await execution.inbox()), 7)


@SUITE.case
async def a_send_and_a_park_meet_in_either_order(scene: Scene) -> None:
    """I16: whichever comes second sees the other: no wake-up is lost."""
    for order in (0, 1):
        execution = await scene.owned()
        calls = [execution.send("mail"), execution.park(message("mail"))]
        await all_at_once(calls[::-1] if order else calls)

        equal((await execution.kinds())[-3:], ["EXECUTION_SUSPENDED", "MESSAGE_CONSUMED", "EXECUTION_RESUMED"])


@SUITE.case
async def a_busy_owner_is_told_and_consumes_by_itself(scene: Scene) -> None:
    """H14: append and renew say that mail is there; the owner's MESSAGE_CONSUMED marks the row, and once only."""
    execution = await scene.owned()
    equal((await execution.append("A")).waiting.messages, False)
    await execution.send("mail", 7, message_id="m1")
    equal((await execution.append("A")).waiting.messages, True)
    equal((await execution.renew()).waiting.messages, True)

    answer = await execution.append(NewEvent(kind="MESSAGE_CONSUMED", message_id="m1", wait="w"))

    equal((answer.waiting.messages, await execution.inbox()), (False, []))
    equal(
        _consumed(await execution.log()), [{"message_id": "m1", "name": "mail", "key": None, "payload": 7, "wait": "w"}]
    )
    async with scene.untouched(execution):
        await refused(IllegalTransition, execution.append(NewEvent(kind="MESSAGE_CONSUMED", message_id="m1")))
        await refused(IllegalTransition, execution.append(NewEvent(kind="MESSAGE_CONSUMED", message_id="never sent")))


@SUITE.case
async def a_message_is_consumed_once_in_a_call(scene: Scene) -> None:
    """I16: a call that names it twice is refused as a whole."""
    execution = await scene.owned()
    await execution.send("mail", message_id="m1")
    twice = [NewEvent(kind="MESSAGE_CONSUMED", message_id="m1")] * 2

    async with scene.untouched(execution):
        await refused(IllegalTransition, execution.append(*twice))


@SUITE.case
async def a_message_to_what_does_not_live_is_refused(scene: Scene) -> None:
    """Design 2: nothing: not-found; ended: refused; a tombstone: deleted; another chain: gone."""
    ended, deleted, living = await scene.ended(), await scene.deleted(), await scene.owned()

    async with scene.untouched(ended, deleted, living):
        await refused(NotFound, scene.unknown().send())
        await refused(IllegalTransition, ended.send())
        await refused(Deleted, deleted.send())
        await refused(Gone, living.send(chain=scene.unknown().chain.chain))
    await living.send(chain="*")


@SUITE.case
async def a_pending_execution_gets_mail(scene: Scene) -> None:
    """I16: what is not claimed yet can be written to; its first park finds it."""
    execution = await scene.start()

    await execution.send("mail")
    await execution.claim()

    equal((await execution.park(message("mail"))).answered_seq, 4)


@SUITE.case
async def a_send_resumes_in_single_writer_mode_without_a_bump(scene: Scene) -> None:
    """Design 2: an answer leaves a single writer's token alone."""
    execution = await scene.single()
    await execution.park(message("mail"))

    await execution.send("mail")

    equal(((await execution.head()).token, (await execution.kinds())[-1]), (0, "EXECUTION_RESUMED"))
    await execution.append("A")


@SUITE.case
async def a_message_names_its_sender(scene: Scene) -> None:
    """I30: sent with a credential, it carries who sent it; the sender's log is untouched."""
    sender, receiver = await scene.owned(), await scene.owned()

    async with scene.untouched(sender):
        await receiver.send("mail", sender=sender.held)

    (mail,) = (await scene.store.read_inbox(c.ReadInbox(**receiver.at))).items
    holds(sender.ref.execution_id in (mail.sender or ""), "the sender is named")
    holds(sender.held.nonce not in (mail.sender or ""), "its nonce is not")


@SUITE.case
async def a_full_inbox_takes_no_more(scene: Scene) -> None:
    """Design 9: so many may wait; what a park waits for still arrives, and a consumed one makes room."""
    execution, limits = await scene.owned(), await scene.limits()
    if limits.inbox_waiting > FILLABLE:
        raise NotReachable("the inbox's limit is too large to be reached by sending")
    for number in range(limits.inbox_waiting):
        await execution.send("mail", message_id=f"m{number}")

    async with scene.untouched(execution):
        await refused(InboxFull, execution.send("mail"))
    await execution.append(NewEvent(kind="MESSAGE_CONSUMED", message_id="m0"))
    await execution.send("mail")
    await execution.park(message("other"))
    equal((await execution.send("other")).resumed, True)


@SUITE.case
async def a_message_over_the_limit_is_too_large(scene: Scene) -> None:
    """Design 9: a message is an event to be."""
    execution, limits = await scene.owned(), await scene.limits()

    async with scene.untouched(execution):
        await refused(TooLarge, execution.send("mail", "x" * limits.event_bytes))


@SUITE.case
async def mail_is_not_moved_by_a_reopening(scene: Scene) -> None:
    """H55: a park re-opened with `null` consumed nothing; the next park on the same name is answered as ever."""
    execution = await scene.parked(message("mail"))
    await execution.resume(None)
    await execution.send("mail", message_id="m1")
    await execution.claim()

    await execution.park(message("mail"))

    equal([mail["message_id"] for mail in _consumed(await execution.log())], ["m1"])


@SUITE.case
async def an_unheard_cancel_comes_before_mail(scene: Scene) -> None:
    """I57: a park that has both is answered with `null`, and the message is still there."""
    execution = await scene.owned()
    await execution.send("mail", message_id="m1")
    await execution.cancel()

    await execution.park(message("mail"))

    equal(
        ((await execution.kinds())[-2:], await execution.inbox()),
        (["EXECUTION_SUSPENDED", "EXECUTION_RESUMED"], ["m1"]),
    )


@SUITE.case
async def many_senders_and_a_receiver_in_a_loop(scene: Scene) -> None:
    """I16: many senders at once and a receiver that parks over and over: each message is consumed exactly once."""
    receiver = await scene.start()
    ids = [mint("message") for _ in range(24)]

    async def receive() -> c.Parked:
        await receiver.claim_when_due()
        return await receiver.park(message("mail"))

    for start in range(0, len(ids), 4):
        sends = [receiver.send("mail", message_id=each) for each in ids[start : start + 4]]
        await all_at_once([*sends, receive()])
    await _drain(receiver)

    equal(sorted(str(mail["message_id"]) for mail in _consumed(await receiver.log())), sorted(ids))


async def _drain(receiver: Execution) -> None:
    while await receiver.inbox():
        if (await receiver.head()).status == "running":
            await receiver.claim_when_due()
            await receiver.park(message("mail"))


# --- with a start -----------------------------------------------------------------------------------------------------


def _start(scene: Scene, **members: Any) -> c.StartIfAbsent:
    return c.StartIfAbsent(**({"workflow": WORKFLOW, "queue": scene.queue, "input": RawJson('{"n":1}')} | members))


@SUITE.case
async def a_message_with_a_start_finds_or_makes_its_receiver(scene: Scene) -> None:
    """Design 2: absent: started and delivered in one transaction; there: delivered, and nothing is started."""
    receiver = scene.unknown()
    first = await receiver.send("mail", 1, chain="*", message_id="m1", start=_start(scene))

    head = await receiver.head()
    body = json.loads((await receiver.log())[0].payload)
    equal((first.inbox_seq, first.resumed, head.status), (1, False, "pending"))
    equal((head.workflow, head.queue, int(head.chain)), (WORKFLOW, scene.queue, int(head.incarnation)))
    equal((body["input"], await receiver.inbox()), ({"n": 1}, ["m1"]))
    second = await receiver.send("mail", 2, chain="*", message_id="m2", start=_start(scene, workflow="other"))

    equal((second.inbox_seq, (await receiver.head()).incarnation), (2, head.incarnation))
    equal((await receiver.kinds(), await receiver.inbox()), (["EXECUTION_STARTED"], ["m1", "m2"]))


@SUITE.case
async def a_receiver_started_by_its_mail_is_claimed_and_reads_it(scene: Scene) -> None:
    """I16: its first park finds the message."""
    receiver = scene.unknown()
    await receiver.send("mail", chain="*", start=_start(scene))
    receiver.ref = (await receiver.head()).ref
    await receiver.claim()

    parked = await receiver.park(message("mail"))

    holds(parked.answered_seq is not None, "the park answered itself")


@SUITE.case
async def a_message_with_a_start_repeated_has_one_effect(scene: Scene) -> None:
    """I3, I16: by its message id: one start, one message, also when it is consumed and its receiver has ended."""
    receiver = scene.unknown()
    facts: dict[str, Any] = {"chain": "*", "message_id": "m", "start": _start(scene)}
    answers = await all_at_once(receiver.send("mail", 1, **facts) for _ in range(8))
    first = answers[0]
    equal({repr(answer) for answer in answers}, {repr(first)})
    equal((await receiver.kinds(), await receiver.inbox()), (["EXECUTION_STARTED"], ["m"]))
    receiver.ref = (await receiver.head()).ref
    await receiver.claim()
    await receiver.append(NewEvent(kind="MESSAGE_CONSUMED", message_id="m"))
    await receiver.end()

    async with scene.untouched(receiver):
        equal(await receiver.send("mail", 1, **facts), first)
        await refused(KeyReused, receiver.send("mail", 2, **facts))
        await refused(IllegalTransition, receiver.send("mail", 1, chain="*", start=_start(scene)))


@SUITE.case
async def a_message_brings_nothing_back(scene: Scene) -> None:
    """I5, H48: a tombstone is `deleted`, with a start too; a chain that is named and not there is `not-found`."""
    deleted, nobody = await scene.deleted(), scene.unknown()

    async with scene.untouched(deleted):
        await refused(Deleted, deleted.send(chain="*", start=_start(scene)))
        await refused(Deleted, deleted.send(start=_start(scene)))
    await refused(NotFound, nobody.send(start=_start(scene)))
    equal(await nobody.log(), ())


@SUITE.case
async def a_message_starts_no_derived_id(scene: Scene) -> None:
    """Design 5: `~` is reserved, for a start by a message as for any other."""
    receiver = scene.unknown().ended_link

    await refused(Invalid, receiver.send(chain="*", start=_start(scene)))
    equal(await receiver.log(), ())


@SUITE.case
async def a_start_by_a_message_has_the_limits_of_a_start(scene: Scene) -> None:
    """Design 9: message and input, each within its limit; refused, nothing exists."""
    receiver, limits = scene.unknown(), await scene.limits()
    large = RawJson.of("x" * limits.event_bytes)

    await refused(TooLarge, receiver.send(chain="*", start=_start(scene, input=large)))
    await refused(TooLarge, receiver.send("mail", "x" * limits.event_bytes, chain="*", start=_start(scene)))
    equal(await receiver.log(), ())


@SUITE.case
async def a_stalled_sender_starts_nobody(scene: Scene) -> None:
    """I30, H15: the sender is judged before there is a receiver."""
    sender, receiver = await scene.owned(), scene.unknown()
    was = sender.held
    await sender.release()

    await refused(Stale, receiver.send(chain="*", start=_start(scene), sender=was))
    equal(await receiver.log(), ())


@SUITE.case
async def a_start_by_a_message_may_be_delayed_and_bounded(scene: Scene) -> None:
    """Design 6: `delay_ms` and `timeout_ms` as of a start."""
    receiver = scene.unknown()
    await receiver.send(chain="*", start=_start(scene, delay_ms=FAR_MS, timeout_ms=2 * FAR_MS))

    head = await receiver.head()

    equal((head.not_before, head.deadline_at), (head.created_at + FAR_MS, head.created_at + 2 * FAR_MS))
