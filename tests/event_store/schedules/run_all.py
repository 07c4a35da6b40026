"""`make schedules`: every schedule of every pair of the store's calls, of the triples named, and on broken stores.

run_all.py [--jobs N] [--part] [--only append,resume]
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).parents[2]))

from event_store.schedules.mutants import MUTANTS
from event_store.schedules.oracle import meetings_of, pairs_of_port
from event_store.schedules.plays import MERGES, SWITCHES, Found, Server, explore, serving
from event_store.schedules.reasons import READS, why_never_blocked, why_one_outcome
from event_store.schedules.triples import triples
from fixtures.postgres import Postgres, running_postgres

MEETINGS = 3
"""Scenes in which two writing calls meet; a read meets each in one."""
OF_READS = 100
"""A read is one snapshot: the schedules with the fewest switches have it before and after each step of the other."""
TRIPLE_SWITCHES = 2

Pair = tuple[str, str]


@dataclass(slots=True)
class Report:
    """What all schedules of a pair or a triple came to."""

    names: tuple[str, ...]
    founds: list[Found]
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    @property
    def schedules(self) -> int:
        return sum(found.schedules for found in self.founds)

    @property
    def blocked(self) -> int:
        return sum(found.blocked for found in self.founds)

    @property
    def bounded(self) -> bool:
        return any(found.bounded for found in self.founds)

    @property
    def violations(self) -> list[str]:
        return [f"{found.meeting.name}: {said}" for found in self.founds for said in found.violations] + self.faults

    @property
    def outcomes(self) -> int:
        return max((len(found.outcomes) for found in self.founds), default=0)


async def report_pair(server: Server, pair: Pair, *, most: int = MERGES, meetings: int = MEETINGS) -> Report:
    """Every schedule of the pair's meetings; that it has some, and a reason for what looks like no race at all."""
    began = time.monotonic()
    if READS & set(pair):
        most, meetings = min(most, OF_READS), 1
    found = [await explore(server, meeting, most=most) for meeting in meetings_of(*pair, meetings)]
    report = Report(pair, found, time.monotonic() - began)
    if not found:
        report.faults.append(f"{' x '.join(pair)}: there is no scene in which they meet")
    elif not report.blocked and why_never_blocked(pair, found) is None:
        report.faults.append(f"{' x '.join(pair)}: no step ever waited, and nobody knows why that is right")
    elif report.outcomes < 2 and not report.violations and why_one_outcome(pair, found) is None:
        report.faults.append(f"{' x '.join(pair)}: one outcome only, and nobody knows why that is right")
    return report


def remarks(report: Report) -> list[str]:
    """What to say of a pair in which no step waited, or that came to one outcome."""
    pair = (report.names[0], report.names[1])
    said = [] if report.blocked else [f"no step waited: {why_never_blocked(pair, report.founds)}"]
    one = report.outcomes < 2 and not report.violations
    return said + ([f"one outcome: {why_one_outcome(pair, report.founds)}"] if one else [])


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _play_pairs(url: str, pairs: Sequence[Pair], most: int, reports: multiprocessing.Queue[Report | None]) -> None:
    Thread(target=_end_with_parent, daemon=True).start()

    async def play() -> None:
        async with serving(Postgres(url)) as server:
            for pair in pairs:
                reports.put(await report_pair(server, pair, most=most))

    try:
        asyncio.run(play())
    finally:
        reports.put(None)


def _reports(url: str, pairs: Sequence[Pair], jobs: int, most: int) -> Iterable[Report]:
    spawn = multiprocessing.get_context("spawn")
    reports: multiprocessing.Queue[Report | None] = spawn.Queue()
    processes = [
        spawn.Process(target=_play_pairs, args=(url, pairs[job::jobs], most, reports), daemon=True)
        for job in range(jobs)
    ]
    for process in processes:
        process.start()
    ended = 0
    while ended < jobs:
        report = reports.get()
        if report is None:
            ended += 1
        else:
            yield report
    for process in processes:
        process.join()


async def report_triples(server: Server, most: int) -> list[Report]:
    """Those of which the port has all calls."""
    found = []
    for name, meeting in triples().items():
        if meeting is not None:
            began = time.monotonic()
            explored = await explore(server, meeting, most=most, switches=TRIPLE_SWITCHES)
            found.append(Report((name,), [explored], time.monotonic() - began))
    return found


async def _triples(postgres: Postgres, most: int) -> list[Report]:
    async with serving(postgres, sessions=4) as server:
        return await report_triples(server, most)


def _say(text: str = "") -> None:
    print(text, flush=True)


def main() -> int:
    """0 if nothing was violated and every mutant that the port allows died."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--most", type=int, default=MERGES, help="schedules of a meeting; fewer is quicker")
    parser.add_argument("--only", help="two methods of the port, with a comma between")
    options = parser.parse_args()
    with running_postgres() as postgres:
        if options.only:
            first, second = options.only.split(",")
            pairs = [pair for pair in pairs_of_port() if set(pair) == {first, second}]
            return _only(postgres, pairs, options.most)
        return _run(postgres, options.jobs, options.most)


def _only(postgres: Postgres, pairs: Sequence[Pair], most: int) -> int:
    reports = list(_reports(postgres.url, pairs, 1, most))
    for report in reports:
        _say_violations(report)
        for found in report.founds:
            _say(f"  {found.meeting.name}: {found.schedules} schedules, {found.blocked} waited, {dict(found.outcomes)}")
    return int(any(report.violations for report in reports))


def _run(postgres: Postgres, jobs: int, most: int) -> int:
    began = time.monotonic()
    reports = []
    pairs = sorted(pairs_of_port(), key=lambda pair: not READS.isdisjoint(pair))
    for report in _reports(postgres.url, pairs, jobs, most):
        reports.append(report)
        _say_violations(report)
        if len(reports) % 20 == 0:
            _say(f"{len(reports)} of {len(pairs)} pairs, {_sum(reports)} schedules, {time.monotonic() - began:.0f} s")
    _say_remarks(reports)
    three = asyncio.run(_triples(postgres, 4 * most))
    _say("\nthree sessions")
    for report in three:
        _say_violations(report)
        _say(f"  {report.names[0]}: {report.schedules} schedules, {report.blocked} waited{_bounded(report)}")
    _say("".join(f"  {name}: a call is not in the port yet\n" for name, it in triples().items() if it is None))
    dead = _say_mutants(postgres)
    return _say_end(most, len(pairs), reports, three, dead, time.monotonic() - began)


def _sum(reports: Iterable[Report]) -> int:
    return sum(report.schedules for report in reports)


def _bounded(report: Report) -> str:
    return f" (more than {MERGES} merges: a session is taken up {TRIPLE_SWITCHES} times)" if report.bounded else ""


def _say_violations(report: Report) -> None:
    for said in report.violations[:3]:
        _say(f"VIOLATION {said}")


def _say_remarks(reports: Iterable[Report]) -> None:
    """The pairs that look like no race, by the reason why that is right."""
    by_reason: dict[str, list[str]] = {}
    for report in sorted(reports, key=lambda report: report.names):
        for said in remarks(report):
            by_reason.setdefault(said, []).append(" x ".join(report.names))
    for reason, names in sorted(by_reason.items()):
        _say(f"\n{reason}\n  " + ", ".join(names))


def _say_mutants(postgres: Postgres) -> int:
    _say("mutants")
    dead = 0
    for mutant in MUTANTS:
        if not mutant.exists:
            _say(f"  {mutant.name}: needs `{mutant.needs}`, which the port does not have yet")
            continue
        violation = asyncio.run(mutant.violation(postgres))
        dead += violation is not None
        _say(f"  {mutant.name}: {violation[:300] if violation else 'LIVES'}")
    return dead


def _say_end(
    most: int, pairs: int, reports: Sequence[Report], three: Sequence[Report], dead: int, seconds: float
) -> int:
    every = [*reports, *three]
    violations = sum(len(report.violations) for report in every)
    bounded = sum(report.bounded for report in reports)
    alive = sum(mutant.exists for mutant in MUTANTS) - dead
    _say(
        f"\n{bounded} of {pairs} pairs were bounded: of more than {most} merges (with a read: {min(most, OF_READS)})"
        f" those with the fewest switches ran, each session taken up {SWITCHES} times at most"
        f" · {_sum(every) / seconds:.0f} schedules/s"
    )
    blocked = sum(report.blocked for report in every)
    _say(
        f"pairs {len(reports)}/{pairs} · schedules {_sum(every)} · blocked steps {blocked}"
        f" · violations {violations} · mutants {dead}/{len(MUTANTS)}"
    )
    return int(bool(violations or alive or len(reports) < pairs))


if __name__ == "__main__":
    sys.exit(main())
