"""The nouns of the kit: a case, a suite of them, a report. No test framework."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field

from loom_conformance.scene import Scene
from loom_conformance.subject import NotReachable, Subject

Run = Callable[[Scene], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Case:
    """One promise. `id` is stable, `<suite>/<case>`; `title` is the sentence that must stay true, with its rule.

    `run` returns, or raises: `Broken` where the promise does not hold, `NotReachable` for want of a hook.
    """

    id: str
    title: str
    run: Run


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case. `why` None: passed. `reachable` False: the subject has not what the case needs."""

    case: Case
    why: str | None = None
    reachable: bool = True

    @property
    def passed(self) -> bool:
        return self.reachable and self.why is None


@dataclass
class Suite:
    """Cases under one name, in the order in which they are written down."""

    name: str
    cases: list[Case] = field(default_factory=list)

    def case(self, run: Run) -> Run:
        """Make a case of a function: its name is the id, its docstring the title."""
        self.add(run.__name__.replace("_", "-"), " ".join((inspect.getdoc(run) or "").split()), run)
        return run

    def add(self, name: str, title: str, run: Run) -> None:
        """Add a generated case."""
        case = Case(f"{self.name}/{name}", title, run)
        if not title or any(known.id == case.id for known in self.cases):
            raise ValueError(f"{case.id} is there already, or has no title")
        self.cases.append(case)

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)


@dataclass(frozen=True, slots=True)
class Report:
    """The outcomes of one subject."""

    subject: str
    port_version: int
    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.passed)

    @property
    def failed(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.why is not None and outcome.reachable)

    @property
    def not_reachable(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if not outcome.reachable)

    @property
    def line(self) -> str:
        """`memory 250/250`, or `http://… 248/250, 2 not reachable`."""
        line = f"{self.subject} {len(self.passed)}/{len(self.outcomes)}"
        return f"{line}, {len(self.not_reachable)} not reachable" if self.not_reachable else line


async def run_case(case: Case, subject: Subject) -> Outcome:
    """Run one case and say what became of it; whatever it raises is its outcome."""
    try:
        await case.run(Scene(subject, case.id))
    except NotReachable as lack:
        return Outcome(case, str(lack), reachable=False)
    except Exception as fault:
        return Outcome(case, f"{type(fault).__name__}: {fault}\n{_where(fault)}")
    return Outcome(case)


async def run_cases(
    cases: Iterable[Case], subject: Subject, tell: Callable[[Outcome], None] = lambda outcome: None
) -> tuple[Outcome, ...]:
    """Run cases one after the other; `tell` hears of each as it ends."""
    outcomes = []
    for case in cases:
        outcomes.append(await run_case(case, subject))
        tell(outcomes[-1])
    return tuple(outcomes)


def _where(fault: Exception) -> str:
    frames = traceback.extract_tb(fault.__traceback__)
    return "\n".join(f"  {frame.name}, line {frame.lineno}: {frame.line}" for frame in frames[1:])
