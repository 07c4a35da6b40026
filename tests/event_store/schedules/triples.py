"""Three calls that meet: the schedules of three sessions that hazards 5.5 names."""

from __future__ import annotations

from event_store.schedules import scenes
from event_store.schedules.offers import calls_of_port
from event_store.schedules.oracle import Meeting, Move

_NAMED = (
    ("send x park x cancel", scenes.running, (("send", 0), ("park", 0), ("cancel", 0))),
    (
        "claim x claim x the last append of an expiring lease",
        scenes.expiring,
        (("claim", 0), ("claim", 0), ("append", 0), ("tick", 0)),
    ),
    ("resume x terminate x claim", scenes.timed, (("resume", 0), ("terminate", 0), ("claim", 1))),
    (
        "two unsorted batches x a claim on one of their heads",
        scenes.singles,
        (("append_batch", 0), ("append_batch", 1), ("claim", 0)),
    ),
    (
        "child ends x parent continues x attach",
        scenes.parent,
        (("append", 3), ("continue_as_new", 0), ("attach", 0)),
    ),
    ("delete x attach x audit append", scenes.leaving, (("delete", 1), ("attach", 0), ("append_if_unchanged", 2))),
)


def triples() -> dict[str, Meeting | None]:
    """By their names in the books; None where the port lacks one of the calls."""
    known = {call.name for call in calls_of_port()} | {"tick"}
    return {
        name: Meeting(setting, tuple(Move(*move) for move in moves))
        if {method for method, _ in moves} <= known
        else None
        for name, setting, moves in _NAMED
    }
