"""docs/asyncapi.yaml is what the code says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from loom_servicekit.asyncapi import document, text
from loom_servicekit.bus.kafka.records import Record, record_of
from loom_servicekit.topics import TOPICS
from servicekit.test_records import HINTS, envelope

KEPT = Path(__file__).resolve().parents[2] / "docs" / "asyncapi.yaml"


def refs_in(part: Any) -> Iterator[str]:
    """Every reference, wherever it stands."""
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"]
        for inner in part.values():
            yield from refs_in(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from refs_in(inner)


def test_the_kept_document_is_not_stale() -> None:
    """Kafka 6: written by `make asyncapi`, and nothing twice."""
    assert KEPT.read_text("utf-8") == text(), "run make asyncapi"
    assert yaml.safe_load(text()) == document()


def test_every_reference_leads_somewhere() -> None:
    """What a generator of clients follows."""
    found = document()
    for ref in refs_in(found):
        at: Any = found
        for name in ref.removeprefix("#/").split("/"):
            at = at[name]
        assert at


def test_every_topic_says_who_writes_it_and_who_reads_it() -> None:
    """Kafka 3.5, and AsyncAPI's bindings of Kafka."""
    found = document()
    assert (found["asyncapi"], len(found["channels"])) == ("3.0.0", len(TOPICS))
    for topic in TOPICS:
        binding = found["channels"][topic.name.removeprefix("loom.")]["bindings"]["kafka"]
        assert (binding["topic"], binding["partitions"]) == (topic.name, topic.partitions)
        acts = [name for name in found["operations"] if name.endswith(f" {topic.name.removeprefix('loom.')}")]
        assert len(acts) == len(topic.writers) + len(topic.readers) + len(topic.tails)


def test_the_headers_told_are_the_headers_sent() -> None:
    """Kafka 6."""
    messages = document()["components"]["messages"]
    for hint in HINTS.values():
        record: Record = record_of(envelope(hint), cluster="c")
        assert {name for name, _ in record.headers} == set(messages[type(hint).__name__]["headers"]["properties"])
