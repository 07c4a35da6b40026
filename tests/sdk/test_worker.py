"""Workflows end to end over the store in memory."""
# ruff: noqa: D103 - workflows and steps are named by what they do

import loom
from sdk.virtual import Loom, run_virtually


@loom.step
def greet(name: str) -> str:
    return f"hello {name}"


@loom.workflow
async def hello(ctx: loom.Context, name: str) -> str:
    return await ctx.step(greet, name)


@loom.workflow
async def parent(ctx: loom.Context, names: list[str]) -> list[str]:
    children = [await ctx.start_child(hello, name) for name in names]
    return await ctx.gather(*children)


def test_a_workflow_runs_its_step_and_completes():
    """Design 6: claim, replay, run, settle."""

    async def scene():
        async with Loom() as env:
            env.work(hello)
            started = await env.client.start(hello, "ada", id="h")

            assert await started.result(timeout=10) == "hello ada"
            assert await env.kinds("h") == ["STARTED", "STEP_STARTED", "STEP_COMPLETED", "COMPLETED"]

    run_virtually(scene)


def test_a_parent_parks_until_its_children_have_ended():
    """Design 6: one park for the group, outcomes copied by the store."""

    async def scene():
        async with Loom() as env:
            env.work(hello, parent, concurrency=2)
            started = await env.client.start(parent, ["ada", "grace", "mary"], id="p")

            assert await started.result(timeout=10) == ["hello ada", "hello grace", "hello mary"]
            kinds = await env.kinds("p")
            assert kinds.count("CHILD_STARTED") == kinds.count("CHILD_OUTCOME") == 3

    run_virtually(scene)
