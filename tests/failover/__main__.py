"""`make failover`: the table of a fail-over, directly and through pgbouncer."""

from __future__ import annotations

import asyncio
import sys
from typing import get_args

from failover.course import Finding, Way, run


def show(way: Way, findings: list[Finding]) -> None:
    """One block."""
    print(way)
    for finding in findings:
        print(f"  {'holds ' if finding.holds else 'BROKEN'}  {finding.claim:64} {finding.found}")


def main() -> int:
    """1 if a line is broken."""
    broken = 0
    for way in get_args(Way):
        findings = asyncio.run(run(way))
        show(way, findings)
        broken += sum(not finding.holds for finding in findings)
    print(f"broken {broken}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
