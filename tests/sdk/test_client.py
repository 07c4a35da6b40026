"""What an application calls, over the store in memory."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

import loom
from loom.errors import AlreadyExists, Gone, NotFound, NotParked
from loom.kernel import calls as c
from loom.kernel.heads import Status
from loom.kernel.raw_json import RawJson
from loom.stores.memory import MemoryEventStore
from sdk.virtual import Loom, run_virtually


@loom.workflow(version="3")
async def ask(ctx: loom.Context, question: str, *, times: int = 1) -> list[Any]:
    """Answers with what it is sent."""
    return [question, [await ctx.wait_event("answer", type=int) for _ in range(times)]]


def play(scene: Any) -> Any:
    """What the scene answers, with a worker for `ask`."""

    async def whole():
        async with Loom() as env:
            env.work(ask)
            return await scene(env.client, env)

    return run_virtually(whole)


def test_an_id_is_started_once_unless_the_caller_takes_what_is_there():
    """Field reports 3: if_exists raise or return; the same key is a repeat."""

    async def scene(client: loom.Client, env: Loom) -> Any:
        first = await client.start(ask, "a", id="x", idempotency_key="k")
        repeat = await client.start(ask, "a", id="x", idempotency_key="k")
        there = await client.start(ask, "b", id="x", if_exists="return")
        with pytest.raises(AlreadyExists):
            await client.start(ask, "a", id="x")
        return [one.incarnation == first.incarnation for one in (repeat, there)], repeat.created, there.created

    assert play(scene) == ([True, True], True, False)


def test_an_input_goes_by_place_by_name_or_as_the_only_one():
    """A list, an object, anything else: what REST callers may write."""

    async def scene(client: loom.Client, env: Loom) -> Any:
        results = []
        for nth, form in enumerate(['["q"]', '{"question": "q", "times": 2}', '"q"']):
            call = c.Start(
                namespace=client.namespace,
                execution_id=f"e{nth}",  # type: ignore[arg-type]
                batch_id=f"b{nth}",
                workflow="ask",
                code_version="3",
                queue="default",
                input=RawJson(form),
            )
            await client.store.start(call)
            for number in (1, 2):
                await client.send(f"e{nth}", "answer", number, id=f"{nth}-{number}")
            results.append(await client.result(f"e{nth}", timeout=10))
        return results

    assert play(scene) == [["q", [1]], ["q", [1, 2]], ["q", [1]]]


def test_a_result_is_waited_for_and_says_how_it_was_missed():
    """Client.result: TimeoutError, NotFound, ExecutionFailed, Gone for another chain."""

    async def scene(client: loom.Client, env: Loom) -> Any:
        execution = await client.start(ask, "a", id="x")
        with pytest.raises(TimeoutError):
            await execution.result(timeout=1)
        with pytest.raises(NotFound):
            await client.result("y")
        with pytest.raises(Gone):
            await client.result("x", chain=execution.chain + 1)  # type: ignore[arg-type]
        await client.terminate("x", reason="enough")
        with pytest.raises(loom.ExecutionFailed) as failed:
            await execution.result()
        outcome = await client.outcome("x")
        return failed.value.type_name, failed.value.message, outcome.status, [e.kind async for e in client.events("x")]

    type_name, message, status, kinds = play(scene)

    assert (type_name, message, status) == ("cancelled", "by terminate: enough", "cancelled")
    assert kinds[-1] == "EXECUTION_CANCELLED"


def test_the_end_is_found_below_audit_events():
    """Only audit kinds follow a terminal event."""

    async def scene(client: loom.Client, env: Loom) -> Any:
        execution = await client.start(ask, "a", id="x")
        await execution.send("answer", 7)
        await execution.result(timeout=10)
        for nth in range(50):
            note = c.AppendIfUnchanged(
                namespace=client.namespace,
                execution_id="x",  # type: ignore[arg-type]
                incarnation="*",
                kind="ANNOTATED",
                batch_id=str(nth),
            )
            await client.store.append_if_unchanged(note)
        return await execution.result()

    assert play(scene) == ["a", [7]]


def test_executions_are_listed_newest_first_over_pages():
    """A keyset cursor; statuses, workflow and a prefix narrow."""

    async def scene(client: loom.Client, env: Loom) -> Any:
        for nth in range(250):
            await client.start("other", id=f"o{nth}")
        await client.start(ask, "a", id="x")
        await env.until("x", "parked")
        everything = [head.execution_id async for head in client.list()]
        some = [head.execution_id async for head in client.list(limit=3)]
        parked = [head.execution_id async for head in client.list(statuses=["parked"])]
        asked = [head.execution_id async for head in client.list(workflow="ask", statuses=[Status.PARKED])]
        return (
            len(everything),
            everything[0],
            some,
            parked,
            asked,
            [head.execution_id async for head in client.list(id_prefix="o24")][-1],
        )

    assert play(scene) == (251, "x", ["x", "o249", "o248"], ["x"], ["x"], "o24")


def test_an_operator_re_opens_a_park_and_fails_what_cannot_be_helped():
    """I29: a person can always resume, cancel, terminate or fail."""

    async def scene(client: loom.Client, env: Loom) -> Any:
        execution = await client.start(ask, "a", id="x")
        await env.until("x", "parked")
        await client.resume("x")
        await asyncio.sleep(0.5)
        await env.until("x", "parked")
        await client.fail("x", {"type": "Hopeless", "message": "no"})
        with pytest.raises(NotParked):
            await client.resume("x")
        with pytest.raises(loom.ExecutionFailed) as failed:
            await execution.result()
        return failed.value.type_name, (await client.why("x")).reasons[0].code

    assert play(scene) == ("Hopeless", "failed")


def test_a_delay_and_a_time_out_are_kept_by_the_store():
    """Field reports 3: timeout, delay."""

    async def scene(client: loom.Client, env: Loom) -> Any:
        execution = await client.start(ask, "a", id="x", delay=5, timeout=60)
        head = await client.get("x")
        await asyncio.sleep(4)
        early = (await client.get("x")).shown
        await env.until("x", "parked")
        assert repr(execution).startswith("<execution x@")
        return early, (head.not_before or 0) - head.created_at, (head.deadline_at or 0) - head.created_at

    assert play(scene) == ("pending", 5_000, 60_000)


def test_what_a_workflow_author_types_is_there_and_nothing_else():
    """Models of style C2: `loom/__init__.py` holds the dozen names, nothing else."""
    public = {name for name in vars(loom) if not name.startswith("_")}
    modules = {"client", "clock", "errors", "ids", "kernel", "stores", "tracing", "wire", "worker", "testing"}

    assert public - modules == set(loom.__all__)
    assert len(loom.__all__) < 20


@pytest.mark.parametrize("name", ["delay", "timeout"])
async def test_a_negative_duration_is_refused_where_it_is_given(name: str) -> None:
    """Design 5: durations are 0 or more; nothing is sent."""
    client = loom.Client(MemoryEventStore())

    with pytest.raises(ValueError, match="not negative"):
        await client.start("w", id="a", **{name: timedelta(seconds=-1)})

    with pytest.raises(NotFound):
        await client.get("a")
