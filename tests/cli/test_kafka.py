"""`loom topics` and `loom dead-letters` without brokers; with one: tests/bus."""

from __future__ import annotations

import pytest

from cli.shell import Shell


@pytest.mark.parametrize("words", [("topics", "check"), ("topics", "create"), ("dead-letters", "list")])
async def test_brokers_are_named_by_the_environment(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Usage: told which setting, and nothing is guessed."""
    monkeypatch.delenv("LOOM_KAFKA_BOOTSTRAP", raising=False)

    told = await shell(*words)

    assert told.exit == 2
    assert "LOOM_KAFKA_BOOTSTRAP" in told.err


@pytest.mark.parametrize("words", [("topics", "check"), ("topics", "create"), ("dead-letters", "replay")])
async def test_brokers_that_do_not_answer_are_a_line_and_a_number(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Unreachable, and never a traceback, nor advice about another server."""
    monkeypatch.setenv("LOOM_KAFKA_BOOTSTRAP", "127.0.0.1:1")

    told = await shell(*words)

    assert told.exit == 7
    assert "the brokers do not answer" in told.err
    assert "loom dev" not in told.err
