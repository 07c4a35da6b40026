"""What two calls may come to: what memory answers and holds after either order; and which meetings are worth a try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement, permutations
from typing import Any

from event_store.schedules.offers import calls_of_port, offered
from event_store.schedules.scenes import SCENES, Scene, made
from event_store.schedules.tables import canonical, from_memory
from kernel.play import outcome
from loom.errors import LoomError
from loom.kernel import calls as c

ALIKE = "loom_0000000"
"""The name of a scene that is only thought of."""


@dataclass(frozen=True, slots=True)
class Move:
    """A call by the method of the port, and which of its offers in the scene."""

    method: str
    offer: int

    def call(self, scene: Scene) -> Any:
        return offered(scene, self.method)[self.offer]


@dataclass(frozen=True, slots=True)
class Meeting:
    """Calls that meet in a scene. `tick`: milliseconds by which somebody moves the clock meanwhile."""

    setting: Callable[[Scene], None]
    moves: tuple[Move, ...]

    def calls(self, scene: Scene) -> list[Any]:
        """The calls, each worded when the scene begins."""
        return [move.call(scene) for move in self.moves]

    @property
    def name(self) -> str:
        return f"{' x '.join(f'{move.method}[{move.offer}]' for move in self.moves)} in {self.setting.__name__}"


def played(meeting: Meeting, order: Sequence[int], *, passed_over: frozenset[int] = frozenset()) -> str:
    """What memory answers and holds when the calls are made in this order; some find nothing at all."""
    scene = made(meeting.setting, ALIKE)
    calls = meeting.calls(scene)
    answers: list[Any] = [None] * len(calls)
    for number in order:
        if number in passed_over:
            answers[number] = c.Claims(items=())
        else:
            answers[number] = _made(scene, calls[number])
    return canonical(ALIKE, from_memory(scene.store.rows), answers)


def _made(scene: Scene, call: Any) -> Any:
    return outcome(lambda: scene.do(call))


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a schedule may come to, each with its name; `serial` are the orders."""

    serial: dict[str, str]
    passing: dict[str, str]

    def name_of(self, text: str) -> str | None:
        return self.serial.get(text) or self.passing.get(text)


def allowed(meeting: Meeting) -> Allowed:
    """Every serial order; and a claim of whatever is runnable may pass over what another call holds at the moment."""
    numbers = range(len(meeting.moves))
    serial = {played(meeting, order): _named(order) for order in reversed(list(permutations(numbers)))}
    pollers = [number for number in numbers if meeting.moves[number].method == "claim_runnable"]
    passing = {}
    for order in permutations(numbers):
        for number in pollers:
            text = played(meeting, order, passed_over=frozenset({number}))
            passing.setdefault(text, f"{_named(order)}, {chr(65 + number)} passes over")
    return Allowed(serial, {text: name for text, name in passing.items() if text not in serial})


def _named(order: Sequence[int]) -> str:
    return "".join(chr(65 + number) for number in order)


# --- which meetings ---------------------------------------------------------------------------------------------------


@cache
def succeeding(setting: Callable[[Scene], None], method: str) -> tuple[tuple[int, bool], ...]:
    """The offers of a method in a scene, and whether each succeeds when it is made alone."""
    count = len(offered(made(setting, ALIKE), method))
    found = []
    for number in range(count):
        scene = made(setting, ALIKE)
        answer = _made(scene, offered(scene, method)[number])
        found.append((number, not isinstance(answer, LoomError)))
    return tuple(found)


def meetings_of(first: str, second: str, most: int) -> tuple[Meeting, ...]:
    """Where both can succeed and their order matters, one a scene; then where one of the two decides the other's lot;
    then where both can succeed.
    """
    graded: dict[int, list[Meeting]] = {grade: [] for grade in range(4)}
    used: set[Move] = set()
    for setting in SCENES:
        best = _best(setting, first, second, used)
        if best is not None:
            grade, meeting = best
            graded[grade].append(meeting)
            used |= set(meeting.moves)
        if len(graded[0]) >= most:
            break
    ranked = graded[0] + graded[1] + graded[2][:1]
    return tuple((ranked or graded[3])[:most])


def _best(
    setting: Callable[[Scene], None], first: str, second: str, used: set[Move]
) -> tuple[int, Meeting] | None:
    """The first meeting in this scene of the best grade; what was not tried yet comes first."""
    offers = [
        (Meeting(setting, (Move(first, a), Move(second, b))), alone_a + alone_b)
        for a, alone_a in succeeding(setting, first)
        for b, alone_b in succeeding(setting, second)
        if alone_a or alone_b
    ]
    offers.sort(key=lambda offer: (-offer[1], len(used & set(offer[0].moves))))
    best: tuple[int, Meeting] | None = None
    for meeting, successes in offers:
        grade = (2 - successes) + (0 if _order_matters(meeting) else 2)
        if best is None or grade < best[0]:
            best = grade, meeting
        if grade == 0:
            break
    return best


def _order_matters(meeting: Meeting) -> bool:
    return played(meeting, (0, 1)) != played(meeting, (1, 0))


def pairs_of_port() -> tuple[tuple[str, str], ...]:
    """Every pair of calls of which at least one writes, itself with itself too."""
    calls = calls_of_port()
    return tuple((a.name, b.name) for a, b in combinations_with_replacement(calls, 2) if not (a.reads and b.reads))
