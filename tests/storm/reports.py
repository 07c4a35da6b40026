"""The table of faults and findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from storm.faults import ROLES, SERVERS
from storm.findings import Findings


def list_faults(findings: Findings) -> Iterator[str]:
    """How often each role was killed and frozen past its lease."""
    done, length = findings.weather.done, f"{findings.seconds:.0f} s"
    yield f"form {findings.form.name}, seed {findings.seed}, {length}"
    yield f"  {'role':12} {'killed':>7} {'frozen':>7} {'restarted':>10}"
    for role in (*ROLES, *SERVERS):
        yield f"  {role:12} " + " ".join(
            f"{done[role, act] or '':>{width}}" for act, width in (("kill", 7), ("freeze", 7), ("restart", 10))
        )


def list_findings(findings: Findings) -> Iterator[str]:
    """What was promised, and what was found."""
    ends = Counter(operation.end for operation in findings.operations)
    executions = len(findings.tables.heads)
    events = sum(map(len, findings.tables.events.values()))
    for holds, claim, found in (
        (not findings.missing, "stormy enough", "; ".join(findings.missing) or "yes"),
        (
            findings.finished == findings.parents >= findings.form.quorum.parents,
            "parents finished exactly once, with their result",
            f"{findings.finished} of {findings.parents}",
        ),
        (
            not findings.violations,
            "acknowledged calls that the store knows",
            f"{ends['ok']} looked for ({ends['fail']} refused, {ends['unknown']} unknown), in {events} events of "
            f"{executions} executions: {len(findings.violations)} violations",
        ),
        (not findings.unready, "services ready when all was calm again", "; ".join(findings.unready) or "all"),
    ):
        yield f"  {'holds ' if holds else 'BROKEN'}  {claim:50} {found}"
    surfaces = ", ".join(f"{surface} {times}" for surface, times in findings.refusals.items())
    yield f"  take-overs {findings.weather.take_overs}; stale writes refused {findings.weather.refusals} ({surfaces})"
    yield f"  found by a sweep alone {findings.swept}; re-opened by an operator {findings.reopened}"
    fell = ", ".join(f"{name} {times}" for name, times in Counter(findings.fell).items())
    yield f"  ended by themselves and were started again: {fell or 'nobody'}"


def list_violations(findings: Findings, shown: int) -> Iterator[str]:
    """So many of each check."""
    counts = Counter(violation.check for violation in findings.violations)
    for name, times in counts.items():
        yield f"  {name}: {times}"
        for violation in [one for one in findings.violations if one.check == name][:shown]:
            yield f"    {violation.where}: {violation.found}"
