from dataclasses import replace

import pytest

from loom_servicekit.bus.kafka.watchdog import (
    POLL_STALE_S,
    REBUILDS_MAX,
    REBUILDS_WITHIN_S,
    Rebuilds,
    Signs,
    is_long_without,
    why_rebuild,
)

SESSION_S = 20.0
REBALANCE_S = 30.0
WELL = Signs(now=1_000.0, polled_at=999.9)


def why(signs: Signs) -> str | None:
    """With the settings' defaults."""
    return why_rebuild(signs, session_s=SESSION_S, rebalance_s=REBALANCE_S)


@pytest.mark.parametrize(
    ("signs", "named"),
    [
        (replace(WELL, coordination_ended=True), "coordination"),
        (replace(WELL, polled_at=WELL.now - POLL_STALE_S - 1), "no poll"),
        (replace(WELL, without_since=WELL.now - 3 * SESSION_S - 1, left_out=True), "without partitions"),
        (replace(WELL, rebalancing_since=WELL.now - 3 * SESSION_S - REBALANCE_S - 1), "rebalance"),
    ],
)
def test_a_consumer_beyond_help_is_built_anew(signs: Signs, named: str) -> None:
    """Kafka 3.3 point 9."""
    reason = why(signs)

    assert reason is not None
    assert named in reason


@pytest.mark.parametrize(
    "signs",
    [
        WELL,
        replace(WELL, polled_at=WELL.now - POLL_STALE_S + 1),
        replace(WELL, without_since=WELL.now - 1_000, left_out=False),
        replace(WELL, without_since=WELL.now - SESSION_S, left_out=True),
        replace(WELL, rebalancing_since=WELL.now - REBALANCE_S, polled_at=WELL.now - REBALANCE_S),
    ],
    ids=["well", "slow", "surplus", "just without", "draining"],
)
def test_one_that_can_be_waited_for_is_left_alone(signs: Signs) -> None:
    """Kafka 3.4: a surplus member is healthy; and a drain answers no poll, which is no death (3.3 point 6)."""
    assert why(signs) is None


def test_whether_some_are_free_is_asked_after_three_sessions() -> None:
    """Kafka 3.3 point 9: a question to the coordinator, so not at every look."""
    assert not is_long_without(replace(WELL, without_since=WELL.now - 2 * SESSION_S), session_s=SESSION_S)
    assert is_long_without(replace(WELL, without_since=WELL.now - 4 * SESSION_S), session_s=SESSION_S)


def test_a_fourth_rebuild_within_ten_minutes_is_one_too_many() -> None:
    """Kafka 3.3 point 9: then a restart may help; as many, but further apart, go on for ever."""
    often, seldom = Rebuilds(), Rebuilds()

    assert [often.is_one_too_many(float(number)) for number in range(REBUILDS_MAX + 1)] == [False] * 3 + [True]
    assert not any(seldom.is_one_too_many(number * REBUILDS_WITHIN_S / 2.5) for number in range(50))
