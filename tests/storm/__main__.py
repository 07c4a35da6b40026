"""`make storm`: the full stack in a storm, judged by its clients' histories; then a store without a guard in a short
one, which has to be noticed.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from random import SystemRandom

from storm.course import storm
from storm.findings import Findings
from storm.forms import CONTROL, FORMS
from storm.reports import list_faults, list_findings, list_violations

NOT_STORMY = 2
SHOWN = 5


def main() -> int:
    """0 if every promise was kept and the broken store was noticed, 1 if not, 2 if it was not stormy enough."""
    options = _options()
    if not options.broken:
        print(f"seed {options.seed}, form {options.form}", flush=True)
        findings = storm(FORMS[options.form], options.seed, say=_say)
        _show(findings)
        if findings.missing:
            print(f"not stormy enough: {'; '.join(findings.missing)}")
            return NOT_STORMY
        if not findings.holds:
            return 1
    print("\nnegative control: when an owner writes, nobody asks whose grant it is", flush=True)
    return _notice(storm(CONTROL, options.seed, broken=True, say=_say))


def _say(text: str) -> None:
    print(text, flush=True)


def _options() -> Namespace:
    parser = ArgumentParser(prog="storm", description=main.__doc__)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--form", choices=sorted(FORMS), default="long")
    parser.add_argument("--broken", action="store_true", help="only the negative control")
    return parser.parse_args()


def _show(findings: Findings) -> None:
    for line in (*list_faults(findings), *list_findings(findings), *list_violations(findings, SHOWN)):
        print(line)


def _notice(findings: Findings) -> int:
    _show(findings)
    noticed = len(findings.violations)
    print(f"the missing guard was noticed: {noticed} violations" if noticed else "THE MISSING GUARD WAS NOT NOTICED")
    return 0 if noticed else 1


if __name__ == "__main__":
    sys.exit(main())
