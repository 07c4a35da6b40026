"""docs/operating.md says what the code does."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib.resources import files
from pathlib import Path

from fixtures.variables import SETTINGS, variables_of, written
from loom_event_store.relay import DEAD, OLDEST
from loom_servicekit.bus.kafka import dead_letters as kafka
from loom_servicekit.bus.kafka.consumer import LAG, REBUILT
from loom_servicekit.bus.kafka.member import REBALANCES
from loom_servicekit.bus.kafka.producer import REPLACED
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.migrations import MigrationFault
from loom_servicekit.sweeps import FOUND

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


def test_every_setting_is_documented_with_its_default_and_who_reads_it() -> None:
    """Issue 5: docs/operating.md has every setting; whoever sets one that nobody reads has set nothing."""
    read: dict[str, dict[str, str]] = {}
    for service, cls in SETTINGS.items():
        for name, default in variables_of(cls).items():
            if not name.startswith(("LOOM_KAFKA_", "LOOM_TRACING_")):  # in sections of their own
                read.setdefault(name, {})[service] = written(default)
    told = {cells[0]: (cells[1].replace("`", ""), cells[2]) for cells in rows_of("The services")}

    assert told == {
        name: (
            ", ".join(dict.fromkeys(by.values())),
            "all" if len(by) == len(SETTINGS) else ", ".join(by),
        )
        for name, by in read.items()
    }


def test_every_setting_of_kafka_is_documented_with_its_default() -> None:
    """Issue 5: docs/operating.md has every setting."""
    told = {cells[0]: cells[1] for cells in rows_of("Kafka") if cells[0].startswith("LOOM_KAFKA_")}

    assert told == {f"LOOM_KAFKA_{field.name.upper()}": _written(field.default) for field in fields(KafkaSettings)}


def test_every_number_to_watch_is_one_that_is_kept() -> None:
    """An alert on a number that nobody keeps is always quiet."""
    told = {name for cells in rows_of("Kafka") for name in re.findall(r"loom\.[a-z.]+", cells[0]) if cells[1:2]}
    kept = [kafka.KEPT, DEAD, LAG, OLDEST, REBALANCES, REBUILT, REPLACED, FOUND]

    assert {one.name for one in kept} == {name for name in told if not name.endswith(".v1")}


def _written(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return "none" if default in (None, (), "") else str(default)


def test_the_roles_settings_are_those_that_migrate_sets() -> None:
    """H25: an operator compares the table with what the server says."""
    text = (files("loom_servicekit") / "migrating" / "roles.sql").read_text("utf-8")
    given = dict(re.findall(r"ALTER ROLE %I IN DATABASE %I SET (\w+) = %[Ls]', application, here, '?([^')]+)", text))

    assert {cells[0]: cells[1] for cells in rows_of("Isolation, and the role's settings")} == given
