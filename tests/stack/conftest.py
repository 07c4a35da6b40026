from collections.abc import Iterator

import pytest

from fixtures.stack import Stack, running_stack


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """Two event stores and one of each other service; a test leaves every replica running and ready."""
    with running_stack(replicas={"event-store": 2, "supervisor": 1, "timers": 1, "retention": 1}, **KAFKA) as running:
        yield running


KAFKA = {"with_kafka": False}
