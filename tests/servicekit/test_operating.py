"""docs/operating.md says what the code does."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from loom_servicekit.migrations import MigrationFault

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "operating.md"


def rows_of(section: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    parts = re.split(r"^## (.*)$", DOCUMENT.read_text("utf-8"), flags=re.MULTILINE)
    text = dict(zip(parts[1::2], parts[2::2], strict=True))[section]
    rows = [
        [cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in text.splitlines() if "|" in line
    ]
    return rows[2:]


def test_every_exit_of_migrate_is_documented() -> None:
    """Issue 4: distinct exit codes; whoever scripts them reads the table."""
    told = {int(cells[0]) for cells in rows_of("What migrate does")}

    assert told == {0, 2, *(fault.exit_code for fault in MigrationFault.__subclasses__())}


def test_the_roles_settings_are_those_that_migrate_sets() -> None:
    """H25: an operator compares the table with what the server says."""
    text = (files("loom_servicekit") / "migrating" / "roles.sql").read_text("utf-8")
    given = dict(re.findall(r"ALTER ROLE %I IN DATABASE %I SET (\w+) = %[Ls]', application, here, '?([^')]+)", text))

    assert {cells[0]: cells[1] for cells in rows_of("Isolation, and the role's settings")} == given
