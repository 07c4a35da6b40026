"""Waits: sleeps, messages, children, groups; parked or beside live work."""
# ruff: noqa: D103 - workflows and steps are named by what they do

import asyncio
from typing import Any

import pytest

import loom
from sdk.virtual import Loom, run_virtually


async def nap(seconds: float) -> float:
    await asyncio.sleep(seconds)
    return seconds


@loom.workflow
async def echo(ctx: loom.Context, word: str, seconds: float = 0) -> str:
    await ctx.step("nap", nap, seconds)
    if word.endswith("!"):
        raise ValueError(word)
    return word


def play(workflow: Any, *args: Any, scene: Any = None) -> tuple[Any, list[str]]:
    """The outcome's payload, and the kinds of the log; meanwhile `scene(env)` runs."""

    async def whole():
        async with Loom() as env:
            env.work(workflow, echo, ttl_ms=600)
            await env.client.start(workflow, *args, id="w")
            if scene:
                await scene(env)
            outcome = await env.client.outcome("w", timeout=100)
            return outcome.payload, await env.kinds("w")

    return run_virtually(whole)


def test_a_sleep_beside_nothing_parks():
    """Design 6: a wait is a park."""

    @loom.workflow
    async def sleepy(ctx: loom.Context) -> str:
        before = ctx.now()
        await ctx.sleep(5)
        return str(round((ctx.now() - before).total_seconds()))

    result, kinds = play(sleepy)

    assert result == "5"
    assert kinds == ["STARTED", "SUSPENDED", "RESUMED", "COMPLETED"]


def test_a_sleep_beside_a_running_step_is_recorded_and_its_end_too():
    """Body-loop 1.6: STEP_STARTED {sleep, wake_at}, ended by STEP_COMPLETED before the body sees it."""

    @loom.workflow
    async def both(ctx: loom.Context) -> list[str]:
        order: list[str] = []

        async def note(name: str, future: Any) -> None:
            await future
            order.append(name)

        await asyncio.gather(note("step", ctx.step("nap", nap, 3)), note("sleep", ctx.sleep(1)))
        return order

    result, kinds = play(both)

    assert result == ["sleep", "step"]
    assert kinds == ["STARTED", "STEP_STARTED", "STEP_STARTED", "STEP_COMPLETED", "STEP_COMPLETED", "COMPLETED"]


def test_a_message_is_taken_whether_it_comes_before_or_after_the_wait():
    """Field reports 3: inbox first, so order never matters; the key is compared."""

    @loom.workflow
    async def listening(ctx: loom.Context) -> list[Any]:
        first = await ctx.wait_event("word", key="k")
        await ctx.sleep(2)
        return [first, await ctx.wait_event("word")]

    async def scene(env: Loom) -> None:
        await env.client.send("w", "word", "other", key="other")
        await env.until("w", "parked")
        await env.client.send("w", "word", "late", key="k")

    assert play(listening, scene=scene)[0] == ["late", "other"]


def test_a_busy_body_gets_its_mail_too():
    """Design 2, body-loop 1.3: the answers to append and renew tell of mail; the owner consumes it."""

    @loom.workflow
    async def busy(ctx: loom.Context) -> str:
        steps = ctx.step("nap", nap, 30)
        word: str = await ctx.wait_event("word")
        steps.cancel()
        return word

    async def scene(env: Loom) -> None:
        await env.until("w", "running")
        await asyncio.sleep(1)
        await env.client.send("w", "word", "hello")

    result, kinds = play(busy, scene=scene)

    assert result == "hello"
    assert "SUSPENDED" not in kinds
    assert kinds.count("MESSAGE_CONSUMED") == 1


def test_a_time_out_before_the_message_is_raised_and_the_message_stays():
    """Field reports 3: EventTimeout."""

    @loom.workflow
    async def hasty(ctx: loom.Context) -> list[str]:
        try:
            await ctx.wait_event("word", timeout=2)
        except loom.EventTimeout as late:
            return [str(late), await ctx.wait_event("word", timeout=50)]
        return []

    async def scene(env: Loom) -> None:
        await asyncio.sleep(5)
        await env.client.send("w", "word", "hello")

    result, kinds = play(hasty, scene=scene)

    assert result == ["word did not come within 2000 ms", "hello"]
    assert kinds.count("MESSAGE_CONSUMED") == 1


def test_a_send_reaches_another_execution_once_and_nobody_there_is_a_failure():
    """Design 6, I30: sent under the sender's own credential."""

    @loom.workflow
    async def sender(ctx: loom.Context, other: str) -> str:
        await ctx.send(other, "word", {"n": 1})
        try:
            await ctx.send("nobody", "word")
        except loom.StepFailed as error:
            return error.type_name
        return ""

    @loom.workflow
    async def receiver(ctx: loom.Context) -> Any:
        return await ctx.wait_event("word")

    async def whole():
        async with Loom() as env:
            env.work(sender, receiver)
            other = await env.client.start(receiver, id="r")
            own = await env.client.start(sender, "r", id="s")
            return await own.result(timeout=10), await other.result(timeout=10)

    assert run_virtually(whole) == ("NotFound", {"n": 1})


def test_a_child_that_failed_is_raised_with_its_type_and_message():
    """Design 6: ChildFailed."""

    @loom.workflow
    async def mother(ctx: loom.Context) -> list[str]:
        try:
            await ctx.run_child(echo, "bad!")
        except loom.ChildFailed as error:
            return [error.name, error.type_name, error.message]
        return []

    assert play(mother)[0] == ["echo", "ValueError", "bad!"]


def test_the_same_key_is_the_same_child():
    """Field reports 3: a key gives an idempotent start."""

    @loom.workflow
    async def mother(ctx: loom.Context) -> list[Any]:
        one = await ctx.start_child(echo, "one", key="k")
        same = await ctx.start_child(echo, "two", key="k")
        return [one.execution_id == same.execution_id, await one, await same]

    result, kinds = play(mother)

    assert result == [True, "one", "one"]
    assert kinds.count("CHILD_STARTED") == kinds.count("CHILD_OUTCOME") == 1


GATHERS = [
    ({}, ["a", "b", "c"], ["a", "b", "c"]),
    ({"policy": "any"}, ["a", "b", "c"], "c"),
    ({"policy": 2}, ["a", "b", "c"], ["b", "c"]),
    ({"on_error": "collect"}, ["a", "b!", "c"], ["a", "ChildFailed: b!", "c"]),
    ({}, ["a", "b!", "c"], "ChildFailed: b!"),
    ({"policy": "any"}, ["a!", "b", "c!"], "b"),
    ({"policy": 2}, ["a!", "b", "c!"], "ChildFailed: a!"),
    ({"policy": "any", "on_error": "collect"}, ["a", "b", "c!"], ["b", "ChildFailed: c!"]),
]


def test_nothing_to_gather_is_an_empty_list_and_some_of_nothing_an_error():
    """Like asyncio.gather; a rule that can never be met is refused where it is given."""

    @loom.workflow
    async def idle(ctx: loom.Context) -> list[Any]:
        try:
            await ctx.gather(policy="any")
        except ValueError:
            return await ctx.gather()
        return ["?"]

    assert play(idle)[0] == []


def _told(value: Any) -> Any:
    if isinstance(value, loom.ChildFailed):
        return f"ChildFailed: {value.message}"
    return [_told(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("how", ["parked", "busy", "awaitables"])
@pytest.mark.parametrize(("options", "words", "expected"), GATHERS)
def test_gather_answers_by_its_policy_parked_busy_or_over_any_awaitables(how, options, words, expected):
    """Design 2, 6: groups; the first ends last. One rule, whether the store judges it or the body."""

    @loom.workflow
    async def mother(ctx: loom.Context) -> Any:
        children = [await ctx.start_child(echo, word, 6 - 2 * nth) for nth, word in enumerate(words)]
        members = [_wrapped(child) for child in children] if how == "awaitables" else children
        work = ctx.step("nap", nap, 60) if how == "busy" else None
        try:
            answer = await ctx.gather(*members, **options)
        except loom.ChildFailed as error:
            answer = error
        if work:
            work.cancel()
        return _told(answer)

    async def _wrapped(child: Any) -> Any:
        return await child

    assert play(mother)[0] == expected


@pytest.mark.parametrize("how", ["parked", "busy", "awaitables"])
def test_all_raises_the_first_error_at_once(how):
    """Design 2, 6: with raise a failed member meets `all`."""

    @loom.workflow
    async def mother(ctx: loom.Context) -> float:
        children = [await ctx.start_child(echo, "slow", 50), await ctx.start_child(echo, "bad!", 2)]
        members = [_wrapped(child) for child in children] if how == "awaitables" else children
        work = ctx.step("nap", nap, 60) if how == "busy" else None
        begun = ctx.now()
        try:
            await ctx.gather(*members)
        except loom.ChildFailed:
            if work:
                work.cancel()
            return (ctx.now() - begun).total_seconds()
        return -1

    async def _wrapped(child: Any) -> Any:
        return await child

    assert 0 <= play(mother)[0] < 10


def test_the_losers_of_any_are_released():
    """Design 2: answering a group releases the edges of its other members; so does an owner who consumed it himself."""
    for work in (0, 60):

        @loom.workflow
        async def mother(ctx: loom.Context, work: float) -> Any:
            children = [await ctx.start_child(echo, word, seconds) for word, seconds in (("slow", 50), ("quick", 2))]
            busy = ctx.step("nap", nap, work) if work else None
            answer = await ctx.gather(*children, policy="any")
            if busy:
                busy.cancel()
                await ctx.step("one more", nap, 0)
            await ctx.wait_event("enough")
            return answer

        async def whole(work=work, mother=mother):
            async with Loom() as env:
                env.work(mother, echo, ttl_ms=600)
                await env.client.start(mother, work, id="w")
                await asyncio.sleep(5)
                return [(edge.status, edge.released) for edge in env.memory.rows.edges.values()]

        assert run_virtually(whole) == [("open", True), ("completed", False)]


def test_chance_and_time_are_the_same_in_every_replay():
    """Field reports 3: ctx.now, ctx.uuid, ctx.random, for each branch its own."""

    @loom.workflow
    async def random(ctx: loom.Context) -> list[Any]:
        async def draw() -> list[Any]:
            return [ctx.random().random(), str(ctx.uuid()), str(ctx.now())]

        before = [await draw(), *await asyncio.gather(draw(), draw())]
        await ctx.emit("drawn", before)
        await ctx.sleep(1)
        return before

    async def whole():
        async with Loom() as env:
            env.work(random)
            result = await (await env.client.start(random, id="w")).result(timeout=10)
            drawn = [event.payload.parsed() async for event in env.client.events("w") if event.kind == "drawn"]
            return result, drawn

    result, drawn = run_virtually(whole)
    assert drawn == [result]
    assert len({str(one[:2]) for one in result}) == 3


def test_a_time_out_in_the_body_is_a_sleep_of_the_log():
    """Body-loop 3: what asyncio.timeout, wait(timeout=) and as_completed are replaced by."""

    @loom.workflow
    async def timed(ctx: loom.Context) -> list[Any]:
        seen: list[Any] = []
        try:
            async with ctx.timeout(5):
                await ctx.wait_event("never")
        except TimeoutError:
            seen.append("too late")
        async with ctx.timeout(5):
            seen.append(await ctx.step("nap", nap, 1))
        done, pending = await ctx.wait([ctx.step("nap", nap, 1), ctx.step("nap", nap, 90)], timeout=3)
        seen.append([len(done), len(pending)])
        pending[0].cancel()
        first, _ = await ctx.wait([ctx.sleep(9), ctx.sleep(2)], return_when=asyncio.FIRST_COMPLETED)
        seen.append(len(first))
        seen.append([await one for one in ctx.as_completed([_nap(ctx, 3), _nap(ctx, 1)])])
        return seen

    async def _nap(ctx: loom.Context, seconds: float) -> float:
        return await ctx.step("nap", nap, seconds)

    assert play(timed)[0] == ["too late", 1, [1, 1], 1, [1, 3]]


def test_a_cancel_request_inside_a_time_out_stays_a_cancellation():
    """Body-loop 4: only the expiry is turned into TimeoutError."""

    @loom.workflow
    async def timed(ctx: loom.Context) -> str:
        try:
            async with ctx.timeout(50):
                await ctx.wait_event("never")
        except asyncio.CancelledError:
            return "cancelled"
        return ""

    async def scene(env: Loom) -> None:
        await env.until("w", "parked")
        await env.client.cancel("w")

    assert play(timed, scene=scene)[0] == "cancelled"
