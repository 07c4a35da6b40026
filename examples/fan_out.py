"""A child for each part of the work. The parent parks until all have ended; each child runs on any worker.

loom run examples/fan_out.py
loom start count_all '["to be or not to be", "that is the question", ""]' --wait
"""

import loom


@loom.step
async def count_words(text: str) -> int:
    """One part."""
    if not text:
        raise loom.Fatal("there is nothing to count")
    return len(text.split())


@loom.workflow
async def count(ctx: loom.Context, text: str) -> int:
    """A child."""
    return await ctx.step(count_words, text)


@loom.workflow
async def count_all(ctx: loom.Context, texts: list[str]) -> dict[str, int]:
    """With `collect` a part that failed stands among the results; without it the first failure would be raised."""
    children = [await ctx.start_child(count, text) for text in texts]
    counts = await ctx.gather(*children, on_error="collect")
    failed = [one for one in counts if isinstance(one, loom.ChildFailed)]
    return {"words": sum(one for one in counts if isinstance(one, int)), "failed": len(failed)}
