"""What an older node of the fleet would destroy, and so is switched on only when every node knows it (I56)."""

from __future__ import annotations

REDRIVES = "redrives"
"""Rows of timers that stand for a contended resume: a node that does not know them would take them for wakes."""

FEATURES: tuple[str, ...] = (REDRIVES,)
"""All that this version knows. On in a new database; an upgrade turns nothing on."""

NODE_LIVE_MS = 30_000  # a node that told of itself this lately is one of the fleet
NODE_KEPT_MS = 600_000  # and is shown for so long
