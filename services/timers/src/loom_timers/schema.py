"""The timers' part of a database, for `migrate`."""

from __future__ import annotations

from loom_servicekit.migrations import Schema

SCHEMA = Schema(name="timers", package="loom_timers")
