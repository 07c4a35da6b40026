from typing import get_args

from loom.kernel.hints import Hint
from loom_servicekit.topics import TOPICS, DeadLetter, addressee
from servicekit.test_bus import child_done, parked


def test_every_message_has_one_topic_of_its_name() -> None:
    """Kafka 3.5: one dataclass per topic, and no hint without one."""
    messages = [topic.message for topic in TOPICS]

    assert set(messages) == {*get_args(Hint), DeadLetter}
    assert len({topic.name for topic in TOPICS}) == len(TOPICS)
    assert {topic.message.TOPIC: topic.message for topic in TOPICS if topic.message is not DeadLetter} == {
        topic.name: topic.message for topic in TOPICS if topic.message is not DeadLetter
    }


def test_the_event_store_is_the_only_publisher_of_hints() -> None:
    """Kafka 2.4: the one exception is the dead letter, written by the consumer that gives up."""
    assert {topic.writers for topic in TOPICS if topic.message is not DeadLetter} == {("event-store",)}


def test_a_childs_end_and_its_parents_park_meet_in_one_lane() -> None:
    """Kafka 3.5: keyed by the parent, so that one parent's wake-ups are handled one after the other."""
    assert child_done("a").key == parked("a").key
    assert addressee(child_done("a", incarnation=3)) == addressee(parked("a", incarnation=3))
    assert addressee(parked("a", incarnation=3)) != addressee(parked("a", incarnation=4))
