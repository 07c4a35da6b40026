"""Whatever an author does wrong ends that step or that execution, once, and neither its worker nor any other.

What is not recorded is done again: an end that cannot be written would have its effects repeated for ever.
"""
# ruff: noqa: D103 - workflows and steps are named by what they do

import asyncio
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Optional

import pytest

import loom
from loom.client.executions import Outcome
from loom.client.payloads import encode_value
from loom.errors import Forbidden, Invalid
from loom.ids import ExecutionId, Namespace
from loom.kernel import calls as c
from loom.kernel.raw_json import RawJson
from loom.worker import run
from loom.worker.registry import Workflow
from loom.worker.replay import Body
from sdk.test_worker_claims import Meddled
from sdk.virtual import Loom, run_virtually


class Plain:
    """A class without a JSON form."""


class Mute(Exception):
    """Has no message, only trouble."""

    details = property(lambda self: self.missing)

    def __str__(self) -> str:
        raise RuntimeError("no words")


class Surrogate(Exception):
    details = ("\udc80",)


def run_out() -> Any:
    return next(iter([]))


async def leave() -> None:
    sys.exit("done")


def leave_thread() -> None:
    sys.exit("done")


def interrupt_thread() -> None:
    raise KeyboardInterrupt


async def fail_without_words() -> None:
    raise Mute


async def fail_with_a_surrogate() -> None:
    raise Surrogate("\udc80")


async def hold_itself() -> Any:
    ring: list[Any] = []
    ring.append(ring)
    return ring


async def nest() -> Any:
    nested: list[Any] = []
    for _ in range(5_000):
        nested = [nested]
    return nested


STEPS = [
    (run_out, "StopIteration"),
    (leave, "SystemExit"),
    (leave_thread, "SystemExit"),
    (interrupt_thread, "KeyboardInterrupt"),
    (fail_without_words, "Mute"),
    (fail_with_a_surrogate, "Surrogate"),
    (hold_itself, "in itself"),
    (nest, "in itself"),
]


def play(workflow: Any, *, healthy: bool = True) -> Outcome:
    """How it ends, beside one that has nothing to do with it and must complete."""

    @loom.workflow
    async def neighbour(ctx: loom.Context) -> int:
        await ctx.sleep(1)
        return 1

    async def scene() -> Outcome:
        async with Loom() as env:
            env.work(workflow, neighbour)
            await env.client.start(workflow, id="w")
            await env.client.start(neighbour, id="n")
            outcome = await env.client.outcome("w", timeout=60)
            assert not healthy or await env.client.result("n", timeout=60) == 1
            return outcome

    return run_virtually(scene)


@pytest.mark.parametrize(("function", "told"), STEPS, ids=[function.__name__ for function, _ in STEPS])
def test_a_step_runs_once_and_fails_however_it_ends(function: Callable[[], Any], told: str):
    """Design 6: failures travel as type name, message, details; the body may catch every one of them."""
    runs: list[None] = []

    if asyncio.iscoroutinefunction(function):

        async def counted() -> Any:
            runs.append(None)
            return await function()
    else:

        def counted() -> Any:
            runs.append(None)
            return function()

    @loom.workflow
    async def careful(ctx: loom.Context) -> str:
        try:
            await ctx.step("s", counted)
        except loom.StepFailed as error:
            return f"{error.type_name}: {error.message}"
        return "it went well"

    outcome = play(careful)

    assert (outcome.status, len(runs)) == ("completed", 1)
    assert told in outcome.payload


async def exit_body(ctx: loom.Context) -> None:
    sys.exit("done")


async def exit_branch(ctx: loom.Context) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(exit_body(ctx))


async def fail_body(ctx: loom.Context) -> None:
    raise Mute


async def return_itself(ctx: loom.Context) -> Any:
    return await hold_itself()


@pytest.mark.parametrize("body", [exit_body, exit_branch, fail_body, return_itself])
def test_a_body_fails_however_it_ends(body: Any):
    """Design 6: a body that kills its worker would take the fleet down, one worker a claim (H20)."""
    assert play(loom.workflow(body)).status == "failed"


async def annotated_with_a_class() -> Optional[Plain]:  # noqa: UP045 - with a string it would not be resolved
    return None


async def annotated_with_nonsense() -> "list[int":  # type: ignore[valid-type]  # noqa: F722
    return None


async def annotated_with_what_is_missing() -> "asyncio.Nothing":  # type: ignore[name-defined]
    return None


@pytest.mark.parametrize("function", [annotated_with_a_class, annotated_with_nonsense, annotated_with_what_is_missing])
def test_an_annotation_of_which_no_type_can_be_made_leaves_the_value_as_it_is(function: Any):
    """Design 6: what is recorded is given to the body, now and in every replay."""

    @loom.workflow
    async def annotated(ctx: loom.Context) -> Any:
        return [await ctx.step("s", function)]

    assert play(annotated).payload == [None]


def test_a_value_that_its_type_cannot_read_is_a_failed_step():
    """Design 6: what a validator raises is met where the value is awaited."""

    class Choosy:
        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            from pydantic_core import core_schema

            return core_schema.no_info_plain_validator_function(lambda value: value.missing)

    async def choose() -> Choosy:
        return SimpleNamespace().__dict__  # type: ignore[return-value]

    @loom.workflow
    async def reads(ctx: loom.Context) -> str:
        try:
            await ctx.step("s", choose)
        except loom.StepFailed as error:
            return error.type_name
        return ""

    assert play(reads).payload == "AttributeError"


def test_what_no_worker_can_run_is_blocked_in_the_end(monkeypatch: pytest.MonkeyPatch):
    """H20: a claim from which nothing came back is fruitless, also when the worker itself gave up on it."""

    def fail(self: Body, event: Any) -> None:
        raise ZeroDivisionError("a bug of the worker's")

    monkeypatch.setattr(Body, "give", fail)
    monkeypatch.setattr(run, "SET_ASIDE_MS", 250)

    @loom.workflow
    async def unlucky(ctx: loom.Context) -> None: ...

    async def scene() -> str:
        async with Loom() as env:
            env.work(unlucky)
            await env.client.start(unlucky, id="w")
            head = await env.until("w", "blocked")
            return str(head.shown)

    assert run_virtually(scene) == "blocked"


def test_a_value_within_itself_is_a_value_error():
    """Payloads: what has no JSON form raises TypeError or ValueError, never the interpreter's own limit."""
    ring: list[Any] = []
    ring.append(ring)
    with pytest.raises(ValueError, match="itself"):
        encode_value(ring)


def test_a_number_that_python_does_not_read_reaches_the_body_as_text():
    """Design 5: huge numbers are carried; a log that holds one can still be replayed."""

    @loom.workflow
    async def counts(ctx: loom.Context, few: int, many: Any) -> bool:
        return few == 1 and many == "1" * 5_000

    async def scene() -> Any:
        async with Loom() as env:
            env.work(counts)
            call = c.Start(
                namespace=Namespace("default"),
                execution_id=ExecutionId("w"),
                batch_id="b",
                workflow="counts",
                code_version="0",
                queue="default",
                input=RawJson(f"[1,{'1' * 5_000}]"),
            )
            await env.memory.start(call)
            return await env.client.result("w", timeout=5)

    assert run_virtually(scene) is True


@pytest.mark.parametrize("refused", ["read_events", "read_inbox", "append"])
def test_an_execution_does_not_fail_of_what_its_body_did_not_ask_for(refused: str):
    """Design 5: `invalid` to a read tells of two versions, `forbidden` of rights; neither is an end of the work."""

    @loom.workflow
    async def waits(ctx: loom.Context) -> Any:
        nap = ctx.step("nap", asyncio.sleep, 1)
        return [await ctx.wait_event("go"), await nap]

    async def scene() -> Any:
        async with Loom() as env:
            told: list[Any] = []

            async def refuse(call: Any) -> Any:
                if not told and (refused == "append" or not hasattr(call, "from_seq") or call.from_seq == 1):
                    told.append(call)
                    raise Forbidden("no") if refused == "append" else Invalid("'after' is not known")
                return await getattr(env.memory, refused)(call)

            env.work(waits, store=Meddled(env.memory, **{refused: refuse}))
            await env.client.start(waits, id="w")
            await env.client.send("w", "go", 1)
            result = await env.client.result("w", timeout=60)
            return len(told), result

    assert run_virtually(scene) == (1, [1, None])


@pytest.mark.parametrize(("name", "version"), [("pay@2", "0"), ("", "0"), ("pay", "")])
def test_a_workflow_that_nobody_could_start_is_refused_where_it_is_written(name: str, version: str):
    """Design 4: `claims` names workflows as `name@version`."""
    with pytest.raises(ValueError, match="without @"):
        Workflow(exit_body, name, version)
