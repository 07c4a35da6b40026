"""What is done to whom and when: a pure function of the seed. A storm takes as much of it as it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

SERVICES = ("event-store", "supervisor", "timers", "retention")
ROLES = (*SERVICES, "worker")
SERVERS = ("postgres", "kafka")
REPLICAS = 2

Act = Literal["kill", "freeze", "restart"]


@dataclass(frozen=True, slots=True)
class Lane:
    """One role's troubles, one after another: so many of each, spread over a form's length; then over it again.

    `freeze_s`: longer than what the role holds, a worker's lease or a service's duties.
    """

    role: str
    kills: int
    freezes: int
    freeze_s: float


@dataclass(frozen=True, slots=True)
class Fault:
    """At `at_s` of the storm; a killed process stays down for `for_s`, a frozen one wakes after it."""

    at_s: float
    role: str
    number: int  # of the replica; 0: the only one
    act: Act
    for_s: float

    @property
    def target(self) -> str:
        return f"{self.role}-{self.number}" if self.number else self.role


def faults_of(seed: int, lane: Lane, length_s: float) -> Iterator[Fault]:
    """The lane's faults for ever, in order of time; the same for the same seed, whatever other lanes do."""
    random = Random(f"{seed} {lane.role}")
    round_s = 0.0
    while lane.kills + lane.freezes:
        yield from _round(random, lane, round_s, length_s)
        round_s += length_s


def _round(random: Random, lane: Lane, begin_s: float, length_s: float) -> Iterator[Fault]:
    acts: list[Act] = ["restart"] * lane.kills if lane.role in SERVERS else ["kill"] * lane.kills
    acts += ["freeze"] * lane.freezes
    random.shuffle(acts)
    gap_s = max(1.0, length_s - lane.freezes * lane.freeze_s) / max(1, len(acts))
    at_s, turn = begin_s, random.randrange(REPLICAS)
    for number, act in enumerate(acts):
        at_s += gap_s * random.uniform(0.4, 0.9)
        replica = 0 if lane.role in SERVERS else 1 + (turn + number) % REPLICAS
        yield Fault(at_s, lane.role, replica, act, lane.freeze_s if act == "freeze" else random.uniform(0.1, 1.0))
        at_s += lane.freeze_s if act == "freeze" else 0
