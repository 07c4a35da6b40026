"""What somebody may call in a scene. The list of calls is read from the port, so one without an offer is a fault."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints

from event_store.schedules.scenes import CANCEL_MS, LONG, Scene
from kernel.play import Played, child, event, mail, timer
from loom.ids import ExecutionId, Sequence
from loom.kernel import calls as c
from loom.kernel.features import FEATURES
from loom.kernel.heads import ENDED, Status
from loom.kernel.parks import children_of
from loom.stores.event_store import EventStore

Offers = Callable[[Scene], Iterator[Any]]
_OFFERS: dict[str, Offers] = {}


@dataclass(frozen=True, slots=True)
class PortCall:
    """A method of the port; append stands there twice, as a single and as a batch."""

    name: str
    reads: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """No call: somebody's clock moves on, by so many milliseconds."""

    ms: int


UNCOMPARED = {
    "read_store": "says what the store is, which no call changes",
    "list_namespaces": "is about every namespace there is",
    "list_due": "is about every namespace there is",
}
"""Reads whose answers are about more than a scene: what meets them is judged, they are not."""


def calls_of_port() -> tuple[PortCall, ...]:
    """Every method of the port, in its order."""
    methods = [name for name, _ in inspect.getmembers(EventStore, inspect.isfunction) if not name.startswith("_")]
    places = {name: place for place, name in enumerate(vars(EventStore))}
    return tuple(
        PortCall(name, name.startswith(("read_", "list_", "count_")))
        for name in sorted(methods, key=places.__getitem__)
    )


def type_of(name: str) -> type:
    """The type of the argument of a method of the port."""
    found: type = get_type_hints(getattr(EventStore, name))["call"]
    return found


def offered(scene: Scene, name: str) -> list[Any]:
    """The calls of this method that make sense in the scene. KeyError for one that nobody has thought of."""
    return list(_OFFERS[name](scene))


def _offer(offers: Offers) -> Offers:
    _OFFERS[offers.__name__] = offers
    return offers


def _everybody(scene: Scene) -> Iterator[Played]:
    yield from scene.cast.values()


def _new_start(scene: Scene, id: str, **members: Any) -> c.Start:
    given = {"namespace": scene.namespace, "execution_id": ExecutionId(id), "batch_id": scene.name()}
    return c.Start(**given, workflow="w", queue="default", **members)


@_offer
def start(scene: Scene) -> Iterator[Any]:
    if "it" not in scene.cast:
        yield _new_start(scene, "new")
        return
    tombstone = scene.it.head.status is Status.DELETED
    yield _new_start(scene, scene.it.ref.execution_id, recreate=True, if_exists="raise" if tombstone else "return")
    yield _new_start(scene, "new")


@_offer
def start_child(scene: Scene) -> Iterator[Any]:
    if "it" in scene.cast:
        yield scene.it.child_call("new")
        yield scene.it.child_call("k")


@_offer
def append(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        yield played.append_call("STEP_COMPLETED")
        yield played.append_call("order.placed", event("EXECUTION_COMPLETED", 1))
    if "ended" in scene.cast:
        yield scene.it.append_call(event("CHILD_OUTCOME", child_key="k"))
        yield scene.it.append_call("order.placed", release=("k",))
    yield from (scene.it.append_call(mail) for mail in _waiting(scene))


def _waiting(scene: Scene) -> Iterator[Any]:
    if "it" in scene.cast:
        for message in scene.store.rows.waiting(scene.it.head.head):
            yield event("MESSAGE_CONSUMED", message_id=message.message_id)


@_offer
def append_batch(scene: Scene) -> Iterator[Any]:
    everybody = list(_everybody(scene))
    for order in (everybody, everybody[::-1]):
        items = tuple(_item(played, "order.placed") for played in order)
        if items:
            yield c.AppendBatch(namespace=scene.namespace, batch_id=scene.name(), items=items)
    if everybody:
        items = (*(_item(each, "order.placed") for each in everybody[:-1]), _item(everybody[-1], "EXECUTION_FAILED"))
        yield c.AppendBatch(namespace=scene.namespace, batch_id=scene.name(), items=items)


def _item(played: Played, kind: str) -> c.AppendItem:
    members = {name: value for name, value in played.writer.items() if name != "namespace"}
    return c.AppendItem(**members, events=(event(kind),))


@_offer
def park(scene: Scene) -> Iterator[Any]:
    if "it" in scene.cast:
        heard = scene.it.head.cancel_seq
        yield scene.it.park_call(timer(), mail(), heard=heard)
        if {"child", "ended"} & set(scene.cast):
            yield scene.it.park_call(child("k"), mail("no mail"), heard=heard)


@_offer
def claim(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        yield played.claim_call()
    if "it" in scene.cast and scene.it.head.waits:
        yield scene.it.claim_call(token=scene.it.head.token.next(scene.store.epoch))


@_offer
def claim_runnable(scene: Scene) -> Iterator[Any]:
    given = {"namespace": scene.namespace, "queue": "default", "workflows": ("w@0",), "nonce": scene.nonce()}
    yield c.ClaimRunnable(**given, max=2, owner="poller", ttl_ms=10_000)


@_offer
def renew(scene: Scene) -> Iterator[Any]:
    for played in _owners(scene):
        yield c.Renew(**played.at, credential=played.credential, **LONG)


@_offer
def release(scene: Scene) -> Iterator[Any]:
    for played in _owners(scene):
        yield c.Release(**played.at, credential=played.credential)


def _owners(scene: Scene) -> Iterator[Played]:
    return (played for played in _everybody(scene) if played.credential is not None)


@_offer
def evict(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        yield type_of("evict")(**played.seen, token=played.head.token, reason="late")


@_offer
def resume(scene: Scene) -> Iterator[Any]:
    if "it" not in scene.cast or not scene.it.head.waits:
        return
    wait = scene.it.head.waits[0]
    edges = {edge.child_key: edge for edge in scene.it.edges.values()}
    keys = tuple(key for key in children_of(wait) if edges[key].ended)
    yield scene.it.resume_call(wait.id, *keys)
    yield scene.it.resume_call(None)
    if scene.it.head.owner is not None:
        yield scene.it.resume_call(wait.id, *keys, credential=scene.it.credential)


@_offer
def acquire_if_parked(scene: Scene) -> Iterator[Any]:
    if "it" in scene.cast:
        yield scene.it.acquire_call()


@_offer
def append_if_unchanged(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        given = played.seen | {"kind": "ANNOTATED", "batch_id": scene.name()}
        yield c.AppendIfUnchanged(**given)
        yield c.AppendIfUnchanged(**given | {"batch_id": scene.name()}, token=played.head.token)


@_offer
def send(scene: Scene) -> Iterator[Any]:
    if "it" in scene.cast:
        yield scene.it.send_call()
        if "other" in scene.cast:
            yield scene.it.send_call(sender=scene.cast["other"].credential)
    else:
        yield c.Send(namespace=scene.namespace, execution_id=ExecutionId("new"), chain="*", message_id="m", name="mail")


@_offer
def cancel(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        given = played.at | {"chain": played.chain, "batch_id": scene.name(), "deadline_ms": CANCEL_MS}
        yield c.Cancel(**given, by="deadline" if played.head.deadline_at else "request")


@_offer
def terminate(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        yield c.Terminate(**played.seen, batch_id=scene.name(), cancel_seq=played.head.cancel_seq)


@_offer
def fail(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        yield c.Fail(**played.seen, batch_id=scene.name())


@_offer
def delete(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        yield c.Delete(**played.seen)


@_offer
def set_pin(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        yield c.SetPin(**played.seen, owner="books", reason="more")


@_offer
def remove_pin(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        yield c.RemovePin(**played.seen, owner="books")


@_offer
def mark_archived(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        if played.head.status in ENDED:
            yield c.MarkArchived(**played.seen, seq=played.head.last_seq)
        else:
            yield c.MarkArchived(**played.seen, seq=Sequence(1))


@_offer
def take_duty(scene: Scene) -> Iterator[Any]:
    duty = scene.duty
    yield c.TakeDuty(name=duty.name, owner="me", term=duty.term, ttl_ms=60_000)


@_offer
def give_up_duty(scene: Scene) -> Iterator[Any]:
    duty = scene.duty
    yield c.GiveUpDuty(name=duty.name, owner="me", term=duty.term)


@_offer
def heartbeat(scene: Scene) -> Iterator[Any]:
    yield c.Heartbeat(instance=scene.namespace, role="timers", version="1", features=FEATURES)


@_offer
def switch_feature(scene: Scene) -> Iterator[Any]:
    """On, where it is on already: what is off would be off for every scene there is."""
    yield c.SwitchFeature(name=FEATURES[0], on=True)


@_offer
def tick(scene: Scene) -> Iterator[Any]:
    yield Tick(2_000)


@_offer
def attach(scene: Scene) -> Iterator[Any]:
    if "it" not in scene.cast:
        return
    for name in ("other", "child", "ended"):
        if name in scene.cast:
            target = scene.cast[name]
            given = scene.it.writer | {"batch_id": scene.name(), "child_key": "adopted"}
            yield type_of("attach")(**given, child_id=target.ref.execution_id, chain=target.chain)


@_offer
def continue_as_new(scene: Scene) -> Iterator[Any]:
    for played in _everybody(scene):
        yield type_of("continue_as_new")(**played.writer | {"incarnation": None} | played.seen, batch_id=scene.name())


def _about(name: str) -> None:
    """A read of the one that plays, by its address alone."""

    def read(scene: Scene) -> Iterator[Any]:
        if "it" in scene.cast:
            yield type_of(name)(**scene.it.at)

    read.__name__ = name
    _offer(read)


def _of_store(method: str, /, **members: Any) -> None:
    def read(scene: Scene) -> Iterator[Any]:
        given = {member: scene.namespace if value is Scene else value for member, value in members.items()}
        yield type_of(method)(**given)

    read.__name__ = method
    _offer(read)


for _name in ("read_head", "read_events", "read_park", "read_inbox", "read_children", "read_pins", "read_ownership"):
    _about(_name)
_about("read_why")
_of_store("list_executions", namespace=Scene)
_of_store("count_executions", namespace=Scene)
_of_store("list_namespaces")
_of_store("list_due", about="satisfied", limit=1)
_of_store("read_duty", name=Scene)
_of_store("read_store")
