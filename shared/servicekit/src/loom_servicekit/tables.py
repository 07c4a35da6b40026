"""A service's own tables, whichever database they are in: one set of statements, in the subset that SQLite and Postgres
share. A statement's parameters are $1, $2 and so on; `loom_now()` is the database's instant.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = Mapping[str, Any]
Statement: TypeAlias = tuple[str, tuple[Any, ...]]
"""The name of a file in `queries/`, and its parameters."""


class Tables(Protocol):
    """Runs the statements of one package."""

    async def write(self, *statements: Statement) -> list[Row]:
        """All in one transaction; the rows of the last. Raises Busy, StoreUnavailable."""

    async def read(self, query: str, *parameters: Any) -> list[Row]:
        """One statement on what is committed."""


def read_statements(package: str, folder: str) -> dict[str, str]:
    """The `.sql` files of a package's folder by name, in order of their names."""
    found = {entry.name: entry for entry in (files(package) / folder).iterdir() if entry.name.endswith(".sql")}
    return {name.removesuffix(".sql"): found[name].read_text("utf-8") for name in sorted(found)}
