"""Are the topics there, and as `loom_servicekit.topics` says? Looked at from the start on, and made by whoever may."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, NoError, TopicAlreadyExistsError, UnknownTopicOrPartitionError, for_code

from loom.errors import Invalid, StoreUnavailable
from loom_servicekit.bus.kafka.security import connection_of
from loom_servicekit.bus.settings import KafkaSettings
from loom_servicekit.loops import Loop
from loom_servicekit.topics import TOPICS, ServiceName, Topic

log = logging.getLogger(__name__)

LOOK_MS = 30_000
STOP_MS = 1_000
LOOK_AGAIN_MS = 2_000
REQUEST_MS = 10_000
LEADERS_S = 30.0
LEADERS_EVERY_S = 0.05

Configs = Mapping[str, Mapping[str, str]]
"""Settings by topic; a topic whose settings may not be read is absent."""


@asynccontextmanager
async def admin_of(settings: KafkaSettings, service: str) -> AsyncIterator[AIOKafkaAdminClient]:
    """A client for a question or two. Raises StoreUnavailable where no broker answers, or not the question."""
    admin = AIOKafkaAdminClient(**connection_of(settings, service), request_timeout_ms=REQUEST_MS)
    try:
        await admin.start()
        yield admin
    except (KafkaError, OSError) as error:
        raise StoreUnavailable(f"the brokers do not answer: {error!r}") from error
    finally:
        await admin.close()


class TopicsCheck:
    """A background that looks for the topics of a service: unready while they differ, and it says how.

    Brokers that do not answer are no reason to be unready: an event store works without them.
    """

    def __init__(self, settings: KafkaSettings, service: ServiceName) -> None:
        self._settings = settings
        self._service = service
        self._topics = tuple(topic for topic in TOPICS if topic.is_used_by(service))
        self._loop = Loop("topics", self.step, every_ms=LOOK_MS, cap_ms=LOOK_AGAIN_MS, stop_ms=STOP_MS)
        self._looked = asyncio.Event()
        self._found: frozenset[str] = frozenset()
        self._differences: tuple[str, ...] = ()

    async def start(self) -> None:
        await self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()

    def why_unready(self) -> str | None:
        return "; ".join(self._differences) or None

    def wake(self) -> None:
        """Something failed that may come from a topic: look now."""
        self._loop.wake()

    async def found(self) -> frozenset[str]:
        """Which topics of `loom_servicekit.topics` were there lately; waits for the first look."""
        await self._looked.wait()
        return self._found

    async def step(self) -> int | None:
        """One look. Raises StoreUnavailable if no broker answers."""
        async with admin_of(self._settings, self._service) as admin:
            partitions, configs = await _look(admin, self._settings, self._topics)
        before, self._differences = self._differences, tuple(differences(self._topics, partitions, configs))
        self._found = frozenset(partitions)
        self._looked.set()
        if self._differences != before:
            log.warning("topics: %s", "; ".join(self._differences) or "as they should be")
        return LOOK_AGAIN_MS if self._differences else None


async def check_topics(settings: KafkaSettings) -> list[str]:
    """What of all topics is not as it should be, a sentence each. Raises StoreUnavailable."""
    async with admin_of(settings, "loom") as admin:
        return list(differences(TOPICS, *await _look(admin, settings, TOPICS)))


async def create_topics(settings: KafkaSettings, *, replication: int) -> list[str]:
    """Make the topics that are not there, and give their names; they can be used then. Harmless when repeated.

    Raises StoreUnavailable; Invalid for more replicas than brokers.
    """
    async with admin_of(settings, "loom") as admin:
        there = await read_partitions(admin, settings, TOPICS)
        wanted = [topic for topic in TOPICS if topic.name not in there]
        if not wanted:
            return []
        answer = await admin.create_topics([_new(topic, settings, replication) for topic in wanted])
        for name, code, *rest in answer.topic_errors:
            error = for_code(code)
            if code and error is not TopicAlreadyExistsError:
                raise Invalid(f"{name} was not created: {error.__name__} {rest[0] if rest else ''}")
        await _await_leaders(admin, [settings.topic_prefix + topic.name for topic in wanted])
    return [topic.name for topic in wanted]


def differences(topics: Sequence[Topic], partitions: Mapping[str, int], configs: Configs) -> Iterator[str]:
    """What is not as the topics say, a sentence each."""
    for topic in topics:
        if topic.name not in partitions:
            yield f"the topic {topic.name} is missing: loom topics create"
            continue
        if partitions[topic.name] != topic.partitions:
            yield f"{topic.name} has {partitions[topic.name]} partitions, not {topic.partitions}"
        found = configs.get(topic.name, {})
        for name, value in configuration_of(topic).items():
            if name in CHECKED and found.get(name, value) != value:
                yield f"{topic.name} has {name}={found[name]}, not {value}"


CHECKED = frozenset({"retention.ms", "cleanup.policy"})


def configuration_of(topic: Topic, replication: int | None = None) -> dict[str, str]:
    """The settings of the topic by Kafka's names."""
    in_sync_min = topic.in_sync_min if replication is None else max(1, min(topic.in_sync_min, replication - 1))
    return {
        "cleanup.policy": topic.cleanup,
        "compression.type": "uncompressed",  # a broker's default may be a codec that the client cannot read
        "retention.ms": str(topic.retention_ms),
        "min.insync.replicas": str(in_sync_min),
        "max.message.bytes": str(topic.bytes_max),
    }


async def read_partitions(
    admin: AIOKafkaAdminClient, settings: KafkaSettings, topics: Collection[Topic]
) -> dict[str, int]:
    """How many partitions each topic has that is there, by its name without the prefix."""
    names = {settings.topic_prefix + topic.name: topic.name for topic in topics}
    there = {}
    for found in await admin.describe_topics(list(names)):
        error = for_code(found["error_code"])
        if error is NoError:
            there[names[found["topic"]]] = len(found["partitions"])
        elif error is not UnknownTopicOrPartitionError:
            raise error(found["topic"])  # a moment without a leader is no missing topic
    return there


async def _await_leaders(admin: AIOKafkaAdminClient, names: Sequence[str]) -> None:
    async with asyncio.timeout(LEADERS_S):  # a TimeoutError is an OSError: the brokers did not answer
        while not all(map(_is_led, await admin.describe_topics(list(names)))):  # noqa: ASYNC110 - the brokers decide
            await asyncio.sleep(LEADERS_EVERY_S)


def _is_led(topic: Mapping[str, Any]) -> bool:
    return not topic["error_code"] and all(partition["leader"] >= 0 for partition in topic["partitions"])


async def _look(
    admin: AIOKafkaAdminClient, settings: KafkaSettings, topics: Sequence[Topic]
) -> tuple[dict[str, int], Configs]:
    partitions = await read_partitions(admin, settings, topics)
    there = [topic for topic in topics if topic.name in partitions]
    return partitions, await _read_configs(admin, settings, there)


async def _read_configs(admin: AIOKafkaAdminClient, settings: KafkaSettings, topics: Sequence[Topic]) -> Configs:
    names = {settings.topic_prefix + topic.name: topic.name for topic in topics}
    if not names:
        return {}
    resources = [ConfigResource(ConfigResourceType.TOPIC, name) for name in names]
    found: dict[str, Mapping[str, str]] = {}
    for answer in await admin.describe_configs(resources):
        for code, _, _, name, entries in answer.resources:
            if code:
                log.info("the settings of %s may not be read: %s", name, for_code(code).__name__)
            else:
                found[names[name]] = {entry[0]: entry[1] for entry in entries}
    return found


def _new(topic: Topic, settings: KafkaSettings, replication: int) -> NewTopic:
    return NewTopic(
        settings.topic_prefix + topic.name,
        topic.partitions,
        replication,
        topic_configs=configuration_of(topic, replication),
    )
