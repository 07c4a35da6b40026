"""`make storm`: the full stack in a storm, judged by its clients' histories; then a store without a guard in a short
one, which has to be noticed.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from random import SystemRandom

from fixtures.stack import Stack, running_stack
from storm.course import KAFKA_SESSION_MS, Findings, Storm
from storm.faults import REPLICAS
from storm.forms import FORMS, SHORT, Form
from storm.mutants import without_guard
from storm.reports import list_faults, list_findings, list_violations

NOT_STORMY = 2
SHOWN = 5


def main() -> int:
    """0 if every promise was kept and the broken store was noticed, 1 if not, 2 if it was not stormy enough."""
    options = _options()
    print(f"seed {options.seed}, form {options.form}", flush=True)
    findings = storm(FORMS[options.form], options.seed, broken=options.broken)
    _show(findings)
    if options.broken:
        return _noticed(findings)
    if findings.missing:
        print(f"not stormy enough: {'; '.join(findings.missing)}")
        return NOT_STORMY
    if not findings.holds:
        return 1
    if options.form == SHORT.name:
        return 0
    print("\nnegative control: the same, of an owner's writes nobody asks whose grant it is", flush=True)
    control = storm(SHORT, options.seed, broken=True)
    return _noticed(control)


def _options() -> Namespace:
    parser = ArgumentParser(prog="storm", description=main.__doc__)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--form", choices=sorted(FORMS), default="long")
    parser.add_argument("--broken", action="store_true", help="only the negative control")
    return parser.parse_args()


def storm(form: Form, seed: int, *, broken: bool) -> Findings:
    """One storm over a stack of its own; its folder stays if something is found."""
    folder = Path(tempfile.mkdtemp(prefix="loom-storm-"))
    environ = {"LOOM_KAFKA_SESSION_MS": KAFKA_SESSION_MS}
    with running_stack(replicas=REPLICAS, environ=environ, folder=folder) as stack:
        findings = asyncio.run(_storm(stack, form, seed, broken))
    if findings.holds or broken:
        shutil.rmtree(folder)
    else:
        print(f"logs and histories are kept in {folder}")
    return findings


async def _storm(stack: Stack, form: Form, seed: int, broken: bool) -> Findings:
    if broken:
        await stack.postgres.execute(without_guard(), stack.database)
    running = Storm(stack, form, seed, lambda text: print(text, flush=True))
    return await running.run(calm_s=15 if broken else None)


def _show(findings: Findings) -> None:
    for line in (*list_faults(findings), *list_findings(findings), *list_violations(findings, SHOWN)):
        print(line)


def _noticed(findings: Findings) -> int:
    if findings.violations:
        print(f"the missing guard was noticed: {len(findings.violations)} violations")
        return 0
    print("THE MISSING GUARD WAS NOT NOTICED")
    return 1


if __name__ == "__main__":
    sys.exit(main())
