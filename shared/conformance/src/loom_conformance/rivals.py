"""Many callers at one park: one answer, no trace of the losers, and nobody starves."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from loom.client.conditional import resume_under_fence
from loom.errors import LoomError, NotParked, ResumeContended, Stale
from loom.ids import Sequence
from loom.kernel import calls as c
from loom.kernel.parks import Answer
from loom.stores.event_store import EventStore
from loom_conformance.case import Suite
from loom_conformance.checks import all_at_once, attempt, equal, holds, refused
from loom_conformance.scene import Execution, Scene
from loom_conformance.waits import child, message, timer

SUITE = Suite("rivals")
RIVALS = 8
EMITTED = 40


class _Intercepted:
    """A store in front of which something happens before one of its calls."""

    def __init__(self, store: EventStore, before: dict[str, Any]) -> None:
        self._store = store
        self._before = before

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        async def call(argument: Any) -> Any:
            if name in self._before:
                await self._before[name](argument)
            return await method(argument)

        return call


def _with_rival(store: EventStore, **before: Any) -> EventStore:
    return cast(EventStore, _Intercepted(store, before))


@SUITE.case
async def eight_rivals_at_one_park(scene: Scene) -> None:
    """I9: one resumes, seven are told that it is answered; one RESUMED, one bump."""
    execution = await scene.parked()

    answers = await all_at_once(execution.resume() for _ in range(RIVALS))

    equal(sum(isinstance(answer, c.Resumed) for answer in answers), 1)
    equal(sum(isinstance(answer, NotParked) for answer in answers), RIVALS - 1)
    equal((await execution.kinds()).count("EXECUTION_RESUMED"), 1)
    equal((await execution.head()).token.counter, execution.held.token.counter + 1)


@SUITE.case
async def eight_rivals_under_fence_at_one_park(scene: Scene) -> None:
    """I9, I12: one answers; the others hear `not-parked` or, while it was open, `resume-contended`."""
    execution = await scene.parked()
    answer = Answer(wait="timer")

    ends = await all_at_once(
        resume_under_fence(scene.store, execution.ref, execution.park_seq, answer) for _ in range(RIVALS)
    )

    holds(all(isinstance(end, c.Resumed | NotParked | ResumeContended) for end in ends), "each its own class")
    if not any(isinstance(end, c.Resumed) for end in ends):
        await resume_under_fence(scene.store, execution.ref, execution.park_seq, answer)
    equal((await execution.kinds()).count("EXECUTION_RESUMED"), 1)
    await execution.claim()


@SUITE.case
async def eight_different_rivals_at_one_park(scene: Scene) -> None:
    """I9, I57: resume, send, cancel, terminate, acquirers and `null` at once: at most one answer, and a sane head."""
    execution = await scene.parked(timer(0), message("mail"))
    token = execution.held.token

    await all_at_once(
        [
            execution.resume(),
            execution.send("mail"),
            execution.acquire(token=token),
            execution.resume(None),
            execution.cancel(),
            execution.resume("timer"),
            execution.acquire(token=token),
            execution.send("mail"),
        ]
    )

    answered = [event.answers_park for event in await execution.log() if event.kind == "EXECUTION_RESUMED"]
    equal(answered, [execution.park_seq])
    equal(((await execution.head()).status, (await execution.head()).park_seq), ("running", None))


@SUITE.case
async def a_rival_behind_every_acquire(scene: Scene) -> None:
    """I13: three tries, each overtaken: `ResumeContended(attempts=3)`, retryable, log untouched, park open."""
    execution = await scene.parked()
    log = await execution.log()
    acquired = 0

    async def overtake(call: c.AcquireIfParked) -> None:
        nonlocal acquired
        acquired += 1
        await execution.acquire()

    store = _with_rival(scene.store, acquire_if_parked=overtake)
    refusal = await refused(
        ResumeContended, resume_under_fence(store, execution.ref, execution.park_seq, Answer(wait="timer"))
    )

    equal((refusal.facts.get("attempts"), refusal.retryable, acquired), (3, True, 3))
    equal(await execution.log(), log)
    await execution.resume()


@SUITE.case
async def a_rival_between_acquire_and_answer(scene: Scene) -> None:
    """I13: the grant is stale before its RESUMED; the same three tries, the same end."""
    execution = await scene.parked()
    log = await execution.log()

    async def overtake(call: c.Resume) -> None:
        await execution.acquire()

    store = _with_rival(scene.store, resume=overtake)
    refusal = await refused(
        ResumeContended, resume_under_fence(store, execution.ref, execution.park_seq, Answer(wait="timer"))
    )

    equal((refusal.facts.get("attempts"), await execution.log()), (3, log))
    await execution.resume()


@SUITE.case
async def three_dead_acquirers(scene: Scene) -> None:
    """I13: each acquired and died: contended with three attempts, log untouched; later tries get through."""
    execution = await scene.parked()
    log = await execution.log()
    deaths = iter(range(3))

    async def die_first(call: c.AcquireIfParked) -> None:
        if next(deaths, None) is not None:
            await execution.acquire()

    store = _with_rival(scene.store, acquire_if_parked=die_first)
    answer = Answer(wait="timer")
    refusal = await refused(ResumeContended, resume_under_fence(store, execution.ref, execution.park_seq, answer))
    equal((refusal.facts.get("attempts"), await execution.log()), (3, log))

    await resume_under_fence(store, execution.ref, execution.park_seq, answer)

    equal((await execution.kinds())[-1], "EXECUTION_RESUMED")


@SUITE.case
async def one_dead_acquirer_costs_one_try(scene: Scene) -> None:
    """I13: after `stale` it goes on with the token that the store returned."""
    execution = await scene.parked()
    deaths = iter(range(1))

    async def die_first(call: c.AcquireIfParked) -> None:
        if next(deaths, None) is not None:
            await execution.acquire()

    store = _with_rival(scene.store, acquire_if_parked=die_first)

    await resume_under_fence(store, execution.ref, execution.park_seq, Answer(wait="timer"))

    equal((await execution.kinds())[-1], "EXECUTION_RESUMED")


@SUITE.case
async def an_answered_park_is_never_contended(scene: Scene) -> None:
    """I12: a rival that resumes before the acquire: `NotParked`, final, whichever try it was."""
    for try_ in range(3):
        execution = await scene.parked()
        tries = iter(range(3))

        async def answer_in_between(
            call: c.AcquireIfParked, tries: Any = tries, execution: Execution = execution, try_: int = try_
        ) -> None:
            if next(tries) == try_:
                await execution.resume()
            else:
                await execution.acquire()

        store = _with_rival(scene.store, acquire_if_parked=answer_in_between)
        await refused(NotParked, resume_under_fence(store, execution.ref, execution.park_seq, Answer(wait="timer")))


@SUITE.case
async def a_park_that_was_replaced_is_not_parked(scene: Scene) -> None:
    """I31: answered, claimed and parked alike again between look and acquire: another park."""
    execution = await scene.parked()
    first = execution.park_seq

    async def live_on(call: c.AcquireIfParked) -> None:
        await execution.resume()
        await execution.claim()
        await execution.park()

    store = _with_rival(scene.store, acquire_if_parked=live_on)
    await refused(NotParked, resume_under_fence(store, execution.ref, first, Answer(wait="timer")))
    equal((await execution.head()).park_seq, execution.park_seq)


@SUITE.case
async def a_body_is_not_fenced_out_by_a_late_resumer(scene: Scene) -> None:
    """I11: it saw the open park, slept, and tries when the body runs: not parked, and the body never notices."""
    execution = await scene.parked()
    first = execution.park_seq

    async def run_the_body(call: c.AcquireIfParked) -> None:
        if (await execution.head()).status == "parked":
            await execution.resume()
            await execution.claim()

    store = _with_rival(scene.store, acquire_if_parked=run_the_body)
    await refused(NotParked, resume_under_fence(store, execution.ref, first, Answer(wait="timer")))

    await execution.append("A")


@SUITE.case
async def a_chatty_emitter_blocks_no_resume(scene: Scene) -> None:
    """I14: ignorable events appended without pause: the resume lands at once, the log has no gap and no duplicate."""
    execution = await scene.parked()
    chatting = asyncio.Event()

    async def emit() -> LoomError | None:
        try:
            for number in range(10_000):
                answer = await attempt(execution.append("Emitted"))
                if isinstance(answer, LoomError):
                    return answer
                if number == EMITTED:
                    chatting.set()
                await asyncio.sleep(0)
            return None
        finally:
            chatting.set()

    async def resume_amid() -> c.Resumed:
        await chatting.wait()
        return await execution.resume()

    refusal, resumed = await asyncio.gather(emit(), resume_amid())

    log = await execution.log()
    equal([event.seq for event in log], list(range(1, len(log) + 1)))
    equal(log[resumed.resumed_seq - 1].kind, "EXECUTION_RESUMED")
    holds(isinstance(refusal, Stale), "the emitter is stale once the park is answered")


@SUITE.case
async def a_chatty_single_writer_blocks_no_resume(scene: Scene) -> None:
    """I14: without a fence on the emitter too: sequences are the store's."""
    execution = await scene.single()
    await execution.park()

    answers = await all_at_once([*(execution.append("Emitted") for _ in range(EMITTED)), execution.resume()])

    equal([answer for answer in answers if isinstance(answer, LoomError)], [])
    equal((await execution.head()).status, "running")


@SUITE.case
async def a_chatty_emitter_blocks_no_acquirer(scene: Scene) -> None:
    """I14: events that land before every acquire move the log, not the park."""
    execution = await scene.parked()

    async def emit(call: Any) -> None:
        await execution.note("ANNOTATED")

    store = _with_rival(scene.store, acquire_if_parked=emit, resume=emit)

    await resume_under_fence(store, execution.ref, execution.park_seq, Answer(wait="timer"))

    equal((await execution.kinds()).count("ANNOTATED"), 2)


@SUITE.case
async def eight_rivals_consume_an_outcome_once(scene: Scene) -> None:
    """I17: one CHILD_OUTCOME, copied with the one answer."""
    parent = await scene.owned()
    kid = await parent.start_child("kid")
    await parent.park(child("kid"))
    await kid.end()

    await all_at_once(parent.resume("kid", "kid") for _ in range(RIVALS))

    kinds = await parent.kinds()
    equal((kinds.count("CHILD_OUTCOME"), kinds.count("EXECUTION_RESUMED")), (1, 1))


@SUITE.case
async def a_park_answered_many_times_over_is_many_parks(scene: Scene) -> None:
    """I9, I11: a body in a loop with eight resumers at its heels: as many answers as parks, never an owner lost."""
    execution = await scene.owned()

    for _ in range(6):
        await execution.park()
        await all_at_once(execution.resume() for _ in range(RIVALS))
        await execution.claim()
        await execution.append("STEP_COMPLETED")

    log = await execution.log()
    parks = [event.seq for event in log if event.kind == "EXECUTION_SUSPENDED"]
    equal([event.answers_park for event in log if event.kind == "EXECUTION_RESUMED"], [Sequence(seq) for seq in parks])
