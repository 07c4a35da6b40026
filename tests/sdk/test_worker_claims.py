"""The claim loop: it never ends by itself, repeats a poll with its nonce, and gives back what it cannot start."""
# ruff: noqa: D103 - workflows and steps are named by what they do

import asyncio
from typing import Any

import pytest

import loom
from loom.errors import Busy, Invalid
from loom.kernel import calls as c
from loom.stores.surfaces import SURFACES, Surface
from loom.worker.runner import Worker, WrongStore
from sdk.virtual import Loom, run_virtually


@loom.workflow
async def hello(ctx: loom.Context, name: str) -> str:
    return f"hello {name}"


class Meddled:
    """A store some of whose calls are replaced."""

    def __init__(self, inner: Any, **calls: Any) -> None:
        self.inner = inner
        self.calls = calls

    def __getattr__(self, name: str) -> Any:
        return self.calls.get(name) or getattr(self.inner, name)


def test_a_poll_whose_answer_was_lost_is_repeated_with_its_nonce_and_gets_what_it_claimed():
    """Design 6, fenced-run-state 15: a fresh nonce per poll, the same one in its retry."""
    nonces: list[str] = []

    async def scene():
        async with Loom() as env:

            async def claim(call: c.ClaimRunnable) -> c.Claims:
                nonces.append(call.nonce)
                claims = await env.memory.claim_runnable(call)
                if claims.items and nonces.count(call.nonce) < 3:
                    raise Busy("the answer was lost")
                return claims

            worker = env.work(hello, store=Meddled(env.memory, claim_runnable=claim))
            result = await (await env.client.start(hello, "ada", id="w")).result(timeout=10)
            return result, (await env.client.get("w")).token.counter, worker.why_unready

    result, counter, unready = run_virtually(scene)

    assert (result, counter, unready) == ("hello ada", 1, None)
    assert max(map(nonces.count, nonces)) == 3
    assert len(set(nonces)) > 1


def check_the_loop_goes_on(error: Exception) -> None:
    """Four polls meet the error, the fifth does not."""
    tries: list[str | None] = []

    async def scene():
        async with Loom() as env:

            async def claim(call: c.ClaimRunnable) -> c.Claims:
                tries.append(worker.why_unready)
                if len(tries) < 5:
                    raise error
                return await env.memory.claim_runnable(call)

            worker = env.work(hello, store=Meddled(env.memory, claim_runnable=claim))
            return await (await env.client.start(hello, "ada")).result(timeout=100), worker.why_unready

    assert run_virtually(scene) == ("hello ada", None)
    assert tries[:5] == [None] + [f"{type(error).__name__}: {error}"] * 4


@pytest.mark.parametrize("error", [Busy(), Invalid(), RuntimeError("a bug"), OSError()])
def test_whatever_a_poll_meets_the_loop_goes_on_and_says_so_once(error: Exception, caplog: Any):
    """Design 6: retried with jitter, logged once, worker unready."""
    check_the_loop_goes_on(error)

    assert sum("cannot claim" in record.getMessage() for record in caplog.records) == 1


@pytest.mark.parametrize("table", [(*SURFACES, Surface(name="meta", call="put_meta")), SURFACES[1:]])
def test_a_worker_refuses_a_store_whose_surfaces_it_does_not_know(table: Any):
    """Design 2 law 3, 6: found before anything is claimed."""

    async def scene():
        async with Loom() as env:

            async def read_surfaces() -> Any:
                return table

            with pytest.raises(WrongStore, match="events" if len(table) < len(SURFACES) else "meta"):
                await Worker(Meddled(env.memory, read_surfaces=read_surfaces), [hello]).run()

    run_virtually(scene)


def test_a_worker_takes_its_versions_its_queue_and_no_more_than_it_has_room_for():
    """Design 6: `claims` matches exactly the versions named; max is the free slots."""
    most: list[int] = [0, 0]

    async def nap() -> None:
        most[0] += 1
        most[1] = max(most)
        await asyncio.sleep(1)
        most[0] -= 1

    @loom.workflow(version="2")
    async def busy(ctx: loom.Context) -> None:
        await ctx.step("nap", nap)

    async def scene():
        async with Loom() as env:
            env.work(busy, concurrency=2)
            mine = [await env.client.start(busy) for _ in range(5)]
            others = [await env.client.start("busy@1"), await env.client.start(busy, queue="other")]
            for one in mine:
                await one.result(timeout=10)
            return [(await env.client.get(other.id)).shown for other in others]

    assert run_virtually(scene) == ["pending", "pending"]
    assert most[1] == 2


def test_what_cannot_be_started_is_given_back_for_later_and_the_others_run():
    """Design 6: each is dispatched alone; a release takes its claim's count back and says when to come again."""

    async def scene():
        async with Loom() as env:

            async def claim(call: c.ClaimRunnable) -> c.Claims:
                from dataclasses import replace

                return await env.memory.claim_runnable(replace(call, workflows=("hello@0", "strange@0")))

            env.work(hello, store=Meddled(env.memory, claim_runnable=claim))
            strange = await env.client.start("strange")
            result = await (await env.client.start(hello, "ada")).result(timeout=10)
            head = await env.client.get(strange.id)
            return result, head.shown, head.fruitless_claims, (head.not_before or 0) > head.created_at

    assert run_virtually(scene) == ("hello ada", "runnable", 0, True)


def test_a_bug_of_the_worker_sets_one_execution_aside_and_no_other(monkeypatch: Any):
    """Fenced-run-state 15: always free the slot. Its claim was fruitless and counts, unlike one that is released."""
    from loom.worker.replay import Body

    give = Body.give

    def break_down(body: Body, event: Any) -> None:
        if body.context.execution_id == "bad":
            raise ZeroDivisionError("a bug")
        give(body, event)

    monkeypatch.setattr(Body, "give", break_down)

    async def scene():
        async with Loom() as env:
            env.work(hello, concurrency=1)
            await env.client.start(hello, "ada", id="bad")
            result = await (await env.client.start(hello, "eve")).result(timeout=10)
            bad = await env.client.get("bad")
            return result, bad.fruitless_claims

    assert run_virtually(scene) == ("hello eve", 1)


def test_stop_gives_back_what_a_poll_in_progress_claims():
    """Fenced-run-state 15: stop waits for a poll in progress before it takes its list of bodies."""

    async def scene():
        async with Loom() as env:

            async def claim(call: c.ClaimRunnable) -> c.Claims:
                claims = await env.memory.claim_runnable(call)
                await asyncio.sleep(1)
                return claims

            worker = env.work(hello, store=Meddled(env.memory, claim_runnable=claim))
            await env.client.start(hello, "ada", id="w")
            await env.until("w", "running")
            await env.stop(worker)
            head = await env.client.get("w")
            return head.shown, head.owner, worker.why_unready

    assert run_virtually(scene) == ("runnable", None, "stopped")


def test_two_workflows_of_one_name_and_version_are_refused():
    """A worker's wiring is judged when it is made."""

    @loom.workflow(name="hello")
    async def other(ctx: loom.Context) -> None: ...

    for workflows in ([hello, other], [], [print]):
        with pytest.raises((ValueError, TypeError)):
            Worker("http://nowhere", workflows)  # type: ignore[arg-type]


@pytest.mark.parametrize("ttl_ms", [100, 25 * 3600 * 1000])
def test_a_worker_whose_leases_the_store_does_not_give_says_so_and_claims_nothing(ttl_ms: int):
    """Design 5: leases 250 ms to 24 h. Renewals that are all refused would lose one execution after the other."""

    async def scene():
        async with Loom() as env:
            await env.client.start(hello, "ada", id="w")
            with pytest.raises(ValueError, match="ttl_ms is 250 to 86400000 here"):
                await loom.Worker(env.memory, [hello], ttl_ms=ttl_ms).run()
            return (await env.client.get("w")).token

    assert run_virtually(scene) == 0


def test_a_worker_may_run_more_executions_than_one_poll_gives():
    """Design 4: `claims` gives at most 1,000 at once."""

    async def scene():
        async with Loom() as env:
            env.work(hello, concurrency=5_000)
            return await (await env.client.start(hello, "ada")).result(timeout=10)

    assert run_virtually(scene) == "hello ada"
