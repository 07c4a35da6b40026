"""Who is in the fleet, and which features are on: no execution is concerned."""

from __future__ import annotations

from loom.errors import FleetBehind, Invalid
from loom.ids import Instant
from loom.kernel import calls as c
from loom.kernel.change import Change, ForgetNodes, Moment, View, WriteFeatures, WriteNode
from loom.kernel.features import FEATURES, NODE_KEPT_MS, NODE_LIVE_MS
from loom.kernel.heads import Node


def heartbeat(view: View, call: c.Heartbeat, moment: Moment) -> Change:
    """A node tells of itself, and hears what is on."""
    node = Node(
        instance=call.instance, role=call.role, version=call.version, features=call.features, seen_at=moment.now
    )
    forgotten = ForgetNodes(Instant(moment.now - NODE_KEPT_MS))
    return Change((forgotten, WriteNode(node)), c.Features(features=view.features()))


def switch_feature(view: View, call: c.SwitchFeature, moment: Moment) -> Change:
    """On only while no live node would destroy what the feature writes; off at any time (I56)."""
    before = view.features()
    if call.on:
        check_known(view, call.name, moment)
    others = {name for name in before if name != call.name}
    after = tuple(sorted(others | {call.name} if call.on else others))
    writes = () if after == tuple(sorted(before)) else (WriteFeatures(after),)
    return Change(writes, c.Features(features=after))


def check_known(view: View, name: str, moment: Moment) -> None:
    """Raises Invalid, FleetBehind."""
    if name not in FEATURES:
        raise Invalid(f"this version knows no feature {name}: it knows {', '.join(FEATURES)}")
    behind = [node for node in view.fleet() if node.seen_at > moment.now - NODE_LIVE_MS and name not in node.features]
    if behind:
        told = ", ".join(f"{node.instance} ({node.role} {node.version})" for node in behind)
        raise FleetBehind(
            f"{told} would destroy what {name} writes: upgrade it first, or stop it and wait {NODE_LIVE_MS // 1000} s",
            feature=name,
            instance=behind[0].instance,
        )
