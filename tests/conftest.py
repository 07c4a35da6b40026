"""What tests of several packages share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures.postgres import Postgres, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for the session; a test makes databases of its own in it."""
    with running_postgres() as server:
        yield server
