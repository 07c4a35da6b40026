"""`loom conformance`: the contract, asked of a server."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from loom.kernel import calls as c
from loom.stores.event_store import EventStore
from loom_cli.command import Command, Session, declare_json, declare_server
from loom_cli.exits import Exit
from loom_cli.output import Output
from loom_cli.sheets import Sheet

if TYPE_CHECKING:
    from loom_conformance import Case, Outcome, Report, Subject
    from loom_conformance.door import Row

DOOR = "door"
AT_ONCE = 4
CASE_S = 600


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("--suite", metavar="NAME", help="only this suite; door: bad input, one row each")
    declare_server(parser)
    declare_json(parser)


async def _conformance(args: Namespace, session: Session) -> Exit:
    if args.suite == DOOR:
        return await _knock(args, session.output)
    return await _prove(args, session)


async def _prove(args: Namespace, session: Session) -> Exit:
    from loom_conformance import Subject, list_cases

    try:
        cases = list_cases(args.suite)
    except ValueError as unknown:
        session.output.note(f"loom: no-suite: {unknown}, {DOOR}")
        return Exit.USAGE
    async with session.connect(args.url) as server:
        if others := await list_others(server.store):
            named = " and ".join(others)
            session.output.note(f"loom: not-alone: {named} would answer the parks of cases; prove an event store alone")
            session.output.hint("loom dev --only event-store --data DIR --port 0")
            return Exit.USAGE
        with session.output.progress() as say:
            report = await _run_side_by_side(cases, Subject(name=args.url, store=server.store), say)
    _report(session.output, report)
    return Exit.FAILED if report.failed else Exit.COMPLETED


async def list_others(store: EventStore) -> list[str]:
    """The services that hold a duty at this store and answer parks."""
    duties = [await store.read_duty(c.ReadDuty(name=name)) for name in ("supervisor.satisfied", "timers.overdue")]
    return [duty.name.partition(".")[0] for duty in duties if duty.owner is not None]


async def _run_side_by_side(cases: Sequence[Case], subject: Subject, say: Callable[[str], None]) -> Report:
    """Time really passes at a URL, so cases wait for it together. Each has ids of its own."""
    from loom_conformance import Report

    info = await subject.store.read_store(c.ReadStore())
    room = asyncio.Semaphore(AT_ONCE)
    done = 0

    async def run(case: Case) -> Outcome:
        nonlocal done
        async with room:
            outcome = await _run_bounded(case, subject)
        done += 1
        say(f"{done}/{len(cases)} {case.id}")
        return outcome

    outcomes = await asyncio.gather(*map(run, cases))
    return Report(subject=subject.name, port_version=info.port_version, outcomes=tuple(outcomes))


async def _run_bounded(case: Case, subject: Subject) -> Outcome:
    from loom_conformance import Outcome, run_case

    try:
        async with asyncio.timeout(CASE_S):
            return await run_case(case, subject)
    except TimeoutError:
        return Outcome(case, f"it did not end within {CASE_S} s")


def _report(output: Output, report: Report) -> None:
    form = {
        "subject": report.subject,
        "port_version": report.port_version,
        "passed": len(report.passed),
        "cases": len(report.outcomes),
        "failed": [_form(outcome) for outcome in report.failed],
        "not_reachable": [_form(outcome) for outcome in report.not_reachable],
    }
    rows = [(outcome.case.id, "failed", outcome.why or "") for outcome in report.failed]
    rows += [(outcome.case.id, "not reachable", outcome.why or "") for outcome in report.not_reachable]
    if rows and not output.json:
        output.result(
            form, Sheet(("case", "outcome", "why"), tuple((id, how, _first_line(why)) for id, how, why in rows))
        )
    output.word(form, f"{report.line}, port version {report.port_version}")


def _form(outcome: Outcome) -> dict[str, str | None]:
    return {"id": outcome.case.id, "title": outcome.case.title, "why": outcome.why}


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


async def _knock(args: Namespace, output: Output) -> Exit:
    from loom_conformance.door import closing_line, run_door

    rows = await run_door(args.url, tell=lambda row: None if output.json else output.word(None, str(row)))
    form = {"door": [_row(row) for row in rows], "passed": sum(row.passed for row in rows), "rows": len(rows)}
    output.word(form, closing_line(rows))
    return Exit.COMPLETED if all(row.passed for row in rows) else Exit.FAILED


def _row(row: Row) -> dict[str, object]:
    members = {"expected": row.expected, "got": row.got, "before": row.before, "after": row.after}
    return {"input": row.input.title, **members, "passed": row.passed}


COMMAND = Command("conformance", "run the contract against a server", _declare, _conformance)
