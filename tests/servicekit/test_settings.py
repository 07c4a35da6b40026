from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from loom.kernel.limits import Limits
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.settings import SettingsError, read_settings, settings_or_exit, why_exposed
from loom_supervisor.settings import SupervisorSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One field of each sort."""

    port: int
    host: str = "127.0.0.1"
    data: Path = Path("here")
    dev: bool = False
    peers: tuple[str, ...] = ()
    password: str | None = None
    limits: Limits = field(default_factory=Limits)


def test_each_field_is_one_variable() -> None:
    """STYLE: one frozen dataclass, the only home of defaults."""
    environ = {
        "LOOM_PORT": "8080",
        "LOOM_DATA": "/data",
        "LOOM_DEV": "1",
        "LOOM_PEERS": "http://a, http://b,",
        "LOOM_LIMITS_EVENT_BYTES": "17",
        "LOOM_HOST": " ",
        "PORT": "1",
        "LOOM_OF_ANOTHER_SERVICE": "x",
    }

    settings = read_settings(Example, environ)

    assert settings == Example(
        port=8080, data=Path("/data"), dev=True, peers=("http://a", "http://b"), limits=Limits(event_bytes=17)
    )


def test_all_faults_are_told_at_once_and_no_value_is() -> None:
    """Who mends one fault at a time restarts many times; a value may be a secret."""
    environ = {"LOOM_DEV": "SECRET", "LOOM_LIMITS_EVENT_BYTES": "SECRET", "LOOM_PASSWORD": "SECRET"}

    with pytest.raises(SettingsError) as caught:
        read_settings(Example, environ)

    told = str(caught.value)
    assert [line.partition(":")[0] for line in told.splitlines()] == [
        "LOOM_PORT",
        "LOOM_DEV",
        "LOOM_LIMITS_EVENT_BYTES",
    ]
    assert "LOOM_PORT: is required" in told
    assert "SECRET" not in told


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_is_private(host: str) -> None:
    """Until access control comes, nobody but this machine may come in."""
    assert why_exposed(host, dev=False) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "loom.example", ""])
def test_any_other_address_is_refused_without_the_flag(host: str) -> None:
    """Event-store service: the process refuses any address but loopback without LOOM_DEV=1."""
    assert "LOOM_DEV=1" in (why_exposed(host, dev=False) or "")
    assert why_exposed(host, dev=True) is None


def test_the_event_store_refuses_in_its_settings() -> None:
    """The refusal is a fault of the environment like any other."""
    with pytest.raises(SettingsError, match="LOOM_DEV=1"):
        read_settings(EventStoreSettings, {"LOOM_HOST": "0.0.0.0"})

    assert read_settings(EventStoreSettings, {"LOOM_HOST": "0.0.0.0", "LOOM_DEV": "1"}).host == "0.0.0.0"


def test_a_process_with_faulty_settings_ends_with_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2 and the faults on stderr, no traceback."""
    monkeypatch.setenv("LOOM_PORT", "many")

    with pytest.raises(SystemExit) as caught:
        settings_or_exit(Example)

    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("LOOM_PORT: ")


RUBBISH = {
    "LOOM_PORT": "99999",
    "LOOM_HOST": "0.0.0.0",
    "LOOM_EVENT_STORE_URL": "SECRET",
    "LOOM_TIMERS_URL": "http://[::1",
    "LOOM_SWEEP_MS": "-5",
    "LOOM_KAFKA_BOOTSTRAP": "kafka://user:SECRET@broker:9092",
    "LOOM_KAFKA_SESSION_MS": "-1",
    "LOOM_KAFKA_CA_FILE": "/SECRET",
    "LOOM_KAFKA_TOPIC_PREFIX": "a b",
    "LOOM_TRACING_RATIO": "7",
}


def test_each_value_that_cannot_work_is_a_fault_and_all_are_told_at_once() -> None:
    """Operations 2.2: a port out of range was a traceback, a broker's URL was logged with its password, and a fault of
    Kafka's or of tracing hid that of the host.
    """
    with pytest.raises(SettingsError) as caught:
        read_settings(SupervisorSettings, RUBBISH)

    told = str(caught.value)
    for variable in RUBBISH:
        assert variable in told or variable == "LOOM_HOST"
    assert "LOOM_DEV=1" in told
    assert "SECRET" not in told
    assert len(told.splitlines()) == len(RUBBISH)


def test_a_database_is_named_by_a_url_of_postgres() -> None:
    """Another one is never reached, however long it is tried."""
    with pytest.raises(SettingsError) as caught:
        read_settings(EventStoreSettings, {"LOOM_DB_URL": "mysql://u:SECRET@db/loom"})

    assert "LOOM_DB_URL" in str(caught.value)
    assert "SECRET" not in str(caught.value)
    read_settings(EventStoreSettings, {"LOOM_DB_URL": "postgresql:///loom?host=/run/postgresql"})


def test_every_fault_of_kafkas_settings_is_told() -> None:
    """Not the first alone."""
    environ = {"LOOM_KAFKA_SECURITY": "sasl_ssl", "LOOM_KAFKA_DRAIN_MS": "50000", "LOOM_KAFKA_IN_FLIGHT_MAX": "0"}

    with pytest.raises(SettingsError, match=r"username.*drain_ms.*in_flight_max"):
        read_settings(SupervisorSettings, environ)
