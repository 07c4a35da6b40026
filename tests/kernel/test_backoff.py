from random import Random

import pytest

from loom.kernel.backoff import CAP_MS, ceiling_ms, full_jitter_ms


def test_the_ceiling_doubles_from_200_ms_and_ends_at_30_s() -> None:
    """I37: base 200 ms, doubling, cap 30 s."""
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


@pytest.mark.parametrize("attempt", [-1, 0, 3, 8, 1_000_000])
def test_a_delay_is_drawn_evenly_up_to_the_ceiling(attempt: int) -> None:
    """I37: full jitter; a huge attempt costs nothing."""
    rng = Random(1)
    drawn = [full_jitter_ms(attempt, rng) for _ in range(4_000)]
    top = ceiling_ms(attempt)

    assert min(drawn) >= 0
    assert max(drawn) <= top <= CAP_MS
    assert abs(sum(drawn) / len(drawn) - top / 2) < top * 0.05


def test_those_who_failed_together_do_not_come_back_together() -> None:
    """I37: chance comes in as an argument, so that a seeded run repeats."""
    assert full_jitter_ms(5, Random(1)) == full_jitter_ms(5, Random(1))
    assert len({full_jitter_ms(5, Random(seed)) for seed in range(100)}) > 90
