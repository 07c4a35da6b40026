"""What a storm runs: parents of five children, with a timer, messages and steps that take a while."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import loom
from loom.worker.registry import Workflow

CHILDREN = 5
STEP_S = 1.0
NOTE = "note"
GO = "go"


@loom.step
async def toil(name: str) -> dict[str, Any]:
    """Takes its time, so that there is something in flight to kill and to freeze. Each run of it is told apart."""
    await asyncio.sleep(STEP_S)
    return {"of": name, "run": secrets.token_hex(8)}


@loom.workflow(name="storm.child")
async def child(ctx: loom.Context, parent_id: str, number: int) -> dict[str, Any]:
    """Toils; the first of five tells its parent something by a message, the second sleeps."""
    done: dict[str, Any] = await ctx.step(toil, f"{parent_id}/{number}")
    if number == 0:
        await ctx.send(parent_id, NOTE, {"from": number}, id=f"{parent_id}-{NOTE}")
    if number == 1:
        await ctx.sleep(0.5)
    return done


@loom.workflow(name="storm.parent")
async def parent(ctx: loom.Context, parent_id: str) -> dict[str, Any]:
    """Five children, a park on a timer, a message from a child and one from outside, a step."""
    children = [await ctx.start_child(child, parent_id, number, key=f"{number}") for number in range(CHILDREN)]
    done = await ctx.gather(*children)
    await ctx.sleep(1)
    note = await ctx.wait_event(NOTE)
    go = await ctx.wait_event(GO)
    last = await ctx.step(toil, parent_id)
    return {"children": [one["of"] for one in done], "note": note, "go": go, "last": last["of"]}


def result_of(parent_id: str, result: dict[str, Any]) -> bool:
    """Is this what a parent comes to, whatever happened to it?"""
    return {**result, "go": result["go"]["to"]} == {
        "children": [f"{parent_id}/{number}" for number in range(CHILDREN)],
        "note": {"from": 0},
        "go": parent_id,
        "last": parent_id,
    }


WORKFLOWS: tuple[Workflow[..., Any], ...] = (parent, child)
