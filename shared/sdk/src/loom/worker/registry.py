"""Workflows and steps: functions with a name, and where a worker finds them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Generic, ParamSpec, TypeVar, overload

from loom.client.payloads import read_hints
from loom.worker.retry import NO_RETRY, Retry

P = ParamSpec("P")
R = TypeVar("R")


class Workflow(Generic[P, R]):
    """An async function whose first parameter is the Context; callable like it in plain tests.

    `claims` matches exactly `name@version`, so a changed body with a new version leaves running executions to workers
    that still have the old one.
    """

    def __init__(self, function: Callable[P, Awaitable[R]], name: str, version: str) -> None:
        if not inspect.iscoroutinefunction(function):
            raise TypeError(f"workflow {name} must be an async function")
        if not name or not version or "@" in name:
            raise ValueError(f"a workflow has a name, without @, and a version: {name!r}, {version!r}")
        functools.update_wrapper(self, function)
        self.function = function
        self.name = name
        self.version = version

    @property
    def key(self) -> str:
        """What `claims` names."""
        return f"{self.name}@{self.version}"

    @functools.cached_property
    def result_type(self) -> Any:
        """The annotation of what it returns, Any without one."""
        return read_hints(self.function).get("return", Any)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Awaitable[R]:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<workflow {self.key}>"


class Step(Generic[P, R]):
    """A function with effects, sync (run in a thread) or async; callable like it in plain tests."""

    def __init__(self, function: Callable[P, R], name: str, retry: Retry, timeout_ms: int | None) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.name = name
        self.retry = retry
        self.timeout_ms = timeout_ms

    @functools.cached_property
    def result_type(self) -> Any:
        """The annotation of what it returns, Any without one."""
        return read_hints(self.function).get("return", Any)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<step {self.name}>"


@overload
def workflow(function: Callable[P, Awaitable[R]], /) -> Workflow[P, R]: ...
@overload
def workflow(
    *, name: str | None = None, version: str = "0"
) -> Callable[[Callable[P, Awaitable[R]]], Workflow[P, R]]: ...
def workflow(function: Any = None, /, *, name: str | None = None, version: str = "0") -> Any:
    """Make an async function a workflow: `@loom.workflow` or `@loom.workflow(name=, version=)`.

    The name is the function's own if none is given; a workflow without a version is version `0`.
    """
    if function is None:
        return lambda function: Workflow(function, name or function.__name__, version)
    return Workflow(function, name or function.__name__, version)


@overload
def step(function: Callable[P, R], /) -> Step[P, R]: ...
@overload
def step(
    *, name: str | None = None, retry: Retry = NO_RETRY, timeout: float | None = None
) -> Callable[[Callable[P, R]], Step[P, R]]: ...
def step(
    function: Any = None, /, *, name: str | None = None, retry: Retry = NO_RETRY, timeout: float | None = None
) -> Any:
    """Give a function a retry policy and a time-out in seconds for each attempt: `@loom.step(retry=, timeout=)`.

    Without `retry` it is tried once. A sync function runs in a thread, which a time-out leaves behind.
    """
    timeout_ms = None if timeout is None else round(timeout * 1000)
    if function is None:
        return lambda function: Step(function, name or function.__name__, retry, timeout_ms)
    return Step(function, name or function.__name__, retry, timeout_ms)


def as_step(function: Callable[..., Any], name: str) -> Step[..., Any]:
    """The step that `function` is, else one of that name without retry or time-out."""
    return function if isinstance(function, Step) else Step(function, name, NO_RETRY, None)


def register(workflows: Iterable[Workflow[..., Any]]) -> Mapping[str, Workflow[..., Any]]:
    """Workflows by `name@version`. Raises ValueError if two share one, or there is none; TypeError for other things."""
    by_key: dict[str, Workflow[..., Any]] = {}
    for entry in workflows:
        if not isinstance(entry, Workflow):
            raise TypeError(f"{entry!r} is not a workflow: decorate it with @loom.workflow")
        if by_key.setdefault(entry.key, entry) is not entry:
            raise ValueError(f"two workflows are {entry.key}: give one another name or version")
    if not by_key:
        raise ValueError("a worker needs at least one workflow")
    return by_key
