"""Members as a test sees them: processes to signal, and what each has told so far."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from bus.member import Given, words

PATIENCE_S = 60
TESTS = Path(__file__).resolve().parents[1]


@dataclass(slots=True)
class Told:
    """What one member has told; `changed` is notified at every line of any member of the crew."""

    process: Process
    changed: asyncio.Condition
    log: Path
    subscribed: bool = False
    gives_up: bool = False
    lost: bool = False
    began: list[str] = field(default_factory=list)
    handled: list[str] = field(default_factory=list)
    reading: asyncio.Task[None] | None = None

    def let_go(self, count: int = 1) -> None:
        """So many handlers that wait at their gate, or will."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n" * count)

    def signal(self, how: signal.Signals) -> None:
        """To its process."""
        self.process.send_signal(how)

    async def ended(self) -> int:
        """Its exit status, and all it told is read."""
        async with asyncio.timeout(PATIENCE_S):
            status = await self.process.wait()
            if self.reading is not None:
                await self.reading
        return status

    async def read(self) -> None:
        """Until it has closed its stdout."""
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            said = json.loads(line)
            async with self.changed:
                match said["what"]:
                    case "subscribed":
                        self.subscribed = True
                    case "giving up":
                        self.gives_up = True
                    case "lost":
                        self.lost = True
                    case "began":
                        self.began.append(said["execution"])
                    case "handled":
                        self.handled.append(said["execution"])
                self.changed.notify_all()


class Crew:
    """Starts members, waits for what they tell, and ends those that still run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._changed = asyncio.Condition()
        self.members: list[Told] = []

    async def start(self, given: Given) -> Told:
        """One more; it has subscribed when this returns, and may have no partition yet."""
        log = self._folder / f"member-{len(self.members)}.log"
        with log.open("wb") as stderr:
            environ = {**os.environ, "PYTHONPATH": str(TESTS)}
            process = await asyncio.create_subprocess_exec(
                *words(given), stdin=PIPE, stdout=PIPE, stderr=stderr, env=environ
            )
        member = Told(process, self._changed, log)
        self.members.append(member)
        member.reading = asyncio.create_task(member.read())
        await self.until(lambda: member.subscribed)
        return member

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Until what they told makes it so; a failure shows what they logged."""
        try:
            async with asyncio.timeout(PATIENCE_S), self._changed:
                await self._changed.wait_for(is_so)
        except TimeoutError:
            logs = "\n".join(f"{member.log.name}:\n{member.log.read_text()[-4_000:]}" for member in self.members)
            raise AssertionError(f"not so within {PATIENCE_S} s: {self.tally()}\n{logs}") from None

    @property
    def handled(self) -> Counter[str]:
        """How often each was, by anybody."""
        return Counter(execution for member in self.members for execution in member.handled)

    def tally(self) -> str:
        """In figures."""
        return ", ".join(f"{len(member.began)} begun and {len(member.handled)} handled" for member in self.members)

    async def end(self) -> None:
        """By their process ids."""
        for member in self.members:
            with suppress(ProcessLookupError):
                member.signal(signal.SIGCONT)
                member.signal(signal.SIGKILL)
        for member in self.members:
            await member.ended()
            if member.process.stdin is not None:
                member.process.stdin.close()


@asynccontextmanager
async def a_crew(folder: Path) -> AsyncIterator[Crew]:
    """Nobody in it yet."""
    crew = Crew(folder)
    try:
        yield crew
    finally:
        await crew.end()
