"""Every schedule of two calls: a run follows a prefix of choices; what else could have been chosen comes later."""

from __future__ import annotations

import heapq
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import pairwise

from schedules.sessions import Controller, Session

MERGES_MAX = 500
SWITCHES_MAX = 6  # three for each session

Choices = tuple[int, ...]
Play = Callable[[Choices], Awaitable["Run"]]


@dataclass(frozen=True, slots=True)
class Run:
    """One schedule: who took each step, who else could have, how often somebody waited, and what it came to."""

    choices: Choices
    enabled: tuple[frozenset[int], ...]
    blocked: int
    outcome: str

    def alternatives(self, after: int) -> list[Choices]:
        """The prefixes that this run leaves to others."""
        return [
            (*self.choices[:at], other)
            for at in range(after, len(self.choices))
            for other in self.enabled[at] - {self.choices[at]}
        ]


def count_switches(choices: Choices) -> int:
    """How often the turn passes from one session to the other."""
    return sum(before != after for before, after in pairwise(choices))


async def explore(
    play: Play, tell: Callable[[Run], None], *, merges: int = MERGES_MAX, switches: int = SWITCHES_MAX
) -> bool:
    """Play every schedule, those with few switches first; true if there were so many that the rest was bounded."""
    waiting: list[tuple[int, Choices]] = [(0, ())]
    played, bounded = 0, False
    while waiting:
        turns, prefix = heapq.heappop(waiting)
        if played >= merges and turns > switches:
            bounded = True
            continue
        run = await play(prefix)
        played += 1
        tell(run)
        for choices in run.alternatives(len(prefix)):
            heapq.heappush(waiting, (count_switches(choices), choices))
    return bounded


async def follow(controller: Controller, sessions: tuple[Session, Session], prefix: Choices) -> Run:
    """Step the sessions as `prefix` says, then each as long as it can."""
    choices: list[int] = []
    enabled: list[frozenset[int]] = []
    blocked = 0
    while True:
        states = [await controller.state(session) for session in sessions]
        blocked += states.count("blocked")
        ready = frozenset(number for number, state in enumerate(states) if state in ("gate", "mark"))
        if not ready:
            if all(state == "done" for state in states):
                return Run(tuple(choices), tuple(enabled), blocked, "")
            continue  # in a circle: the server breaks it
        chosen = prefix[len(choices)] if len(choices) < len(prefix) else _stay(choices, ready)
        if chosen not in ready:
            chosen = min(ready)  # the database did not repeat itself exactly: go on
        choices.append(chosen)
        enabled.append(ready)
        await controller.step(sessions[chosen], states[chosen])


def _stay(choices: list[int], ready: frozenset[int]) -> int:
    return choices[-1] if choices and choices[-1] in ready else min(ready)
