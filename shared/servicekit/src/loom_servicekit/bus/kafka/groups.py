"""What the coordinator knows of a group."""

from __future__ import annotations

from collections.abc import Collection

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.coordinator.protocol import ConsumerProtocol


async def count_free(admin: AIOKafkaAdminClient, group: str, topics: Collection[str]) -> int:
    """How many partitions of these topics no member of the group has. Raises KafkaError, which `admin_of` turns."""
    described = await admin.describe_topics(list(topics))
    there = sum(len(found["partitions"]) for found in described if not found["error_code"])
    taken = 0
    for answer in await admin.describe_consumer_groups([group]):
        for _, _, _, _, _, members, *_ in answer.groups:
            taken += sum(
                len(ConsumerProtocol.ASSIGNMENT.decode(member[-1]).partitions()) for member in members if member[-1]
            )
    return max(0, there - taken)
