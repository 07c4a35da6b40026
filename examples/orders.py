"""An order: reserve, charge, ship. What was done is undone when a later step gives up, or when somebody cancels.

loom run examples/orders.py
loom start order '{"id": "ord-17", "item": "loom", "cents": 1900}' --wait
"""

import asyncio
import random

from pydantic import BaseModel

import loom

patient = loom.Retry(max_attempts=5, initial=0.2, cap=5)


class Order(BaseModel):
    """Typed payloads: what arrives as JSON is validated, and the step gets an Order."""

    id: str
    item: str
    cents: int


class Unreachable(Exception):
    """The warehouse does not answer: worth another try."""


@loom.step(retry=patient)
async def reserve(order: Order) -> str:
    """Fails now and then, as networks do."""
    if random.random() < 0.3:
        raise Unreachable("the warehouse did not answer")
    return f"shelf-{order.item}"


@loom.step(retry=patient, timeout=10)
async def charge(ctx: loom.Context, order: Order) -> str:
    """The key is the same for every attempt, on any machine: the payment service charges once."""
    if order.cents > 100_000:
        raise loom.Fatal(f"{order.cents} cents is over the card's limit")  # not worth another try
    return f"charged {order.cents} under {ctx.idempotency_key}"


@loom.step(retry=patient)
async def release(shelf: str) -> None:
    """Undo `reserve`."""


@loom.workflow
async def order(ctx: loom.Context, order: Order) -> str:
    """The way of one order."""
    shelf = await ctx.step(reserve, order)
    try:
        receipt = await ctx.step(charge, ctx, order)
    except (loom.StepFailed, asyncio.CancelledError):
        await ctx.step(release, shelf)
        raise
    await ctx.emit("shipped", {"order": order.id, "from": shelf})
    return receipt
