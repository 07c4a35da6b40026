"""The table of surfaces: what of an execution a credential guards, by which call (law 3)."""

from __future__ import annotations

from loom.ids import answer
from loom.kernel import calls as c
from loom.kernel.guards import SURFACE_OF


@answer
class Surface:
    """`call` is the port's method; its credential is compared by equality on incarnation, token and grant."""

    name: str
    call: str


_CALLS: dict[type, str] = {
    c.Append: "append",
    c.AppendBatch: "append_batch",
    c.Park: "park",
    c.StartChild: "start_child",
    c.Attach: "attach",
    c.ContinueAsNew: "continue_as_new",
    c.Send: "send",
    c.Renew: "renew",
    c.Release: "release",
    c.Resume: "resume",
    c.Delete: "delete",
}

SURFACES: tuple[Surface, ...] = tuple(Surface(name=name, call=_CALLS[call]) for call, name in SURFACE_OF.items())
"""A worker refuses to start against a store whose table it does not know."""
