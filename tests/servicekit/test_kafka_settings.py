import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from loom_servicekit.bus.in_process import InProcessBus
from loom_servicekit.bus.kafka.security import connection_of
from loom_servicekit.bus.opening import open_bus
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.settings import SettingsError, read_settings

SASL = {
    "LOOM_KAFKA_BOOTSTRAP": "one:9092, two:9092",
    "LOOM_KAFKA_SECURITY": "sasl_ssl",
    "LOOM_KAFKA_USERNAME": "loom-timers",
    "LOOM_KAFKA_PASSWORD": "hush",
}


def test_sasl_and_tls_are_settings() -> None:
    """Kafka 3.6: SCRAM-SHA-512 over TLS whose host names are checked."""
    settings = read_settings(KafkaSettings, SASL, "LOOM_KAFKA_")

    connection = connection_of(settings, "timers")

    context = connection.pop("ssl_context")
    assert (context.check_hostname, context.verify_mode) == (True, ssl.CERT_REQUIRED)
    assert connection.pop("client_id").startswith("timers-")
    assert connection == {
        "bootstrap_servers": ["one:9092", "two:9092"],
        "security_protocol": "SASL_SSL",
        "retry_backoff_ms": 200,
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "loom-timers",
        "sasl_plain_password": "hush",
    }


@pytest.mark.parametrize(("security", "tls", "sasl"), [("plaintext", False, False), ("ssl", True, False)])
def test_nothing_is_claimed_that_was_not_asked_for(security: str, tls: bool, sasl: bool) -> None:
    """Kafka 3.6."""
    connection = connection_of(KafkaSettings(security=security, username="u", password="p"), "timers")  # type: ignore[arg-type]

    assert ("ssl_context" in connection, "sasl_mechanism" in connection) == (tls, sasl)


def test_a_password_is_shown_nowhere() -> None:
    """Secrets are in no log; nor does a fault repeat one."""
    settings = read_settings(KafkaSettings, SASL, "LOOM_KAFKA_")
    assert "hush" not in repr(settings)

    with pytest.raises(SettingsError) as error:
        read_settings(KafkaSettings, {**SASL, "LOOM_KAFKA_USERNAME": ""}, "LOOM_KAFKA_")

    assert "username" in str(error.value)
    assert "hush" not in str(error.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"drain_ms": 30_000},
        {"in_flight_max": 0},
        {"security": "sasl_plaintext"},
        {"security": "ssl", "ca_file": Path("nowhere.pem")},
    ],
)
def test_settings_that_cannot_work_are_refused(wrong: dict[str, object]) -> None:
    """Kafka 3.3 point 6: a drain that outlasts the rebalance is none."""
    with pytest.raises(ValueError):
        KafkaSettings(**wrong)  # type: ignore[arg-type]


def test_every_fault_is_told_at_once() -> None:
    """Issue 5: whoever mends one does not meet the next at the next start."""
    with pytest.raises(ValueError) as error:
        KafkaSettings(security="sasl_ssl", drain_ms=30_000, in_flight_max=0)

    assert all(named in str(error.value) for named in ("username", "drain_ms", "in_flight_max"))


def test_a_process_without_brokers_does_not_load_their_client() -> None:
    """Design 4: `loom dev` pays for nothing that it does not use."""
    loaded = "import sys, loom_cli.cluster, loom_supervisor.__main__; sys.exit('aiokafka' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0


async def test_without_brokers_the_bus_is_in_the_process() -> None:
    """Design 4: the embedded default needs no Kafka, and does not load its client."""
    async with open_bus(KafkaSettings(), service="timers") as (bus, checks):
        assert isinstance(bus, InProcessBus)
        assert checks == ()
