"""What tests of several packages share; and what every run says at its end: cases of the contract by body."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from conformance.counting import closing_line, count_cases, list_short
from fixtures.kafka import Kafka, running_kafka, started_kafka
from fixtures.postgres import Postgres, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for the session; a test makes databases of its own in it."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def kafka() -> Iterator[Kafka]:
    """One broker for the session (one per worker); a test makes topics of its own there, under a prefix."""
    with running_kafka() as server:
        yield server


@pytest.fixture
def own_kafka() -> Iterator[Kafka]:
    """A broker for a test that stops, kills or freezes it."""
    with started_kafka() as server:
        yield server


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A body with fewer cases than memory fails the run."""
    if session.exitstatus == 0 and list_short(_counts(session.config)):
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Cases by body, if any ran."""
    counts = _counts(terminalreporter.config)
    if counts:
        terminalreporter.write_line(closing_line(counts))


def _counts(config: pytest.Config) -> Counter[str]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    passed = reporter.stats.get("passed", []) if reporter else []
    return count_cases(report.nodeid for report in passed if report.when == "call")
