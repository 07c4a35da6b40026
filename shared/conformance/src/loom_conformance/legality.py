"""One case per cell of the table of legality, one per answering kind, and the unknown stamped kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from loom.errors import IllegalTransition, Invalid, LoomError, NotParked, ResumeContended, Stale
from loom.kernel.events import NewEvent
from loom.kernel.heads import Status
from loom.kernel.kinds import AUDIT_KINDS, TERMINAL_KINDS, EventKind
from loom.kernel.legality import CALL_OF, LEGAL, Writer, is_legal
from loom.kernel.parks import locate_park
from loom_conformance.case import Suite
from loom_conformance.checks import all_at_once, attempt, equal, holds, refused
from loom_conformance.scene import Execution, Scene, event
from loom_conformance.waits import message, timer

SUITE = Suite("legality")
APPLICATION = "OrderPlaced"
KIND_NAMES = tuple(APPLICATION if kind is None else kind.value for kind in LEGAL)
TERMINAL_OF = {
    Status.COMPLETED: EventKind.EXECUTION_COMPLETED,
    Status.FAILED: EventKind.EXECUTION_FAILED,
    Status.CANCELLED: EventKind.EXECUTION_CANCELLED,
    Status.CONTINUED: EventKind.EXECUTION_CONTINUED,
}
MAIL = "the-message"
FAR_MS = 3_600_000
WHILE_ENDED = (Status.COMPLETED, Status.FAILED, Status.CANCELLED, Status.CONTINUED)
REACHABLE: tuple[tuple[Writer, tuple[Status, ...]], ...] = (
    (Writer.OWNER, (Status.RUNNING,)),
    (Writer.PARKER, (Status.PARKED,)),
    (Writer.ACQUIRER, (Status.PARKED,)),
    (Writer.SINGLE, (Status.PENDING, Status.RUNNING, Status.PARKED, *WHILE_ENDED)),
    (Writer.AUDITOR, (Status.PENDING, Status.RUNNING, Status.PARKED, *WHILE_ENDED)),
    (Writer.OPERATOR, (Status.PENDING, Status.RUNNING, Status.PARKED, *WHILE_ENDED)),
)
"""Who can be writing in which status. A grant ends with the execution."""


async def _stage(scene: Scene, writer: Writer, status: Status, kind: str) -> Execution:
    """An execution in `status`, played by `writer`, with an ended child and a message to consume."""
    fenced = writer in (Writer.OWNER, Writer.PARKER, Writer.ACQUIRER)
    execution = await (scene.owned() if fenced else scene.single())
    await execution.send("mail", message_id=MAIL)
    if status is Status.PENDING:
        return execution
    kid = await execution.start_child("kid")
    await kid.end()
    if status is Status.PARKED:
        await execution.park(timer(0), timer(FAR_MS, id="far"))
    if status is Status.CONTINUED:
        await execution.continue_as_new()
        return execution.ended_link
    if status in TERMINAL_OF:
        await execution.end(TERMINAL_OF[status].value)
    if status is Status.RUNNING and kind == EventKind.EXECUTION_CANCELLED:
        await execution.cancel()
    if writer is Writer.ACQUIRER:
        execution.credential = await execution.acquire()
    return execution


def _new_event(kind: str) -> NewEvent:
    match kind:
        case EventKind.MESSAGE_CONSUMED:
            return NewEvent(kind=kind, message_id=MAIL)
        case EventKind.CHILD_OUTCOME:
            return NewEvent(kind=kind, child_key="kid")
    return event(kind)


def _write(execution: Execution, writer: Writer, kind: str) -> Awaitable[object]:
    """The call by which this writer would write this kind."""
    if writer is Writer.AUDITOR:
        return execution.note(kind)
    if writer is Writer.OPERATOR:
        return execution.fail() if kind == EventKind.EXECUTION_FAILED else execution.terminate()
    match kind:
        case EventKind.EXECUTION_SUSPENDED:
            return execution.park()
        case EventKind.CHILD_STARTED:
            return execution.start_child("another")
        case EventKind.EXECUTION_CONTINUED:
            return execution.continue_as_new()
        case EventKind.EXECUTION_RESUMED if execution.credential:
            return execution.resume(credential=execution.credential, park_seq=execution.park_seq or 2)
    return execution.append(_new_event(kind))


def _cell(writer: Writer, status: Status, kind: str) -> Callable[[Scene], Awaitable[None]]:
    async def run(scene: Scene) -> None:
        execution = await _stage(scene, writer, status, kind)
        if is_legal(kind, writer, status):
            await _write(execution, writer, kind)
            log = await (execution.ended_link if kind == EventKind.EXECUTION_CONTINUED else execution).kinds()
            holds(kind in log[1:], f"{kind} is in the log")
        else:
            async with scene.untouched(execution):
                refusal = await attempt(_write(execution, writer, kind))
            holds(isinstance(refusal, IllegalTransition | NotParked | Stale | Invalid), f"a refusal, not {refusal!r}")

    return run


def _has_cell(writer: Writer, status: Status, kind: str) -> bool:
    """Operators have two calls. A pending execution has no child to consume and no request to follow."""
    if writer is Writer.OPERATOR:
        return kind in (EventKind.EXECUTION_FAILED, EventKind.EXECUTION_CANCELLED)
    pending = (EventKind.CHILD_OUTCOME, EventKind.EXECUTION_CANCELLED)
    return status is not Status.PENDING or writer is not Writer.SINGLE or kind not in pending


for _writer, _statuses in REACHABLE:
    for _status in _statuses:
        for _kind in filter(lambda kind: _has_cell(_writer, _status, kind), KIND_NAMES):
            _verdict = "legal" if is_legal(_kind, _writer, _status) else "refused"
            SUITE.add(
                f"{_writer}-{_status}-{_kind.lower().replace('_', '-')}",
                f"I7: {_kind} by the {_writer} while {_status} is {_verdict}.",
                _cell(_writer, _status, _kind),
            )


def _not_appendable(kind: str) -> Callable[[Scene], Awaitable[None]]:
    async def run(scene: Scene) -> None:
        owned, single, parked = await scene.owned(), await scene.single(), await scene.parked()
        async with scene.untouched(owned, single, parked):
            for execution in (owned, single, parked):
                await refused(IllegalTransition, execution.append(kind))

    return run


for _known, _call in CALL_OF.items():
    SUITE.add(
        f"append-takes-no-{_known.lower().replace('_', '-')}",
        f"I7: {_known} is written by `{_call}`, never by append.",
        _not_appendable(_known.value),
    )


# --- answering kinds --------------------------------------------------------------------------------------------------

ANSWERS: dict[EventKind, Callable[[Execution], Awaitable[object]]] = {
    EventKind.EXECUTION_RESUMED: lambda execution: execution.resume(),
    EventKind.EXECUTION_FAILED: lambda execution: execution.fail(),
    EventKind.EXECUTION_CANCELLED: lambda execution: execution.terminate(),
    EventKind.EXECUTION_COMPLETED: lambda execution: _resume_and_end(execution),
    EventKind.EXECUTION_SUSPENDED: lambda execution: _resume_and_park(execution),
}
"""How an open park comes to have each kind as its newest answering event; of CONTINUED the suite of chains tells."""


async def _resume_and_end(execution: Execution) -> None:
    await execution.resume()
    await execution.end()


async def _resume_and_park(execution: Execution) -> None:
    seen = execution.park_seq
    await execution.resume()
    await execution.claim()
    await execution.park()
    execution.park_seq = seen


def _answering(kind: EventKind) -> Callable[[Scene], Awaitable[None]]:
    async def run(scene: Scene) -> None:
        execution = await scene.parked()
        await ANSWERS[kind](execution)
        holds(kind.value in await execution.kinds(), f"{kind} is in the log")
        async with scene.untouched(execution):
            await refused(NotParked, execution.resume())
            await refused((Stale,), execution.acquire())

    return run


for _answering_kind in ANSWERS:
    SUITE.add(
        f"answering-{_answering_kind.lower().replace('_', '-')}",
        f"I15: {_answering_kind} ends the park before it: a resume and an acquire of that park are refused.",
        _answering(_answering_kind),
    )


def _ignorable(kind: str) -> Callable[[Scene], Awaitable[None]]:
    async def run(scene: Scene) -> None:
        execution = await scene.parked()
        await (execution.note(kind) if kind in AUDIT_KINDS else execution.append(kind))
        equal(getattr(locate_park(await execution.log()), "seq", None), execution.park_seq, "the park that is found")
        await execution.resume()

    return run


LATE = tuple(
    APPLICATION if kind is None else kind.value
    for kind in LEGAL
    if is_legal(APPLICATION if kind is None else kind.value, Writer.PARKER, Status.PARKED)
)
"""Ignorable kinds that the parker may append late."""

for _late in (*LATE, *sorted(AUDIT_KINDS - {EventKind.OUTCOME_RECORDED})):
    SUITE.add(
        f"ignorable-{_late.lower().replace('_', '-')}",
        f"I14: {_late} after a park does not hide it, and a resume passes over it.",
        _ignorable(_late),
    )


@SUITE.case
async def an_unknown_stamped_kind_is_answering(scene: Scene) -> None:
    """I15: a newer server's event ends the park before it, on the head and in the log: contended, never refused."""
    hook = scene.hook
    execution = await scene.parked()

    seq = await hook.append_stamped(execution.ref, "EXECUTION_FROM_THE_FUTURE")

    last = (await execution.log())[-1]
    equal((last.seq, last.kind, last.kernel), (seq, "EXECUTION_FROM_THE_FUTURE", True))
    equal(locate_park(await execution.log()), None)
    await refused(ResumeContended, execution.resume())


@SUITE.case
async def of_two_ends_one_is_recorded(scene: Scene) -> None:
    """I6: for each pair of terminal kinds racing: one terminal event, and afterwards only audit kinds."""
    ends: tuple[Callable[[Execution], Awaitable[object]], ...] = (
        lambda execution: execution.append(event("EXECUTION_COMPLETED", 1)),
        lambda execution: execution.append(event("EXECUTION_FAILED", 1)),
        lambda execution: execution.append(event("EXECUTION_CANCELLED", 1)),
        lambda execution: execution.terminate(),
        lambda execution: execution.fail(),
    )
    for first in ends:
        for second in ends:
            execution = await scene.owned()
            await execution.cancel()
            answers = await all_at_once([first(execution), second(execution)])
            equal(sum(isinstance(answer, LoomError) for answer in answers), 1, "refusals")
            terminal = [kind for kind in await execution.kinds() if kind in TERMINAL_KINDS]
            equal(len(terminal), 1, "terminal events")


@SUITE.case
async def nothing_of_its_own_follows_an_end(scene: Scene) -> None:
    """I6: a call that ends and goes on is refused as a whole."""
    execution = await scene.owned()

    async with scene.untouched(execution):
        await refused(IllegalTransition, execution.append(event("EXECUTION_COMPLETED"), event("A")))
        await refused(IllegalTransition, execution.append(event("EXECUTION_COMPLETED"), event("EXECUTION_FAILED")))


@SUITE.case
async def a_terminal_execution_takes_audit_kinds_and_no_others(scene: Scene) -> None:
    """I6, I28: OUTCOME_RECORDED is for the ended only; the others always pass."""
    living, ended = await scene.owned(), await scene.ended()

    await refused(IllegalTransition, living.note("OUTCOME_RECORDED"))
    for kind in sorted(AUDIT_KINDS):
        await ended.note(kind)

    equal((await ended.kinds())[-4:], sorted(AUDIT_KINDS))


@SUITE.case
async def a_consuming_event_is_worded_by_the_store(scene: Scene) -> None:
    """I17: MESSAGE_CONSUMED and CHILD_OUTCOME name what they are about and carry no payload; nothing is forged."""
    execution = await scene.owned()
    kid = await execution.start_child("kid")
    await kid.end(value="true")
    await execution.send("mail", "true", message_id=MAIL)

    async with scene.untouched(execution):
        for forged in (
            event("CHILD_OUTCOME", {"key": "kid", "outcome": "forged"}, child_key="kid"),
            event("CHILD_OUTCOME", {"key": "kid", "outcome": "forged"}),
            event("MESSAGE_CONSUMED", {"message_id": MAIL, "payload": "forged"}, message_id=MAIL),
            event("MESSAGE_CONSUMED"),
        ):
            await refused((Invalid, IllegalTransition), execution.append(forged))
    await execution.append(
        NewEvent(kind="CHILD_OUTCOME", child_key="kid", wait="w1"),
        NewEvent(kind="MESSAGE_CONSUMED", message_id=MAIL, wait="w2"),
    )

    outcome, consumed = (await execution.log())[-2:]
    holds('"outcome":"true"' in outcome.payload and '"wait":"w1"' in outcome.payload, "the outcome is the child's")
    holds('"payload":"true"' in consumed.payload and '"wait":"w2"' in consumed.payload, "the payload is the sender's")


@SUITE.case
async def mail_consumed_alone_while_parked_is_refused(scene: Scene) -> None:
    """Invariants 2.3: MESSAGE_CONSUMED comes with RESUMED, or while running; never alone in a park."""
    execution = await scene.owned()
    await execution.send("post", message_id=MAIL)
    await execution.park(message("mail"))

    async with scene.untouched(execution):
        await refused(IllegalTransition, execution.append(NewEvent(kind="MESSAGE_CONSUMED", message_id=MAIL)))
