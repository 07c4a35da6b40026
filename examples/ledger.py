"""Run for years: every hundred messages the body goes on as new, with an empty log. The first message starts it.

loom run examples/ledger.py
loom send till-3 paid 1250 --start ledger
loom send till-3 paid null
loom result till-3
"""

import loom

PAGE = 100  # messages in the log of one link


@loom.step
async def book(cents: int) -> None:
    """Where the money is really counted."""


@loom.workflow
async def ledger(ctx: loom.Context, balance: int = 0) -> int:
    """The id names the newest link, so senders notice nothing; mail that is not read yet goes along. Null closes it."""
    for _ in range(PAGE):
        cents = await ctx.wait_event("paid", type=int | None)
        if cents is None:
            return balance
        balance += cents
        await ctx.step(book, cents)
    ctx.continue_as_new(balance)
