"""How a body ends: by a cancel request, a lost grant, a stopping worker, a park nobody but an operator answers."""
# ruff: noqa: D103 - workflows and steps are named by what they do

import asyncio
from typing import Any

import loom
from loom.errors import Busy
from loom.kernel import calls as c
from sdk.virtual import Loom, run_virtually


async def nap(seconds: float) -> float:
    await asyncio.sleep(seconds)
    return seconds


async def undo(what: str) -> str:
    return f"undone {what}"


def test_a_cancel_request_is_raised_in_the_first_task_and_what_it_undoes_is_recorded():
    """Body-loop 4: busy and parked alike; the execution is cancelled when the error leaves the body."""
    for wait in ("busy", "parked"):

        @loom.workflow
        async def booking(ctx: loom.Context, wait: str) -> None:
            try:
                await (ctx.step("nap", nap, 1000) if wait == "busy" else ctx.wait_event("never"))
            except asyncio.CancelledError:
                await ctx.step("undo", undo, "booking")
                raise

        async def scene(wait=wait, booking=booking):
            async with Loom() as env:
                env.work(booking, ttl_ms=600)
                started = await env.client.start(booking, wait, id="w")
                await asyncio.sleep(1)
                await started.cancel(reason="changed my mind")
                return await env.client.outcome("w", timeout=30), await env.kinds("w")

        outcome, kinds = run_virtually(scene)
        assert (outcome.status, outcome.payload["by"]) == ("cancelled", "request")
        assert kinds.count("STEP_COMPLETED") == 1
        assert kinds[-1] == "CANCELLED"


def test_a_body_may_decline_a_cancel_request():
    """Body-loop 4: it may go on, and then it completes."""

    @loom.workflow
    async def stubborn(ctx: loom.Context) -> str:
        try:
            await ctx.wait_event("never")
        except asyncio.CancelledError:
            return await ctx.step("undo", undo, "nothing")
        return ""

    async def scene():
        async with Loom() as env:
            env.work(stubborn)
            started = await env.client.start(stubborn, id="w")
            await env.until("w", "parked")
            await started.cancel()
            return await started.result(timeout=10)

    assert run_virtually(scene) == "undone nothing"


def test_a_cancelled_error_of_the_bodys_own_is_a_failure_and_no_cancellation():
    """Body-loop 4: CancelledError without a request is the body's own doing."""

    @loom.workflow
    async def giving_up(ctx: loom.Context) -> None:
        raise asyncio.CancelledError

    async def scene():
        async with Loom() as env:
            env.work(giving_up)
            await env.client.start(giving_up, id="w")
            return await env.client.outcome("w", timeout=10)

    outcome = run_virtually(scene)
    assert (outcome.status, outcome.payload["type"]) == ("failed", "CancelledError")


def test_a_lost_grant_stops_the_body_without_a_word_and_compensates_nothing(caplog):
    """Design 6, body-loop 5: nothing is raised, nothing appended; one line names the token; the step is told."""
    seen: list[Any] = []

    async def endless() -> None:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            seen.append(loom.step_ending())
            raise

    @loom.workflow
    async def careful(ctx: loom.Context) -> None:
        try:
            await ctx.step("endless", endless)
        except BaseException as error:
            seen.append(error)
            await ctx.step("undo", undo, "all")
            raise

    async def scene():
        async with Loom() as env:
            env.work(careful, ttl_ms=600)
            await env.client.start(careful, id="w")
            await env.until("w", "running")
            await asyncio.sleep(0.3)
            head = await env.client.get("w")
            await env.client.fail("w", "enough")
            await asyncio.sleep(5)
            return head.token, await env.kinds("w")

    token, kinds = run_virtually(scene)

    assert kinds == ["STARTED", "STEP_STARTED", "FAILED"]
    assert [type(one) for one in seen] in ([str], [str, GeneratorExit], [GeneratorExit, str])
    assert "detached" in seen
    (line,) = [record.getMessage() for record in caplog.records if "OwnershipLost" in record.getMessage()]
    assert token.shown in line


def test_a_draining_worker_records_its_running_steps_and_the_next_goes_on():
    """Design 6: compensation never runs because of a deploy; renewals go on until the last step is recorded."""
    ran: list[str] = []

    async def work(name: str) -> str:
        ran.append(name)
        await asyncio.sleep(2)
        return name

    @loom.workflow
    async def long(ctx: loom.Context) -> list[str]:
        try:
            return [await ctx.step("a", work, "a"), await ctx.step("b", work, "b")]
        except asyncio.CancelledError:
            ran.append("cancelled")
            raise

    async def scene():
        async with Loom() as env:
            first = env.work(long, ttl_ms=600)
            started = await env.client.start(long, id="w")
            await env.until("w", "running")
            await env.stop(first)
            head = await env.client.get("w")
            env.work(long)
            return head, await started.result(timeout=10), await env.kinds("w")

    head, result, kinds = run_virtually(scene)

    assert (head.shown, head.fruitless_claims) == ("runnable", 0)
    assert result == ["a", "b"]
    assert ran == ["a", "b"]
    assert kinds[1:4] == ["STEP_STARTED", "STEP_COMPLETED", "STEP_STARTED"]


def test_a_step_that_outlasts_the_drain_is_told_and_runs_again_elsewhere():
    """Design 6: up to the drain limit; what was cut off is not recorded as failed."""
    seen: list[Any] = []

    async def slow() -> str:
        try:
            await asyncio.sleep(0.5 if seen else 1000)
        except asyncio.CancelledError:
            seen.append(loom.step_ending())
            raise
        return "done"

    @loom.workflow
    async def long(ctx: loom.Context) -> str:
        return await ctx.step("slow", slow)

    async def scene():
        async with Loom() as env:
            first = env.work(long, drain_ms=3_000)
            started = await env.client.start(long, id="w")
            await env.until("w", "running")
            await env.stop(first)
            env.work(long)
            return await started.result(timeout=10), await env.kinds("w")

    result, kinds = run_virtually(scene)

    assert (result, seen) == ("done", ["detached"])
    assert kinds == ["STARTED", "STEP_STARTED", "STEP_COMPLETED", "COMPLETED"]


def test_what_is_left_open_when_the_body_returns_is_cancelled_and_what_was_asked_last_still_happens():
    """Body-loop 1.10: branches cancelled, running steps awaited, their waits dropped by the terminal event."""
    seen: list[Any] = []

    async def quick() -> None:
        await asyncio.sleep(1)
        seen.append("quick")

    @loom.workflow
    async def leaving(ctx: loom.Context) -> str:
        async def branch() -> None:
            try:
                await ctx.sleep(10_000)
            except asyncio.CancelledError:
                seen.append("branch")

        leaving.kept = asyncio.ensure_future(branch())  # type: ignore[attr-defined]
        await ctx.step("nap", nap, 0)
        ctx.step("quick", quick)
        ctx.emit("bye")
        return "gone"

    async def scene():
        async with Loom() as env:
            env.work(leaving)
            return await (await env.client.start(leaving, id="w")).result(timeout=10), await env.kinds("w")

    result, kinds = run_virtually(scene)

    assert (result, sorted(seen)) == ("gone", ["branch", "quick"])
    assert kinds[-1] == "COMPLETED"
    assert "bye" in kinds


def _blocked(*workflows: Any, until: str = "parked") -> Any:
    """The operator wait on which the last of `workflows` ends up; the first started, in another worker."""

    async def scene():
        async with Loom() as env:
            first = env.work(workflows[0])
            await env.client.start(workflows[0], id="w")
            if len(workflows) > 1:
                await env.until("w", until)
                await env.stop(first)
                env.work(workflows[-1])
                await env.client.send("w", "go")
            head = await env.until("w", "blocked", "completed", "failed")
            assert head.shown == "blocked"
            return head.waits[0].operator

    return run_virtually(scene)


def test_a_changed_body_is_blocked_with_what_was_expected_what_it_did_and_where():
    """Body-loop 1.4, I53: a changed step, argument or order within a branch is NonDeterminism."""

    @loom.workflow(name="flow")
    async def old(ctx: loom.Context) -> None:
        await ctx.step("a", undo, "x")
        await ctx.step("b", undo, "y")
        await ctx.wait_event("go")

    @loom.workflow(name="flow")
    async def renamed(ctx: loom.Context) -> None:
        await ctx.step("other", undo, "x")

    @loom.workflow(name="flow")
    async def argued(ctx: loom.Context) -> None:
        await ctx.step("a", undo, "z")

    @loom.workflow(name="flow")
    async def reordered(ctx: loom.Context) -> None:
        await ctx.step("b", undo, "y")
        await ctx.step("a", undo, "x")

    @loom.workflow(name="flow")
    async def slept(ctx: loom.Context) -> None:
        await ctx.step("a", undo, "x")
        await ctx.step("b", undo, "y")
        await ctx.sleep(1)

    renamed_, argued_, reordered_, slept_ = (_blocked(old, new) for new in (renamed, argued, reordered, slept))

    assert (renamed_.expected, renamed_.actual, renamed_.at) == ("step 0/a/0", "step 0/other/0", "event 2")
    assert argued_.expected.startswith("step 0/a/0 with arguments of digest")
    assert (reordered_.expected, reordered_.actual) == ("step 0/a/0", "step 0/b/0")
    assert (slept_.expected, slept_.actual) == ("wait 0/go/0", "sleep 0/sleep/0")
    assert renamed_.reason.startswith("NonDeterminism: at event 2 the log says step 0/a/0")


def test_what_is_not_replay_safe_blocks_even_when_the_body_swallows_it():
    """Body-loop 3: the runner looks at the loop after each run, before it appends anything."""

    @loom.workflow
    async def sloppy(ctx: loom.Context) -> None:
        try:
            await asyncio.sleep(1)
        except Exception:
            return

    assert _blocked(sloppy).reason.startswith("NotReplaySafe: a time-out or asyncio.sleep is not replay-safe")


def test_a_body_that_waits_for_itself_is_blocked():
    """Body-loop 1.3: no open command, e.g. a lock taken twice."""

    @loom.workflow
    async def locked(ctx: loom.Context) -> None:
        lock = asyncio.Lock()
        await lock.acquire()
        await lock.acquire()

    assert "none waits for anything outside" in _blocked(locked).reason


def test_a_blocked_body_that_was_mended_goes_on_when_an_operator_resumes_it():
    """Design 2: blocked is a park; only an operator's resume, a cancel, fail or terminate answers it."""

    @loom.workflow(name="flow")
    async def broken(ctx: loom.Context) -> str:
        await ctx.step("a", undo, "x")
        await asyncio.sleep(1)
        return ""

    @loom.workflow(name="flow")
    async def mended(ctx: loom.Context) -> str:
        return await ctx.step("a", undo, "x")

    async def scene():
        async with Loom() as env:
            first = env.work(broken)
            started = await env.client.start(broken, id="w")
            await env.until("w", "blocked")
            await env.stop(first)
            env.work(mended)
            await env.client.resume("w")
            return await started.result(timeout=10)

    assert run_virtually(scene) == "undone x"


def test_a_cancel_of_a_blocked_body_is_tried_once_and_does_not_spin():
    """Design 2: the park hears the request, else it would answer each such park for ever."""

    @loom.workflow
    async def broken(ctx: loom.Context) -> None:
        await asyncio.sleep(1)

    async def scene():
        async with Loom() as env:
            env.work(broken)
            started = await env.client.start(broken, id="w")
            await env.until("w", "blocked")
            await started.cancel()
            await asyncio.sleep(2)
            return (await env.client.get("w")).shown, await env.kinds("w")

    shown, kinds = run_virtually(scene)
    assert shown == "blocked"
    assert kinds == ["STARTED", "SUSPENDED", "CANCEL_REQUESTED", "RESUMED", "SUSPENDED"]


def test_a_process_that_overslept_renews_before_it_writes_anything():
    """Design 6: a woken process sends its renewal first; it is refused, and its late result is not even sent."""
    calls: list[str] = []

    @loom.workflow
    async def slow(ctx: loom.Context) -> float:
        return await ctx.step("nap", nap, 10)

    class Recording:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __getattr__(self, name: str) -> Any:
            method = getattr(self.inner, name)

            async def call(argument: Any) -> Any:
                calls.append(name)
                return await method(argument)

            return call

    async def scene():
        async with Loom() as env:
            env.work(slow, store=Recording(env.memory))
            await env.client.start(slow, id="w")
            await env.until("w", "running")
            run = next(iter(env.first_worker()._runs.values()))
            run._log._lease.good_until = 0.0  # the clock went on without the process
            await env.client.terminate("w")
            calls.clear()
            await asyncio.sleep(15)

    run_virtually(scene)

    assert [name for name in calls if name != "claim_runnable"] == ["renew"]


def test_what_is_contended_is_tried_again_with_the_same_key():
    """Design 5: contended is come back later; a lost answer is repeated under its Idempotency-Key."""
    keys: list[str] = []

    class Shaky:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __getattr__(self, name: str) -> Any:
            async def append(call: c.Append) -> Any:
                keys.append(call.batch_id)
                answer = await self.inner.append(call)
                if len(keys) % 2:
                    raise Busy("the answer was lost")
                return answer

            return append if name == "append" else getattr(self.inner, name)

    @loom.workflow
    async def one(ctx: loom.Context) -> str:
        return await ctx.step("a", undo, "x")

    async def scene():
        async with Loom() as env:
            env.work(one, store=Shaky(env.memory))
            return await (await env.client.start(one, id="w")).result(timeout=10), await env.kinds("w")

    assert run_virtually(scene) == ("undone x", ["STARTED", "STEP_STARTED", "STEP_COMPLETED", "COMPLETED"])
    assert len(keys) == 6
    assert len(set(keys)) == 3
