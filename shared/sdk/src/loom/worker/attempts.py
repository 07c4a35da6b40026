"""The steps that run under one grant: attempts in flight, and ends that wait to be recorded."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Executor
from dataclasses import dataclass

from loom import tracing
from loom.ids import Credential
from loom.worker.commands import Command, RunStep
from loom.worker.steps import Attempt, StepEnding, run_attempt


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """One attempt in flight, or landed."""

    command: Command
    attempt: Attempt
    task: asyncio.Task[object]


class Attempts:
    """Runs attempts on the worker's loop or in its threads; `wake` is set when one has ended."""

    def __init__(self, credential: Credential, threads: Executor | None, wake: asyncio.Event) -> None:
        self.ended: deque[Flight] = deque()
        self._flying: dict[str, Flight] = {}
        self._credential = credential
        self._threads = threads
        self._wake = wake

    @property
    def live(self) -> bool:
        """Is anything in flight, or landed and not recorded?"""
        return bool(self._flying or self.ended)

    def launch(self, command: Command) -> None:
        """Begin the next attempt of a step whose STEP_STARTED is in the log."""
        assert isinstance(command.request, RunStep)
        own = self._credential
        attempt = Attempt(
            idempotency_key=f"{own.execution_id}@{int(own.incarnation)}/{command.started_seq}",
            number=command.attempts + 1,
            read_fence=lambda: own.token,
        )
        request = command.request
        work = _attempt(command.id, request, attempt, self._threads)
        flight = Flight(command, attempt, asyncio.get_running_loop().create_task(work, name=command.id))
        self._flying[command.id] = flight
        flight.task.add_done_callback(lambda _: self._land(flight))
        command.future.add_done_callback(lambda _: self._turn_away(flight))

    def end_all(self, ending: StepEnding) -> None:
        """Tell every step in flight to end, and why."""
        for flight in list(self._flying.values()):
            _end(flight, ending)

    def _turn_away(self, flight: Flight) -> None:
        if flight.command.future.cancelled():
            _end(flight, "cancel")

    def _land(self, flight: Flight) -> None:
        del self._flying[flight.command.id]
        if not flight.task.cancelled():
            flight.task.exception()  # seen, also if nobody may record it any more
        self.ended.append(flight)
        self._wake.set()


async def _attempt(id: str, request: RunStep, attempt: Attempt, threads: Executor | None) -> object:
    with tracing.step(request.step.name, id, attempt.number):
        return await run_attempt(request.step, request.args, request.kwargs, attempt, threads)


def _end(flight: Flight, ending: StepEnding) -> None:
    flight.attempt.ending = flight.attempt.ending or ending
    flight.task.cancel()
