"""`python -m bus.member`: a member of a group, or a reader without one, in a process of its own.

It tells what happens to it on stdout, a JSON object a line. What it is given is one, too, in its only argument: the
fields of `Given`. A line on its stdin lets one waiting handler go.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from bus import mutants
from bus.ground import running_bus
from loom.kernel.hints import ExecutionParked, Hint
from loom_servicekit.bus.kafka import member as consumers
from loom_servicekit.bus.kafka.assignments import Assignment
from loom_servicekit.bus.settings import KafkaSettings

GROUP = "members"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """`work_ms`: how long a handler takes. `gated`: it waits for a line instead. `block_on`: the execution for whose
    hint the whole loop stands still, for `block_ms`. `mutants`: of `bus.mutants`, ways to be wrong.
    """

    settings: dict[str, Any]
    work_ms: int = 0
    gated: bool = False
    block_on: str = ""
    block_ms: int = 0
    mutants: tuple[str, ...] = ()


class Member:
    """Handles hints as it was told to, and tells."""

    def __init__(self, given: Given) -> None:
        self._given = given
        self._gate = asyncio.Semaphore(0)

    async def run(self) -> None:
        """Until SIGTERM."""
        stopping = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
        asyncio.get_running_loop().add_reader(0, self._let_go)
        async with running_bus(KafkaSettings(**self._given.settings), "supervisor") as bus:
            subscription = bus.subscribe((ExecutionParked,), self._handle, group=GROUP)
            tell("subscribed")
            await stopping.wait()
            await subscription.stop()
        tell("stopped")

    def _let_go(self) -> None:
        for _ in range(os.read(0, 65_536).count(b"\n")):
            self._gate.release()

    async def _handle(self, hint: Hint) -> None:
        assert isinstance(hint, ExecutionParked)
        tell("began", hint.execution)
        if self._given.block_on == hint.execution:
            time.sleep(self._given.block_ms / 1000)  # noqa: ASYNC251 - that is the fault
        if self._given.gated:
            await self._gate.acquire()
        if self._given.work_ms:
            await asyncio.sleep(self._given.work_ms / 1000)
        tell("handled", hint.execution)


def watch() -> None:
    """Tell also when partitions are being given up, and when they turned out to be another's."""
    give_up, lose = consumers.Member._give_up, Assignment.lose

    async def telling(self: consumers.Member, assignments: Iterable[Assignment]) -> None:
        leaving = list(assignments)
        if leaving:
            tell("giving up")
        await give_up(self, leaving)

    def losing(self: Assignment) -> None:
        tell("lost")
        lose(self)

    consumers.Member._give_up, Assignment.lose = telling, losing


def tell(what: str, execution: str = "") -> None:
    """At once, so that a killed member has told all it did."""
    os.write(1, json.dumps({"what": what, "execution": execution}).encode() + b"\n")


def main() -> None:
    """Read what is given and run."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    watch()
    given = Given(**json.loads(sys.argv[1]))
    for mutant in given.mutants:
        getattr(mutants, mutant)()
    asyncio.run(Member(given).run())


def words(given: Given) -> list[str]:
    """The command that runs such a member."""
    return [sys.executable, "-m", "bus.member", json.dumps(asdict(given))]


if __name__ == "__main__":
    main()
