from __future__ import annotations

import pytest

from storm.course import storm
from storm.forms import CONTROL, SHORT


@pytest.mark.parametrize("seed", [5])
def test_whatever_is_killed_or_frozen_every_parent_finishes_once_and_nothing_acknowledged_is_lost(seed: int) -> None:
    """Issue 5, I20, I42, I60: the full stack in the short form of `make storm`, leases of two seconds."""
    findings = storm(SHORT, seed, say=print)

    assert findings.violations == []
    assert findings.missing == ()
    assert findings.finished == findings.parents >= SHORT.quorum.parents


def test_a_store_that_does_not_ask_whose_grant_it_is_does_not_survive_a_storm() -> None:
    """Negative control for the rule above: the checker finds what owners that were taken over went on to write."""
    findings = storm(CONTROL, 5, broken=True, say=print)

    assert "owned" in {violation.check for violation in findings.violations}
