"""A hint as a record and back; and every published version, as it was published."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from loom.ids import ExecutionId, Incarnation, Instant, Namespace, Sequence
from loom.kernel.hints import ChildDone, Envelope, Hint, NotifyResume
from loom_servicekit.bus.kafka.records import MESSAGES, envelope_of, id_of, record_of
from loom_servicekit.bus.lanes import ContractViolation
from loom_servicekit.topics import TOPICS, DeadLetter
from servicekit.test_bus import child_done, parked

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
AT = Instant(1_700_000_000_123)
NOTIFIED = NotifyResume(
    namespace=Namespace("shop"),
    execution=ExecutionId("a"),
    incarnation=Incarnation(3),
    queue="default",
    workflow="order",
    reason="timer",
    sequence=Sequence(9),
)
HINTS: dict[str, Hint] = {"child-done": child_done(), "execution-parked": parked(), "notify-resume": NOTIFIED}
GOLDEN = Path(__file__).parent / "messages"


def envelope(hint: Hint, traceparent: str | None = TRACE) -> Envelope:
    """Told a while ago."""
    return Envelope(hint=hint, created_at=AT, traceparent=traceparent)


def form(hint: Hint) -> dict[str, Any]:
    """The record as a golden file has it."""
    record = record_of(envelope(hint), cluster="loom")
    assert record.key is not None
    assert record.value is not None
    headers = {name: value.decode() for name, value in record.headers}
    return {
        "topic": record.topic,
        "key": record.key.decode(),
        "headers": headers,
        "data": json.loads(record.value),
    }


@pytest.mark.parametrize("hint", HINTS.values(), ids=HINTS)
def test_a_hint_comes_back_as_it_was_told(hint: Hint) -> None:
    """Kafka 6: incarnations, its time and its trace context, unchanged."""
    record = record_of(envelope(hint), cluster="c")

    assert envelope_of(record.value, record.headers, timestamp=5) == envelope(hint)
    assert record.key == hint.key.encode()


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_every_published_version_is_still_understood(path: Path) -> None:
    """Kafka 6, rule 6. These files are never edited; a new version gets a new one."""
    golden = json.loads(path.read_text("utf-8"))
    headers = [(name, value.encode()) for name, value in golden["headers"].items()]

    told = envelope_of(json.dumps(golden["data"]).encode(), headers, timestamp=0)

    assert told == envelope(HINTS[path.stem.partition(".")[0]])


def test_what_is_published_today_has_a_golden_file() -> None:
    """Kafka 6: in it every member and every header; binary mode's `ce_`, and no second trace context."""
    for hint in HINTS.values():
        name = hint.TOPIC.removeprefix("loom.")
        assert form(hint) == json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    assert {*MESSAGES.values()} == {*get_args(Hint)}
    assert {f"dev.{topic.name}" for topic in TOPICS if topic.message is not DeadLetter} == set(MESSAGES)


def test_the_id_is_made_of_the_body_and_names_the_incarnation() -> None:
    """Kafka 2.4 point 2: published again it is the same; of an id that lives again it is another."""
    assert id_of(parked()) == "shop/a:1:1:dev.loom.execution-parked.v1"
    assert id_of(parked(incarnation=2)) != id_of(parked())
    assert id_of(parked(park_seq=2)) != id_of(parked())
    assert id_of(child_done()) == "shop/c:2:2:dev.loom.child-done.v1:a/k"
    assert id_of(child_done(parent="b")) != id_of(child_done())


@pytest.mark.parametrize(
    ("value", "headers", "named"),
    [
        (b"", {}, "no dev"),
        (b"not json", {}, "no dev"),
        (b"[]", {}, "no dev"),
        (b'{"namespace": "shop"}', {}, "no dev"),
        (None, {"ce_type": "dev.loom.child-done.v2"}, "child-done.v2"),
        (None, {"ce_specversion": "2.0"}, "2.0"),
        (None, {"ce_type": ""}, "ce_type"),
        (None, {"ce_time": "yesterday"}, "yesterday"),
    ],
)
def test_what_is_none_of_our_messages_is_told_apart(value: bytes | None, headers: dict[str, str], named: str) -> None:
    """Kafka 3.3 point 7: a contract violation, whatever is wrong, and never another exception."""
    record = record_of(envelope(child_done()), cluster="c")
    changed = {**dict(record.headers), **{name: text.encode() for name, text in headers.items()}}

    with pytest.raises(ContractViolation, match=named):
        envelope_of(record.value if value is None else value, list(changed.items()), timestamp=0)


@pytest.mark.parametrize("name", ["ce_specversion", "ce_type", "ce_time"])
def test_a_fault_repeats_little_of_a_header(name: str) -> None:
    """A line of the log per record, and of a megabyte each, fills a disk."""
    record = record_of(envelope(parked()), cluster="c")

    with pytest.raises(ContractViolation) as caught:
        envelope_of(record.value, [(name, b"x" * 900_000), *record.headers], timestamp=0)

    assert len(str(caught.value)) < 500


def test_headers_that_are_no_text_are_a_violation_too() -> None:
    """Kafka 3.3 point 7."""
    record = record_of(envelope(parked()), cluster="c")

    with pytest.raises(ContractViolation):
        envelope_of(record.value, [*record.headers, ("ce_time", b"\xff")], timestamp=0)


def test_a_reader_ignores_what_a_newer_writer_added() -> None:
    """Kafka 6, rule 1: additive within a major; and of two trace contexts the first counts (5.1)."""
    record = record_of(envelope(parked()), cluster="c")
    data = {**json.loads(record.value or b""), "since": "2.0"}
    headers = [*record.headers, ("ce_new", b"1"), ("traceparent", b"another")]

    assert envelope_of(json.dumps(data).encode(), headers, timestamp=0) == envelope(parked())


def test_a_message_without_a_time_is_as_old_as_its_record() -> None:
    """CloudEvents: `time` is optional, and so is a trace."""
    record = record_of(envelope(parked(), traceparent=None), cluster="c")
    headers = [(name, value) for name, value in record.headers if name != "ce_time"]

    told = envelope_of(record.value, headers, timestamp=77)

    assert told == replace(envelope(parked(), traceparent=None), created_at=Instant(77))


def test_the_greatest_incarnation_survives_json() -> None:
    """H40: as a decimal string."""
    greatest = Incarnation(2**63 - 1)
    hint = replace(child_done(), parent_incarnation=greatest)
    record = record_of(envelope(hint), cluster="c")
    told = envelope_of(record.value, record.headers, timestamp=0).hint

    assert isinstance(told, ChildDone)
    assert told.parent_incarnation == greatest
    assert json.loads(record.value or b"")["parent_incarnation"] == str(greatest)
