"""`make schedules`: every schedule of every pair of writing calls on two sessions of a real server. Exit 1 on a violation.

`--pair one two` plays one pair and prints what it came to.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fixtures.postgres import running_postgres
from schedules.exploring import MERGES_MAX, SWITCHES_MAX
from schedules.laboratory import Finding, laboratory
from schedules.stages import CALLS, list_left_out


def list_meetings() -> Iterator[tuple[str, str, str]]:
    """Each pair at the stage of its first call, and at that of its second."""
    for one, two in combinations_with_replacement(CALLS, 2):
        for stage in dict.fromkeys((CALLS[one][0], CALLS[two][0])):
            yield one, two, stage


async def main(arguments: argparse.Namespace) -> int:
    """Play, tell, count."""
    findings: list[Finding] = []
    left_out = list_left_out()
    meetings = [meeting for meeting in list_meetings() if not arguments.pair or set(meeting[:2]) == set(arguments.pair)]
    with running_postgres() as server:
        async with laboratory(server) as opened:
            began = time.monotonic()
            for one, two, stage in meetings:
                found = await opened.examine(one, two, stage, merges=arguments.merges, switches=arguments.switches)
                findings.append(found)
                report(found, arguments)
                if time.monotonic() - began > arguments.seconds:
                    print(f"stopped after {arguments.seconds} s at {one} x {two}")
                    break
    pairs = {found.pair for found in findings}
    violations = sum(len(found.violations) for found in findings)
    quiet = [found for found in findings if not found.blocked or len(found.outcomes) < 2]
    for found in quiet if not arguments.pair else ():
        print(f"quiet: {' x '.join(found.pair)} at {found.stage}: {why_quiet(found)}")
    bounded = len({found.pair for found in findings if found.bounded})
    print(f"methods left out: {sorted(left_out)}" if left_out else "every writing method of the port is played")
    print(
        f"pairs {len(pairs)}/{len({meeting[:2] for meeting in meetings})} · "
        f"schedules {sum(found.schedules for found in findings)} · "
        f"bounded {bounded} · contended {sum(found.contended for found in findings)} · "
        f"blocked steps {sum(found.blocked for found in findings)} · violations {violations}"
    )
    return 1 if violations or left_out else 0


def report(found: Finding, arguments: argparse.Namespace) -> None:
    """Violations at once; with --pair, everything."""
    for violation in found.violations[:2]:
        print(f"VIOLATION {' x '.join(found.pair)} at {found.stage}: {violation}")
    if arguments.pair or arguments.verbose:
        print(
            f"{' x '.join(found.pair)} at {found.stage}: {found.schedules} schedules, {found.blocked} blocked steps, "
            f"{len(found.outcomes)} outcomes, {found.contended} contended, {len(found.violations)} violations",
            flush=True,
        )


def why_quiet(found: Finding) -> str:
    """Why it is right that nothing blocked, or that only one thing happened."""
    if not found.blocked and len(found.outcomes) < 2:
        return "one of them is refused here without a lock, or they touch different rows"
    if not found.blocked:
        return "whoever comes second looks without waiting"
    return "they wait for each other, and what they do commutes"


def parse() -> argparse.Namespace:
    """The command's words."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pair", nargs=2, metavar="CALL", choices=list(CALLS))
    parser.add_argument("--merges", type=int, default=MERGES_MAX)
    parser.add_argument("--switches", type=int, default=SWITCHES_MAX)
    parser.add_argument("--seconds", type=float, default=7200)
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(parse())))
