"""When enough of several has come, and what the body gets: the rule of kernel/parks.py over what was told so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

Policy = Literal["all", "any"] | int
OnError = Literal["raise", "collect"]
Arrivals = Sequence[tuple[int, Any | BaseException]]
"""Place among the members, and result or error, in order of coming."""


def check_policy(policy: Policy, on_error: OnError, members: int) -> None:
    """Raises ValueError for a rule that says nothing."""
    if not members:
        raise ValueError("gather needs something to wait for")
    if policy not in ("all", "any") and not (isinstance(policy, int) and 1 <= policy <= members):
        raise ValueError(f"policy is all, any or a number from 1 to {members}, not {policy!r}")
    if on_error not in ("raise", "collect"):
        raise ValueError(f"on_error is raise or collect, not {on_error!r}")


def is_met(policy: Policy, on_error: OnError, arrivals: Arrivals, members: int) -> bool:
    """Has enough completed, or can it not happen any more?"""
    failed = sum(isinstance(came, BaseException) for _, came in arrivals)
    completed, still_open = len(arrivals) - failed, members - len(arrivals)
    if policy == "all":
        return not still_open or (on_error == "raise" and failed > 0)
    needed = 1 if policy == "any" else policy
    return completed >= needed or completed + still_open < needed


def result_of(policy: Policy, on_error: OnError, arrivals: Arrivals) -> Any:
    """What a rule that is met yields; raises the first member's error if one is to be raised.

    any: the result that came first. all: every result; n: the n that came first. With collect: everything that had
    come, errors as well, and for all that is every member. Lists are in the order of the members.
    """
    if on_error == "collect":
        return _in_order(arrivals)
    results = [(place, came) for place, came in arrivals if not isinstance(came, BaseException)]
    needed = {"all": len(arrivals), "any": 1}.get(str(policy), policy)
    if len(results) < int(needed):
        raise next(came for came in _in_order(arrivals) if isinstance(came, BaseException))
    return results[0][1] if policy == "any" else _in_order(results[: int(needed)])


def _in_order(arrivals: Arrivals) -> list[Any]:
    return [came for _, came in sorted(arrivals, key=lambda pair: pair[0])]
