from dataclasses import replace

import pytest

from loom.ids import Instant
from loom_retention.policy import ENDINGS, Keep, Policies, ended_before
from loom_retention.settings import RetentionSettings
from loom_servicekit.settings import SettingsError, read_settings


def test_an_ending_is_kept_for_its_own_time_and_none_is_for_ever() -> None:
    """Design 4: policies by ending; the instant is the event store's."""
    keep = Keep(completed=10, failed=20, cancelled=0, continued=None)

    assert {ending.value: ended_before(keep, ending, Instant(100)) for ending in ENDINGS} == {
        "completed": 90,
        "failed": 80,
        "cancelled": 100,
        "continued": None,
    }


def test_a_namespace_without_a_policy_of_its_own_has_the_default() -> None:
    """Design 4."""
    policies = Policies(default=Keep(), by_namespace={"shop": Keep(completed=1)})

    assert policies.of("shop").completed == 1
    assert policies.of("other") == Keep()


def test_a_negative_time_is_refused_where_it_is_read() -> None:
    """Bad input: a policy that would delete what has not ended yet is no policy."""
    with pytest.raises(SettingsError, match="0 ms or longer"):
        read_settings(RetentionSettings, {"LOOM_KEEP_COMPLETED": "-1"})


def test_the_settings_read_a_time_for_each_ending() -> None:
    """models-of-style D, Services: the settings are the only home of defaults."""
    settings = read_settings(RetentionSettings, {"LOOM_KEEP_COMPLETED": "5", "LOOM_DATA": "d"})

    assert settings.keep == replace(Keep(), completed=5)
    assert settings.archive is None
