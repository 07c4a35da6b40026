import pytest

from cli.shell import Shell


@pytest.fixture
def shell() -> Shell:
    """The command over a fresh store in memory."""
    return Shell()
