"""Two sessions of a real server, each stopped before every statement and at every gap inside a function."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from loom.errors import LoomError
from loom_event_store.postgres.schema import SCHEMA
from loom_servicekit.postgres import read_statements

MARKS = 24
_STATEMENT = re.compile(r"^\s+(UPDATE|INSERT|SELECT|PERFORM|WITH|DELETE|FOR|RETURN QUERY|RETURN NEXT)\b")
_ENDS = (";", "THEN", "LOOP", "ELSE")

MARK = """
CREATE OR REPLACE FUNCTION event_store.mark() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    session integer := nullif(current_setting('schedule.session', true), '');
    number integer := nullif(current_setting('schedule.mark', true), '');
BEGIN
    IF session IS NOT NULL THEN
        PERFORM set_config('schedule.mark', (number + 1)::text, false);
        PERFORM pg_advisory_xact_lock_shared(session, number);
    END IF;
END
$$;
GRANT EXECUTE ON FUNCTION event_store.mark() TO PUBLIC;
"""


def instrumented(text: str) -> str:
    """The function with a mark before each statement after its first; none where FOUND is asked for."""
    lines: list[str] = []
    inside, last = False, ""
    for line in text.splitlines():
        if line == "BEGIN":
            inside = True
        elif line.startswith("END"):
            inside = False
        elif inside and _STATEMENT.match(line) and last.endswith(_ENDS):
            lines.append("    PERFORM event_store.mark();")
        lines.append(line)
        last = line.strip() or last
    return "\n".join(lines)


def instrumented_functions() -> str:
    """The mark, then every function of the store with its gaps marked."""
    texts = read_statements(SCHEMA.package, "functions")
    return MARK + "\n".join(map(instrumented, texts.values()))


class Gate:
    """Where a session waits before its next statement."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self.waiting = False
        self.steps = 0

    async def pass_through(self) -> None:
        self.waiting = True
        await self._open.wait()
        self._open.clear()
        self.steps += 1

    def let_go(self) -> None:
        self.waiting = False
        self._open.set()


class SteppedConnection:
    """A connection that asks its gate before each statement and before each commit."""

    def __init__(self, connection: asyncpg.Connection, gate: Gate) -> None:
        self._connection = connection
        self._gate = gate

    def __getattr__(self, name: str) -> Any:
        act = getattr(self._connection, name)
        if name not in ("fetch", "fetchrow", "fetchval", "execute"):
            return act

        async def stepped(*parameters: Any) -> Any:
            await self._gate.pass_through()
            return await act(*parameters)

        return stepped

    def transaction(self, **options: Any) -> SteppedTransaction:
        return SteppedTransaction(self._connection.transaction(**options), self._gate)


class SteppedTransaction:
    """Stops before the commit, with everything locked and nothing visible."""

    def __init__(self, transaction: Any, gate: Gate) -> None:
        self._transaction = transaction
        self._gate = gate

    async def __aenter__(self) -> None:
        await self._transaction.start()

    async def __aexit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is None:
            await self._gate.pass_through()
            await self._transaction.commit()
        else:
            await self._transaction.rollback()


@dataclass
class Session:
    """One session: its connection, its gate, and the call that it makes. `run` is what a store asks of a database."""

    number: int
    connection: asyncpg.Connection
    pid: int
    gate: Gate = field(default_factory=Gate)
    task: asyncio.Task[Any] | None = None

    @classmethod
    async def open(cls, url: str, number: int) -> Session:
        connection = await asyncpg.connect(url)
        return cls(number, connection, connection.get_server_pid())

    async def run(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
        """As `Database.run`, without its bounds; contention becomes the store's error."""
        from loom_servicekit.postgres import _meaning

        try:
            return await work(SteppedConnection(self.connection, self.gate))
        except asyncpg.PostgresError as error:
            raise _meaning(error, began=True) from error

    async def begin(self, call: Callable[[], Awaitable[Any]]) -> None:
        """Start the call; it stops before its first statement."""
        await self.connection.execute(
            "SELECT set_config('schedule.session', $1, false), set_config('schedule.mark', '1', false)",
            str(self.number),
        )
        self.gate = Gate()
        self.task = asyncio.ensure_future(_settled(call()))


async def _settled(call: Awaitable[Any]) -> Any:
    try:
        return await call
    except LoomError as error:
        return error


class Controller:
    """Holds the marks of both sessions and lets one of them take one step at a time."""

    def __init__(self, connection: asyncpg.Connection, watcher: asyncpg.Connection, sessions: tuple[Session, ...]):
        self._connection = connection
        self._watcher = watcher
        self._pid = connection.get_server_pid()
        self._sessions = sessions
        self._held: dict[int, set[int]] = {}

    async def hold(self) -> None:
        """Hold every mark of both sessions."""
        for session in self._sessions:
            held = self._held.setdefault(session.number, set())
            missing = [number for number in range(1, MARKS + 1) if number not in held]
            await self._connection.execute(
                "SELECT pg_advisory_lock($1, number) FROM unnest($2::integer[]) AS number", session.number, missing
            )
            held.update(missing)

    async def state(self, session: Session) -> str:
        """Where a session stands once it stands: gate, mark, blocked or done."""
        assert session.task is not None
        while True:
            if session.task.done():
                return "done"
            if session.gate.waiting:
                return "gate"
            blockers = set(await self._watcher.fetchval("SELECT pg_blocking_pids($1)", session.pid))
            if self._pid in blockers:
                return "mark"
            if blockers & {other.pid for other in self._sessions}:
                return "blocked"
            await asyncio.sleep(0)

    async def step(self, session: Session, state: str) -> None:
        """Let it go on to its next stop."""
        if state == "gate":
            session.gate.let_go()
            return
        number = min(self._held[session.number])
        await self._connection.execute("SELECT pg_advisory_unlock($1, $2)", session.number, number)
        self._held[session.number].discard(number)
