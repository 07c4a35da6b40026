"""The statements of `queries/`, one a file, by name; and how one is asked."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from loom_servicekit.tables import read_statements

QUERIES = read_statements(__package__, "queries")

_T = TypeVar("_T")
_From = Callable[[sqlite3.Row], _T]


class Statements:
    """One connection, inside a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, name: str, parameters: Mapping[str, Any]) -> int:
        """How many rows it changed."""
        return self._connection.execute(QUERIES[name], parameters).rowcount

    def all(self, name: str, of: _From[_T], parameters: Mapping[str, Any]) -> tuple[_T, ...]:
        return tuple(map(of, self._connection.execute(QUERIES[name], parameters)))

    def first(self, name: str, of: _From[_T], parameters: Mapping[str, Any]) -> _T | None:
        row = self._connection.execute(QUERIES[name], parameters).fetchone()
        return None if row is None else of(row)

    def number(self, name: str, parameters: Mapping[str, Any]) -> int:
        """The only column of the only row."""
        (number,) = self._connection.execute(QUERIES[name], parameters).fetchone()
        return int(number)
