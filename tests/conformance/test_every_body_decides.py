"""Every body decides every method of the port, and the path table knows them all."""

from __future__ import annotations

import inspect
from typing import get_args, get_type_hints

import pytest

from loom.client.event_store import HttpEventStore
from loom.kernel import calls as c
from loom.kernel.decide import DECISIONS
from loom.stores import event_store as ports
from loom.stores.event_store import EventStore
from loom.stores.memory import MemoryEventStore
from loom.wire.paths import PATHS
from loom_event_store.postgres.store import PostgresEventStore
from loom_event_store.sqlite.store import SqliteEventStore

BODIES = (MemoryEventStore, SqliteEventStore, PostgresEventStore, HttpEventStore)
HOOK = ports.TestHook
HOOKED = (MemoryEventStore, SqliteEventStore, PostgresEventStore)


def list_methods(port: type) -> dict[str, inspect.Signature]:
    """The methods that a port declares, with their types."""
    return {
        name: inspect.signature(method)
        for name, method in vars(port).items()
        if inspect.isfunction(method) and not name.startswith("_")
    }


def why_undecided(body: type, port: type, name: str) -> str | None:
    """Why `body` does not decide a method of the port, or None."""
    method = getattr(body, name, None)
    if method is None or method is getattr(port, name):
        return "missing"
    if not inspect.iscoroutinefunction(method):
        return "not async"
    if list(inspect.signature(method).parameters) != list(inspect.signature(getattr(port, name)).parameters):
        return "other parameters"
    return None if get_type_hints(method) == get_type_hints(getattr(port, name)) else "other types"


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
@pytest.mark.parametrize("name", list_methods(EventStore))
def test_every_body_decides_every_method(body: type, name: str) -> None:
    """Design 3: each body, the HTTP client too, has every method of the port, with the port's call and answer."""
    assert why_undecided(body, EventStore, name) is None


@pytest.mark.parametrize("body", HOOKED, ids=lambda body: body.__name__)
@pytest.mark.parametrize("name", list_methods(HOOK))
def test_bodies_with_a_hook_decide_all_of_it(body: type, name: str) -> None:
    """I15: what the kit may do to a store that decides by itself."""
    assert why_undecided(body, HOOK, name) is None


def test_a_method_left_out_is_noticed() -> None:
    """Negative control for the rules above."""

    class Idle(EventStore):
        def renew(self, call: c.Renew) -> c.Renewed:  # type: ignore[override]
            raise AssertionError

        async def release(self, call: c.Renew) -> c.Released:  # type: ignore[override]
            raise AssertionError

    undecided = {name: why_undecided(Idle, EventStore, name) for name in ("start", "renew", "release")}

    assert undecided == {"start": "missing", "renew": "not async", "release": "other types"}


def test_every_method_has_a_path() -> None:
    """Design 5: one table, which the server mounts and the client walks: each method once, with its call and answer."""
    table = {path.port: (path.call, path.answer) for path in PATHS}
    port = {name: get_type_hints(getattr(EventStore, name)) for name in list_methods(EventStore)}

    assert len(table) == len(PATHS)
    assert table == {name: (hints["call"], hints["return"]) for name, hints in port.items()}


def test_every_write_has_a_decision() -> None:
    """Design 3: one pure `decide`, total over the calls that write."""
    assert set(get_args(c.WriteCall)) == set(DECISIONS)


def test_the_hook_is_not_on_rest() -> None:
    """I15: the stamp is the server's; no path leads to it."""
    assert not set(list_methods(HOOK)) & {path.port for path in PATHS}
    assert not any(hasattr(HttpEventStore, name) for name in list_methods(HOOK))
