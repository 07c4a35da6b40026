"""The table of surfaces: what of an execution can be written, by which call, under which guard (law 3)."""

from __future__ import annotations

from loom.ids import answer


@answer
class Surface:
    """`guard`: credential (equality on incarnation, token and grant, live lease), or seen (compare-and-set)."""

    name: str
    call: str
    guard: str


SURFACES: tuple[Surface, ...] = (
    Surface(name="events", call="append", guard="credential"),
    Surface(name="events-batch", call="append_batch", guard="credential"),
    Surface(name="park", call="park", guard="credential"),
    Surface(name="children", call="start_child", guard="credential"),
    Surface(name="messages", call="send", guard="credential"),
    Surface(name="renew", call="renew", guard="credential"),
    Surface(name="release", call="release", guard="credential"),
    Surface(name="answer", call="resume", guard="credential"),
    Surface(name="delete", call="delete", guard="credential"),
)
"""A worker refuses to start against a store whose table it does not know."""
