"""One state of the store, as one transaction sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from random import Random
from sqlite3 import Connection

from loom.ids import Incarnation, Instant
from loom.kernel.change import Moment
from loom.kernel.limits import Limits
from loom_event_store.sqlite.statements import Statements
from loom_event_store.sqlite.view import SqliteView


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What can be asked of the transaction, what the kernel reads of it, and its moment."""

    statements: Statements
    view: SqliteView
    moment: Moment


def snapshot_of(connection: Connection, now: Instant, limits: Limits, rng: Random, traceparent: str | None) -> Snapshot:
    """The state that the transaction of `connection` sees, at its instant, for a call of this trace."""
    statements = Statements(connection)
    moment = Moment(
        now=now,
        epoch=statements.number("read_epoch", {}),
        limits=limits,
        new_incarnation=lambda: Incarnation(rng.getrandbits(63)),
        new_head=_heads_from(statements),
        traceparent=traceparent,
    )
    return Snapshot(statements, SqliteView(statements), moment)


def _heads_from(statements: Statements) -> Callable[[], int]:
    """New surrogates: above the greatest there is, one after the other until they are written."""
    made = count(1)
    return lambda: statements.number("greatest_head", {}) + next(made)
