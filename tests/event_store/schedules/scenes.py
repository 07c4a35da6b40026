"""Where two calls may meet: executions in every state, played on the oracle and then put into the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from event_store.schedules.tables import Numbers
from kernel.play import LEASE_MS, Played, Stage, child, group, mail, timer
from loom.ids import Namespace, Nonce, Token
from loom.kernel import calls as c
from loom.kernel.heads import Duty
from loom.kernel.limits import Limits
from loom.stores.memory import MemoryEventStore

NOW = 1_700_000_000_000
"""When the calls of a schedule happen: every scene ends at this instant."""
LIMITS = Limits(fruitless_claims=3)
CANCEL_MS = 5_000


class Scene(Stage):
    """Executions of one namespace. The same name gives the same ones, whatever store they are put into."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.clock.advance(NOW - 1_000_000 - self.clock.now())
        self.store = MemoryEventStore(self.clock, limits=LIMITS, rng=Numbers(name))
        self.namespace = Namespace(name)
        self.cast: dict[str, Played] = {}
        self.do(c.TakeDuty(name=name, owner="me", term=0, ttl_ms=2_000_000))

    def nonce(self) -> Nonce:
        return Nonce(f"{super().nonce()}-{self.namespace}")

    def start(self, id: str | None = None, *, queue: str | None = "default", **members: Any) -> Played:
        return super().start(id, queue=queue, **{"namespace": self.namespace} | members)

    def put(self, **cast: Played) -> Scene:
        """Who plays: `it`, perhaps its `child`, its `other`."""
        self.cast |= cast
        return self

    @property
    def it(self) -> Played:
        return self.cast["it"]

    @property
    def duty(self) -> Duty:
        found: Duty = self.do(c.ReadDuty(name=self.namespace))
        return found

    def at_last(self) -> Scene:
        """The scene as it is when the calls begin; leases of its last minute still live."""
        self.clock.advance(NOW - self.clock.now())
        return self


LONG = {"ttl_ms": 20 * LEASE_MS}


def _owned(scene: Scene, id: str = "a", **members: Any) -> Played:
    return scene.start(id, **members).claim(**LONG)


def nothing(scene: Scene) -> None:
    """Nobody is there yet."""


def pending(scene: Scene) -> None:
    """Started, claimed by nobody yet."""
    scene.put(it=scene.start("a"))


def running(scene: Scene) -> None:
    """Two, each with an owner."""
    scene.put(it=_owned(scene), other=_owned(scene, "b"))


def runnable(scene: Scene) -> None:
    """Parked and answered: it waits for a claim."""
    it = _owned(scene).park(timer())
    it.resume()
    scene.put(it=it)


def expired(scene: Scene) -> None:
    """Its lease has run out; nobody has taken over."""
    scene.put(it=scene.start("a").claim(ttl_ms=1_000))


def timed(scene: Scene) -> None:
    """Parked on a timer that has passed, or mail; its parker's lease goes on."""
    scene.put(it=_owned(scene).park(timer(), mail()))


def asleep(scene: Scene) -> None:
    """Parked, its parker long gone."""
    scene.put(it=scene.start("a").claim(ttl_ms=1_000).park(timer(), mail()))


def acquired(scene: Scene) -> None:
    """Parked, and an engine holds it."""
    it = scene.start("a").claim(ttl_ms=1_000).park(timer(), mail())
    scene.put(it=it.acquire(**LONG))


def parent(scene: Scene) -> None:
    """A running parent of a running child, and of another."""
    it = _owned(scene)
    scene.put(it=it, child=it.start_child("k").claim(**LONG), second=it.start_child("l").claim(**LONG))


def adopted(scene: Scene) -> None:
    """A running parent that has its running child under two keys, where the port can attach."""
    it = _owned(scene)
    kid = it.start_child("k").claim(**LONG)
    attach = getattr(c, "Attach", None)
    if attach is not None:
        target = {"child_key": "also", "child_id": kid.ref.execution_id, "chain": kid.chain}
        scene.do(attach(**it.writer, batch_id=scene.name(), **target))
    scene.put(it=it, child=kid)


def awaiting(scene: Scene) -> None:
    """Parked on a running child."""
    it = _owned(scene)
    kid = it.start_child("k").claim(**LONG)
    scene.put(it=it.park(child("k"), mail()), child=kid)


def gathering(scene: Scene) -> None:
    """Parked on any of two children, one of which has ended."""
    it = _owned(scene)
    ended = it.start_child("k").claim(**LONG)
    kid = it.start_child("l").claim(**LONG)
    it.park(group("k", "l", policy="any"))
    ended.append("EXECUTION_COMPLETED")
    scene.put(it=it, child=kid, ended=ended)


def informed(scene: Scene) -> None:
    """Running, with mail and a child's outcome waiting."""
    it = _owned(scene)
    kid = it.start_child("k").claim(**LONG)
    kid.append("EXECUTION_COMPLETED")
    it.send(message_id="m")
    scene.put(it=it, ended=kid)


def single(scene: Scene) -> None:
    """In single-writer mode."""
    it = scene.single(id="a")
    it.append("order.placed")
    scene.put(it=it)


def singles(scene: Scene) -> None:
    """Two that anybody may write, until somebody claims one."""
    scene.put(it=scene.single(id="a"), other=scene.single(id="b"))


def expiring(scene: Scene) -> None:
    """Its lease has one more second."""
    scene.at_last().put(it=scene.start("a").claim(ttl_ms=1_000))


def single_asleep(scene: Scene) -> None:
    """In single-writer mode, parked."""
    scene.put(it=scene.single(id="a").park(timer(), mail()))


def ended(scene: Scene) -> None:
    """Completed."""
    it = _owned(scene)
    it.append("EXECUTION_COMPLETED")
    scene.put(it=it)


def leaving(scene: Scene) -> None:
    """One runs, the other has ended and may be deleted."""
    other = _owned(scene, "b")
    other.append("EXECUTION_COMPLETED")
    scene.put(it=_owned(scene), other=other)


def pinned(scene: Scene) -> None:
    """Failed, and somebody wants to keep it."""
    it = _owned(scene)
    it.append("EXECUTION_FAILED")
    scene.do(c.SetPin(**it.seen, owner="books", reason="audit"))
    scene.put(it=it)


def deleted(scene: Scene) -> None:
    """A tombstone."""
    it = _owned(scene)
    it.append("EXECUTION_COMPLETED")
    it.delete()
    scene.put(it=it)


def asked(scene: Scene) -> None:
    """A cancel is requested and its deadline has passed; the owner goes on."""
    it = _owned(scene)
    it.cancel(deadline_ms=CANCEL_MS)
    scene.put(it=it)


def forgotten(scene: Scene) -> None:
    """Its owner presents a token that the store does not know any more."""
    it = _owned(scene)
    it.credential = it.forged(token=Token(it.head.token + 1))
    scene.put(it=it)


def overdue(scene: Scene) -> None:
    """It should have ended by now."""
    scene.put(it=_owned(scene, timeout_ms=1_000))


SCENES: tuple[Callable[[Scene], None], ...] = (
    nothing,
    running,
    parent,
    gathering,
    timed,
    runnable,
    expired,
    pending,
    acquired,
    informed,
    awaiting,
    adopted,
    single,
    singles,
    single_asleep,
    ended,
    leaving,
    pinned,
    deleted,
    asked,
    asleep,
    overdue,
    forgotten,
)


def made(setting: Callable[[Scene], None], name: str) -> Scene:
    """The scene of this name, at its last instant."""
    scene = Scene(name)
    setting(scene)
    return scene.at_last()
