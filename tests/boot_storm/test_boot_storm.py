from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from boot_storm.storm import DOCUMENTED, Round, run
from dumps.keeping import POSTGRES
from fixtures.postgres import Postgres


@pytest.mark.parametrize(
    "dump", [None, *sorted(POSTGRES.glob("*.sql"))], ids=lambda dump: getattr(dump, "stem", "empty")
)
async def test_many_migrates_and_services_at_once_leave_one_database(postgres: Postgres, dump: Path | None) -> None:
    """Issue 4: every exit is one of the documented codes, one row per migration, and every service becomes ready."""
    found = await run(postgres, dump)

    assert found.holds, found


async def test_without_the_lock_a_storm_breaks(postgres: Postgres) -> None:
    """Negative control: who does not wait for the others meets their tables half made."""
    exits: Counter[int] = Counter()
    for _ in range(5):
        exits += (await run(postgres, locked=False)).exits
        if set(exits) - DOCUMENTED:
            break

    assert set(exits) - DOCUMENTED


def test_a_round_with_a_service_that_is_not_ready_is_broken() -> None:
    """Negative control for the judgement itself."""
    assert not Round("empty", Counter({0: 10}), ("not yet",), Counter({0: 10}), Counter(), 1.0).holds
