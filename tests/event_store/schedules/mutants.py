"""The store broken on purpose: each of these must be found by some schedule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from event_store.schedules import scenes
from event_store.schedules.offers import calls_of_port
from event_store.schedules.oracle import Meeting, Move
from event_store.schedules.plays import explore, serving
from event_store.schedules.sessions import Gated, Twist
from fixtures.postgres import Postgres
from loom_event_store.postgres import cold

MOST = 400


def _same(text: str) -> str:
    return text


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@dataclass(frozen=True, slots=True)
class Mutant:
    """What is broken, and where two calls must notice. `needs`: the call of the port without which it cannot show."""

    name: str
    meetings: tuple[Meeting, ...]
    twist: type[Twist] = Twist
    functions: Callable[[str], str] = _same
    around: Callable[[], Any] = field(default=_nothing)
    needs: str | None = None

    @property
    def exists(self) -> bool:
        return self.needs is None or self.needs in {call.name for call in calls_of_port()}

    async def violation(self, server: Postgres) -> str | None:
        """The first fault that its schedules show, or None: it lives."""
        with self.around():
            async with serving(server, twist=self.twist(), mutate=self.functions) as playing:
                for meeting in self.meetings:
                    found = await explore(playing, meeting, most=MOST)
                    if found.violations:
                        return f"{meeting.name}: {len(found.violations)} of {found.schedules}, {found.violations[0]}"
        return None


def _meeting(setting: Any, *moves: tuple[str, int]) -> Meeting:
    return Meeting(setting, tuple(Move(method, offer) for method, offer in moves))


def _unlocked(text: str) -> str:
    return re.sub(r"\s+FOR UPDATE\b(?! SKIP)", "", text)


class NoRowLock(Twist):
    """The heads are read, not locked."""

    async def ask(self, gated: Gated, name: str, text: str, parameters: tuple[Any, ...]) -> Any:
        return await gated.statement(_unlocked(text) if name == "lock_heads" else text, parameters)


class RepeatableRead(Twist):
    isolation = "repeatable_read"


class TwoTransactions(Twist):
    """The check in one, the change in another."""

    async def ask(self, gated: Gated, name: str, text: str, parameters: tuple[Any, ...]) -> Any:
        if name == "apply_change":
            await gated.end("commit")
            await gated.begin({"isolation": "read_committed"})
        return await gated.statement(text, parameters)


class Unsorted(Twist):
    """The heads of a call one after the other, each session in the order in which its batch names them."""

    async def ask(self, gated: Gated, name: str, text: str, parameters: tuple[Any, ...]) -> Any:
        if name != "lock_heads" or len(parameters[0]) < 2:
            return await gated.statement(text, parameters)
        names = list(zip(*parameters, strict=True))
        rows = []
        for namespace, id in names if gated.session.is_first else names[::-1]:
            rows += await gated.statement(text, ([namespace], [id]))
        return rows


@contextmanager
def _one_look() -> Iterator[None]:
    looks, cold.LOOKS = cold.LOOKS, 1
    try:
        yield
    finally:
        cold.LOOKS = looks


def _log_looked_at(text: str) -> str:
    """The acquirer's guard asks the log, in the statement that changes the head."""
    return _replaced(
        text,
        "AND status = 'parked' AND park_seq = p_park_seq AND token = p_token AND NOT unknown_tail",
        "AND token = p_token AND NOT EXISTS (SELECT 1 FROM events"
        " WHERE events.head = heads.head AND events.answers_park = p_park_seq)",
        of="acquire_if_parked_v1",
    )


def _at_most(text: str) -> str:
    return _replaced(text, "AND token = p_token", "AND p_token <= token", of="acquire_if_parked_v1")


def _by_parent_and_key(text: str) -> str:
    """A child's end goes to the edge that its head remembers, not to those that name it."""
    return _replaced(
        text,
        "WHERE child_incarnation = h.incarnation AND child_namespace = h.namespace AND child_id = h.execution_id",
        "WHERE parent_incarnation = h.parent_incarnation AND child_key = h.parent_key",
        of="end_edges",
    )


def _untraced(text: str) -> str:
    """The outbox forgets in which trace a call was made."""
    return _replaced(text, ")::text, p_traceparent, at", ")::text, NULL, at", of="hint_parked")


def _replaced(text: str, what: str, by: str, *, of: str) -> str:
    if f"FUNCTION event_store.{of}(" not in text:
        return text
    assert what in text, f"{of} does not say {what!r} any more: the mutant must be written anew"
    return text.replace(what, by)


class UnlockedChild(Twist):
    """A call locks the parent only, `a` in every scene, and looks at what it adopts."""

    async def ask(self, gated: Gated, name: str, text: str, parameters: tuple[Any, ...]) -> Any:
        if name != "lock_heads" or len(parameters[0]) < 2:
            return await gated.statement(text, parameters)
        rows = []
        for namespace, id in zip(*parameters, strict=True):
            rows += await gated.statement(text if id == "a" else _unlocked(text), ([namespace], [id]))
        return rows


MUTANTS = (
    Mutant(
        "no row lock",
        (_meeting(scenes.running, ("cancel", 0), ("renew", 0)),),
        twist=NoRowLock,
        functions=_unlocked,
    ),
    Mutant(
        "single-statement look at the log",
        (_meeting(scenes.single_asleep, ("acquire_if_parked", 0), ("resume", 0)),),
        functions=_log_looked_at,
    ),
    Mutant(
        "REPEATABLE READ let in",
        (
            _meeting(scenes.running, ("cancel", 0), ("park", 0)),
            _meeting(scenes.timed, ("append_batch", 0), ("resume", 0)),
        ),
        twist=RepeatableRead,
    ),
    Mutant(
        "check and mutation in two transactions",
        (_meeting(scenes.running, ("cancel", 0), ("renew", 0)),),
        twist=TwoTransactions,
    ),
    Mutant(
        "guard <=",
        (_meeting(scenes.asleep, ("acquire_if_parked", 0), ("acquire_if_parked", 0)),),
        functions=_at_most,
    ),
    Mutant(
        "unsorted batch locks",
        (_meeting(scenes.running, ("append_batch", 0), ("append_batch", 1)),),
        twist=Unsorted,
    ),
    Mutant("one look after a wait", (_meeting(scenes.nothing, ("start", 0), ("send", 0)),), around=_one_look),
    Mutant(
        "edge by parent and key",
        (_meeting(scenes.running, ("append", 3), ("attach", 0)),),
        functions=_by_parent_and_key,
        needs="attach",
    ),
    Mutant(
        "attach without the child's lock",
        (_meeting(scenes.running, ("append", 3), ("attach", 0)),),
        twist=UnlockedChild,
        needs="attach",
    ),
    Mutant(
        "hints without the trace of their call",
        (_meeting(scenes.running, ("park", 0), ("renew", 0)),),
        functions=_untraced,
    ),
)
