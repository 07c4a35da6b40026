"""A workflow with one step. Kill the worker in the middle: the next one goes on, and no finished step runs again.

loom run examples/hello.py ada --start
"""

import loom


@loom.step
async def greet(name: str) -> str:
    """Whatever has effects, or a result that may differ next time, is a step."""
    return f"Hello, {name}!"


@loom.workflow
async def hello(ctx: loom.Context, name: str = "world") -> str:
    """Plain async Python; `ctx` is what makes it durable."""
    return await ctx.step(greet, name)
