"""What the check at start says, and what stands in a dead letter; with brokers: tests/bus."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any

import pytest
from aiokafka.structs import ConsumerRecord, TopicPartition

from loom.errors import StoreUnavailable
from loom_servicekit.bus.kafka import dead_letters
from loom_servicekit.bus.kafka.dead_letters import Box, letter_from, letter_of
from loom_servicekit.bus.kafka.logs import LINES, WITHIN_S, RateLimit
from loom_servicekit.bus.kafka.records import Record, record_of
from loom_servicekit.bus.kafka.topics import configuration_of, differences
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.topics import DEAD_LETTERS, TOPICS
from servicekit.test_records import envelope, parked

DIED: dict[str, Any] = {"group": "g", "error": ValueError(), "attempts": 5}
AS_THEY_ARE = {topic.name: topic.partitions for topic in TOPICS}
CONFIGS = {topic.name: configuration_of(topic) for topic in TOPICS}


def test_topics_as_they_should_be_differ_in_nothing() -> None:
    """Negative control for the next."""
    assert list(differences(TOPICS, AS_THEY_ARE, CONFIGS)) == []


@pytest.mark.parametrize(
    ("partitions", "configs", "told"),
    [
        ({"loom.child-done.v1": None}, {}, "the topic loom.child-done.v1 is missing: loom topics create"),
        ({"loom.child-done.v1": 6}, {}, "loom.child-done.v1 has 6 partitions, not 24"),
        ({}, {"retention.ms": "1"}, "loom.child-done.v1 has retention.ms=1, not 604800000"),
        ({}, {"cleanup.policy": "compact"}, "loom.child-done.v1 has cleanup.policy=compact, not delete"),
    ],
)
def test_the_check_says_what_differs(partitions: dict[str, Any], configs: dict[str, str], told: str) -> None:
    """Kafka 3.5: partition count and retention match topics.py, or the service is unready and says what does not."""
    there = {name: number for name, number in {**AS_THEY_ARE, **partitions}.items() if number is not None}
    found = {**CONFIGS, "loom.child-done.v1": {**CONFIGS["loom.child-done.v1"], **configs}}

    assert list(differences(TOPICS, there, found)) == [told]


def test_settings_that_may_not_be_read_are_no_difference() -> None:
    """Kafka 3.6: a service's principal need not be allowed to describe configurations."""
    assert list(differences(TOPICS, AS_THEY_ARE, {})) == []


def test_replicas_are_no_difference_and_fewer_of_them_ask_for_fewer_in_sync() -> None:
    """A single broker at home has what it has; a topic that no write could ever satisfy helps nobody."""
    assert configuration_of(TOPICS[0])["min.insync.replicas"] == "2"
    assert configuration_of(TOPICS[0], replication=1)["min.insync.replicas"] == "1"
    assert configuration_of(TOPICS[0], replication=5)["min.insync.replicas"] == "2"


def consumed(record: Any, *, offset: int = 41) -> ConsumerRecord:
    """The record as a consumer meets it."""
    value, key = record.value, record.key
    return ConsumerRecord(
        topic=record.topic,
        partition=3,
        offset=offset,
        timestamp=0,
        timestamp_type=0,
        key=key,
        value=value,
        checksum=None,
        serialized_key_size=0,
        serialized_value_size=0,
        headers=tuple(record.headers),
    )


def test_a_dead_letter_is_the_record_and_says_where_it_was_and_why() -> None:
    """Kafka 6: unchanged, with headers; what is replayed is the record as it was."""
    original = record_of(envelope(parked()), cluster="c")
    error = StoreUnavailable("é" * 5_000)

    letter = letter_of(consumed(original), topic=DEAD_LETTERS.name, group="g", error=error, attempts=5)
    again = letter_from(consumed(letter, offset=7))

    assert (letter.key, letter.value) == (original.key, original.value)
    assert letter.headers[: len(original.headers)] == original.headers
    assert again.origin == (original.topic, 3, 41)
    assert (again.group, again.error, again.attempts) == ("g", "StoreUnavailable", 5)
    assert again.record == original


def test_a_letter_that_died_again_says_where_it_was_last() -> None:
    """Whoever kept the marks of its first death is no nearer to the second; a replay is without any."""
    original = record_of(envelope(parked()), cluster="c")
    first = letter_of(consumed(original), topic=original.topic, group="g", error=ValueError(), attempts=5)
    second = letter_of(consumed(first, offset=99), topic=DEAD_LETTERS.name, group="h", error=KeyError(), attempts=5)

    again = letter_from(consumed(second))

    assert (again.group, again.error, again.original_offset) == ("h", "KeyError", 99)
    assert not [name for name, _ in again.record.headers if name.startswith("x-")]


def test_a_letter_is_replayed_to_our_topics_alone() -> None:
    """One for a topic that is not there kept all others from their replay; any other would be written to by us."""
    original = record_of(envelope(parked()), cluster="c", prefix="t.")
    elsewhere = replace(original, topic="no-such-topic")

    letters = [
        letter_from(consumed(letter_of(consumed(record), topic="t." + DEAD_LETTERS.name, **DIED)))
        for record in (original, elsewhere)
    ]

    assert [letter.is_replayable for letter in letters] == [True, False]


def test_a_record_of_nothing_can_be_buried() -> None:
    """I44: the client sends no record without key and value, and what cannot be buried holds its partition for ever."""
    nothing = Record(topic="loom.child-done.v1", key=None, value=None, headers=[])

    assert letter_of(consumed(nothing), topic=DEAD_LETTERS.name, **DIED).value == b""


def test_topics_take_no_codec_that_the_client_cannot_read() -> None:
    """A broker's own `compression.type` would stop every consumer; so would a foreign writer's."""
    assert all(configuration_of(topic)["compression.type"] == "uncompressed" for topic in TOPICS)


def test_what_is_no_letter_is_shown_and_not_replayed() -> None:
    """Anybody may write to a topic; a tool that dies of it helps nobody."""
    garbage = Record(topic=DEAD_LETTERS.name, key=None, value=None, headers=[("x-original-offset", b"nine")])

    letter = letter_from(consumed(garbage))

    assert letter.origin == (DEAD_LETTERS.name, 3, 41)
    assert not letter.is_replayable


def test_the_librarys_log_is_bounded_and_says_what_was_left_out() -> None:
    """Kafka bug 21: 1,500 lines a second without a leader; one text never hides another."""
    now = 0.0
    limit = RateLimit(lambda: now)

    def say(text: str, *args: object) -> str | None:
        record = logging.LogRecord("aiokafka", logging.ERROR, "", 0, text, args, None)
        return record.getMessage() if limit.filter(record) else None

    said = [say("no leader for %d", number) for number in range(1_000)]
    assert [line for line in said if line] == [f"no leader for {number}" for number in range(LINES)]
    assert say("something else") == "something else"

    now = WITHIN_S
    assert say("no leader for %d", 7) == f"no leader for 7 ({1_000 - LINES} more like this were left out)"


class Silent:
    """Brokers that say how much there is, and then no more."""

    async def end_offsets(self, partitions: Any) -> dict[Any, int]:
        return dict.fromkeys(partitions, 3)

    async def seek_to_beginning(self, *partitions: Any) -> None:
        return

    async def position(self, partition: Any) -> int:
        return 0

    async def getmany(self, partition: Any, *, timeout_ms: int) -> dict[Any, Any]:
        await asyncio.sleep(0)
        return {}


async def test_a_look_at_dead_letters_ends_when_the_brokers_fall_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is without a bound: `loom dead-letters` says so, instead of waiting for ever."""
    monkeypatch.setattr(dead_letters, "SILENT_S", 0.05)
    consumer: Any = Silent()
    box = Box(KafkaSettings(), consumer, [TopicPartition("t", 0)])

    async with asyncio.timeout(5):
        with pytest.raises(TimeoutError):
            await box.read(replayed=True)
