"""`make conformance`: the contract on every body, then on every broken one. Exit 1 if anything is not as it must be."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from conformance.bodies import BODIES
from conformance.killing import find_killer
from fixtures.mutants import MUTANTS, Mutant
from loom_conformance import Outcome, Report, run


async def run_body(name: str, folder: Path) -> Report:
    """The contract on one body; a case that fails is printed at once, with its reason."""
    async with BODIES[name](folder) as subject:
        return await run(subject, tell=_tell_fault(name))


def _tell_fault(body: str):  # type: ignore[no-untyped-def]
    def tell(outcome: Outcome) -> None:
        if not outcome.passed:
            state = "failed" if outcome.reachable else "not reachable"
            print(f"{body}: {outcome.case.id} {state}\n  {outcome.case.title}\n  {outcome.why}")

    return tell


async def kill(mutant: Mutant) -> bool:
    """Print the case that noticed the mutant; false if none did, or not the one that must."""
    killer = await find_killer(mutant)
    print(f"mutant {mutant.name}: {'survived' if killer is None else f'killed by {killer}'}", end="")
    print("" if killer == mutant.case else f", but it is {mutant.case} that must notice it")
    return killer == mutant.case


async def main() -> int:
    """Bodies, mutants, then one line that says it all."""
    with tempfile.TemporaryDirectory() as folder:
        reports = []
        for name in BODIES:
            (place := Path(folder) / name).mkdir()
            reports.append(await run_body(name, place))
    killed = [await kill(mutant) for mutant in MUTANTS]
    print(f"port version {reports[0].port_version}")
    print(" · ".join([*(report.line for report in reports), f"mutants {sum(killed)}/{len(killed)} killed"]))
    return 0 if all(killed) and all(map(is_whole, reports)) and is_even(reports) else 1


def is_whole(report: Report) -> bool:
    """Has every case passed?"""
    return len(report.passed) == len(report.outcomes)


def is_even(reports: list[Report]) -> bool:
    """Has no body fewer cases than memory, which comes first?"""
    return all(len(report.outcomes) >= len(reports[0].outcomes) for report in reports)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
