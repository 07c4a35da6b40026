"""`make jaeger`: a real Jaeger, the demo's parent on the full stack, what its trace shows, and a negative control.

Exit 1 if a claim is broken, or the control goes unnoticed; 2 if Jaeger cannot be had.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from fixtures.jaeger import Jaeger, running_jaeger
from fixtures.jaeger_build import NoJaeger
from fixtures.stack import Stack, running_stack
from jaeger.course import CHILDREN, CONTINUE_MS, UNTRACED, Course, TooLate
from jaeger.findings import Findings, judge
from loom.kernel.heads import RefusalRow
from loom_cli.demo.audit import installed
from loom_cli.demo.verdict import Claim
from loom_servicekit.telemetry import TracingSettings, exporting

WHOLE_S = 20
CONTROL_S = 5
_BEGAN = time.monotonic()


def say(text: str) -> None:
    """With the time since the beginning."""
    print(f"{time.monotonic() - _BEGAN:5.1f} s  {text}", flush=True)


def find(jaeger: Jaeger, course: Course, refusals: Sequence[RefusalRow], within_s: float) -> tuple[Claim, ...]:
    """What Jaeger shows of a course, as soon as everything holds, or after so many seconds."""
    deadline, listed = time.monotonic() + within_s, course.list_traces()
    while True:
        others = jaeger.find("worker", {"loom.execution.id": course.parent})
        later = [span for other in others if other != course.trace_id for span in jaeger.read_trace(other)]
        spans = jaeger.read_trace(course.trace_id)
        claims = judge(Findings(spans=spans, later=later, refusals=refusals, listed=listed))
        if all(claim.holds for claim in claims) or time.monotonic() > deadline:
            return claims
        time.sleep(0.2)


async def run(jaeger: Jaeger, stack: Stack) -> bool:
    """Does the parent's trace show everything?"""
    course = Course(stack, "audit", say)
    await course.run(installed()[:CHILDREN], freeze=True)
    claims = find(jaeger, course, await course.read_refusals(), WHOLE_S)
    show(course, claims)
    return all(claim.holds for claim in claims)


async def run_untraced(jaeger: Jaeger, stack: Stack) -> bool:
    """Is it noticed that the outbox drops `traceparent`?"""
    say("negative control: from here on the outbox drops traceparent")
    await stack.postgres.execute(UNTRACED, stack.database)
    course = Course(stack, "untraced", say)
    await course.run(installed()[:3], freeze=False)
    services, *others = find(jaeger, course, [], CONTROL_S)
    show(course, (services, *others[:2]))
    return not services.holds


def show(course: Course, claims: Sequence[Claim]) -> None:
    """A line for each."""
    print(f"\ntrace {course.trace_id} of {course.parent}")
    for claim in claims:
        print(f"  {'holds ' if claim.holds else 'BROKEN'}  {claim.text}: {claim.found}", flush=True)


def main() -> int:
    """0 if everything holds."""
    folder = Path(tempfile.mkdtemp(prefix="loom-traces-"))
    try:
        with running_jaeger() as jaeger:
            environ = {**jaeger.environ, "LOOM_TRACING_RATIO": "1", "LOOM_TRACING_CONTINUE_MS": str(CONTINUE_MS)}
            os.environ.update(environ)
            with running_stack(environ=environ, folder=folder) as stack, exporting("client", TracingSettings(ratio=1)):
                say(f"the four services over Postgres and Kafka are ready; Jaeger is at {jaeger.url}")
                holds = asyncio.run(run(jaeger, stack))
                noticed = asyncio.run(run_untraced(jaeger, stack))
    except NoJaeger as why:
        print(why, file=sys.stderr)
        return 2
    except TooLate as late:
        print(late, file=sys.stderr)
        return 1
    print(f"\n{'noticed' if noticed else 'NOT NOTICED'}: an outbox without contexts breaks the trace")
    if holds and noticed:
        print("Everything holds.")
        shutil.rmtree(folder)
        return 0
    print(f"Something is broken; the logs are in {folder}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
