"""Every schedule of two resumers with crashes: one answer, and nobody fences out the body it set going (I9, I11)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from loom.client.conditional import resume_under_fence
from loom.errors import LoomError, NotParked, Refused, ResumeContended
from loom.kernel import calls as c
from loom.kernel.events import Event
from loom.kernel.parks import Answer, locate_park
from loom.stores.event_store import EventStore
from loom_conformance.case import Suite
from loom_conformance.checks import attempt, equal, holds
from loom_conformance.scene import Execution, Scene
from loom_conformance.stepping import Program, play, schedules
from loom_conformance.waits import message, timer

SUITE = Suite("interleavings")
LONGEST = 8

Resumer = Callable[[Execution], Program]


def _by_resume(execution: Execution) -> Program:
    async def program(store: EventStore) -> None:
        park = await store.read_park(c.ReadPark(**execution.seen))
        if park.park_seq is None:
            raise NotParked("answered already")
        await store.resume(execution.resume_call(park_seq=park.park_seq))
        await _claim(store, execution)

    return program


def _under_fence(execution: Execution) -> Program:
    async def program(store: EventStore) -> None:
        await resume_under_fence(store, execution.ref, execution.park_seq, Answer(wait="timer"))
        await _claim(store, execution)

    return program


async def _claim(store: EventStore, execution: Execution) -> None:
    """The body that the recorded resume set going."""
    head = await store.read_head(c.ReadHead(**execution.at))
    claimed = await store.claim(execution.claim_call(token=head.token))
    execution.credential = claimed.credential


def _schedules_case(resumer: Resumer, length: int) -> Callable[[Scene], Awaitable[None]]:
    async def run(scene: Scene) -> None:
        for schedule in schedules(length):
            await _play_one(scene, resumer, schedule)

    return run


async def _play_one(scene: Scene, resumer: Resumer, schedule: tuple[int, ...]) -> None:
    execution = await scene.parked()
    execution.credential = None
    ends = await play(scene.store, (resumer(execution), resumer(execution)), schedule)
    name = "".join("AB"[turn] for turn in schedule)

    log = await execution.log()
    answers = [event for event in log if event.kind == "EXECUTION_RESUMED"]
    holds(len(answers) <= 1, f"{name}: at most one answer")
    if execution.credential is not None:
        body = await attempt(execution.append("BODY"))
        holds(not isinstance(body, LoomError), f"{name}: the body of the recorded resume still owns, not {body!r}")
    for end in ends:
        _judge_end(name, end, answers)
    await _recover(execution, answers, name)


def _judge_end(name: str, end: Any, answers: list[Event]) -> None:
    """Whoever came to an end was told the truth: a final refusal only of an answered park; nobody broke."""
    if isinstance(end, BaseException):
        holds(isinstance(end, LoomError), f"{name}: an answer of the contract, not {end!r}")
    if isinstance(end, Refused) and not isinstance(end, ResumeContended):
        holds(answers, f"{name}: `{end.code}` only when the park is answered")


async def _recover(execution: Execution, answers: list[Event], name: str) -> None:
    """What crashed resumers left is answered by the next one, and its body runs."""
    if not answers:
        await execution.resume()
        await execution.claim()
        await execution.append("BODY")
    elif execution.credential is None:
        await execution.claim()
        await execution.append("BODY")
    kinds = await execution.kinds()
    equal((kinds.count("EXECUTION_RESUMED"), kinds[-1]), (1, "BODY"), name)


for _length in range(1, LONGEST + 1):
    for _name, _resumer in (("resume", _by_resume), ("resume-under-fence", _under_fence)):
        SUITE.add(
            f"{_name}-{_length}-steps",
            f"I11, H33: every schedule {{A,B}}^{_length} of two resumers that crash behind it, by {_name}.",
            _schedules_case(_resumer, _length),
        )


# --- other pairs ------------------------------------------------------------------------------------------------------


def _pair(
    name: str, title: str, stage: Callable[[Scene], Awaitable[Execution]], acts: tuple[Any, Any], judge: Any
) -> None:
    """Two calls on one execution, each with a read before it, in every order of their four steps."""

    async def run(scene: Scene) -> None:
        for schedule in {order for order in schedules(4) if sum(order) == 2}:
            execution = await stage(scene)
            ends = await play(scene.store, (_seen_first(execution, acts[0]), _seen_first(execution, acts[1])), schedule)
            await judge(execution, "".join("AB"[turn] for turn in schedule), ends)

    SUITE.add(name, title, run)


def _seen_first(execution: Execution, act: Callable[[EventStore, Execution, Any], Awaitable[Any]]) -> Program:
    async def program(store: EventStore) -> Any:
        head = await store.read_head(c.ReadHead(**execution.at))
        return await act(store, execution, head)

    return program


async def _resume_it(store: EventStore, execution: Execution, head: Any) -> Any:
    return await store.resume(execution.resume_call(park_seq=head.park_seq or execution.park_seq))


async def _claim_it(store: EventStore, execution: Execution, head: Any) -> Any:
    return await store.claim(execution.claim_call(token=head.token))


async def _cancel_it(store: EventStore, execution: Execution, head: Any) -> Any:
    return await store.cancel(c.Cancel(**execution.at, chain=head.chain))


async def _terminate_it(store: EventStore, execution: Execution, head: Any) -> Any:
    return await store.terminate(c.Terminate(**execution.seen))


async def _send_it(store: EventStore, execution: Execution, head: Any) -> Any:
    return await execution.send("mail")


async def _park_it(store: EventStore, execution: Execution, head: Any) -> Any:
    return await store.park(execution.park_call(message("mail"), timer(3_600_000), heard=head.cancel_seq))


async def _acquire_it(store: EventStore, execution: Execution, head: Any) -> Any:
    return await store.acquire_if_parked(execution.acquire_call(token=head.token))


async def _one_answer(execution: Execution, name: str, ends: list[Any]) -> None:
    answered = [e.answers_park for e in await execution.log() if e.kind == "EXECUTION_RESUMED"]
    equal(len(answered), len(set(answered)), f"{name}: answers per park")


async def _one_answered(execution: Execution, name: str, ends: list[Any]) -> None:
    await _one_answer(execution, name, ends)
    holds(not (await execution.head()).park_seq, f"{name}: the park is answered")


async def _heard(execution: Execution, name: str, ends: list[Any]) -> None:
    """I57: a request that met a park in flight is heard: by the park itself, or by answering it."""
    await _one_answer(execution, name, ends)
    head = await execution.head()
    holds(head.cancel_seq is not None, f"{name}: the request is on the head")
    park = locate_park(await execution.log())
    heard = park is None or json.loads(park.payload)["heard"] == head.cancel_seq
    holds(heard, f"{name}: the execution is not asleep on an unheard request")


async def _dead(execution: Execution, name: str, ends: list[Any]) -> None:
    await _one_answer(execution, name, ends)
    head = await execution.head()
    equal((head.status, head.owner), ("cancelled", None), name)


async def _not_both(execution: Execution, name: str, ends: list[Any]) -> None:
    """I10: an answering append and a conditional acquire for the same park never both succeed as if alone."""
    await _one_answer(execution, name, ends)
    holds((await execution.head()).status == "running", f"{name}: the resume is recorded")
    head = await execution.head()
    equal((head.owner, head.lease_until), (None, None), f"{name}: no acquirer owns what was answered")


_pair(
    "cancel-against-park",
    "I57, H49: in every order a request and a park leave nobody asleep on it.",
    lambda scene: scene.owned(),
    (_cancel_it, _park_it),
    _heard,
)
_pair(
    "cancel-against-resume",
    "I57: exactly one of them answers the park.",
    lambda scene: scene.parked(),
    (_cancel_it, _resume_it),
    _one_answered,
)
_pair(
    "cancel-against-send",
    "I57: exactly one of them answers the park.",
    lambda scene: scene.parked(message("mail")),
    (_cancel_it, _send_it),
    _one_answered,
)
_pair(
    "send-against-resume",
    "I9: of a message and a timer one answers, and the message is not lost.",
    lambda scene: scene.parked(timer(0), message("mail")),
    (_send_it, _resume_it),
    _one_answered,
)
_pair(
    "terminate-against-resume",
    "I57: whatever came first, a terminated execution does not run again.",
    lambda scene: scene.parked(),
    (_terminate_it, _resume_it),
    _dead,
)
_pair(
    "terminate-against-claim",
    "I57: the claim is dead or refused.",
    lambda scene: scene.runnable(),
    (_terminate_it, _claim_it),
    _dead,
)
_pair(
    "acquire-against-resume",
    "I10: the resume passes over an acquirer's grant, or the acquirer is stale.",
    lambda scene: scene.parked(),
    (_acquire_it, _resume_it),
    _not_both,
)


@SUITE.case
async def a_cancel_meets_a_claim_in_either_order(scene: Scene) -> None:
    """I57: pending: cancelled at once or told to the owner; runnable: told to the owner; the request is never lost."""
    for stage in (scene.start, scene.runnable):
        for schedule in {order for order in schedules(4) if sum(order) == 2}:
            execution = await stage()
            programs = (_seen_first(execution, _cancel_it), _seen_first(execution, _claim_it))
            _, claimed = await play(scene.store, programs, schedule)
            head = await execution.head()
            if isinstance(claimed, c.Claimed):
                told = await scene.store.renew(c.Renew(**execution.at, credential=claimed.credential, ttl_ms=1_000))
                equal(told.waiting.cancel_seq, head.cancel_seq)
                holds(head.cancel_seq is not None, "the request is on the head")
            else:
                holds(head.status == "cancelled", "a pending one is cancelled at once")


@SUITE.case
async def of_a_renewal_and_a_take_over_one_wins(scene: Scene) -> None:
    """I24, p21: of a lease that has ended: the take-over, in every order; the late renewal changes nothing."""
    for schedule in {order for order in schedules(4) if sum(order) == 2}:
        execution = await scene.owned(250)
        was = execution.held
        await scene.pass_time(250)

        async def renew(store: EventStore, execution: Execution, head: Any, was: Any = was) -> Any:
            return await store.renew(c.Renew(**execution.at, credential=was, ttl_ms=60_000))

        programs = (_seen_first(execution, renew), _seen_first(execution, _claim_it))
        renewed, claimed = await play(scene.store, programs, schedule)
        holds(isinstance(renewed, LoomError), "the renewal is refused")
        holds(isinstance(claimed, c.Claimed), "the take-over succeeds")
