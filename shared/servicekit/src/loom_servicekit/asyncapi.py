"""What runs over the bus, as AsyncAPI 3.0.0: made of `topics.py` and the messages' dataclasses, and of nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter

from loom.kernel.hints import ChildDone
from loom_servicekit.bus.kafka.records import CONTENT_TYPE, SPEC_VERSION, schema_of
from loom_servicekit.topics import TOPICS, DeadLetter, ServiceName, Topic, group_of

VERSION = "3.0.0"
KAFKA = "0.5.0"

_TEXT = {"type": "string"}


def document() -> dict[str, Any]:
    """The whole document."""
    return {
        "asyncapi": VERSION,
        "info": {
            "title": "Loom",
            "version": "1",
            "description": "Hints between the services: at least once, in any order, perhaps never. "
            "CloudEvents 1.0 in binary mode. Whoever gets one reads the event store again before acting.",
        },
        "defaultContentType": CONTENT_TYPE,
        "channels": {_name(topic): _channel(topic) for topic in TOPICS},
        "operations": dict(entry for topic in TOPICS for entry in _operations(topic)),
        "components": {
            "messages": {_message_name(topic): _message(topic) for topic in TOPICS},
            "schemas": {
                topic.message.__name__: TypeAdapter(topic.message).json_schema()
                for topic in TOPICS
                if topic.message is not DeadLetter
            },
        },
    }


def _channel(topic: Topic) -> dict[str, Any]:
    return {
        "address": topic.name,
        "description": topic.message.__doc__,
        "messages": {_message_name(topic): {"$ref": f"#/components/messages/{_message_name(topic)}"}},
        "bindings": {
            "kafka": {
                "topic": topic.name,
                "partitions": topic.partitions,
                "replicas": topic.replication,
                "topicConfiguration": {
                    "cleanup.policy": [topic.cleanup],
                    "retention.ms": topic.retention_ms,
                    "max.message.bytes": topic.bytes_max,
                },
                "bindingVersion": KAFKA,
            }
        },
    }


def _operations(topic: Topic) -> Iterator[tuple[str, dict[str, Any]]]:
    channel = {"channel": {"$ref": f"#/channels/{_name(topic)}"}}
    for service in topic.writers:
        yield f"{service} writes {_name(topic)}", {"action": "send", **channel}
    for service in topic.readers:
        group = {"kafka": {"groupId": {**_TEXT, "enum": [group_of(service)]}, "bindingVersion": KAFKA}}
        yield f"{service} reads {_name(topic)}", {"action": "receive", **channel, "bindings": group}
    for service in topic.tails:
        yield (
            _tail(service, topic),
            {
                "action": "receive",
                **channel,
                "description": "every replica, all partitions, from the end, without a group",
            },
        )


def _tail(service: ServiceName, topic: Topic) -> str:
    return f"{service} tails {_name(topic)}"


def _message(topic: Topic) -> dict[str, Any]:
    described = {
        "name": f"dev.{topic.name}",
        "summary": topic.message.__doc__,
        "bindings": {
            "kafka": {"key": {**_TEXT, "description": f"namespace/id: {topic.keyed_by}"}, "bindingVersion": KAFKA}
        },
    }
    if topic.message is DeadLetter:
        return {**described, "headers": _headers_of_letter(), "payload": {"description": "the original's, unchanged"}}
    payload = {"$ref": f"#/components/schemas/{topic.message.__name__}"}
    return {**described, "contentType": CONTENT_TYPE, "headers": _headers(topic), "payload": payload}


def _headers(topic: Topic) -> dict[str, Any]:
    message: Any = topic.message
    subject = "namespace/child" if message is ChildDone else "namespace/execution"
    edge = ":parent/child_key" if message is ChildDone else ""
    attributes = {
        "ce_specversion": {"const": SPEC_VERSION},
        "ce_id": {**_TEXT, "description": f"{subject}:incarnation:sequence:ce_type{edge}, alike in every repetition"},
        "ce_source": {**_TEXT, "description": "/loom/event-store/ and the name of the installation"},
        "ce_type": {"const": f"dev.{topic.name}"},
        "ce_subject": {**_TEXT, "description": subject},
        "ce_time": {**_TEXT, "format": "date-time", "description": "when what it tells was committed"},
        "ce_dataschema": {"const": schema_of(message)},
        "content-type": {"const": CONTENT_TYPE},
    }
    traced = {"traceparent": {**_TEXT, "description": "the W3C context of what it tells, if that is traced"}}
    return {"type": "object", "required": list(attributes), "properties": {**attributes, **traced}}


def _headers_of_letter() -> dict[str, Any]:
    marks = {
        "x-original-topic": "where it was",
        "x-original-partition": "and in which partition",
        "x-original-offset": "and at which offset; the three tell it apart, since it may be here twice",
        "x-group": "whose consumer gave up on it",
        "x-error-class": "the error's class",
        "x-error": "what it said",
        "x-attempts": "how often it was handled: 0 where it could not be read",
    }
    properties = {name: {**_TEXT, "description": told} for name, told in marks.items()}
    return {
        "type": "object",
        "description": "and those of the original",
        "required": list(marks),
        "properties": properties,
    }


def _name(topic: Topic) -> str:
    return topic.name.removeprefix("loom.")


def _message_name(topic: Topic) -> str:
    return topic.message.__name__


def text() -> str:
    """The document as it is kept."""
    import yaml  # a developer's: what ships does not write documents

    return str(yaml.safe_dump(document(), sort_keys=False, allow_unicode=True, width=120))


if __name__ == "__main__":
    sys.stdout.write(text())
