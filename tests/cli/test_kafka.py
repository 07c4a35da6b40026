"""`loom topics` and `loom dead-letters`, with a broker and without."""

from __future__ import annotations

import json

import pytest

from bus.test_dead_letters import bury, publish, read
from cli.shell import Shell
from fixtures.kafka import Kafka, fresh_prefix
from loom_servicekit.bus.kafka.topics import create_topics
from loom_servicekit.bus.settings import KafkaSettings


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


async def test_the_commands_say_what_is_there(kafka: Kafka, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """`loom topics`, `loom dead-letters`: a table for people, a document for programs, a number for both."""
    settings = KafkaSettings(bootstrap=tuple(kafka.bootstrap.split(",")), topic_prefix=fresh_prefix(), linger_ms=0)
    await create_topics(settings, replication=1)
    monkeypatch.setenv("LOOM_KAFKA_BOOTSTRAP", ",".join(settings.bootstrap))
    monkeypatch.setenv("LOOM_KAFKA_TOPIC_PREFIX", settings.topic_prefix)
    await publish(settings, "a")
    await bury(settings, await read(settings), ValueError("a fault"))

    assert (await shell("topics", "check")).exit == 0
    assert "all are there" in (await shell("topics", "create", "--replication", "1")).out
    (letter,) = json.loads((await shell("dead-letters", "list", "--json")).out)["letters"]
    assert (letter["key"], letter["error"], letter["group"]) == ("shop/a", "ValueError", "loom-timers")
    assert "ValueError: a fault" in (await shell("dead-letters", "replay")).out
    assert (await shell("dead-letters", "list")).out.strip() == "none"
    monkeypatch.setenv("LOOM_KAFKA_TOPIC_PREFIX", fresh_prefix())
    missing = await shell("topics", "check")
    assert (missing.exit, missing.out.count("is missing")) == (1, 4)
