"""Bodies that wait, for the three ends that raise nothing (body-loop 5). What user code sees goes into `ctx.seen`."""
# ruff: noqa: D103 - a body is named by what it does

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from sdk.bodies import Body, Ctx


async def compensates(ctx: Ctx, name: str = "work") -> None:
    try:
        await ctx.step(name)
    except asyncio.CancelledError:
        ctx.seen.append("CancelledError")
        await ctx.step("undo")
        raise


async def gathers_exceptions(ctx: Ctx) -> Any:
    return await asyncio.gather(compensates(ctx), ctx.step("other"), return_exceptions=True)


async def waits(ctx: Ctx) -> Any:
    done, _ = await asyncio.wait([ctx.step("work"), asyncio.create_task(compensates(ctx))])
    return len(done)


async def excepts_everything(ctx: Ctx) -> Any:
    try:
        await ctx.step("work")
    except:  # noqa: E722
        await ctx.step("plan b")
    return "went on"


async def retries_over_base_exception(ctx: Ctx) -> Any:
    for attempt in range(3):
        try:
            return await ctx.step("work", attempt)
        except BaseException:
            continue
    return "gave up"


async def never_gives_up(ctx: Ctx) -> Any:
    while True:
        with suppress(BaseException):
            return await ctx.step("work")


async def never_gives_up_and_knows_itself(ctx: Ctx) -> Any:
    me = asyncio.current_task()
    while True:
        with suppress(BaseException):
            return await ctx.step("work"), me


async def never_gives_up_below(ctx: Ctx) -> Any:
    return await never_gives_up(ctx)


async def never_gives_up_turning(ctx: Ctx) -> Any:
    while True:
        with suppress(BaseException):
            await ctx.step("work")
            return
        with suppress(BaseException):
            await asyncio.sleep(0)


async def never_gives_up_making_tasks(ctx: Ctx) -> Any:
    while True:
        with suppress(BaseException):
            return await asyncio.create_task(compensates(ctx))


async def never_gives_up_sleeping(ctx: Ctx) -> Any:
    with suppress(BaseException):
        await ctx.step("work")
    while True:
        with suppress(BaseException):
            return await asyncio.sleep(1)


async def group_whose_body_waits(ctx: Ctx) -> Any:
    async with asyncio.TaskGroup() as group:
        group.create_task(compensates(ctx))
        await compensates(ctx, "other")


async def group_with_a_lock(ctx: Ctx) -> Any:
    lock = asyncio.Lock()

    async def locked() -> None:
        try:
            async with lock:
                await ctx.step("work")
        except asyncio.CancelledError:
            ctx.seen.append("CancelledError")
            await ctx.step("undo")

    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(locked())


async def group(ctx: Ctx) -> Any:
    async with asyncio.TaskGroup() as group:
        group.create_task(compensates(ctx))
        group.create_task(compensates(ctx))


async def queue_without_producer(ctx: Ctx) -> Any:
    queue = asyncio.Queue[str]()

    async def produce() -> None:
        await queue.put(await ctx.step("work"))

    producer = asyncio.create_task(produce())
    return await queue.get(), await producer


async def turns_at_last(ctx: Ctx) -> Any:
    try:
        await ctx.step("work")
    finally:
        await asyncio.sleep(0)
        await ctx.step("log")


async def steps_at_last(ctx: Ctx) -> Any:
    try:
        await ctx.step("work")
    finally:
        await ctx.step("log")


async def steps_on_leaving_a_context(ctx: Ctx) -> Any:
    @asynccontextmanager
    async def room() -> AsyncIterator[None]:
        try:
            yield
        finally:
            await ctx.step("leave")

    async with room():
        await ctx.step("work")


async def gathers_at_last(ctx: Ctx) -> Any:
    try:
        await ctx.step("work")
    finally:
        await asyncio.gather(ctx.step("log"), asyncio.sleep(0))


async def cancels_others_at_last(ctx: Ctx) -> Any:
    other = asyncio.create_task(compensates(ctx))
    try:
        await ctx.step("work")
    finally:
        other.cancel()
        await other


async def suppresses(ctx: Ctx) -> Any:
    with suppress(Exception):
        await ctx.step("work")
    return await ctx.step("plan b")


async def retries(ctx: Ctx) -> Any:
    for attempt in range(3):
        try:
            return await ctx.step("work", attempt)
        except Exception:
            continue


async def shields(ctx: Ctx) -> Any:
    return await asyncio.shield(compensates(ctx))


async def gathers(ctx: Ctx) -> Any:
    return await asyncio.gather(compensates(ctx), compensates(ctx), ctx.step("other"))


async def waits_for_a_lock(ctx: Ctx) -> Any:
    lock = asyncio.Lock()

    async def locked() -> None:
        async with lock:
            await compensates(ctx)

    return await asyncio.gather(locked(), locked())


async def iterates(ctx: Ctx) -> Any:
    async def pages() -> AsyncIterator[str]:
        try:
            while True:
                yield await ctx.step("page")
        finally:
            await ctx.step("close")

    return [page async for page in pages()]


async def has_not_begun(ctx: Ctx) -> Any:
    asyncio.get_running_loop().call_soon(lambda: asyncio.create_task(compensates(ctx)))
    await ctx.step("work")
    asyncio.create_task(compensates(ctx))  # noqa: RUF006
    await ctx.step("other")


WAITING: list[Body] = [
    compensates,
    gathers_exceptions,
    waits,
    excepts_everything,
    retries_over_base_exception,
    never_gives_up,
    never_gives_up_and_knows_itself,
    never_gives_up_below,
    never_gives_up_turning,
    never_gives_up_making_tasks,
    never_gives_up_sleeping,
    group_whose_body_waits,
    group_with_a_lock,
    group,
    queue_without_producer,
    turns_at_last,
    steps_at_last,
    steps_on_leaving_a_context,
    gathers_at_last,
    cancels_others_at_last,
    suppresses,
    retries,
    shields,
    gathers,
    waits_for_a_lock,
    iterates,
    has_not_begun,
]
