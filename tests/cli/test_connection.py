from loom_cli.connection import timers_url


def test_timers_are_asked_where_the_environment_says() -> None:
    """Design 5: `why` joins what timers know; services that run apart have an address each."""
    assert timers_url("http://all:7300", {}) == "http://all:7300"
    assert timers_url("http://store:7300", {"LOOM_TIMERS_URL": "http://timers:7302"}) == "http://timers:7302"
