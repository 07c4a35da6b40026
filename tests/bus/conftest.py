from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bus.members import Crew, a_crew


@pytest.fixture
async def crew(tmp_path: Path) -> AsyncIterator[Crew]:
    """Members in processes of their own, ended with the test."""
    async with a_crew(tmp_path) as crew:
        yield crew
