from __future__ import annotations

import pytest

from failover.course import Way, run


@pytest.mark.parametrize("way", ["directly", "through pgbouncer"])
async def test_what_a_lost_generation_granted_is_worth_nothing(way: Way) -> None:
    """Hazards 4.1, I60: tokens go backwards at an asynchronous fail-over; the epoch in every guard is the cure."""
    findings = await run(way)

    assert [f"{finding.claim}: {finding.found}" for finding in findings if not finding.holds] == []
    assert len(findings) == 9
