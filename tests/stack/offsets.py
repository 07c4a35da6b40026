"""What a group has acknowledged, as the broker says."""

from __future__ import annotations

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient


async def read_lag(bootstrap: str, group: str, topic: str) -> int:
    """How many messages of the topic the group has not acknowledged."""
    admin, consumer = AIOKafkaAdminClient(bootstrap_servers=bootstrap), AIOKafkaConsumer(bootstrap_servers=bootstrap)
    await admin.start()
    await consumer.start()
    try:
        (described,) = await admin.describe_topics([topic])
        partitions = [TopicPartition(topic, number) for number in range(len(described["partitions"]))]
        ends = await consumer.end_offsets(partitions)
        committed = await admin.list_consumer_group_offsets(group)
        return sum(ends[each] - (max(0, committed[each].offset) if each in committed else 0) for each in partitions)
    finally:
        await consumer.stop()
        await admin.close()
