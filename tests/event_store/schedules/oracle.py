"""What two calls may come to: what memory answers and holds after either order; and which meetings are worth a try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, permutations
from typing import Any

from event_store.schedules import scenes
from event_store.schedules.offers import Tick, calls_of_port, offered
from event_store.schedules.scenes import SCENES, Scene, made
from event_store.schedules.tables import canonical, from_memory
from fixtures.traces import in_span
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
    """Calls that meet in a scene."""

    setting: Callable[[Scene], None]
    moves: tuple[Move, ...]

    def calls(self, scene: Scene) -> list[Any]:
        """The calls, each worded when the scene begins."""
        return [move.call(scene) for move in self.moves]

    @property
    def ticks(self) -> bool:
        """Does somebody move the clock meanwhile?"""
        return any(move.method == "tick" for move in self.moves)

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
            with in_span(number):
                answers[number] = _made(scene, calls[number])
    return canonical(ALIKE, from_memory(scene.store.rows), answers, timeless=meeting.ticks)


def _made(scene: Scene, call: Any) -> Any:
    if isinstance(call, Tick):
        return scene.clock.advance(call.ms)
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


@dataclass(frozen=True, slots=True)
class Alone:
    """What a call does when nobody else is there: does it succeed, and whose rows are its business."""

    move: Move
    succeeds: bool
    named: frozenset[str]
    touches: frozenset[str]


@cache
def alone(setting: Callable[[Scene], None], method: str) -> tuple[Alone, ...]:
    """Every offer of a method in a scene."""
    found = []
    for number in range(len(offered(made(setting, ALIKE), method))):
        scene = made(setting, ALIKE)
        call = offered(scene, method)[number]
        before = _rows_of(scene)
        answer = _made(scene, call)
        changed = {name for name, rows in _rows_of(scene).items() if before.get(name) != rows}
        named = _named_by(call)
        found.append(Alone(Move(method, number), not isinstance(answer, LoomError), named, named | changed))
    return tuple(found)


def _named_by(call: Any) -> frozenset[str]:
    """What a call addresses: executions, or a duty, or the fleet."""
    items = [item.execution_id for item in getattr(call, "items", ())]
    given = [getattr(call, "execution_id", None), getattr(call, "child_id", None)]
    duty = "a duty" if isinstance(call, c.TakeDuty | c.GiveUpDuty | c.ReadDuty) else None
    fleet = "the fleet" if isinstance(call, c.Heartbeat | c.SwitchFeature) else None
    return frozenset(name for name in (*items, *given, duty, fleet) if name is not None)


def _rows_of(scene: Scene) -> dict[str, str]:
    """The rows of each execution, in one text."""
    tables = from_memory(scene.store.rows)
    return {
        head.execution_id: repr([head, *(of[number] for of in (tables.events, tables.inbox, tables.pins))])
        + repr([edge for edge in tables.edges if head.ref in (edge.parent, edge.child)])
        for number, head in tables.heads.items()
    }


BEST = (False, 0)
"""At one execution, both succeed, and their order matters."""


def meetings_of(first: str, second: str, most: int) -> tuple[Meeting, ...]:
    """The best of each scene, `most` at the most: where both can succeed and their order matters, or one decides the
    other's lot. One where both succeed and the order does not matter; one of relatives; and those that broke before.
    """
    graded: list[tuple[tuple[bool, int], Meeting]] = []
    used: set[Move] = set()
    for setting in SCENES:
        best = _best(setting, first, second, used)
        if best is not None:
            graded.append(best)
            used |= set(best[1].moves)
        if sum(grade == BEST for grade, _ in graded) >= most:
            break
    graded.sort(key=lambda it: it[0])
    decided = [meeting for (apart, grade), meeting in graded if grade < 2 and not apart][:most]
    harmless = [meeting for (apart, grade), meeting in graded if grade == 2 and not apart][:1]
    found = [*decided, *harmless, *_relatives(first, second)[:1], *_known_to_break(first, second)]
    return tuple(dict.fromkeys(found)) or tuple(meeting for _, meeting in graded[:1])


BROKE = (
    (scenes.running, ("cancel", 0), ("park", 0)),
    (scenes.parent, ("append", 3), ("park", 1)),  # a child ends while its parent parks on it
    (scenes.parent, ("continue_as_new", 0), ("append", 3)),  # and while its parent continues
    (scenes.adopted, ("continue_as_new", 0), ("append", 3)),  # that has it under two keys (H27)
    (scenes.adopted, ("continue_as_new", 0), ("continue_as_new", 1)),
    (scenes.parent, ("continue_as_new", 1), ("park", 1)),
    (scenes.running, ("continue_as_new", 0), ("send", 0)),
    (scenes.running, ("start", 0), ("continue_as_new", 0)),
    (scenes.running, ("attach", 0), ("continue_as_new", 1)),
    (scenes.running, ("attach", 0), ("append", 3)),
    (scenes.leaving, ("attach", 0), ("delete", 1)),
)
"""Meetings in which a store was once wrong (hazards 5.5), whether their order matters or not."""


def _known_to_break(first: str, second: str) -> list[Meeting]:
    return [
        Meeting(setting, (Move(first, moves[first]), Move(second, moves[second])))
        if first != second
        else Meeting(setting, (Move(*one), Move(*other)))
        for setting, one, other in BROKE
        if {one[0], other[0]} == {first, second}
        for moves in ({one[0]: one[1], other[0]: other[1]},)
    ]


def _relatives(first: str, second: str) -> list[Meeting]:
    """Where both succeed, each at an execution of its own, and yet have rows in common: parent and child."""
    found = [
        Meeting(setting, (a.move, b.move))
        for setting in SCENES
        for a in alone(setting, first)
        for b in alone(setting, second)
        if a.succeeds and b.succeeds and a.named and b.named and not a.named & b.named and a.touches & b.touches
    ]
    return sorted(found[:12], key=lambda meeting: not _order_matters(meeting))


def _best(
    setting: Callable[[Scene], None], first: str, second: str, used: set[Move]
) -> tuple[tuple[bool, int], Meeting] | None:
    """The best meeting of this scene; of equals, what was not tried yet."""
    offers = [(a, b) for a in alone(setting, first) for b in alone(setting, second) if a.succeeds or b.succeeds]
    offers.sort(key=lambda it: (a_and_b(it), len(used & {it[0].move, it[1].move})))
    best: tuple[tuple[bool, int], Meeting] | None = None
    for a, b in offers:
        apart = not a.touches & b.touches
        meeting = Meeting(setting, (a.move, b.move))
        matters = not apart and _order_matters(meeting)
        grade = {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}[
            matters, a.succeeds and b.succeeds
        ]
        if best is None or (apart, grade) < best[0]:
            best = (apart, grade), meeting
        if best[0] == BEST:
            break
    return best


def a_and_b(offer: tuple[Alone, Alone]) -> tuple[bool, bool]:
    """Both succeed, at one execution: what is tried first."""
    a, b = offer
    return not (a.succeeds and b.succeeds), not a.touches & b.touches


def _order_matters(meeting: Meeting) -> bool:
    return played(meeting, (0, 1)) != played(meeting, (1, 0))


def apart(meeting: Meeting) -> bool:
    """Do the calls have no execution in common?"""
    return not frozenset.intersection(*(it.touches for it in _alones(meeting)))


def at_different_heads(meeting: Meeting) -> bool:
    """Does each call name executions of its own? What they share then is edges."""
    return not frozenset.intersection(*(it.named for it in _alones(meeting)))


def _alones(meeting: Meeting) -> list[Alone]:
    return [next(it for it in alone(meeting.setting, move.method) if it.move == move) for move in meeting.moves]


def pairs_of_port() -> tuple[tuple[str, str], ...]:
    """Every pair of calls of which at least one writes, itself with itself too."""
    calls = calls_of_port()
    return tuple((a.name, b.name) for a, b in combinations_with_replacement(calls, 2) if not (a.reads and b.reads))
