"""The ways of asyncio to wait, for the body: over futures that are there, with time-outs that are sleeps of the log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from loom.worker import groups

Members = list[asyncio.Future[Any]]


async def gather(members: Members, policy: groups.Policy, on_error: groups.OnError) -> Any:
    """Wait until the rule is met; what nobody waits for any more is cancelled."""
    arrivals: list[tuple[int, Any]] = []
    pending = dict(enumerate(members))
    try:
        while not groups.is_met(policy, on_error, arrivals, len(members)):
            await asyncio.wait(pending.values(), return_when=asyncio.FIRST_COMPLETED)
            came = [place for place, member in pending.items() if member.done()]
            arrivals += [(place, _told(pending.pop(place))) for place in came]
    finally:
        for member in pending.values():
            member.cancel()
    return groups.result_of(policy, on_error, arrivals)


def _told(member: asyncio.Future[Any]) -> Any:
    return asyncio.CancelledError() if member.cancelled() else member.exception() or member.result()


async def wait(members: Members, sleep: asyncio.Future[None] | None, return_when: str) -> tuple[Members, Members]:
    """What is done and what is not, each in the order given, once `return_when` holds or the sleep has ended."""
    try:
        while not _is_enough(members, return_when) and not (sleep and sleep.done()):
            pending = [member for member in members if not member.done()]
            await asyncio.wait([*pending, *([sleep] if sleep else [])], return_when=asyncio.FIRST_COMPLETED)
    finally:
        if sleep:
            sleep.cancel()
    return [member for member in members if member.done()], [member for member in members if not member.done()]


def _is_enough(members: Members, return_when: str) -> bool:
    done = [member for member in members if member.done()]
    if len(done) == len(members):
        return True
    failed = any(not member.cancelled() and member.exception() is not None for member in done)
    return bool(done) and (
        return_when == asyncio.FIRST_COMPLETED or (return_when == asyncio.FIRST_EXCEPTION and failed)
    )


@asynccontextmanager
async def timeout(sleep: asyncio.Future[None]) -> AsyncIterator[None]:
    """Cancel the task inside when the sleep ends first, and raise TimeoutError in its stead."""
    task = asyncio.current_task()
    assert task is not None
    asked_before, expired = task.cancelling(), False

    def expire(ended: asyncio.Future[None]) -> None:
        nonlocal expired
        if not ended.cancelled():
            expired = True
            task.cancel()

    sleep.add_done_callback(expire)
    try:
        yield
    except asyncio.CancelledError as error:
        if expired and task.uncancel() <= asked_before:
            raise TimeoutError from error
        raise
    finally:
        sleep.remove_done_callback(expire)
        sleep.cancel()


def as_futures(members: Iterable[Any]) -> Members:
    """Futures and tasks as they are; coroutines become tasks, in this order."""
    return [asyncio.ensure_future(member) for member in members]
