"""A service's own tables, whichever database they are in: one set of statements, in the subset that SQLite and Postgres
share. A statement's parameters are $1, $2 and so on. What is the service's own stands behind `own.`: its tables, and
`own.loom_now()`, the database's instant. The driver puts the schema's name there, since no session setting may be
relied on behind a pooler; a file has no schemas.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = Mapping[str, Any]
Statement: TypeAlias = tuple[str, tuple[Any, ...]]
"""The name of a file in `queries/`, and its parameters."""


_OWN = re.compile(r"\bown\.")


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


def read_own(package: str, schema: str | None) -> dict[str, str]:
    """The statements of the package's `queries/` for a schema, or for a file."""
    prefix = "" if schema is None else f"{schema}."
    return {name: _OWN.sub(prefix, text) for name, text in read_statements(package, "queries").items()}
