import pytest

from fixtures.variables import SETTINGS, variables_of
from loom_cli.healthcheck import PORTS, where


@pytest.mark.parametrize(
    ("environ", "asked"),
    [
        ({}, "http://127.0.0.1:7302"),
        ({"LOOM_PORT": "9000"}, "http://127.0.0.1:9000"),
        ({"LOOM_HOST": "0.0.0.0"}, "http://127.0.0.1:7302"),
        ({"LOOM_HOST": "::"}, "http://[::1]:7302"),
        ({"LOOM_HOST": "10.0.0.7"}, "http://10.0.0.7:7302"),
        ({"LOOM_HOST": "localhost", "LOOM_PORT": " "}, "http://localhost:7302"),
    ],
)
def test_it_asks_where_the_settings_say_that_the_service_listens(environ: dict[str, str], asked: str) -> None:
    """Operations 3: a container's check reads the container's own environment; any address is reached by loopback."""
    assert where("timers", environ) == asked


def test_it_knows_the_port_of_every_service() -> None:
    """One home of defaults: these are the settings' own."""
    assert {name: variables_of(cls)["LOOM_PORT"] for name, cls in SETTINGS.items()} == PORTS
