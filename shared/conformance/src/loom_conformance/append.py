"""Order, gap-free sequences, atomic batches, positions, opaque payloads."""

from __future__ import annotations

import json

from loom.errors import (
    Deleted,
    Gone,
    IllegalTransition,
    Invalid,
    LimitReached,
    LoomError,
    NotFound,
    OrderViolation,
    SequenceConflict,
    Stale,
    TooLarge,
)
from loom.ids import Sequence
from loom.kernel import calls as c
from loom.kernel.events import NewEvent
from loom.kernel.parks import locate_park
from loom.kernel.raw_json import RawJson
from loom_conformance.case import Suite
from loom_conformance.checks import all_at_once, equal, holds, refused
from loom_conformance.scene import Execution, Scene, event, mint
from loom_conformance.subject import NotReachable

SUITE = Suite("append")
GREATEST_JUMP = 2**31
FILLABLE = 5_000


@SUITE.case
async def start_writes_event_one(scene: Scene) -> None:
    """I5: EXECUTION_STARTED is sequence 1 and says what was started."""
    execution = await scene.start(input=RawJson('{"n": 1}'), code_version="7")

    (started,) = await execution.log()
    head = await execution.head()

    equal((started.seq, started.kind, started.kernel), (1, "EXECUTION_STARTED", True))
    equal(
        json.loads(started.payload),
        {
            "workflow": "conformance",
            "code_version": "7",
            "queue": scene.queue,
            "input": {"n": 1},
            "parent": None,
            "cancel": False,
        },
    )
    equal((head.status, head.last_seq, head.token, head.link), ("pending", 1, 0, 1))
    equal((head.chain, head.root, head.incarnation), (execution.ref.incarnation,) * 3)


@SUITE.case
async def sequences_have_no_gaps(scene: Scene) -> None:
    """I1: the store assigns 1..n, whatever was refused in between."""
    execution = await scene.owned()

    for number in range(5):
        answer = await execution.append(event("A", number), event("B", number))
        equal((answer.first_seq, answer.last_seq), (2 + 2 * number, 3 + 2 * number))
        await refused(IllegalTransition, execution.append("EXECUTION_RESUMED"))

    equal([each.seq for each in await execution.log()], list(range(1, 12)))
    equal((await execution.head()).last_seq, 11)


@SUITE.case
async def what_was_appended_is_read_at_once(scene: Scene) -> None:
    """A3: after the answer, the next read has it last, as the only writer wrote it."""
    execution = await scene.owned()

    for number in range(10):
        await execution.append(event("A", number))
        equal((await execution.log())[-1].payload, str(number))


@SUITE.case
async def racing_appends_come_into_one_order(scene: Scene) -> None:
    """A1, A2: no read sees part of a call, and a later append never reorders what was read before."""
    execution = await scene.owned()
    wide = "x" * 8192
    seen: list[list[str]] = []

    async def read() -> c.Appended:
        seen.append([each.payload[:8] for each in await execution.log()])
        return await execution.append(event("READ"))

    writes = [
        execution.append(event("A", f"{number:03}{wide}"), event("B", f"{number:03}{wide}")) for number in range(12)
    ]
    await all_at_once(call for pair in zip(writes, (read() for _ in writes), strict=True) for call in pair)

    log = await execution.log()
    final = [each.payload[:8] for each in log]
    equal([each.seq for each in log], list(range(1, 1 + 1 + 36)))
    for prefix in seen:
        equal(final[: len(prefix)], prefix, "an earlier read")
    halves = [each.payload[:4] for each in log if each.kind in "AB"]
    equal(halves[::2], halves[1::2], "the two events of each call, side by side")


@SUITE.case
async def a_call_is_all_or_nothing(scene: Scene) -> None:
    """I2: a poisoned last event takes the first ones with it."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        await refused(IllegalTransition, execution.append("A", "B", "EXECUTION_SUSPENDED"))


@SUITE.case
async def a_call_without_events_is_invalid(scene: Scene) -> None:
    """An append appends."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        await refused(Invalid, execution.append())


@SUITE.case
async def an_application_event_keeps_its_kind_and_no_stamp(scene: Scene) -> None:
    """I4, I15: an unknown kind without a stamp is ignorable; stamps are the store's."""
    execution = await scene.owned()

    await execution.append(event("OrderPlaced", {"id": 7}))

    placed = (await execution.log())[-1]
    equal((placed.kind, placed.kernel, placed.actor), ("OrderPlaced", False, None))
    equal(placed.fence, execution.held.token)


@SUITE.case
async def every_event_carries_the_token_it_was_written_under(scene: Scene) -> None:
    """I4, I8: fences are the store's, never fall, and never pass the head's token."""
    execution = await scene.runnable()
    await execution.claim()
    await execution.append("A")

    fences = [each.fence for each in await execution.log()]

    equal(fences, sorted(fences))
    equal(fences[-1], execution.held.token)
    holds((await execution.head()).token >= max(fences), "the head's token is the greatest")


@SUITE.case
async def payloads_come_back_byte_for_byte(scene: Scene) -> None:
    """A4, I4: key order, number spelling, duplicate keys, escaped NUL and lone surrogates included."""
    spelled = (
        '{"z":1,"a":2}',
        '{"a": 1 , "a":2}',
        f"{'9' * 400}",
        "1e400",
        "-0.00e-7",
        r'"\u0000 \ud800 \/ \u00e9"',
        '"é 😀"',
        '{"":[[],{},null,true,false]}',
        " [1,\n2] ".strip(),
    )
    execution = await scene.owned()

    await execution.append(*(NewEvent(kind="A", payload=RawJson(text)) for text in spelled))

    equal([str(each.payload) for each in (await execution.log())[1:]], list(spelled))


@SUITE.case
async def input_and_result_come_back_byte_for_byte(scene: Scene) -> None:
    """A4: the input inside STARTED and the payload of the end are carried text."""
    text = r'{"b":1,"a":"\ud83d","n":10000000000000000000000000001}'
    execution = await scene.owned(input=RawJson(text))

    await execution.append(NewEvent(kind="EXECUTION_COMPLETED", payload=RawJson(text)))

    log = await execution.log()
    holds(f'"input":{text}' in log[0].payload, "STARTED holds the input as received")
    equal(log[-1].payload, text)


@SUITE.case
async def an_expected_sequence_is_compared(scene: Scene) -> None:
    """I1: `expected_seq` is the log's last sequence as the caller knows it; another is a conflict."""
    execution = await scene.owned()
    await execution.append("A")

    async with scene.untouched(execution):
        for wrong in (0, 1, 3, 100):
            await refused(SequenceConflict, execution.append("B", expected_seq=Sequence(wrong)))
    answer = await execution.append("B", expected_seq=Sequence(2))

    equal(answer.first_seq, 3)


@SUITE.case
async def a_position_equal_to_the_last_is_refused(scene: Scene) -> None:
    """A5: strictly greater; the same number again is an order violation."""
    execution = await scene.owned()
    await execution.append(event("A", position=5))

    async with scene.untouched(execution):
        await refused(OrderViolation, execution.append(event("A", position=5)))


@SUITE.case
async def a_position_below_the_last_is_refused(scene: Scene) -> None:
    """A5: a smaller position is an order violation, and the true next one still works."""
    execution = await scene.owned()
    await execution.append(event("A", position=5))

    async with scene.untouched(execution):
        await refused(OrderViolation, execution.append(event("A", position=4)))
    await execution.append(event("A", position=6))


@SUITE.case
async def positions_may_have_gaps(scene: Scene) -> None:
    """A5: strictly greater is enough; an engine that failed once leaves a hole, and a jump of 2^31 is fine."""
    execution = await scene.owned()

    for position in (0, 1, 3, 3 + GREATEST_JUMP):
        await execution.append(event("A", position=position))

    equal([each.position for each in (await execution.log())[1:]], [0, 1, 3, 3 + GREATEST_JUMP])
    equal((await execution.head()).last_position, 3 + GREATEST_JUMP)


@SUITE.case
async def positions_rise_within_a_call(scene: Scene) -> None:
    """A5: the rule holds between the events of one call too."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        await refused(OrderViolation, execution.append(event("A", position=2), event("A", position=2)))
        await refused(OrderViolation, execution.append(event("A", position=2), event("A", position=1)))
    await execution.append(event("A", position=1), event("A", position=2))


@SUITE.case
async def a_position_is_compared_with_the_greatest_not_with_the_last_event(scene: Scene) -> None:
    """A5: an event without a position is stored without this guard and does not reset it."""
    execution = await scene.owned()
    await execution.append(event("A", position=9))

    await execution.append(event("B"))

    await refused(OrderViolation, execution.append(event("A", position=9)))
    await execution.append(event("A", position=10))


@SUITE.case
async def positions_hold_in_single_writer_mode(scene: Scene) -> None:
    """I1: a stale tail loses visibly even where no credential is needed."""
    execution = await scene.single()
    await execution.append(event("A", position=1))

    async with scene.untouched(execution):
        await refused(OrderViolation, execution.append(event("A", position=1)))


@SUITE.case
async def of_racing_appends_with_one_position_one_lands(scene: Scene) -> None:
    """A5: exactly one persists, the others get the typed error."""
    execution = await scene.owned()

    answers = await all_at_once(execution.append(event("A", number, position=1)) for number in range(8))

    equal(sorted(type(each).__name__ for each in answers), ["Appended"] + ["OrderViolation"] * 7)
    equal(await execution.kinds(), ["EXECUTION_STARTED", "A"])


@SUITE.case
async def an_append_to_nothing_makes_nothing(scene: Scene) -> None:
    """I5: only start makes a head."""
    unknown = scene.unknown()

    await refused(NotFound, unknown.append("A"))
    await refused(NotFound, unknown.append("A", incarnation="*"))
    await refused(NotFound, unknown.append("EXECUTION_STARTED"))

    await refused(NotFound, unknown.head())
    equal(await unknown.log(), ())


@SUITE.case
async def an_append_to_a_tombstone_makes_nothing(scene: Scene) -> None:
    """I5, I46: nothing lands after a deletion, by the old owner or by nobody."""
    execution = await scene.owned()
    was = execution.held
    await execution.end()
    await execution.delete()

    async with scene.untouched(execution):
        await refused((Deleted, Stale), execution.append("A", credential=was))
        await refused(Deleted, execution.append("A", credential=None, incarnation="*"))


@SUITE.case
async def a_log_is_read_by_range(scene: Scene) -> None:
    """`from_seq` and `limit` cut a slice; `last_seq` is the log's."""
    execution = await scene.owned()
    await execution.append(*(event("A", number) for number in range(9)))

    log = await execution.store.read_events(c.ReadEvents(**execution.seen, from_seq=Sequence(4), limit=3))

    equal([each.seq for each in log.events], [4, 5, 6])
    equal((log.last_seq, log.incarnation, log.status), (10, execution.ref.incarnation, "running"))


@SUITE.case
async def a_range_behind_the_end_is_empty(scene: Scene) -> None:
    """Who reads on from the end gets nothing yet, not an error."""
    execution = await scene.owned()

    log = await execution.store.read_events(c.ReadEvents(**execution.seen, from_seq=Sequence(2)))

    equal((log.events, log.last_seq), ((), 1))


@SUITE.case
async def the_log_of_nothing_is_empty(scene: Scene) -> None:
    """Reading an execution that does not exist is no error."""
    unknown = scene.unknown()

    equal(await unknown.store.read_events(c.ReadEvents(**unknown.at)), c.Log(events=(), last_seq=Sequence(0)))


@SUITE.case
async def the_log_of_another_incarnation_is_gone(scene: Scene) -> None:
    """H36: a reader that names an incarnation is told that another one lives here."""
    execution = await scene.owned()
    other = scene.unknown().ref.incarnation

    await refused(Gone, execution.store.read_events(c.ReadEvents(**execution.at, incarnation=other)))


@SUITE.case
async def events_never_change(scene: Scene) -> None:
    """I4: what was read once is read again, through parks, take-overs and the end."""
    execution = await scene.parked()
    before = await execution.log()

    await execution.resume()
    await execution.end()

    equal((await execution.log())[: len(before)], before)


# --- batches ----------------------------------------------------------------------------------------------------------


def _item(execution: Execution, *events: NewEvent | str, **members: object) -> c.AppendItem:
    call = execution.append_call(*events, **members)
    return c.AppendItem(
        execution_id=call.execution_id,
        credential=call.credential,
        incarnation=call.incarnation,
        events=call.events,
        expected_seq=call.expected_seq,
    )


def _batch(scene: Scene, *items: c.AppendItem) -> c.AppendBatch:
    return c.AppendBatch(namespace=scene.namespace, batch_id=mint(), items=items)


@SUITE.case
async def a_batch_reaches_several_executions(scene: Scene) -> None:
    """I2: one transaction, an answer for each item, in the order of the items."""
    first, second = await scene.owned(), await scene.single()
    await second.append("A")

    answer = await scene.store.append_batch(_batch(scene, _item(second, "B"), _item(first, "B", "B")))

    equal([(item.first_seq, item.last_seq) for item in answer.items], [(3, 3), (2, 3)])
    equal((await first.kinds())[1:], ["B", "B"])
    equal((await second.kinds())[1:], ["A", "B"])


@SUITE.case
async def a_batch_is_all_or_nothing(scene: Scene) -> None:
    """I2: one refused item takes all others with it, whatever their order."""
    good, bad = await scene.owned(), await scene.owned()
    poisoned = _item(bad, "A", "EXECUTION_SUSPENDED")

    async with scene.untouched(good, bad):
        await refused(IllegalTransition, scene.store.append_batch(_batch(scene, _item(good, "A"), poisoned)))
        await refused(IllegalTransition, scene.store.append_batch(_batch(scene, poisoned, _item(good, "A"))))


@SUITE.case
async def a_batch_with_a_stale_item_lands_nowhere(scene: Scene) -> None:
    """I2, I21: each item's credential is judged; one dead one is enough."""
    good, taken = await scene.owned(), await scene.owned()
    await taken.release()

    async with scene.untouched(good, taken):
        await refused(Stale, scene.store.append_batch(_batch(scene, _item(good, "A"), _item(taken, "A"))))


@SUITE.case
async def a_batch_with_a_conflict_lands_nowhere(scene: Scene) -> None:
    """I1, I2: an item's `expected_seq` and positions are judged like an append's."""
    good, other = await scene.owned(), await scene.owned()
    await other.append(event("A", position=3))
    conflict = _item(other, "A", expected_seq=Sequence(9))
    disorder = _item(other, event("A", position=3))

    async with scene.untouched(good, other):
        await refused(SequenceConflict, scene.store.append_batch(_batch(scene, _item(good, "A"), conflict)))
        await refused(OrderViolation, scene.store.append_batch(_batch(scene, _item(good, "A"), disorder)))


@SUITE.case
async def an_execution_occurs_once_in_a_batch(scene: Scene) -> None:
    """I2: two items of one execution would judge each other's sequences."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        await refused(Invalid, scene.store.append_batch(_batch(scene, _item(execution, "A"), _item(execution, "B"))))


@SUITE.case
async def a_batch_makes_no_execution(scene: Scene) -> None:
    """I5: an item for an id that nobody started takes the whole batch with it."""
    good, unknown = await scene.owned(), scene.unknown()

    async with scene.untouched(good):
        await refused(NotFound, scene.store.append_batch(_batch(scene, _item(good, "A"), _item(unknown, "A"))))
    await refused(NotFound, unknown.head())


@SUITE.case
async def crossing_batches_do_not_deadlock(scene: Scene) -> None:
    """I2: locks are taken in one order, whatever the order of the items."""
    a, b = await scene.owned(), await scene.owned()

    answers = await all_at_once(
        scene.store.append_batch(_batch(scene, _item(x, "A"), _item(y, "A"))) for x, y in [(a, b), (b, a)] * 6
    )

    equal([type(each).__name__ for each in answers], ["BatchAppended"] * 12)
    equal(((await a.head()).last_seq, (await b.head()).last_seq), (13, 13))


@SUITE.case
async def a_terminal_event_in_a_batch_ends_its_execution(scene: Scene) -> None:
    """I6: a batch does what its appends would do: status, owner and lease follow."""
    first, second = await scene.owned(), await scene.owned()

    await scene.store.append_batch(_batch(scene, _item(first, event("EXECUTION_COMPLETED", 1)), _item(second, "A")))

    head = await first.head()
    equal((head.status, head.owner, head.lease_until), ("completed", None, None))
    equal((await second.head()).status, "running")


# --- limits -----------------------------------------------------------------------------------------------------------


@SUITE.case
async def an_event_over_the_limit_is_too_large(scene: Scene) -> None:
    """Design 9: an event has at most `event_bytes`; nothing is stored."""
    execution, limits = await scene.owned(), await scene.limits()

    async with scene.untouched(execution):
        await refused(TooLarge, execution.append(event("A", "x" * limits.event_bytes)))


@SUITE.case
async def too_many_events_are_too_large(scene: Scene) -> None:
    """Design 9: a call has at most `append_events` events."""
    execution, limits = await scene.owned(), await scene.limits()

    async with scene.untouched(execution):
        await refused(TooLarge, execution.append(*["A"] * (limits.append_events + 1)))
    await execution.append(*["A"] * limits.append_events)


@SUITE.case
async def a_result_over_the_limit_is_too_large(scene: Scene) -> None:
    """Design 9: a result has at most `result_bytes`, though an event may have more."""
    execution, limits = await scene.owned(), await scene.limits()

    async with scene.untouched(execution):
        await refused(TooLarge, execution.append(event("EXECUTION_COMPLETED", "x" * limits.result_bytes)))


@SUITE.case
async def a_full_log_can_still_be_ended(scene: Scene) -> None:
    """Design 9: the last events of a log are reserved for kernel kinds, so what is too long can be ended."""
    execution, limits = await scene.owned(), await scene.limits()
    room = limits.log_events - limits.log_reserved
    if room > FILLABLE:
        raise NotReachable("the log's limit is too large to be reached by appending")

    refusal: LoomError | None = None
    while (left := room - (await execution.head()).last_seq) > 0:
        await execution.append(*["A"] * min(left, limits.append_events))
    refusal = await refused(LimitReached, execution.append("A"))
    await execution.append(event("EXECUTION_COMPLETED"))

    holds("execution_id" in refusal.facts, "the refusal names the execution")
    equal((await execution.head()).status, "completed")


# --- the fold ---------------------------------------------------------------------------------------------------------


@SUITE.case
async def the_head_is_the_fold_of_the_log(scene: Scene) -> None:
    """I8: sequence, park, waits and status agree with the log at every step of a life."""
    execution = await scene.owned()

    async def agree(status: str) -> None:
        head, log = await execution.head(), await execution.log()
        park = locate_park(log)
        equal((head.last_seq, head.status), (len(log), status), "the head")
        equal(head.park_seq, park and park.seq, "the park on the head")
        equal([wait.id for wait in head.waits], [w["id"] for w in json.loads(park.payload)["waits"]] if park else [])

    await agree("running")
    await execution.park()
    await agree("parked")
    await execution.note()
    await agree("parked")
    await execution.resume()
    await agree("running")
    await execution.end("EXECUTION_FAILED")
    await agree("failed")


@SUITE.case
async def an_end_is_kept_on_the_head(scene: Scene) -> None:
    """I6: the terminal event sets status, ending and `ended_at`, and takes owner, grant and lease away."""
    for kind, status in (("EXECUTION_COMPLETED", "completed"), ("EXECUTION_FAILED", "failed")):
        execution = await scene.ended(kind)

        head = await execution.head()

        equal((head.status, head.ending, head.owner, head.lease_until), (status, status, None, None))
        equal(head.ended_at, (await execution.log())[-1].recorded_at)
