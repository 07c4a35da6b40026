"""What a case says when a promise does not hold."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Any, TypeVar

from loom.errors import LoomError

Answer = TypeVar("Answer")


class Broken(Exception):
    """A promise of the contract does not hold."""


def holds(condition: object, promise: str) -> None:
    """`promise` is a sentence that is true if `condition` is."""
    if not condition:
        raise Broken(f"not true: {promise}")


def equal(got: Any, wanted: Any, of: str = "the answer") -> None:
    """`got` equals `wanted`; `of` says what it is."""
    if got != wanted:
        raise Broken(f"{of}: got {_short(got)}, wanted {_short(wanted)}")


async def refused(error: type[LoomError] | tuple[type[LoomError], ...], call: Awaitable[Any]) -> LoomError:
    """The refusal of `call`, which must be of exactly one of these classes."""
    wanted = error if isinstance(error, tuple) else (error,)
    answer = await attempt(call)
    if not isinstance(answer, LoomError) or type(answer) not in wanted:
        names = " or ".join(cls.code for cls in wanted)
        got = answer.code if isinstance(answer, LoomError) else "accepted"
        raise Broken(f"wanted {names}, got {got}: {_short(answer)}")
    return answer


async def attempt(call: Awaitable[Answer]) -> Answer | LoomError:
    """The answer, or the error in its place."""
    try:
        return await call
    except LoomError as error:
        return error


async def all_at_once(calls: Iterable[Awaitable[Answer]]) -> list[Answer | LoomError]:
    """What each of several concurrent calls came to."""
    return list(await asyncio.gather(*map(attempt, calls)))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:400]}…"
