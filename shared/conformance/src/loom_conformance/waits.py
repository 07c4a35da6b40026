"""Waits as cases write them; each is its own id unless told otherwise."""

from __future__ import annotations

from typing import Any, Literal

from loom.ids import Instant
from loom.kernel import parks


def timer(delay_ms: int | None = 0, *, wake_at: Instant | None = None, id: str = "timer") -> parks.TimerWait:
    """A timer wait: a delay that the store counts, or an instant."""
    return parks.TimerWait(
        id=id, timer=parks.Timer(wake_at=wake_at, delay_ms=None if wake_at is not None else delay_ms)
    )


def child(key: str, *, id: str | None = None) -> parks.ChildWait:
    """A wait for one child."""
    return parks.ChildWait(id=id or key, child=parks.Child(key=key))


def group(
    *members: str,
    policy: Literal["all", "any"] | int = "all",
    on_error: Literal["raise", "collect"] = "raise",
    keep: bool = False,
    id: str = "group",
) -> parks.GroupWait:
    """A wait for several children under a rule."""
    return parks.GroupWait(id=id, group=parks.Group(members=members, policy=policy, on_error=on_error, keep=keep))


def message(name: str, key: str | None = None, *, id: str | None = None) -> parks.MessageWait:
    """A wait for a message."""
    return parks.MessageWait(id=id or name, message=parks.Message(name=name, key=key))


def operator(reason: str = "a person must look", *, id: str = "operator", **facts: Any) -> parks.OperatorWait:
    """A wait for an operator."""
    return parks.OperatorWait(id=id, operator=parks.Operator(reason=reason, **facts))
