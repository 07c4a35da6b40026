import pytest

from loom.ids import Instant
from loom_cli.durations import read_duration, show_duration, show_instant


@pytest.mark.parametrize(
    ("text", "ms"),
    [("0", 0), ("30", 30_000), ("500ms", 500), ("1.5s", 1_500), ("5m", 300_000), ("2h", 7_200_000), ("1d", 86_400_000)],
)
def test_a_duration_is_whole_milliseconds(text: str, ms: int) -> None:
    """Design 5: durations are whole milliseconds, whatever unit a person writes."""
    assert read_duration(text) == ms


@pytest.mark.parametrize("text", ["", "-1", "1w", "s", "1 s", "1e3", "١s", "NaN", "inf"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    """Negative control: nothing is guessed."""
    with pytest.raises(ValueError, match="is not a duration"):
        read_duration(text)


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0ms"), (999, "999ms"), (1_250, "1.2s"), (184_000, "3m04s"), (7_500_000, "2h05m"), (356_400_000, "4d03h")],
)
def test_a_duration_is_shown_in_at_most_two_units(ms: int, text: str) -> None:
    """A person compares durations at a glance; whoever needs them exact takes --json."""
    assert show_duration(ms) == text


def test_an_instant_is_shown_in_utc_and_never_fails() -> None:
    """A deadline may lie 100 years ahead, and a wrong clock anywhere: showing it must not break the command."""
    assert show_instant(Instant(1_700_000_000_007)) == "2023-11-14 22:13:20.007Z"
    assert show_instant(None) == "-"
    assert show_instant(Instant(10**18)) == f"{10**18}ms"
