"""The contract of an event store as cases to run."""

from __future__ import annotations

from collections.abc import Callable

from loom.kernel import calls as c
from loom_conformance import (
    append,
    attaching,
    chains,
    children,
    closing,
    deletion,
    fleet,
    interleavings,
    legality,
    messages,
    ownership,
    repeats,
    resume,
    rivals,
    surfaces,
    timers,
    tracing,
)
from loom_conformance.case import Case, Outcome, Report, Suite, run_case, run_cases
from loom_conformance.subject import NotReachable, Subject

SUITES: tuple[Suite, ...] = (
    append.SUITE,
    repeats.SUITE,
    ownership.SUITE,
    resume.SUITE,
    legality.SUITE,
    surfaces.SUITE,
    messages.SUITE,
    children.SUITE,
    attaching.SUITE,
    chains.SUITE,
    closing.SUITE,
    deletion.SUITE,
    timers.SUITE,
    fleet.SUITE,
    tracing.SUITE,
    interleavings.SUITE,
    rivals.SUITE,
)
"""The contract. The `door` suite, which is about REST, is in `loom_conformance.door`."""


def list_cases(suite: str | None = None) -> tuple[Case, ...]:
    """All cases in order, or those of the suite of this name; ValueError if there is none."""
    chosen = [each for each in SUITES if suite in (None, each.name)]
    if not chosen:
        raise ValueError(f"no suite {suite}: {', '.join(each.name for each in SUITES)}")
    return tuple(case for each in chosen for case in each)


async def run(
    subject: Subject, suite: str | None = None, tell: Callable[[Outcome], None] = lambda outcome: None
) -> Report:
    """Run the contract, or one suite of it, on a subject. `tell` hears of each case as it ends."""
    info = await subject.store.read_store(c.ReadStore())
    outcomes = await run_cases(list_cases(suite), subject, tell)
    return Report(subject=subject.name, port_version=info.port_version, outcomes=outcomes)


__all__ = [
    "SUITES",
    "Case",
    "NotReachable",
    "Outcome",
    "Report",
    "Subject",
    "Suite",
    "list_cases",
    "run",
    "run_case",
    "run_cases",
]
