"""What an execution waits for, in words."""

from __future__ import annotations

from loom.kernel import parks as p
from loom_cli.durations import show_duration, show_instant


def tell_wait(wait: p.Wait) -> str:
    """What would answer this wait."""
    match wait:
        case p.TimerWait(timer=timer) if timer.wake_at is not None:
            return f"timer at {show_instant(timer.wake_at)}"
        case p.TimerWait(timer=timer):
            return f"timer of {show_duration(timer.delay_ms or 0)}"
        case p.ChildWait(child=child):
            return f"child {child.key}"
        case p.GroupWait(group=group):
            return f"{_tell_policy(group)} ({', '.join(group.members[:3])}{', …' if len(group.members) > 3 else ''})"
        case p.MessageWait(message=message):
            return f"message {message.name}" + (f" with key {message.key}" if message.key is not None else "")
        case p.OperatorWait(operator=operator):
            return f"operator: {tell_block(operator)}"


def tell_block(operator: p.Operator) -> str:
    """Why an execution is blocked, in one line."""
    if operator.expected is None:
        return operator.reason
    return f"{operator.reason}: at {operator.at} the log says {operator.expected}, the body did {operator.actual}"


def why_blocked(waits: tuple[p.Wait, ...]) -> str | None:
    """What an operator is asked to decide, or None."""
    return next((tell_block(wait.operator) for wait in waits if isinstance(wait, p.OperatorWait)), None)


def _tell_policy(group: p.Group) -> str:
    count = len(group.members)
    match group.policy:
        case "all":
            return f"all of {count} children"
        case "any":
            return f"any of {count} children"
        case needed:
            return f"{needed} of {count} children"
