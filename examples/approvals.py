"""Wait for somebody's word, for days if need be. A waiting execution takes no worker, and no memory.

loom run examples/approvals.py
loom start purchase trip-7 1250 --id trip-7
loom send trip-7 approval '{"by": "grace", "granted": true}' --key trip-7
"""

from dataclasses import dataclass
from datetime import timedelta

import loom


@dataclass
class Approval:
    """What the message carries."""

    by: str
    granted: bool


@loom.step
async def book(subject: str, amount: int) -> str:
    """What must not happen without a word."""
    return f"{subject} booked for {amount}"


@loom.workflow
async def purchase(ctx: loom.Context, subject: str, amount: int) -> str:
    """Small amounts need nobody. The message may come before the wait: it is kept."""
    if amount >= 1000:
        try:
            approval: Approval = await ctx.wait_event(
                "approval", key=subject, timeout=timedelta(days=14), type=Approval
            )
        except loom.EventTimeout:
            return f"nobody decided on {subject}"
        if not approval.granted:
            return f"{approval.by} said no to {subject}"
    return await ctx.step(book, subject, amount)
