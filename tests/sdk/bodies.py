"""Bodies to try the body's loop on, and a stand-in for `ctx` and the runner: its log is a list of commands."""
# ruff: noqa: D103 - a body is named by what it does

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import anyio

from loom.worker.loop import BodyLoop
from loom.worker.tasks import BodyFuture, BodyTask

Command = tuple[str, str, int]  # branch, name, index of that name in the branch
Body = Callable[["Ctx"], Coroutine[Any, Any, Any]]
CANCEL: Command = ("", "cancel", 0)  # in a log: somebody asked for cancellation here


class Diverged(Exception):
    """The log answers a command that the body has not asked for."""


class Ctx:
    """Steps whose ends the test decides. `asked` holds every command with its arguments, in order."""

    def __init__(self, loop: BodyLoop) -> None:
        self.loop = loop
        self.asked: list[tuple[Command, tuple[Any, ...]]] = []
        self.open: dict[Command, BodyFuture] = {}
        self.late = 0  # calls made on the way out
        self.seen: list[object] = []  # what a body wants a test to know

    def step(self, name: str, *args: Any) -> BodyFuture:
        self.late += self.loop.is_detached
        answer = self.loop.create_answer()
        if not self.loop.is_detached:
            branch = self.loop.current_branch()
            index = sum(asked[:2] == (branch, name) for asked, _ in self.asked)
            self.asked.append(((branch, name, index), args))
            self.open[branch, name, index] = answer
        return answer

    def complete(self, command: Command) -> None:
        """Give a command its answer: its own name, or a failure if it is called so."""
        if command not in self.open:
            raise Diverged(command)
        answer = self.open.pop(command)
        if not answer.done() and command[1].startswith("fail"):
            answer.set_exception(RuntimeError(command[1]))
        elif not answer.done():
            answer.set_result("/".join(map(str, command)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    end: str  # the result or the exception of the body, "cancelled", "blocked" or "diverged"
    asked: list[tuple[Command, tuple[Any, ...]]]
    log: list[Command]
    live: int  # how many of the log were completed for the first time


def play(body: Body, rng: random.Random, log: Sequence[Command] = (), *, at_once: int = 1) -> Played:
    """Replay a log, then complete what is open in random order until the body ends.

    `at_once` is how many completions of the log are given before the loop runs: more than one is a mutant.
    """
    ballast = move_addresses(rng)
    loop = BodyLoop()
    ctx = Ctx(loop)
    first = loop.start(body(ctx))
    loop.run_until_idle()
    played = list(log)
    try:
        for start in range(0, len(log), at_once):
            for command in log[start : start + at_once]:
                _give(command, ctx, first)
            loop.run_until_idle()
        while not first.done() and ctx.open:
            played.append(list(ctx.open)[rng.randrange(len(ctx.open))])
            _give(played[-1], ctx, first)
            loop.run_until_idle()
        end = _judge(first)
    except Diverged:
        end = "diverged"
    loop.cancel_branches()
    loop.run_until_idle()
    loop.detach()
    del ballast
    return Played(end=end, asked=ctx.asked, log=played, live=len(played) - len(log))


def _give(command: Command, ctx: Ctx, first: BodyTask) -> None:
    if command == CANCEL:
        first.cancel()
    else:
        ctx.complete(command)


def _judge(first: BodyTask) -> str:
    if not first.done():
        return "blocked"
    return "cancelled" if first.cancelled() else repr(first.exception() or first.result())


def move_addresses(rng: random.Random) -> list[bytearray]:
    """Garbage, half of it freed again, so that what comes next lies elsewhere and in another order."""
    garbage = [bytearray(rng.randrange(600)) for _ in range(200)]
    rng.shuffle(garbage)
    return garbage[::2]


# --- programs that work (body-loop 2) ---


async def same_names_in_branches(ctx: Ctx) -> Any:
    async def branch(n: int) -> list[str]:
        return [await ctx.step("charge", n), await ctx.step("ship", n), await ctx.step("charge", n)]

    return await asyncio.gather(*(branch(n) for n in range(4)), ctx.step("charge"))


async def group_with_lock_and_queue(ctx: Ctx) -> Any:
    lock, queue, taken = asyncio.Lock(), asyncio.Queue[str](maxsize=1), []

    async def produce(n: int) -> None:
        await ctx.step("fetch", n)
        async with lock:
            await queue.put(await ctx.step("store", n))

    async def consume() -> None:
        for n in range(3):
            taken.append(await queue.get())
            await ctx.step("pack", n, *taken)

    async with asyncio.TaskGroup() as group:
        group.create_task(consume())
        for n in range(3):
            group.create_task(produce(n), name="producer")
    return taken


async def as_completed_over_tasks(ctx: Ctx) -> Any:
    async def branch(n: int) -> str:
        return await ctx.step("look", n)

    order: list[str] = []
    for done in asyncio.as_completed([asyncio.create_task(branch(n)) for n in range(4)]):
        order.append(await done)
        await ctx.step("note", *order)
    return order


async def as_completed_over_answers(ctx: Ctx) -> Any:
    order: list[str] = []
    for done in asyncio.as_completed([ctx.step("look", n) for n in range(4)]):
        order.append(await done)
        await ctx.step("note", *order)
    return order


async def wait_for_the_first(ctx: Ctx) -> Any:
    async def branch(n: int) -> str:
        return await ctx.step("bid", n) + await ctx.step("confirm", n)

    pending = {asyncio.create_task(branch(n)) for n in range(5)}
    seen: list[str] = []
    while pending:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        seen += [task.result() for task in done]
        await ctx.step("note", *seen)
        for task in pending:
            await ctx.step("nudge", task.get_name())
    return seen


async def wait_for_all(ctx: Ctx) -> Any:
    done, _ = await asyncio.wait([ctx.step("bid", n) for n in range(6)])
    return [await ctx.step("thank", answer.result()) for answer in done]


async def event_with_semaphore(ctx: Ctx) -> Any:
    event, semaphore, order = asyncio.Event(), asyncio.Semaphore(2), []

    async def branch(n: int) -> None:
        await event.wait()
        async with semaphore:
            order.append(await ctx.step("visit", n))

    tasks = [asyncio.create_task(branch(n)) for n in range(4)]
    await ctx.step("open")
    event.set()
    await asyncio.gather(*tasks)
    return order


async def condition_and_barrier(ctx: Ctx) -> Any:
    condition, barrier, ready = asyncio.Condition(), asyncio.Barrier(3), []

    async def branch(n: int) -> int:
        await ctx.step("arrive", n)
        async with condition:
            ready.append(n)
            condition.notify_all()
            await condition.wait_for(lambda: len(ready) == 3)
        place = await barrier.wait()
        await ctx.step("start", n, place)
        return place

    return ready, await asyncio.gather(*(branch(n) for n in range(3)))


async def turns(ctx: Ctx) -> Any:
    order: list[int] = []

    async def branch(n: int) -> None:
        for _ in range(n):
            await asyncio.sleep(0)
        order.append(n)
        await ctx.step("turn", *order)

    await asyncio.gather(*(branch(n) for n in (2, 0, 1)))
    return order


async def shielded(ctx: Ctx) -> Any:
    async def pay() -> str:
        return await ctx.step("pay") + await ctx.step("receipt")

    payment = asyncio.create_task(pay())

    async def impatient() -> None:
        await asyncio.shield(payment)

    waiting = asyncio.create_task(impatient())
    await ctx.step("look")
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    return waiting.cancelled(), await payment


async def returns_early(ctx: Ctx) -> Any:
    async def branch(n: int) -> None:
        try:
            await ctx.step("work", n)
            await ctx.step("more", n)
        except asyncio.CancelledError:
            await ctx.step("undo", n)
            raise

    for n in range(3):
        asyncio.get_running_loop().create_task(branch(n))
    return await ctx.step("decide")


async def without_time_out(ctx: Ctx) -> Any:
    async with asyncio.timeout(None):
        first = await asyncio.wait_for(ctx.step("first"), None)
    async with asyncio.timeout(None) as block:
        block.reschedule(None)
        return first + await asyncio.wait_for(asyncio.create_task(_await(ctx.step("second"))), None)


async def group_that_fails(ctx: Ctx) -> Any:
    async def careful(n: int) -> None:
        try:
            await ctx.step("book", n)
            await ctx.step("hold", n)
        except asyncio.CancelledError:
            await ctx.step("cancel", n)
            raise

    async def fails() -> None:
        await ctx.step("fail")

    try:
        async with asyncio.TaskGroup() as group:
            for n in range(2):
                group.create_task(careful(n))
            group.create_task(fails())
    except ExceptionGroup as failed:
        return [str(error) for error in failed.exceptions], await ctx.step("report")


async def failures_gathered(ctx: Ctx) -> Any:
    async def branch(n: int) -> str:
        return await ctx.step("fail" if n % 2 else "work", n)

    found = await asyncio.gather(*(branch(n) for n in range(4)), return_exceptions=True)
    return [str(one) for one in found], await ctx.step("report", *map(str, found))


async def a_set_of_tasks(ctx: Ctx) -> Any:
    tasks = {asyncio.create_task(_await(ctx.step("work", n))) for n in range(6)}
    return [await ctx.step("note", await task) for task in tasks]


async def callbacks(ctx: Ctx) -> Any:
    later: list[asyncio.Task[Any]] = []

    def follow(done: asyncio.Task[Any]) -> None:
        later.append(asyncio.create_task(_await(ctx.step("follow", done.result()))))

    tasks = [asyncio.create_task(_await(ctx.step("lead", n))) for n in range(3)]
    for task in tasks:
        task.add_done_callback(follow)
    await asyncio.gather(*tasks)
    await ctx.step("between")
    return await asyncio.gather(*later)


async def generator_left_open(ctx: Ctx) -> Any:
    async def pages() -> AsyncIterator[str]:
        try:
            for n in range(3):
                yield await ctx.step("page", n)
        finally:
            await ctx.step("never")

    async for page in pages():
        await ctx.step("read", page)
        break
    return await ctx.step("close")


async def groups_of_anyio(ctx: Ctx) -> Any:
    order: list[str] = []

    async def branch(n: int) -> None:
        order.append(await ctx.step("work", n))
        await ctx.step("note", *order)

    async with anyio.create_task_group() as group:
        for n in range(3):
            group.start_soon(branch, n)
    return order


async def _await(answer: Awaitable[Any]) -> Any:
    return await answer


WORKING: list[Body] = [
    same_names_in_branches,
    group_with_lock_and_queue,
    as_completed_over_tasks,
    as_completed_over_answers,
    wait_for_the_first,
    wait_for_all,
    event_with_semaphore,
    condition_and_barrier,
    turns,
    shielded,
    returns_early,
    without_time_out,
    group_that_fails,
    failures_gathered,
    a_set_of_tasks,
    callbacks,
    generator_left_open,
    groups_of_anyio,
]


# --- programs that are refused (body-loop 3) ---


async def sleeps(ctx: Ctx) -> None:
    await asyncio.sleep(1)


async def sleeps_by_anyio(ctx: Ctx) -> None:
    await anyio.sleep(1)


async def waits_with_time_out(ctx: Ctx) -> None:
    await asyncio.wait([ctx.step("work")], timeout=1)


async def waits_for_one_with_time_out(ctx: Ctx) -> None:
    await asyncio.wait_for(ctx.step("work"), 1)


async def takes_as_completed_with_time_out(ctx: Ctx) -> None:
    for done in asyncio.as_completed([ctx.step("work")], timeout=1):
        await done


async def sets_a_time_out(ctx: Ctx) -> None:
    async with asyncio.timeout(1):
        await ctx.step("work")


async def moves_on(ctx: Ctx) -> None:
    with anyio.move_on_after(1):
        await ctx.step("work")


async def starts_a_thread(ctx: Ctx) -> None:
    await asyncio.to_thread(print)


async def uses_an_executor(ctx: Ctx) -> None:
    await asyncio.get_running_loop().run_in_executor(None, print)


async def connects(ctx: Ctx) -> None:
    await asyncio.open_connection("localhost", 1)


async def starts_a_process(ctx: Ctx) -> None:
    await asyncio.create_subprocess_exec("true")


async def starts_a_shell(ctx: Ctx) -> None:
    await asyncio.create_subprocess_shell("true")


async def calls_from_a_thread(ctx: Ctx) -> None:
    coroutine = _await(ctx.step("work"))
    try:
        asyncio.run_coroutine_threadsafe(coroutine, asyncio.get_running_loop())
    finally:
        coroutine.close()


async def takes_as_completed_of_coroutines(ctx: Ctx) -> None:
    coroutines = [_await(ctx.step("look", n)) for n in range(3)]
    try:
        for done in asyncio.as_completed(coroutines):
            await done
    finally:
        for coroutine in coroutines:
            coroutine.close()


async def waits_for_gathers(ctx: Ctx) -> None:
    await asyncio.wait([asyncio.gather(ctx.step("look", n)) for n in range(3)])


async def waits_for_bare_futures(ctx: Ctx) -> None:
    await asyncio.wait([asyncio.Future() for _ in range(3)])


async def makes_a_task_by_hand(ctx: Ctx) -> None:
    async def branch() -> None:
        await ctx.step("work")

    await asyncio.Task(branch())


async def makes_tasks_its_way(ctx: Ctx) -> None:
    asyncio.get_running_loop().set_task_factory(None)


UNSAFE: dict[Body, str] = {
    sleeps: "asyncio.sleep",
    sleeps_by_anyio: "asyncio.sleep",
    waits_with_time_out: "time-out",
    waits_for_one_with_time_out: "time-out",
    takes_as_completed_with_time_out: "time-out",
    sets_a_time_out: "time-out",
    moves_on: "time-out",
    starts_a_thread: "thread",
    uses_an_executor: "executor",
    connects: "connection",
    starts_a_process: "subprocess",
    starts_a_shell: "subprocess",
    calls_from_a_thread: "thread",
    takes_as_completed_of_coroutines: "as_completed",
    waits_for_gathers: "gather",
    waits_for_bare_futures: "asyncio.Future",
    makes_a_task_by_hand: "asyncio.Task",
    makes_tasks_its_way: "set_task_factory",
}
