"""Sessions that take one step at a time: a statement, or what stands between two marks of a function."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import asyncpg

from event_store.schedules.marks import MARKED, ODD
from event_store.schedules.tables import Numbers
from loom.errors import LoomError
from loom.kernel.limits import Limits
from loom_event_store.postgres.statements import QUERIES
from loom_event_store.postgres.store import PostgresEventStore
from loom_servicekit.postgres import MEANINGS

PATIENCE_S = 0.001
"""How long a statement may take before the server is asked whom it waits for."""
HANG_S = 5.0

UNGATED = frozenset({"read_clock", "next_head"})
"""What reads nothing that a call of the port changes: no gap before it tells anything that the next one does not."""

_NAMES = {text: name for name, text in QUERIES.items()}

AT_GATE, AT_MARK, RUNNING, BLOCKED, DONE = "gate", "mark", "running", "blocked", "done"


class Twist:
    """How a mutant's statements differ; this one's do not."""

    isolation = "read_committed"

    async def ask(self, gated: Gated, name: str, text: str, parameters: tuple[Any, ...]) -> Any:
        """The rows of a statement."""
        return await gated.statement(text, parameters)


class Hung(Exception):
    """A schedule that comes to no end."""


class Session:
    """One connection of the store, and the call that is under way on it."""

    def __init__(self, connection: asyncpg.Connection[asyncpg.Record], controller: Any) -> None:
        self.connection = connection
        self.pid = connection.get_server_pid()
        self.state = DONE
        self.ends = 0  # transactions that have ended: whoever waited for one may go on
        self.at = ""
        self.answer: Any = None
        self.deadlocked = False
        self.settled = asyncio.Event()
        self.is_first = False
        self._controller = controller
        self._permit = asyncio.Semaphore(0)
        self._task: asyncio.Task[None] | None = None
        self._locks = (self.pid, self.pid + ODD)
        self._mark = 0
        self._passed: int | None = None  # the lock of the last mark, still free

    @classmethod
    async def open(cls, url: str, controller: asyncpg.Connection[asyncpg.Record], isolation: str) -> Session:
        """A session whose marks the controller's connection holds."""
        connection = await asyncpg.connect(url)
        session = cls(connection, controller)
        await controller.execute(f"CREATE SEQUENCE event_store.mark_{session.pid}")
        for lock in session._locks:
            await controller.execute("SELECT pg_advisory_lock($1)", lock)
        given = {"loom.gate": session.pid, "default_transaction_isolation": isolation.replace("_", " ")}
        for setting, value in {**given, "lock_timeout": 0, "idle_in_transaction_session_timeout": 0}.items():
            await connection.execute("SELECT set_config($1, $2, false)", setting, str(value))
        connection.add_log_listener(session._noticed)
        return session

    def begin(self, call: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        self.state = RUNNING
        self.settled.clear()
        self._task = asyncio.ensure_future(self._run(call))

    async def _run(self, call: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        try:
            self.answer = await call()
        except LoomError as error:
            self.answer = error
        except Exception as error:
            self.answer = error
        self._settle(DONE, "end")

    async def gate(self, at: str) -> None:
        """Wait for the next step."""
        self._settle(AT_GATE, at)
        await self._permit.acquire()

    def _noticed(self, _: Any, message: Any) -> None:
        if message.message.startswith(MARKED):
            self._mark = int(message.message.removeprefix(MARKED))
            self._settle(AT_MARK, "mark")

    def _settle(self, state: str, at: str) -> None:
        self.state, self.at = state, at
        self.settled.set()

    async def step(self) -> None:
        """Go on; the next `settled` is a gate, a mark or the end."""
        state, self.state = self.state, RUNNING
        self.settled.clear()
        if state == AT_GATE:
            self._permit.release()
        else:
            await self._pass_mark()

    async def _pass_mark(self) -> None:
        """Hold the lock of the mark before again, then let go of this one's."""
        passed, self._passed = self._passed, self._locks[self._mark % 2]
        if passed is None:
            await self._controller.execute("SELECT pg_advisory_unlock($1)", self._passed)
        else:
            await self._controller.execute("SELECT pg_advisory_lock($1), pg_advisory_unlock($2)", passed, self._passed)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self.connection.terminate()


class Gated:
    """The connection as the store sees it: every statement waits at a gate."""

    def __init__(self, session: Session, twist: Twist) -> None:
        self.session = session
        self._twist = twist
        self.transactions: list[Any] = []

    def transaction(self, **options: Any) -> _Transaction:
        return _Transaction(self, options)

    async def fetch(self, text: str, *parameters: Any) -> list[Any]:
        rows: list[Any] = await self._twist.ask(self, _NAMES.get(text, ""), text, parameters)
        return rows

    async def fetchrow(self, text: str, *parameters: Any) -> Any:
        rows = await self.fetch(text, *parameters)
        return rows[0] if rows else None

    async def fetchval(self, text: str, *parameters: Any) -> Any:
        row = await self.fetchrow(text, *parameters)
        return None if row is None else row[0]

    async def execute(self, text: str, *parameters: Any) -> None:
        await self.fetch(text, *parameters)

    async def statement(self, text: str, parameters: tuple[Any, ...]) -> Any:
        name = _NAMES.get(text, text)
        if name not in UNGATED:
            await self.session.gate(name)
        connection = self.session.connection
        try:
            return await connection.fetch(text, *parameters)
        except asyncpg.DeadlockDetectedError:
            self.session.deadlocked = True
            raise
        finally:
            if not connection.is_in_transaction():
                self.session.ends += 1

    async def begin(self, options: dict[str, Any]) -> None:
        level = {"read_committed": self._twist.isolation}.get(options.get("isolation", ""), options.get("isolation"))
        transaction = self.session.connection.transaction(**{**options, "isolation": level})
        await transaction.start()
        self.transactions.append(transaction)

    async def end(self, how: str) -> None:
        await self.session.gate(how)
        try:
            await getattr(self.transactions.pop(), how)()
        finally:
            self.session.ends += 1


class _Transaction:
    """BEGIN takes no lock and no snapshot, so it is one step with the statement after it."""

    def __init__(self, gated: Gated, options: dict[str, Any]) -> None:
        self._gated = gated
        self._options = options

    async def __aenter__(self) -> None:
        await self._gated.begin(self._options)

    async def __aexit__(self, kind: Any, *_: Any) -> None:
        await self._gated.end("commit" if kind is None else "rollback")


class OneConnection:
    """The store's database: this session, with the meanings of a pool."""

    def __init__(self, session: Session, twist: Twist) -> None:
        self._session = session
        self._twist = twist

    async def run(self, work: Any) -> Any:
        try:
            return await work(Gated(self._session, self._twist))
        except asyncpg.PostgresError as error:
            if error.sqlstate not in MEANINGS:
                raise
            kind, said = MEANINGS[error.sqlstate]
            raise kind(said, sqlstate=error.sqlstate) from error


class SessionStore(PostgresEventStore):
    """The store under test, on one session. Refusals and polls are recorded beside a call, so here not at all."""

    def __init__(self, session: Session, name: str, *, limits: Limits, twist: Twist | None = None) -> None:
        super().__init__(
            OneConnection(session, twist or Twist()),  # type: ignore[arg-type]
            limits=limits,
            rng=Numbers(name),
        )

    async def _beside(self, record: Coroutine[Any, Any, None]) -> None:
        record.close()


class Conductor:
    """Lets sessions take steps, and knows who waits for whom."""

    def __init__(self, controller: asyncpg.Connection[asyncpg.Record], sessions: list[Session]) -> None:
        self._controller = controller
        self._sessions = sessions

    @property
    def deadlocked(self) -> bool:
        """Did sessions wait for each other, so that the server ended one of them?"""
        return any(session.deadlocked for session in self._sessions)

    async def begin(self, calls: list[Callable[[], Coroutine[Any, Any, Any]]]) -> None:
        """Every call at its first statement."""
        for session in self._sessions:
            session.deadlocked = False
        for session, call in zip(self._sessions, calls, strict=False):
            session.begin(call)
            await session.settled.wait()

    def enabled(self) -> list[int]:
        return [number for number, session in enumerate(self._sessions) if session.state in (AT_GATE, AT_MARK)]

    def waiting(self) -> set[int]:
        """Those that wait for another session."""
        return {number for number, session in enumerate(self._sessions) if session.state == BLOCKED}

    async def step(self, number: int) -> None:
        """One step of one session, and what it sets free."""
        session = self._sessions[number]
        ends = session.ends
        await session.step()
        await self._settle(session)
        if session.ends != ends:
            await self._free()
        if not self.enabled() and any(each.state == BLOCKED for each in self._sessions):
            await self._break_circle()

    async def _settle(self, session: Session) -> None:
        """Until the session stops, or waits for another."""
        for _ in range(int(HANG_S / PATIENCE_S)):
            try:
                await asyncio.wait_for(session.settled.wait(), PATIENCE_S)
                return
            except TimeoutError:
                if await self._is_blocked(session):
                    session.state = BLOCKED
                    return
        raise Hung(f"a step after {session.at} does not end: {[(each.state, each.at) for each in self._sessions]}")

    async def _is_blocked(self, session: Session) -> bool:
        others = {each.pid for each in self._sessions if each is not session and each.state != DONE}
        if not others:
            return False
        pids = await self._controller.fetchval("SELECT pg_blocking_pids($1)", session.pid)
        return not session.settled.is_set() and not others.isdisjoint(pids)

    async def _free(self) -> None:
        """A transaction ended: who waited is looked at again."""
        for session in self._sessions:
            if session.state == BLOCKED:
                session.state = RUNNING
                await self._settle(session)

    async def _break_circle(self) -> None:
        """All wait: the server ends one of them, and the others go on."""
        waiting = [session for session in self._sessions if session.state == BLOCKED]
        ended = [asyncio.ensure_future(session.settled.wait()) for session in waiting]
        done, rest = await asyncio.wait(ended, timeout=HANG_S, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        if not done:
            raise Hung("sessions wait for each other, and the server ends none")
        await self._free()
