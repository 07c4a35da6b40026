from collections.abc import AsyncIterator, Iterator

import pytest

from fixtures.stack import Stack, running_stack
from loom.client.event_store import HttpEventStore

HINTS_ALONE = {"LOOM_SWEEP_MS": "600000", "LOOM_KAFKA_SESSION_MS": "6000"}
"""No sweep comes to the help of what a test waits for."""


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """Two event stores and one of each other service; a test leaves every replica running and ready."""
    counts = {"event-store": 2, "supervisor": 1, "timers": 1, "retention": 1}
    with running_stack(replicas=counts, environ=HINTS_ALONE) as running:
        yield running


@pytest.fixture
async def store(stack: Stack) -> AsyncIterator[HttpEventStore]:
    """The event store as every caller reaches it."""
    async with HttpEventStore(stack.url) as client:
        yield client
