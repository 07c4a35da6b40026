from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from conformance.bodies import BODIES
from loom_conformance import Subject


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Subject]:
    """The body that the test module names as BODY, open for all its cases: they keep out of each other's way."""
    folder: Path = tmp_path_factory.mktemp("body")
    async with BODIES[request.module.BODY](folder) as opened:
        yield opened
