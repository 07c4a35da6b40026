"""Glue to pytest: one item per case. The only module of the kit that knows a test framework."""

from __future__ import annotations

import pytest

from loom_conformance import Case, Subject, list_cases, run_case

each_case = pytest.mark.parametrize("case", list_cases(), ids=lambda case: case.id)
"""Parametrise a test of one body with the contract."""


async def prove(case: Case, subject: Subject) -> None:
    """Fail the item unless the case passes; one that the subject cannot reach is not passed."""
    outcome = await run_case(case, subject)
    if not outcome.passed:
        pytest.fail(f"{case.id}: {case.title}\n{outcome.why}", pytrace=False)
