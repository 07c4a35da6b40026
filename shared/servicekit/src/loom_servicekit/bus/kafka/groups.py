"""What the coordinator knows of a group."""

from __future__ import annotations

from collections.abc import Collection

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.coordinator.protocol import ConsumerProtocol

SETTLED = frozenset({"Stable", "Empty", "Dead"})
"""States of a group in which who has what is known; during a rebalance nobody has anything."""


async def count_free(admin: AIOKafkaAdminClient, group: str, topics: Collection[str]) -> int:
    """How many partitions of these topics no member of the group has; 0 where that is not known for certain.

    Raises KafkaError, which `admin_of` turns.
    """
    described = await admin.describe_topics(list(topics))
    there = sum(len(found["partitions"]) for found in described if not found["error_code"])
    taken = 0
    for answer in await admin.describe_consumer_groups([group]):
        for code, _, state, _, _, members, *_ in answer.groups:
            if code or state not in SETTLED:
                return 0
            taken += sum(
                len(ConsumerProtocol.ASSIGNMENT.decode(member[-1]).partitions()) for member in members if member[-1]
            )
    return max(0, there - taken)
