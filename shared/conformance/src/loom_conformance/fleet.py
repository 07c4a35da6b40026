"""The fleet: who tells of itself, which features are on. What these cases switch off they switch on again."""

from __future__ import annotations

from loom.errors import FleetBehind, Invalid
from loom.kernel import calls as c
from loom.kernel.features import FEATURES, REDRIVES
from loom.kernel.heads import Node
from loom_conformance.case import Suite
from loom_conformance.checks import equal, holds, refused
from loom_conformance.scene import Scene, mint

SUITE = Suite("fleet")


async def _tell(scene: Scene, instance: str, *features: str) -> c.Features:
    call = c.Heartbeat(instance=instance, role="timers", version="0.1.0", features=features)
    return await scene.store.heartbeat(call)


async def _switch(scene: Scene, name: str, on: bool) -> tuple[str, ...]:
    return (await scene.store.switch_feature(c.SwitchFeature(name=name, on=on))).features


async def _nodes(scene: Scene, instance: str) -> list[Node]:
    return [node for node in (await scene.store.read_store(c.ReadStore())).fleet if node.instance == instance]


@SUITE.case
async def a_node_that_tells_of_itself_is_in_the_fleet(scene: Scene) -> None:
    """Operations 6.3: one row an instance, as it was told last and when; the answer is what is on."""
    instance = mint("node")

    told = await _tell(scene, instance)
    (first,) = await _nodes(scene, instance)
    await scene.pass_time(20)
    await _tell(scene, instance, *FEATURES, "of-a-newer-version")
    (second,) = await _nodes(scene, instance)

    equal(told.features, (await scene.store.read_store(c.ReadStore())).features)
    equal((first.role, first.version, first.features), ("timers", "0.1.0", ()))
    equal(second.features, (*FEATURES, "of-a-newer-version"))
    holds(second.seen_at > first.seen_at, "when it told last is kept")


@SUITE.case
async def a_feature_stays_off_while_a_live_node_does_not_know_it(scene: Scene) -> None:
    """I56: it would destroy what the feature writes. Off goes at any time, and what is as asked changes nothing."""
    instance = mint("node")
    await _tell(scene, instance, *FEATURES)
    try:
        equal(await _switch(scene, REDRIVES, False), tuple(name for name in FEATURES if name != REDRIVES))
        equal(await _switch(scene, REDRIVES, False), tuple(name for name in FEATURES if name != REDRIVES))
        await _tell(scene, instance)

        await refused(FleetBehind, _switch(scene, REDRIVES, True))
        holds(REDRIVES not in (await _tell(scene, instance)).features, "it is still off")
    finally:
        await _tell(scene, instance, *FEATURES)
        equal(await _switch(scene, REDRIVES, True), FEATURES)


@SUITE.case
async def a_feature_that_nobody_knows_is_not_switched_on(scene: Scene) -> None:
    """A slip of the pen turns nothing on that no node would ever write."""
    before = (await scene.store.read_store(c.ReadStore())).features

    await refused(Invalid, _switch(scene, mint("feature"), True))

    equal((await scene.store.read_store(c.ReadStore())).features, before)
