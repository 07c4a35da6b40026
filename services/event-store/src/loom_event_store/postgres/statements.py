"""The statements of `queries/`, one a file, by name; and how one is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from loom_event_store.rows import Row
from loom_servicekit.postgres import Connection
from loom_servicekit.tables import read_statements

QUERIES = read_statements(__package__, "queries")

_T = TypeVar("_T")
_From = Callable[[Row], _T]


class Statements:
    """One connection. Outside a transaction each statement is one of its own, on what was committed before it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def run(self, name: str, *parameters: Any) -> None:
        await self._connection.execute(QUERIES[name], *parameters)

    async def all(self, name: str, of: _From[_T], *parameters: Any) -> tuple[_T, ...]:
        return tuple(map(of, await self._connection.fetch(QUERIES[name], *parameters)))

    async def first(self, name: str, of: _From[_T], *parameters: Any) -> _T | None:
        row = await self._connection.fetchrow(QUERIES[name], *parameters)
        return None if row is None else of(row)

    async def number(self, name: str, *parameters: Any) -> int:
        """The only column of the only row."""
        return int(await self._connection.fetchval(QUERIES[name], *parameters))


def whole(row: Row) -> Row:
    """The row itself."""
    return row
