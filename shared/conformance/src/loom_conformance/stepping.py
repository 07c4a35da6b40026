"""Schedules: callers of a store that take one step at a time, when they are told to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from itertools import product
from typing import Any, cast

from loom.stores.event_store import EventStore

Program = Callable[[EventStore], Awaitable[Any]]


class _Gated:
    """A store whose every call waits at a gate for its turn."""

    def __init__(self, store: EventStore, player: Player) -> None:
        self._store = store
        self._player = player

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        async def call(argument: Any) -> Any:
            await self._player.turn()
            return await method(argument)

        return call


class Player:
    """A program that runs up to its next call of the store with each step; dropped, it has crashed."""

    def __init__(self, store: EventStore, program: Program) -> None:
        self._turns = asyncio.Semaphore(0)
        self._at_gate = asyncio.Event()
        self._task = asyncio.ensure_future(self._run(program, cast(EventStore, _Gated(store, self))))

    async def _run(self, program: Program, store: EventStore) -> Any:
        try:
            return await program(store)
        finally:
            self._at_gate.set()

    async def turn(self) -> None:
        self._at_gate.set()
        await self._turns.acquire()

    async def step(self) -> None:
        """Let one call of the store happen; nothing, if the program has ended."""
        await self._at_gate.wait()
        if self._task.done():
            return
        self._at_gate.clear()
        self._turns.release()
        await self._at_gate.wait()
        await asyncio.sleep(0)

    async def crash(self) -> BaseException | Any | None:
        """Stop for good. What it answered or raised, or None if it was still at work."""
        if not self._task.done():
            self._task.cancel()
        await asyncio.wait([self._task])
        if self._task.cancelled():
            return None
        return self._task.exception() or self._task.result()


def schedules(length: int) -> Iterable[tuple[int, ...]]:
    """Every order of `length` steps by two players. Who gets no further step has crashed."""
    return product((0, 1), repeat=length)


async def play(store: EventStore, programs: tuple[Program, Program], schedule: tuple[int, ...]) -> list[Any]:
    """Run two programs by the schedule, then crash what is left of them. What each came to."""
    players = [Player(store, program) for program in programs]
    for turn in schedule:
        await players[turn].step()
    return [await player.crash() for player in players]
