"""Deletion: only what has ended and nobody needs; tombstones; incarnations that keep the old one out. Lists."""

from __future__ import annotations

from loom.errors import (
    AlreadyExists,
    Deleted,
    ExecutionPinned,
    ForeignCredential,
    Gone,
    IllegalTransition,
    Invalid,
    LoomError,
    NotFound,
    Stale,
)
from loom.ids import Instant, Namespace, Sequence
from loom.kernel import calls as c
from loom.kernel.heads import Status
from loom.stores.timer_store import WAKE, ClaimDue, ReadTimers, RetirePassed, Schedule, TimerKey
from loom_conformance.case import Suite
from loom_conformance.checks import all_at_once, equal, holds, refused
from loom_conformance.scene import SHORT_LEASE_MS, WORKFLOW, Execution, Scene, mint
from loom_conformance.waits import child, message, timer

SUITE = Suite("deletion")


@SUITE.case
async def what_has_not_ended_is_not_deleted(scene: Scene) -> None:
    """Row delete: terminal only."""
    for execution in (await scene.start(), await scene.owned(), await scene.parked(), await scene.runnable()):
        async with scene.untouched(execution):
            await refused(IllegalTransition, execution.delete())


@SUITE.case
async def a_deletion_names_the_incarnation(scene: Scene) -> None:
    """Row delete, law 4: another one is gone; nothing is not-found; a person may write `*`."""
    execution = await scene.ended()

    async with scene.untouched(execution):
        await refused(Gone, execution.delete(incarnation=scene.unknown().ref.incarnation))
    await refused(NotFound, scene.unknown().delete())
    await execution.delete(incarnation="*")


@SUITE.case
async def a_deletion_removes_the_log_and_keeps_a_tombstone(scene: Scene) -> None:
    """I46: events, inbox, pins and edges go; token and ending stay."""
    execution = await scene.owned()
    await execution.send("mail")
    kid = await execution.start_child("kid")
    await kid.end()
    await execution.end("EXECUTION_FAILED")
    token = (await execution.head()).token

    erased = await execution.delete()

    equal((erased.token, erased.ending), (token, "failed"))
    equal(await execution.log(), ())
    refusal = await refused(Deleted, execution.send("mail"))
    equal(refusal.facts.get("ending"), "failed")


@SUITE.case
async def nothing_lands_on_a_tombstone(scene: Scene) -> None:
    """I46: no call of anybody makes it more than it is."""
    execution = await scene.deleted()
    parked = execution.resume_call(park_seq=Sequence(2))
    calls = [
        execution.append("A", credential=None, incarnation="*"),
        execution.note(),
        execution.send(),
        execution.cancel(),
        execution.terminate(),
        execution.fail(),
        scene.store.resume(parked),
        scene.store.set_pin(c.SetPin(**execution.seen, owner="me", reason="x")),
        scene.store.mark_archived(c.MarkArchived(**execution.seen, seq=Sequence(1))),
    ]

    async with scene.untouched(execution):
        for call in calls:
            await refused(Deleted, call)
    equal(await execution.log(), ())


@SUITE.case
async def of_a_deletion_and_an_audit_append_either_order_is_clean(scene: Scene) -> None:
    """I46: the note is in the log that goes, or refused; no orphan event is left."""
    for order in (0, 1):
        execution = await scene.ended()
        calls = [execution.delete(), execution.note()]
        await all_at_once(calls[::-1] if order else calls)

        equal(await execution.log(), ())
        await refused(Deleted, execution.note())


@SUITE.case
async def a_tombstone_starts_again_only_on_purpose(scene: Scene) -> None:
    """I5: without `recreate`: `deleted`, also with `if_exists` return."""
    execution = await scene.deleted()
    address = {"execution_id": execution.ref.execution_id}

    async with scene.untouched(execution):
        refusal = await refused(Deleted, scene.start(**address))
        await refused(Deleted, scene.start(**address, if_exists="return"))
    successor = await scene.start(**address, recreate=True)

    equal(refusal.facts.get("ending"), "completed")
    equal(await successor.kinds(), ["EXECUTION_STARTED"])


@SUITE.case
async def a_re_created_id_has_a_new_incarnation_and_the_old_token(scene: Scene) -> None:
    """I19, I48: a random number, and the counter goes on."""
    execution = await scene.owned()
    await execution.end()
    erased = await execution.delete()

    successor = await execution.recreate()

    head = await successor.head()
    holds(successor.ref.incarnation != execution.ref.incarnation, "another incarnation")
    equal((head.token, head.status, head.last_seq, head.link), (erased.token, "pending", 1, 1))
    equal((head.fruitless_claims, head.cancel_seq, head.last_position, head.ended_at), (0, None, None, None))
    await successor.claim()
    holds(successor.held.token > execution.held.token, "its first token is greater than any before")


@SUITE.case
async def recreate_does_not_replace_what_lives(scene: Scene) -> None:
    """I5: `recreate` is for tombstones."""
    living, ended = await scene.owned(), await scene.ended()

    async with scene.untouched(living, ended):
        for execution in (living, ended):
            await refused(AlreadyExists, scene.start(execution_id=execution.ref.execution_id, recreate=True))


@SUITE.case
async def eight_re_creations_make_one_incarnation(scene: Scene) -> None:
    """I5: a tombstone is a compare-and-set, too."""
    execution = await scene.deleted()

    answers = await all_at_once(execution.recreate() for _ in range(8))

    equal(sum(not isinstance(answer, LoomError) for answer in answers), 1)


# --- what remembers the old incarnation -------------------------------------------------------------------------------


async def _reborn(scene: Scene) -> tuple[Execution, Execution]:
    """A terminated execution that was parked on a timer and a message, and its successor, parked at that sequence."""
    old = await scene.parked(timer(0), message("mail"))
    await old.terminate()
    await old.delete()
    new = await old.recreate()
    await new.claim()
    await new.park(timer(0), message("mail"))
    equal(new.park_seq, old.park_seq, "the park's sequence, which repeats")
    return old, new


def _remembering(name: str, title: str, error: type[LoomError], act: str, **facts: object) -> None:
    async def run(scene: Scene) -> None:
        old, new = await _reborn(scene)
        async with scene.untouched(new):
            await refused(error, getattr(old, act)(**facts))

    SUITE.add(name, title, run)


_remembering("an-old-park-does-not-wake-the-new-one", "H6, I31: a remembered park is gone.", Gone, "resume")
_remembering("an-old-park-is-not-reopened", "I31: nor with `null`.", Gone, "resume", wait=None)
_remembering("an-old-park-is-not-acquired", "H6, I48: an absence of answers is no park.", Gone, "acquire")
_remembering("an-old-claim-takes-nothing", "I24, I48: incarnation and token were another's.", Gone, "claim")
_remembering("an-old-termination-ends-nothing", "H36: an operator's late terminate is gone.", Gone, "terminate")
_remembering("an-old-failure-ends-nothing", "H36: an operator's late fail is gone.", Gone, "fail")
_remembering("an-old-deletion-removes-nothing", "I45: retention's late delete is gone.", Gone, "delete")
_remembering("an-old-message-is-not-delivered", "H36: a send addresses a chain.", Gone, "send")
_remembering("an-old-cancel-requests-nothing", "H36: a cancel addresses a chain.", Gone, "cancel")
_remembering("an-old-note-is-not-taken", "I28: the audit call names an incarnation.", Gone, "note")
_remembering("an-old-release-frees-nothing", "I48: its credential is stale.", Stale, "release")
_remembering("an-old-renewal-stretches-nothing", "I48: its credential is stale.", Stale, "renew")
_remembering("an-old-park-call-parks-nothing", "I48: its credential is stale.", Stale, "park")
_remembering("an-old-child-is-not-started", "I30, I48: its credential is stale.", Stale, "start_child", key="kid")


@SUITE.case
async def an_old_append_lands_nowhere(scene: Scene) -> None:
    """I48: the credential of an earlier incarnation is stale on the next, whatever the token."""
    old, new = await _reborn(scene)

    async with scene.untouched(new):
        await refused(Stale, old.append("A"))
        await refused(Stale, old.append("A", expected_seq=(await new.head()).last_seq))


@SUITE.case
async def an_old_answer_under_a_grant_is_stale(scene: Scene) -> None:
    """I48, design 2: a credential of another incarnation is `stale`; `gone` is for calls without one."""
    old = await scene.parked()
    credential = await old.acquire()
    await old.terminate()
    await old.delete()
    new = await old.recreate()
    await new.claim()
    await new.park()

    async with scene.untouched(new):
        await refused(Stale, old.resume(credential=credential))
        await refused(Stale, new.resume(credential=credential))


@SUITE.case
async def an_old_pin_and_archive_mark_do_not_reach_the_new_one(scene: Scene) -> None:
    """I48: retention remembers incarnations, too; a pin of the old one does not keep the new one."""
    old = await scene.ended()
    await scene.store.set_pin(c.SetPin(**old.seen, owner="me", reason="x", ttl_ms=SHORT_LEASE_MS))
    await scene.pass_time(SHORT_LEASE_MS)
    await old.delete()
    new = await old.recreate()
    await new.end()

    async with scene.untouched(new):
        await refused(Gone, scene.store.set_pin(c.SetPin(**old.seen, owner="me", reason="x")))
        await refused(Gone, scene.store.remove_pin(c.RemovePin(**old.seen, owner="me")))
        await refused(Gone, scene.store.mark_archived(c.MarkArchived(**old.seen, seq=Sequence(1))))
    equal((await scene.store.read_pins(c.ReadPins(**new.seen))).items, ())


@SUITE.case
async def an_old_parents_child_does_not_wake_the_new_parent(scene: Scene) -> None:
    """I48: an edge is of a parent's incarnation; a child of the old one ends without a trace on the new one."""
    old = await scene.owned()
    kid = await old.start_child("kid", close="abandon")
    await old.end()
    await old.delete()
    new = await old.recreate()
    await new.claim()
    own = await new.start_child("kid")
    await new.park(child("kid"))

    async with scene.untouched(new):
        await kid.end(value="old")
        await refused(IllegalTransition, new.resume("kid", "kid"))
    await own.end(value="new")
    await new.resume("kid", "kid")

    holds('"outcome":"new"' in (await new.log())[-2].payload, "the outcome is its own child's")


@SUITE.case
async def an_old_timer_row_does_not_wake_the_new_one(scene: Scene) -> None:
    """H1, I33, I48: the row is keyed by incarnation: the new park has its own, the old one's wake is gone."""
    timers = scene.timers
    old, new = await _reborn(scene)
    now = await scene.now()
    for incarnation, due in ((old, now - 1), (new, now + SHORT_LEASE_MS)):
        key = TimerKey.of(incarnation.ref, incarnation.park_seq, "timer", WAKE)
        await timers.schedule(Schedule(key=key, wake_at=Instant(due)))
    rows = (await timers.read(ReadTimers(**old.at))).items
    equal({row.key.incarnation for row in rows}, {old.ref.incarnation, new.ref.incarnation}, "the rows' incarnations")

    claimed = await timers.claim_due(ClaimDue(kinds=(WAKE,), claim=mint(), limit=1_000, ttl_ms=1_000))
    mine = [row.key for row in claimed.items if row.key.execution_id == old.ref.execution_id]
    equal(mine, [TimerKey.of(old.ref, old.park_seq, "timer", WAKE)], "the rows that are due")
    async with scene.untouched(new):
        await refused(Gone, old.resume(mine[0].wait_id, park_seq=mine[0].park_seq))
    await timers.retire_passed(RetirePassed(execution=new.ref, park_seq=new.park_seq))

    left = (await timers.read(ReadTimers(**new.at))).items
    equal([row.key.incarnation for row in left], [new.ref.incarnation])


@SUITE.case
async def the_past_of_an_id_is_not_read(scene: Scene) -> None:
    """I48: who names the old incarnation is told that another one lives here."""
    old, new = await _reborn(scene)
    reads = (
        scene.store.read_events(c.ReadEvents(**old.seen)),
        scene.store.read_park(c.ReadPark(**old.seen)),
        scene.store.read_inbox(c.ReadInbox(**old.seen)),
        scene.store.read_children(c.ReadChildren(**old.seen)),
        scene.store.read_pins(c.ReadPins(**old.seen)),
    )

    for read in reads:
        await refused(Gone, read)
    equal(len(await new.log()), 2)


# --- pins and archive -------------------------------------------------------------------------------------------------


@SUITE.case
async def an_operators_pin_keeps_an_execution(scene: Scene) -> None:
    """I45: with owner, reason and expiry; removed or run out, it keeps nothing."""
    execution = await scene.ended()
    await scene.store.set_pin(c.SetPin(**execution.seen, owner="audit", reason="case 12"))
    await scene.store.set_pin(c.SetPin(**execution.seen, owner="short", reason="look", ttl_ms=SHORT_LEASE_MS))

    refusal = await refused(ExecutionPinned, execution.delete())
    await scene.store.remove_pin(c.RemovePin(**execution.seen, owner="audit"))
    await refused(ExecutionPinned, execution.delete())
    await scene.pass_time(SHORT_LEASE_MS)
    await execution.delete()

    holds("case 12" in refusal.detail, "the refusal says why")


@SUITE.case
async def a_pin_is_set_by_its_owners_name(scene: Scene) -> None:
    """Design 4: set again, it changes; pins are listed by owner."""
    execution = await scene.owned()
    for reason in ("first", "second"):
        await scene.store.set_pin(c.SetPin(**execution.seen, owner="b", reason=reason))
    answer = await scene.store.set_pin(c.SetPin(**execution.seen, owner="a", reason="other"))

    equal([(pin.owner, pin.reason) for pin in answer.items], [("a", "other"), ("b", "second")])
    equal((await scene.store.read_pins(c.ReadPins(**execution.at))).items, answer.items)


@SUITE.case
async def what_is_archived_must_be_all_of_it(scene: Scene) -> None:
    """I45, H22: where archiving is on, an event that came after the archive keeps the log."""
    execution = await scene.ended()
    last = (await execution.head()).last_seq
    await refused(ExecutionPinned, execution.delete(archived=True))
    await scene.store.mark_archived(c.MarkArchived(**execution.seen, seq=last))
    await execution.note("OUTCOME_RECORDED")

    async with scene.untouched(execution):
        await refused(ExecutionPinned, execution.delete(archived=True))
    await scene.store.mark_archived(c.MarkArchived(**execution.seen, seq=Sequence(last + 1)))
    await execution.delete(archived=True)


@SUITE.case
async def the_archives_mark_is_within_the_log_and_never_falls(scene: Scene) -> None:
    """I45: only of what has ended, at most its last sequence, never less than before."""
    execution, living = await scene.ended(), await scene.owned()
    last = (await execution.head()).last_seq

    await refused(IllegalTransition, scene.store.mark_archived(c.MarkArchived(**living.seen, seq=Sequence(1))))
    await refused(Invalid, scene.store.mark_archived(c.MarkArchived(**execution.seen, seq=Sequence(last + 1))))
    await scene.store.mark_archived(c.MarkArchived(**execution.seen, seq=last))
    again = await scene.store.mark_archived(c.MarkArchived(**execution.seen, seq=Sequence(1)))

    equal(again.archived_seq, last)


@SUITE.case
async def a_deletion_with_a_credential_has_it_judged_first(scene: Scene) -> None:
    """Fenced surfaces: foreign and stale ones are refused before anything else is looked at."""
    execution, other = await scene.owned(), await scene.owned()
    was = execution.held
    await execution.end()

    async with scene.untouched(execution):
        await refused(Stale, execution.delete(credential=was))
        await refused(ForeignCredential, execution.delete(credential=other.held))


# --- lists ------------------------------------------------------------------------------------------------------------


@SUITE.case
async def executions_are_listed_by_cursor(scene: Scene) -> None:
    """Design 5: newest first, each once, whatever the page; an id prefix narrows."""
    prefix = mint("list")
    ids = [(await scene.start(execution_id=f"{prefix}-{number}")).ref.execution_id for number in range(7)]
    found, cursor = [], None
    while True:
        call = c.ListExecutions(namespace=scene.namespace, id_prefix=prefix, limit=3, cursor=cursor)
        page = await scene.store.list_executions(call)
        found += [head.execution_id for head in page.items]
        cursor = page.cursor
        if cursor is None:
            break

    equal(found, ids[::-1])


@SUITE.case
async def executions_are_listed_by_status_and_workflow(scene: Scene) -> None:
    """Design 5: and by the time of their end."""
    prefix = mint("list")
    pending = await scene.start(execution_id=f"{prefix}-pending")
    await scene.ended(execution_id=f"{prefix}-ended")
    await scene.start(execution_id=f"{prefix}-other", workflow="other")

    async def ids(**facts: object) -> list[str]:
        call = c.ListExecutions(namespace=scene.namespace, id_prefix=prefix, **facts)  # type: ignore[arg-type]
        return [head.execution_id.removeprefix(prefix) for head in (await scene.store.list_executions(call)).items]

    now = (await pending.log())[0].recorded_at
    equal(await ids(statuses=(Status.COMPLETED,)), ["-ended"])
    equal(await ids(statuses=(Status.PENDING, Status.COMPLETED), workflow=WORKFLOW), ["-ended", "-pending"])
    equal(await ids(workflow="other"), ["-other"])
    equal(await ids(ended_before=Instant(now - 1)), [])
    equal(await ids(ended_before=Instant(now + 60_000)), ["-ended"])


@SUITE.case
async def executions_are_counted_by_status(scene: Scene) -> None:
    """Design 5: within a namespace, which exists from its first start."""
    namespace = Namespace(mint("counted"))
    for number in range(3):
        await scene.start(namespace=namespace, execution_id=f"e{number}")
    last = await scene.start(namespace=namespace)
    await last.terminate()

    counts = await scene.store.count_executions(c.CountExecutions(namespace=namespace))
    names = await scene.store.list_namespaces(c.ListNamespaces())

    equal({name: count for name, count in counts.counts.items() if count}, {"pending": 3, "cancelled": 1})
    holds(namespace in names.items, "the namespace is listed")


@SUITE.case
async def ids_of_two_namespaces_are_two_executions(scene: Scene) -> None:
    """Design 1: an execution is named by (namespace, id)."""
    here = await scene.owned()
    there = await scene.start(namespace=Namespace(mint("elsewhere")), execution_id=here.ref.execution_id)

    await there.send("mail")
    await refused(ForeignCredential, there.append("A", credential=here.held))

    equal((await here.inbox(), len(await there.inbox())), ([], 1))
