"""Back-off with full jitter."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.kernel.backoff import BASE_MS, CAP_MS, ceiling_ms, full_jitter_ms


def test_the_ceiling_doubles_up_to_the_cap():
    """Design 4, timers: base 200 ms, doubling, cap 30 s."""
    assert [ceiling_ms(attempt) for attempt in range(10)] == [
        200,
        400,
        800,
        1_600,
        3_200,
        6_400,
        12_800,
        25_600,
        30_000,
        30_000,
    ]


@pytest.mark.parametrize("attempt", [-1, 10**6, 2**63])
def test_an_absurd_number_of_attempts_is_a_wait_all_the_same(attempt):
    """I34: attempts never decrease and never end."""
    assert BASE_MS <= ceiling_ms(attempt) <= CAP_MS


@settings(max_examples=200, derandomize=True, deadline=None, database=None)
@given(st.integers(0, 40), st.integers(0, 2**32))
def test_a_wait_is_between_nothing_and_its_ceiling(attempt, seed):
    """I37: evenly, so that those who failed together do not come back together."""
    assert 0 <= full_jitter_ms(attempt, Random(seed)) <= ceiling_ms(attempt)


def test_the_jitter_is_full():
    """Both ends are met, and the middle is the mean."""
    waits = [full_jitter_ms(0, Random(seed), base_ms=9, cap_ms=9) for seed in range(500)]

    assert set(waits) == set(range(10))
    assert 4 < sum(waits) / len(waits) < 5


def test_the_same_chance_gives_the_same_wait():
    """D: `rng` is an argument."""
    assert full_jitter_ms(5, Random(7)) == full_jitter_ms(5, Random(7))
