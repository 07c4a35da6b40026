"""How stormy it has to be, and how stormy it was (hazards 5.3, point 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from storm.faults import ROLES, SERVERS, Fault


@dataclass(frozen=True, slots=True)
class Quorum:
    """What must have happened: to each of the five roles, to each server, to owners; and parents begun meanwhile."""

    parents: int
    kills: int
    freezes: int
    restarts: int
    take_overs: int
    refusals: int


@dataclass(slots=True)
class Weather:
    """What has happened; a fault counts when it is over."""

    started: int = 0  # parents
    done: Counter[tuple[str, str]] = field(default_factory=Counter)  # by role and act
    take_overs: int = 0
    refusals: int = 0

    def __str__(self) -> str:
        return f"{self.started} parents; take-overs {self.take_overs}, refused {self.refusals}"

    def count(self, fault: Fault) -> None:
        """It was done."""
        self.done[fault.role, fault.act] += 1


def list_missing(quorum: Quorum, weather: Weather) -> Iterator[str]:
    """What has not happened often enough."""
    if weather.started < quorum.parents:
        yield f"parents {weather.started} of {quorum.parents}"
    wanted = {(role, act): n for role in ROLES for act, n in (("kill", quorum.kills), ("freeze", quorum.freezes))}
    wanted |= {(server, "restart"): quorum.restarts for server in SERVERS}
    for (role, act), least in wanted.items():
        if weather.done[role, act] < least:
            yield f"{role}: {act} {weather.done[role, act]} of {least}"
    if weather.take_overs < quorum.take_overs:
        yield f"take-overs {weather.take_overs} of {quorum.take_overs}"
    if weather.refusals < quorum.refusals:
        yield f"stale writes refused {weather.refusals} of {quorum.refusals}"
