"""Does the contract notice a mutant?"""

from __future__ import annotations

from conformance.bodies import LIMITS, outbox_of
from fixtures.mutants import Mutant
from loom.clock import ManualClock
from loom_conformance import Case, Subject, list_cases, run_case

CASES = {case.id: case for case in list_cases()}


async def find_killer(mutant: Mutant) -> str | None:
    """The id of a case that the mutant turns red, the one it names first; None: it survives."""
    named = CASES[mutant.case]
    for case in (named, *(case for case in CASES.values() if case is not named)):
        if await is_red(mutant, case):
            return case.id
    return None


async def is_red(mutant: Mutant, case: Case) -> bool:
    """Does the case fail on a store with this fault?"""
    clock = ManualClock()
    store = mutant.store(clock, limits=LIMITS)
    subject = Subject(
        name=mutant.name,
        store=store,
        clock=clock,
        hook=store,
        timers=mutant.timers(clock),
        traced=True,
        told=outbox_of(store),
    )
    with mutant.swap():
        outcome = await run_case(case, subject)
    return outcome.reachable and not outcome.passed
