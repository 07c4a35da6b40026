"""The four services as processes, started as a container starts them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time

import pytest

from fixtures.replicas import ROLES, Replica
from fixtures.stack import Stack
from loom.client.event_store import HttpEventStore
from loom.kernel import calls as c

HEALTHY_S = 10.0


def loom(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command, with no variable of Loom's but these."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("LOOM_")} | variables
    return subprocess.run(
        [sys.executable, "-m", "loom_cli", *words], env=environ, capture_output=True, text=True, timeout=60, check=False
    )


def healthcheck(replica: Replica, *words: str) -> int:
    """Exit status of the check that a container of this replica makes."""
    return loom("healthcheck", replica.role, *words, LOOM_PORT=str(replica.port)).returncode


@pytest.mark.parametrize("role", ROLES)
def test_every_fault_of_the_settings_is_told_at_once_and_nothing_is_served(role: str) -> None:
    """Issue 5: one small settings dataclass each, all faults in one message, exit status 2."""
    told = loom(role, LOOM_PORT="many", LOOM_DEV="perhaps")

    assert told.returncode == 2
    assert {line.partition(":")[0] for line in told.stderr.splitlines()} == {"LOOM_PORT", "LOOM_DEV"}


@pytest.mark.parametrize("role", ROLES)
def test_a_service_ends_within_ten_seconds_of_sigterm(stack: Stack, role: str) -> None:
    """Kafka 3.4: a healthy service drains and exits 0 in under 10 s, and comes back."""
    replica = stack[f"{role}-1"]

    began = time.monotonic()
    status = replica.stop()
    took_s = time.monotonic() - began
    replica.start()
    replica.await_ready()

    assert status == 0
    assert took_s < HEALTHY_S
    assert "Traceback" not in replica.read_log()


async def test_one_address_survives_the_death_and_the_freeze_of_a_replica(stack: Stack) -> None:
    """Issue 5: each role may be killed at any time; callers have one URL, as behind a Kubernetes Service."""
    first = stack["event-store-1"]
    async with HttpEventStore(stack.url) as store:
        first.kill()
        epochs = [(await store.read_store(c.ReadStore())).epoch for _ in range(4)]
        first.start()
        first.await_ready()
        first.freeze()
        try:
            while first.port in stack.balancers["event-store"].ready:  # noqa: ASYNC110 - a thread has no event of ours
                await asyncio.sleep(0.05)
            epochs += [(await store.read_store(c.ReadStore())).epoch for _ in range(4)]
        finally:
            first.thaw()

    assert epochs == [1] * 8


def test_healthcheck_says_with_its_exit_status_what_the_service_says(stack: Stack) -> None:
    """Operations 3: 0 or 1, whatever is wrong, since a container's check knows no other number."""
    replica = stack["retention-1"]
    assert (healthcheck(replica), healthcheck(replica, "--live")) == (0, 0)

    replica.stop()
    assert (healthcheck(replica), healthcheck(replica, "--live")) == (1, 1)

    replica.start()
    replica.await_ready()
