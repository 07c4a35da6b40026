import asyncio
import gc
import hashlib
import json
import random
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from operator import attrgetter
from typing import Any

import pytest

from loom.errors import Detached, NotReplaySafe
from loom.worker import loop as loop_module
from loom.worker.loop import BodyLoop
from loom.worker.tasks import BodyFuture, BodyTask
from sdk.bodies import CANCEL, UNSAFE, WORKING, Body, Ctx, Played, groups_of_anyio, play
from sdk.endings import WAITING, never_gives_up, never_gives_up_and_knows_itself, never_gives_up_below

SEEDS = range(8)
LATE_MAX = 8  # three refusals, one that never completes, and what the last closing of each coroutine still asks for


def start(body: Body) -> tuple[BodyLoop, Ctx, BodyTask]:
    """A body that has come to wait for the first time."""
    loop = BodyLoop()
    ctx = Ctx(loop)
    first = loop.start(body(ctx))
    loop.run_until_idle()
    return loop, ctx, first


# --- replay (body-loop 1.2 and 1.7) ---


def why_not_equal(first: Played, again: Played) -> str | None:
    """Why a replay of the whole log is not the run that wrote it, or None."""
    if again.live:
        return f"started {again.log[-again.live :]}"
    if again.asked != first.asked:
        return f"asked for {again.asked}, not {first.asked}"
    return None if again.end == first.end else f"ended with {again.end}, not {first.end}"


def list_replay_faults(body: Body, *, at_once: int = 1) -> list[str]:
    """What goes wrong when the logs of random first runs are replayed."""
    faults = []
    for seed in SEEDS:
        rng = random.Random(seed)
        first = play(body, rng)
        faults.append(why_not_equal(first, play(body, rng, first.log, at_once=at_once)))
    return [fault for fault in faults if fault]


@pytest.mark.parametrize("body", WORKING, ids=attrgetter("__name__"))
def test_the_whole_log_gives_the_same_result_and_starts_nothing(body: Body) -> None:
    """Body-loop 1.2, 1.7, 2: whatever the order of completions, and wherever tasks and futures lie in memory."""
    assert list_replay_faults(body) == []


def test_two_completions_in_one_run_are_noticed() -> None:
    """Negative control: body-loop 1.2."""
    assert [body for body in WORKING if list_replay_faults(body, at_once=2)] != []


@pytest.mark.parametrize("kind", [BodyTask, BodyFuture])
def test_hashes_by_address_are_noticed(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: body-loop 1.7, for tasks as for futures."""
    monkeypatch.setattr(kind, "__hash__", object.__hash__)

    assert [body for body in WORKING if list_replay_faults(body)] != []


@pytest.mark.parametrize("body", WORKING, ids=attrgetter("__name__"))
def test_from_every_cut_the_body_goes_on_to_an_end(body: Body) -> None:
    """Body-loop 6: nothing of the log is asked for again, and what is written after the cut replays like the rest."""
    for seed in SEEDS:
        rng = random.Random(seed)
        first = play(body, rng)
        for cut in range(len(first.log)):
            resumed = play(body, rng, first.log[:cut])

            assert resumed.end not in {"blocked", "diverged"}
            assert len(set(resumed.log)) == len(resumed.log)
            assert why_not_equal(resumed, play(body, rng, resumed.log)) is None


@pytest.mark.parametrize("body", WORKING, ids=attrgetter("__name__"))
def test_a_cancel_request_is_the_same_on_replay_at_each_place(body: Body) -> None:
    """Body-loop 4: it is `cancel()` of the first task, at its place in the log; compensation runs and replays."""
    rng = random.Random(4)
    log = play(body, rng).log
    for place in range(len(log)):
        first = play(body, rng, [*log[:place], CANCEL])

        assert why_not_equal(first, play(body, rng, first.log)) is None


def test_a_log_replays_alike_on_every_python() -> None:
    """An execution may outlive the interpreter that began it.

    One figure for all versions: it changes with the bodies tried here, and with nothing else.
    """
    bodies = [body for body in WORKING if body is not groups_of_anyio]
    played = [play(body, random.Random(seed)) for body in bodies for seed in SEEDS]
    told = json.dumps([(each.end, each.asked, each.log) for each in played])

    assert hashlib.sha256(told.encode()).hexdigest()[:16] == "e249031aab8009d9"


def test_a_branch_is_named_by_who_created_it_and_as_which() -> None:
    """Body-loop 1.4: `0` is the first task, `0.2` the third that `0` created; a task is called after its branch."""

    async def body(ctx: Ctx) -> Any:
        async def branch(depth: int) -> None:
            task = asyncio.current_task()
            assert task is not None
            ctx.seen.append((ctx.loop.current_branch(), task.get_name()))
            if depth:
                await asyncio.gather(branch(depth - 1), branch(depth - 1))

        await branch(2)

    _, ctx, first = start(body)

    branches = ["0", "0.0", "0.1", "0.0.0", "0.0.1", "0.1.0", "0.1.1"]
    assert first.done()
    assert ctx.seen == [(branch, f"branch {branch}") for branch in branches]


def test_a_body_that_waits_for_itself_has_nothing_open() -> None:
    """Body-loop 1.3: a lock taken twice; the runner finds the body idle, not done, and no command: blocked."""

    async def body(ctx: Ctx) -> None:
        lock = asyncio.Lock()
        await ctx.step("work")
        async with lock, lock:
            pass

    assert play(body, random.Random(0)).end == "blocked"


# --- what is refused (body-loop 3) ---


def swallow(body: Body) -> Body:
    """The same, by somebody who does not want to know."""

    async def swallowed(ctx: Ctx) -> str:
        with suppress(Exception):
            await body(ctx)
        return "went on"

    return swallowed


def wrap(body: Body) -> Body:
    """The same in a group, which raises something else."""

    async def wrapped(ctx: Ctx) -> None:
        with suppress(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(body(ctx))

    return wrapped


def why_not_refused(body: Body, call: str) -> str | None:
    """Why the runner does not know, after the first run, that a body used what is not replay-safe; or None."""
    loop, _, _ = start(body)
    loop.detach()
    if loop.poison is None:
        return "no poison"
    return None if call in loop.poison.call else f"poison names {loop.poison.call}"


@pytest.mark.parametrize("body", UNSAFE, ids=attrgetter("__name__"))
def test_what_a_replay_cannot_repeat_is_refused_at_the_first_call(body: Body) -> None:
    """Body-loop 3: swallowed, wrapped by a group, or neither, the runner is told, and told what to use instead."""
    for variant in (body, swallow(body), wrap(body)):
        assert why_not_refused(variant, UNSAFE[body]) is None

    _, _, first = start(body)
    with pytest.raises(NotReplaySafe, match=r"use (tasks|a step|asyncio|ctx)"):
        first.result()


def test_poison_that_is_not_kept_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: body-loop 3."""
    monkeypatch.setattr(BodyLoop, "_poison", lambda loop, error: None)

    assert all(why_not_refused(swallow(body), call) for body, call in UNSAFE.items())


@pytest.mark.parametrize(
    ("look", "blind", "unseen"),
    [
        ("_is_called_by_as_completed", lambda: False, "takes_as_completed_of_coroutines"),
        ("_list_waited_for", lambda: (), "waits_for_gathers"),
    ],
)
def test_no_look_at_the_callers_is_noticed(
    look: str, blind: Callable[[], object], unseen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: body-loop 3."""
    monkeypatch.setattr(loop_module, look, blind)

    assert unseen in [body.__name__ for body, call in UNSAFE.items() if why_not_refused(body, call)]


WORKS = {
    *("call_soon", "create_future", "create_task", "call_exception_handler"),
    *("get_debug", "is_running", "is_closed", "get_task_factory"),
}


def list_holes(make_loop: Callable[[], BodyLoop]) -> list[str]:
    """The methods of a loop that are neither known to work nor refused."""
    names = [name for name in dir(asyncio.AbstractEventLoop) if not name.startswith("__") and name not in WORKS]
    return [name for name in names if not is_refused(make_loop(), name)]


def is_refused(loop: BodyLoop, method: str) -> bool:
    """Does a method raise NotReplaySafe, and poison the loop?"""
    try:
        getattr(loop, method)()
    except NotReplaySafe as error:
        return loop.poison is error
    return False


def test_every_other_method_of_a_loop_is_refused() -> None:
    """Body-loop 1.1: found by walking the abstract class, so a new Python cannot add a hole."""
    assert list_holes(BodyLoop) == []


def test_a_hole_is_noticed() -> None:
    """Negative control for the rule above."""

    class Holed(BodyLoop):
        def connect_read_pipe(self) -> None: ...

    assert list_holes(Holed) == ["connect_read_pipe"]


def count_turns(refused: Callable[[], Any]) -> int:
    """How often a body that tries again for ever does try."""

    async def body(ctx: Ctx) -> None:
        while len(ctx.seen) < 20:
            ctx.seen.append("turn")
            with suppress(BaseException):
                await refused()

    loop, ctx, _ = start(body)
    turns = len(ctx.seen)
    loop.detach()
    return turns


async def within_a_second() -> None:
    """What asyncio.timeout is used for."""
    async with asyncio.timeout(1):
        await asyncio.Event().wait()


REFUSED = [lambda: asyncio.sleep(1), lambda: asyncio.open_connection("localhost", 1), within_a_second]


@pytest.mark.parametrize("refused", REFUSED)
def test_a_body_that_retries_what_is_refused_comes_to_wait(refused: Callable[[], Any]) -> None:
    """Else `while True: try: await asyncio.sleep(1) except Exception` would hold the worker for ever."""
    assert count_turns(refused) < LATE_MAX


def test_endless_refusal_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control for the rule above."""
    monkeypatch.setattr(loop_module, "REFUSALS_MAX", 1000)

    assert [count_turns(refused) for refused in REFUSED] == [20, 20, 20]


def test_a_body_that_turns_for_ever_is_stopped_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's loop gets its thread back: spinning on sleep(0) is poison after CALLBACKS_MAX callbacks."""
    monkeypatch.setattr(loop_module, "CALLBACKS_MAX", 100)

    async def body(ctx: Ctx) -> None:
        while not ctx.seen:  # noqa: ASYNC110 - the fault that is tried here
            await asyncio.sleep(0)

    assert why_not_refused(body, "turning") is None


# --- the three ends (body-loop 5) ---


def park(loop: BodyLoop, ctx: Ctx) -> None:
    """Nothing is ready."""
    loop.detach()


def lose_the_grant(loop: BodyLoop, ctx: Ctx) -> None:
    """Steps go on and end later."""
    loop.detach()
    for command in list(ctx.open):
        ctx.complete(command)
    loop.run_until_idle()


def stop_the_worker(loop: BodyLoop, ctx: Ctx) -> None:
    """A completion is given already, and never seen."""
    ctx.complete(next(iter(ctx.open)))
    loop.detach()
    loop.run_until_idle()


def set_detached_on_futures(loop: BodyLoop, ctx: Ctx) -> None:
    """The mutant: the end is raised."""
    for answer in ctx.open.values():
        answer.set_exception(Detached())
    loop.run_until_idle()
    loop.detach()


@contextmanager
def reports() -> Iterator[list[Any]]:
    """What Python could only report, until all garbage is collected."""
    found: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "unraisablehook", lambda report: found.append(report.exc_value))
        yield found
        gc.collect()


def list_ending_faults(body: Body, end: Callable[[BodyLoop, Ctx], None]) -> list[str]:
    """What a body that waits, and its log, notice of an end that is not theirs."""
    with reports() as unheard:
        loop, ctx, first = start(body)
        asked = list(ctx.asked)
        end(loop, ctx)
        facts = {
            "CancelledError": "CancelledError" in ctx.seen,
            "asked": ctx.asked != asked,
            "returned": first.done(),
            "endless": ctx.late > LATE_MAX,
            "open": first.get_coro() is not None,
        }
        late = ctx.late
        ctx.open.clear()
        del loop, first
    facts |= {"reported": bool(unheard), "asked later": ctx.late != late}
    return [fault for fault, is_so in facts.items() if is_so]


@pytest.mark.parametrize("end", [park, lose_the_grant, stop_the_worker])
@pytest.mark.parametrize("body", WAITING, ids=attrgetter("__name__"))
def test_an_end_that_is_not_the_bodys_raises_nothing(
    body: Body, end: Callable[[BodyLoop, Ctx], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Body-loop 5: no CancelledError, nothing asked for, no result, no report, and user code does come to an end."""
    assert list_ending_faults(body, end) == []
    assert caplog.records == []


def test_detached_raised_in_the_body_is_noticed() -> None:
    """Negative control: it passes for an answer, and siblings are cancelled by it."""
    found = {body.__name__: list_ending_faults(body, set_detached_on_futures) for body in WAITING}

    assert "returned" in found["gathers_exceptions"]
    assert "asked" in found["retries_over_base_exception"]
    assert "asked" in found["excepts_everything"]
    assert "CancelledError" in found["group_with_a_lock"]


def test_ctx_calls_without_a_bound_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: body-loop 5."""
    monkeypatch.setattr(loop_module, "REFUSALS_MAX", 1000)

    assert "endless" in list_ending_faults(never_gives_up, park)


def test_a_coroutine_that_is_closed_and_kept_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: it would be closed once more by whoever collects the garbage, and be reported."""

    def only_close(task: BodyTask) -> None:
        with suppress(BaseException):
            task.get_coro().close()

    monkeypatch.setattr(BodyTask, "close_coroutine", only_close)

    found = list_ending_faults(never_gives_up_and_knows_itself, park)

    assert {"reported", "asked later"} <= set(found)


def test_reports_that_are_heard_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: body-loop 5, "coroutine ignored GeneratorExit"."""
    monkeypatch.setattr(loop_module, "_unheard", nullcontext)

    assert "reported" in list_ending_faults(never_gives_up_below, park)


def test_coroutines_close_newest_first() -> None:
    """Body-loop 5: children before parents, so that no parent sees a child's end."""

    async def body(ctx: Ctx) -> None:
        async def branch(depth: int) -> None:
            try:
                await asyncio.gather(*(branch(depth - 1) for _ in range(min(depth, 1))), ctx.step("work"))
            finally:
                ctx.seen.append(depth)

        await branch(3)

    loop, ctx, _ = start(body)
    loop.detach()

    assert ctx.seen == [0, 1, 2, 3]


def test_reports_of_others_are_heard_again_afterwards() -> None:
    """The hook belongs to the process: it is put back."""
    before = sys.unraisablehook

    start(never_gives_up)[0].detach()

    assert sys.unraisablehook is before


def test_what_nobody_awaited_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Body-loop 1.1: the loop's handler of exceptions logs, until the stop."""

    async def body(ctx: Ctx) -> None:
        asyncio.get_running_loop().call_soon(lambda: 1 // 0)

    start(body)

    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [ZeroDivisionError]


# --- driven from plain callbacks (body-loop 1.8 and 1.9) ---


def list_leftovers(body: Body) -> list[str]:
    """What a run leaves of itself in the thread of a worker, driven from a callback; and what the body raised."""

    async def worker() -> list[str]:
        here, hooks = asyncio.get_running_loop(), sys.get_asyncgen_hooks()
        told: asyncio.Future[list[str]] = here.create_future()

        def drive() -> None:
            found = []
            loop = BodyLoop()
            first = loop.start(body(Ctx(loop)))
            with suppress(SystemExit):
                loop.run_until_idle()
            if first.done():
                found.append(repr(first.exception()))
            loop.detach()
            if asyncio._get_running_loop() is not here:
                found.append("running loop")
            if sys.get_asyncgen_hooks() != hooks:
                found.append("hooks")
            asyncio._set_running_loop(here)
            sys.set_asyncgen_hooks(*hooks)
            told.set_result(found)

        here.call_soon(drive)
        return await told

    return asyncio.run(worker())


async def exits(ctx: Ctx) -> None:
    """A body that asks for the end of the process."""
    sys.exit("from the body")


async def works(ctx: Ctx) -> None:
    """A body that waits for a step."""
    assert asyncio.get_running_loop() is ctx.loop
    await ctx.step("work")


def test_the_thread_is_the_workers_again_after_a_run() -> None:
    """Body-loop 1.8, 1.9: running loop and hooks; also after an exception, which comes through."""
    assert list_leftovers(works) == []
    assert list_leftovers(exits) == ["SystemExit('from the body')"]


def test_hooks_that_are_left_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control for the rule above."""

    @contextmanager
    def leave(loop: BodyLoop) -> Iterator[None]:
        asyncio._set_running_loop(loop)
        sys.set_asyncgen_hooks(lambda _: None, lambda _: None)
        yield

    monkeypatch.setattr(loop_module, "_in_charge", leave)

    assert list_leftovers(works) == ["running loop", "hooks"]


def is_finalised_elsewhere() -> bool:
    """Does a generator that a body leaves open run its `finally` on the worker's loop?"""
    ran_on = []

    async def body(ctx: Ctx) -> None:
        async def pages() -> AsyncIterator[int]:
            try:
                yield 1
            finally:
                ran_on.append(asyncio.get_running_loop())

        async for _ in pages():
            break

    async def worker() -> bool:
        here = asyncio.get_running_loop()
        here.call_soon(start, body)
        for _ in range(5):
            await asyncio.sleep(0)
        return here in ran_on

    return asyncio.run(worker())


def test_a_generator_left_open_is_not_finalised_by_the_worker() -> None:
    """Body-loop 1.9: its `finally` would run later, outside of the body."""
    assert not is_finalised_elsewhere()


def test_the_workers_hooks_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control for the rule above."""

    @contextmanager
    def only_the_loop(loop: BodyLoop) -> Iterator[None]:
        running = asyncio._get_running_loop()
        asyncio._set_running_loop(loop)
        yield
        asyncio._set_running_loop(running)

    monkeypatch.setattr(loop_module, "_in_charge", only_the_loop)

    assert is_finalised_elsewhere()


def test_a_body_is_not_driven_from_a_task() -> None:
    """Body-loop 1.8: later Pythons keep one current task per thread."""

    loop = BodyLoop()
    loop.start(works(Ctx(loop)))

    async def worker() -> None:
        loop.run_until_idle()

    with pytest.raises(AssertionError, match="plain callbacks"):
        asyncio.run(worker())

    loop.detach()
