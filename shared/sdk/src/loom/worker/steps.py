"""One attempt at a step, on the worker's loop or in a thread, and what it may know of itself."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from loom.ids import Token
from loom.worker.registry import Step

StepEnding = Literal["cancel", "detached", "time-out"]


@dataclass(slots=True, eq=False)
class Attempt:
    """A running attempt. `idempotency_key` is the same for every attempt at this step, on whatever machine."""

    idempotency_key: str
    number: int  # from 1
    read_fence: Callable[[], Token]
    ending: StepEnding | None = None


_current: ContextVar[Attempt | None] = ContextVar("loom_step", default=None)


def current_attempt() -> Attempt:
    """The attempt that runs here. Raises RuntimeError outside a step."""
    attempt = _current.get()
    if attempt is None:
        raise RuntimeError("only a running step has a fence and an idempotency key")
    return attempt


def step_ending() -> StepEnding | None:
    """Why the running step is told to end: `cancel` (the body does not want it any more), `detached` (this worker may
    not, or will not, go on), `time-out`; None while it may go on. A sync step should ask now and then.
    """
    return current_attempt().ending


async def run_attempt(step: Step[..., Any], args: Any, kwargs: Any, attempt: Attempt, threads: Executor | None) -> Any:
    """What the function returns, or raises; TimeoutError after the step's time-out."""
    _current.set(attempt)
    if step.timeout_ms is None:
        return await _call(step, args, kwargs, threads)
    deadline = asyncio.timeout(step.timeout_ms / 1000)
    watch = asyncio.get_running_loop().call_later(step.timeout_ms / 1000, _tell, attempt, "time-out")
    try:
        async with deadline:
            return await _call(step, args, kwargs, threads)
    except TimeoutError as error:
        if deadline.expired():
            raise TimeoutError(f"step {step.name} took more than {step.timeout_ms} ms") from error
        raise
    finally:
        watch.cancel()


def _tell(attempt: Attempt, ending: StepEnding) -> None:
    attempt.ending = attempt.ending or ending


async def _call(step: Step[..., Any], args: Any, kwargs: Any, threads: Executor | None) -> Any:
    try:
        return await _run(step, args, kwargs, threads)
    except SystemExit as error:  # a task would hand it to the worker's loop, and end the worker
        raise _contained(error) from error


async def _run(step: Step[..., Any], args: Any, kwargs: Any, threads: Executor | None) -> Any:
    if inspect.iscoroutinefunction(step.function):
        return await step.function(*args, **kwargs)
    loop, context = asyncio.get_running_loop(), contextvars.copy_context()
    result = await loop.run_in_executor(threads, lambda: _call_in_thread(context, step.function, args, kwargs))
    return await result if inspect.isawaitable(result) else result


def _call_in_thread(context: contextvars.Context, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    try:
        return context.run(function, *args, **kwargs)
    except (StopIteration, KeyboardInterrupt) as error:  # no future takes the one; signals reach no thread
        raise _contained(error) from error


def _contained(error: BaseException) -> RuntimeError:
    return RuntimeError(f"{type(error).__name__} of a step ends nothing but the step: {error}")
